"""Values as words: what a gold value is, and whether it stands in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agentharness.corpus.paths import parse, values
from agentharness.corpus.table import Table
from agentharness.env.expr import ExprError
from agentharness.env.world import World

_WORD = re.compile(r"[^\W_\u2e80-\U0010ffff]+|[\u2e80-\U0010ffff]")
"""What `stands` takes for a word: letters and digits together; of scripts without spaces each letter."""
SHORT = 4
"""Characters from which on a value can be told from a coincidence."""
PLAIN = frozenset({"true", "false", "none", "null", "noanswer", "unknown"})
"""Words that stand everywhere; yes and no are short anyhow."""
MOST_ROWS = 200_000
"""Rows of a shared table that are searched for a value."""
MOST_VALUES = 50
"""Gold values of a row that are looked for."""


def folded(text: str) -> str:
    """Case folded, white space as one space."""
    return " ".join(text.casefold().split())


def leaves(value: Any) -> Iterator[str]:
    """Every text and number in a value. Pictures have none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict) and value.get("type") != "image":
        for item in value.values():
            yield from leaves(item)


def tellable(values: Iterator[str]) -> set[str]:
    """The values that can be looked for, folded."""
    out: set[str] = set()
    for value in values:
        word = folded(value)
        if len(word) >= SHORT and word not in PLAIN:
            out.add(word)
        if len(out) >= MOST_VALUES:
            break
    return out


def stands(value: str, text: str) -> bool:
    """Whether a folded value stands in a folded text as whole words. Scripts without spaces have no word ends."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if _parted(text[at - 1 : at], value[0]) and _parted(value[-1], text[end : end + 1]):
            return True
        at = text.find(value, at + 1)
    return False


def _parted(left: str, right: str) -> bool:
    return not (left.isalnum() and right.isalnum() and left < "⺀" and right < "⺀")


def row_text(world: World, row: str) -> str:
    """What the public row says, and what the tables say that lie under it (`scope: row`), folded."""
    tables = world.corpus.tables
    under = (leaf for table in tables.values() if table.scope for key in table.keys(row) for leaf in leaves(table.view(key, row)))
    return folded("\n".join([*leaves(tables[world.compiled.table].view(row)), *under]))


def question_text(world: World, row: str) -> str:
    """What the public row alone says, folded."""
    return folded("\n".join(leaves(world.corpus.tables[world.compiled.table].view(row))))


def hidden_text(world: World, row: str) -> str:
    """What is neither public nor gold about a row, with the public part, folded: the tables under it included."""
    tables = world.corpus.tables
    under = (leaf for table in tables.values() if table.scope for key in table.keys(row) for leaf in leaves(table.non_gold(key, row)))
    return folded("\n".join([*leaves(tables[world.compiled.table].non_gold(row)), *under]))


def gold_text(world: World, row: str) -> str:
    """All gold of a row, folded."""
    return folded("\n".join(leaves(world.corpus.tables[world.compiled.table].projections.gold(world.full(row)))))


def shared_tables(world: World) -> list[Table]:
    """Tables that every row shares, the episodes' own left out."""
    return [table for name, table in world.corpus.tables.items() if not table.scope and name != world.compiled.table]


def answers(world: World, row: str) -> set[str]:
    """What the rewards compare with, as values that can be looked for."""
    full = world.full(row)
    out: set[str] = set()
    for rule in world.rewards.values():
        try:
            out |= tellable(_plain(rule.resolve(full, {"submission": None, "vars": {}, "over": True})[1]))
        except ExprError:
            continue  # it reads what only a played state has
    return out


def gold_values(world: World, row: str) -> set[str]:
    """The answers of a row, and the texts and numbers of its gold columns. Records are left out: a list of calls is made of arguments, which the world says."""
    full, columns = world.full(row), world.corpus.tables[world.compiled.table].columns
    paths = [path for path, level in world.spec.columns.get(world.compiled.table, {}).items() if level == "gold"]
    return answers(world, row) | tellable(leaf for path in paths for value in values(full, parse(path, columns)) for leaf in _plain(value))


def _plain(value: Any) -> Iterator[str]:
    """A text or number, or those of a list of them."""
    if not isinstance(value, dict):
        yield from leaves([v for v in value if not isinstance(v, dict | list)] if isinstance(value, list) else value)


def told_to_all(world: World, values: set[str]) -> set[str]:
    """Those of the values that stand in a public cell of a table that every row shares."""
    out: set[str] = set()
    for table in shared_tables(world):
        finder = Finder(values - out)
        for scope, key in map(table.ident, range(min(len(table), MOST_ROWS))):
            if not finder.left:
                break
            out |= finder.take(folded("\n".join(leaves(table.view(key, scope)))))
    return out


class Finder:
    """Many folded values, looked for in many texts: by the first word of each, so that a text costs its own words and not the values."""

    def __init__(self, values: set[str]) -> None:
        self.left = len(values)
        self._by_word: dict[str, set[str]] = {}
        for value in values:
            word = _WORD.search(value)
            self._by_word.setdefault(word[0] if word else "", set()).add(value)

    def take(self, text: str) -> set[str]:
        """The values that stand in the text; they are not looked for again."""
        found: set[str] = set()
        for word in self._by_word.keys() & {"", *_WORD.findall(text)}:
            there = {value for value in self._by_word[word] if stands(value, text)}
            self._by_word[word] -= there
            found |= there
        self.left -= len(found)
        return found
