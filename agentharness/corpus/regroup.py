"""Tables whose rows are made of several rows of another: groups, sessions of a log, sliding windows, pairs."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from agentharness import canon
from agentharness.corpus.keys import Found
from agentharness.corpus.levels import column
from agentharness.corpus.paths import values
from agentharness.corpus.spec import SessionSpec, TableSpec
from agentharness.corpus.table import Table
from agentharness.errors import UserError
from agentharness.types.part import JsonDict

MOST = 2_000_000
"""Rows that a derived table has at most: pairs grow with the square of a group."""
_GAP = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([smhd]?)\Z")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
Place = Callable[..., Any]


@dataclass(slots=True)
class Members:
    """The rows of one group, in order, and what they have in common."""

    common: JsonDict
    rows: list[JsonDict]
    first: str
    """Key of the first, to name the group in messages."""


def regrouped(name: str, spec: TableSpec, parent: Table, place: Place) -> Found:
    """The rows of a table with `group`, `sessions`, `windows` or `pairs`. Raises UserError."""
    made: list[tuple[JsonDict, str]] = []
    for row, first in _made(name, spec, parent, place):
        if len(made) >= MOST:
            raise UserError(f"{name} has more than {MOST:,} rows", where=str(place("corpus", name)), hint="smaller groups: another column in `by`")
        made.append((row, first))
    rows = [row for row, _ in made]
    columns = frozenset(name for row in rows for name in row)
    return Found(name, rows, range(len(rows)), lambda i: f"{parent.name} {made[i][1]!r} and what goes with it", None, columns)


def _made(name: str, spec: TableSpec, parent: Table, place: Place) -> Iterator[tuple[JsonDict, str]]:
    if spec.group is not None:
        for one in _groups(spec.group.by, parent, place, name, "group", "by"):
            yield {**one.common, "count": len(one.rows), spec.group.as_: one.rows}, one.first
    elif spec.sessions is not None:
        yield from _sessions(name, spec.sessions, parent, place)
    elif spec.windows is not None:
        said = spec.windows
        for one in _groups(said.by or [], parent, place, name, "windows", "by"):
            for start in range(0, len(one.rows) - said.size + 1, said.step):
                yield {**one.common, "start": start, said.as_: one.rows[start : start + said.size]}, one.first
    elif spec.pairs is not None:
        for one in _groups(spec.pairs.by, parent, place, name, "pairs", "by"):
            for n, (a, b) in enumerate(combinations(one.rows, 2)):
                yield {**one.common, "pair": n, spec.pairs.first: a, spec.pairs.second: b}, one.first


def _groups(by: str | list[str], parent: Table, place: Place, *path: str) -> list[Members]:
    """The parent's rows by equal values of `by`, groups in the order of their first rows. A null is a value of its own."""
    names = [by] if isinstance(by, str) else by
    tokens = [column(parent.name, parent.columns, one, place("corpus", *path)) for one in names]
    out: dict[bytes, Members] = {}
    for _, key, row in parent:
        cells = [next(values(row, t), None) for t in tokens]
        one = out.setdefault(canon.dumps(cells), Members(dict(zip(names, cells, strict=True)), [], key))
        one.rows.append(dict(row))
    return list(out.values())


def _sessions(name: str, said: SessionSpec, parent: Table, place: Place) -> Iterator[tuple[JsonDict, str]]:
    gap, at = _gap(said.gap, place("corpus", name, "sessions", "gap")), column(parent.name, parent.columns, said.at, place("corpus", name, "sessions", "at"))
    where = str(place("corpus", name, "sessions", "at"))
    for one in _groups(said.by, parent, place, name, "sessions", "by"):
        timed = sorted(((_time(next(values(row, at), None), said.at, one.first, where), i) for i, row in enumerate(one.rows)))
        n, start = 0, 0
        for i in range(1, len(timed) + 1):
            if i == len(timed) or timed[i][0] - timed[i - 1][0] > gap:
                rows = [one.rows[j] for _, j in timed[start:i]]
                ends = [next(values(row, at), None) for row in (rows[0], rows[-1])]
                yield {**one.common, "session": n, "start": ends[0], "end": ends[1], "count": len(rows), said.as_: rows}, one.first
                n, start = n + 1, i


def _gap(said: float | str, where: Any) -> float:
    """Seconds: a number, or one with s, m, h or d."""
    found = _GAP.match(str(said))
    if found is None or float(found[1]) <= 0:
        raise UserError(f"{said!r} is no length of time", where=str(where), hint="30m, 2h, 1d, or a number of seconds")
    return float(found[1]) * _SECONDS[found[2]]


def _time(value: Any, column: str, first: str, where: str) -> float:
    """Seconds since some moment: a number as it is, else an ISO date or time; one without a zone is taken as UTC."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        moment = dt.datetime.fromisoformat(str(value).strip().replace("Z", "+00:00"))
    except ValueError:
        raise UserError(f"{value!r} in {column!r} (the group of {first!r}) is no time", where=where, hint="seconds, or 2026-01-31T12:00:00") from None
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=dt.UTC)).timestamp()
