"""Leaks by value, beside the static refusal of expressions that name gold: does what a row's agent is shown hold that row's own gold?

What is no leak: what the public row says itself; what a public table says to everybody; what the agent said first, or was shown for acting on gold; what a
hidden column says, for it is what the world is there to tell; and gold that the agents of other rows are shown just as often (options, labels): the gold of
other rows is the baseline.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from agentharness import canon
from agentharness.canon import derive_seed
from agentharness.check.finding import Finding, found, rate, share
from agentharness.check.plays import Played
from agentharness.check.subject import Subject
from agentharness.check.words import (
    SHORT,
    answers,
    folded,
    gold_text,
    gold_values,
    hidden_text,
    leaves,
    question_text,
    row_text,
    stands,
    tellable,
    told_to_all,
)
from agentharness.env.world import World
from agentharness.stats.intervals import wilson
from agentharness.store.reader import parts_of, texts
from agentharness.types import part
from agentharness.types.part import JsonDict

OTHERS = 5
"""Other rows whose gold is looked for in each row's observations."""
KEPT = 64
"""Rows whose texts are kept at hand."""
AT_HAND = 0.5
"""Share of rows whose first observation already holds the answer, from which on there is little left to do."""


@dataclass(slots=True)
class _Row:
    """What one row's observations hold. Sets of values, by whose gold they are: 0 its own, then the other rows'."""

    key: str
    gold: list[set[str]]
    aside: set[str] = field(default_factory=set)
    """Own values that were shown, and that hidden columns say."""
    shown: list[set[str]] = field(default_factory=list)
    opening: list[set[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.shown = [set() for _ in self.gold]
        self.opening = [set() for _ in self.gold]


class _Texts:
    """What is public, what is not gold, what is gold about a row, folded; the rows that were asked for last are kept."""

    def __init__(self, world: World) -> None:
        self.public = lru_cache(KEPT)(partial(row_text, world))
        self.hidden = lru_cache(KEPT)(partial(hidden_text, world))
        self.secret = lru_cache(KEPT)(partial(gold_text, world))


def leaks(subject: Subject, plays: Sequence[Played]) -> Finding:
    """The rate of rows that are shown their own gold, beside the rate for other rows' gold. Red where the first is clearly above the second: its 95 % interval
    lies above the other's."""
    rows = _gold(subject, plays)
    known = 0
    for key in rows:
        said = question_text(subject.world, key)
        known += any(stands(value, said) for value in answers(subject.world, key))
    for played in plays:
        _read(played, rows, _Texts(subject.world))
    told = told_to_all(subject.world, set().union(*(values for row in rows.values() for values in row.shown)))
    asked = {key: row for key, row in rows.items() if row.gold[0]}
    if not asked:
        return found("leaks", "green", "no gold value is long enough to look for (yes, no and texts under 4 characters say nothing)")
    return _judged(asked, told, known)


def _judged(rows: dict[str, _Row], told: set[str], known: int) -> Finding:
    own = {key: left for key, row in rows.items() if (left := row.shown[0] - told)}
    other = [bool(shown - told) for row in rows.values() for gold, shown in zip(row.gold[1:], row.shown[1:], strict=True) if gold]
    low, high = _bounds(len(own), len(rows)), _bounds(sum(other), len(other))
    named = [f"{key} ({_short(min(values))})" for key, values in own.items()]
    base = rate(sum(other) / len(other), high) if other else "unknown: no other row"
    text = f"{share(len(own), len(rows))} are shown gold of their own that nothing public says: {rate(len(own) / len(rows), low)}; other rows' gold: {base}"
    aside = [key for key, row in rows.items() if row.aside]
    beside = f"; {share(known, len(rows))} say the answer in public" if known else ""
    beside += f"; {share(len(aside), len(rows))} are told it out of hidden columns" if aside else ""
    if own and other and low[0] > high[1]:
        return found("leaks", "red", text + beside, named, todo="find what shows it: a hook, a responder, a value of `derive`, a Python source")
    opened = [key for key, row in rows.items() if row.opening[0] & told]
    elsewhere = [bool(row.opening[i] & told) for row in rows.values() for i in range(1, len(row.gold)) if row.gold[i]]
    first = _bounds(len(opened), len(rows))
    if opened and first[0] > max(AT_HAND, _bounds(sum(elsewhere), len(elsewhere))[1]):
        text = f"the first observation of {share(len(opened), len(rows))} holds the row's own answer, out of a public table"
        return found("leaks", "yellow", text + beside, opened, todo="show less at the start, or let it be found by an action")
    suspicious = own and (not other or len(own) / len(rows) > high[1])
    return found("leaks", "yellow" if suspicious else "green", text + beside, named if suspicious else (), todo="look at these rows" if suspicious else "")


def _bounds(n: int, of: int) -> tuple[float, float]:
    return wilson(n, of) or (0.0, 1.0)


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _gold(subject: Subject, plays: Sequence[Played]) -> dict[str, _Row]:
    """Gold of each row, with what a scorer takes from the right answer, and of some other rows: values that differ from its own."""
    keys = subject.rows
    values = {key: gold_values(subject.world, key) for key in keys}
    for played in plays:
        if played.cell.agent.privileged:
            for line in played.lines():
                notes = line.get("scores") or {}
                values[line["key"]["row"]] |= tellable(str(note["extracted"]) for note in notes.values() if "extracted" in note)
    out: dict[str, _Row] = {}
    for i, key in enumerate(keys):
        steps = {derive_seed("leaks", subject.config.seed, key, n) % (len(keys) - 1) + 1 for n in range(OTHERS)} if len(keys) > 1 else set()
        gold = [values[key], *(values[keys[(i + step) % len(keys)]] - values[key] for step in sorted(steps))]
        out[key] = _Row(key, gold)
    return out


def _read(played: Played, rows: dict[str, _Row], of: _Texts) -> None:
    """Notes which gold stands in what the agent was shown before the end, and neither in the public row nor in what it said before."""
    once = texts(played.cell.folder)
    for line in played.lines():
        row = rows[line["key"]["row"]]
        if not row.gold[0] and not any(row.gold[1:]):
            continue
        left = [set(gold) for gold in row.gold]
        for first, said, text, args in _shown(line, once):
            if played.cell.agent.privileged and any(_led(arg, row.key, of) for arg in args):
                continue
            for i, values in enumerate(left):
                seen = {v for v in values if stands(v, text)}
                values -= seen
                new = {v for v in seen if not stands(v, of.public(row.key)) and not stands(v, said)}
                told = {v for v in new if stands(v, of.hidden(row.key))}
                row.aside |= told if i == 0 else set()
                row.shown[i] |= new - told
                if first:
                    row.opening[i] |= new - told


def _led(arg: str, row: str, of: _Texts) -> bool:
    """Whether an argument of the oracle's comes from gold: what such an action shows is what the action found, not what the world gave away."""
    return len(arg) >= SHORT and stands(arg, of.secret(row)) and not stands(arg, of.public(row))


def _shown(line: JsonDict, once: dict[str, Any]) -> Iterator[tuple[bool, str, str, list[str]]]:
    """(whether it is the first observation, all that the agent has said by then, what it is shown, the step's arguments) of each step before the last answer,
    all folded."""
    said: list[str] = []
    for number, step in enumerate(line.get("steps") or ()):
        args = [folded(arg) for arg in leaves(step.get("args"))]
        said += args
        said += leaves(step.get("raw"))
        if step.get("terminated"):
            return
        legal = canon.dumps(once.get(step["actions"])).decode() if "actions" in step else ""
        yield number == 0, folded("\n".join(said)), folded(f"{part.plain(parts_of(line, step))}\n{legal}"), args
