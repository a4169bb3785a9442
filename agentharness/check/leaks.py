"""Whether what an agent is shown holds the right answer: a test on values, beside the refusal of secrets in expressions.

For each row its gold texts are looked for in what the baselines saw before they answered. What the row says openly is taken off, and so is what any public cell
says: to find it there is the task. The rate is held against a baseline: the gold of the row before it, looked for in the same texts. Lists of all labels and
words that stand everywhere are so explained.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentharness.check.finding import Finding, some
from agentharness.check.played import Played, shown
from agentharness.corpus.table import Table
from agentharness.stats.intervals import wilson

LEAST = 4
"""Letters of a text that is looked for; shorter ones stand everywhere."""
COMMON = frozenset({"true", "false", "none", "null", "noanswer"})
OPEN = 20_000_000
"""Characters of public cells that are taken off."""


def leaks(played: Played) -> Finding:
    """One finding over opening texts and all later ones."""
    table = played.world.corpus.tables[played.world.spec.episode.each]
    public = _public(played)
    gold = {key: _gold(table, key) for key in played.keys}
    if not any(gold.values()):
        return Finding("leaks", "green", "no gold text is long enough to be looked for")
    own: list[str] = []
    other = 0
    for i, key in enumerate(played.keys):
        seen = "\n".join(text for lines in played.lines.values() if key in lines for text in shown(lines[key])).casefold()
        said = _said(table, key)
        if _found(gold[key], seen, said, public):
            own.append(key)
        if _found(gold[played.keys[i - 1]] - gold[key], seen, said, public):
            other += 1
    n = len(played.keys)
    low, high = (wilson(len(own), n) or (0.0, 1.0))[0], (wilson(other, n) or (0.0, 1.0))[1]
    rates = f"{len(own)} of {n:,} rows show their own gold, {other} that of another row"
    if len(own) > other and low > high:
        return Finding("leaks", "red", rates, some(own), "hide the column, or take it out of what is shown")
    if len(own) > other:
        return Finding("leaks", "yellow", rates, some(own), "look at these rows: chance would explain it too")
    return Finding("leaks", "green", rates)


def _found(gold: set[str], seen: str, said: str, public: str) -> bool:
    return any(text in seen and text not in said and text not in public for text in gold)


def _gold(table: Table, key: str) -> set[str]:
    full = table.full(key)
    return {text for text in _texts(table.projections.gold(full)) if len(text) >= LEAST and text not in COMMON} if full is not None else set()


def _said(table: Table, key: str) -> str:
    return "\n".join(_texts(table.view(key) or {}))


def _public(played: Played) -> str:
    """The public cells of all tables that are not the episodes' own, one text."""
    out: list[str] = []
    size = 0
    for name, table in played.world.corpus.tables.items():
        if name == played.world.spec.episode.each:
            continue
        for scope, key in table.ids:
            for text in _texts(table.view(key, scope) or {}):
                out.append(text)
                size += len(text)
            if size > OPEN:
                return "\n".join(out)
    return "\n".join(out)


def _texts(value: Any) -> Iterator[str]:
    """All texts and numbers in a value, case folded."""
    if isinstance(value, str):
        yield value.casefold()
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
