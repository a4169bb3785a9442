"""Values as words: what a gold value is, and whether it stands in a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentharness.corpus.table import Table
from agentharness.env.expr import ExprError
from agentharness.env.world import World
from agentharness.types.part import JsonDict

SHORT = 4
"""Characters from which on a value can be told from a coincidence."""
PLAIN = frozenset({"true", "false", "none", "null", "noanswer", "unknown"})
"""Words that stand everywhere; yes and no are short anyhow."""
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
    """What the public row says, folded."""
    return folded("\n".join(leaves(world.corpus.tables[world.compiled.table].view(row))))


def under_text(world: World, row: str) -> str:
    """What the tables say that lie under a row (`scope: row`), folded."""
    scoped = [table for table in world.corpus.tables.values() if table.scope]
    return folded("\n".join(leaf for table in scoped for key in table.keys(row) for leaf in leaves(table.view(key, row))))


def shared_tables(world: World) -> list[Table]:
    """Tables that every row shares, the episodes' own left out."""
    return [table for name, table in world.corpus.tables.items() if not table.scope and name != world.compiled.table]


def answers(world: World, row: str) -> set[str]:
    """What the rewards compare with, as values that can be looked for."""
    full = world.full(row)
    out: set[str] = set()
    for rule in world.rewards.values():
        try:
            out |= tellable(leaves(rule.resolve(full, {"submission": None, "vars": {}, "over": True})[1]))
        except ExprError:
            continue  # it reads what only a played state has
    return out


def gold_values(world: World, row: str) -> set[str]:
    """The gold of a row, as values that can be looked for."""
    full: JsonDict = world.full(row)
    return tellable(leaves(world.corpus.tables[world.compiled.table].projections.gold(full)))
