"""Declared cleaning: each step drops or changes rows, says how many, and is part of the world's version."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from agentharness import canon
from agentharness.corpus.keys import Found
from agentharness.corpus.levels import column
from agentharness.corpus.paths import values
from agentharness.corpus.spec import TidyStep
from agentharness.errors import UserError
from agentharness.types.part import JsonDict

Condition = Callable[[str, frozenset[str], Sequence[JsonDict], Sequence[str | int]], Callable[[JsonDict], bool]]
"""(expression, columns, rows, place in the task) -> whether a row holds. The expressions are the env's, which this room does not know."""
STEPS = ("dedupe", "filter", "filled", "strip")


def tidy(found: Found, steps: Sequence[TidyStep], condition: Condition, note: Callable[[str], None], place: Callable[..., Any]) -> None:
    """Applies the steps in order, in place. Raises UserError for a step that names no column, or leaves no row."""
    for i, step in enumerate(steps):
        at = ("corpus", found.name, "tidy", i)
        named = [name for name in STEPS if getattr(step, name) is not None]
        if len(named) != 1:
            raise UserError(f"a step of `tidy` does one thing, this one {len(named)}", where=str(place(*at)), hint=f"one of {', '.join(STEPS)} a step")
        what, before = named[0], len(found.rows)
        if what == "strip":
            changed = _strip(found, _paths(found, step.strip or [], place(*at, what)))
            note(f"{found.name}: tidy strip: {changed:,} of {before:,} rows changed")
            continue
        if what == "filter":
            holds = condition(step.filter or "", found.columns, found.rows, (*at, what))
            keep = [holds(row) for row in found.rows]
        elif what == "filled":
            paths = _paths(found, step.filled or [], place(*at, what))
            keep = [all(next(values(row, p), None) not in (None, "") for p in paths) for row in found.rows]
        else:
            keep = _first(found, [] if step.dedupe is True else _paths(found, step.dedupe or [], place(*at, what)))
        found.take([n for n, one in enumerate(keep) if one])
        note(f"{found.name}: tidy {what}: {before - len(found.rows):,} of {before:,} rows dropped")
        if not found.rows:
            raise UserError(f"no row of {found.name} is left", where=str(place(*at)), hint="a weaker condition")


def _paths(found: Found, said: Any, where: Any) -> list[tuple[str, ...]]:
    names = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    out = [column(found.name, found.columns, name, where) for name in names]
    if not out:
        raise UserError("names no column", where=str(where), hint="a column, or a list of columns")
    return out


def _first(found: Found, paths: list[tuple[str, ...]]) -> list[bool]:
    """Whether each row is the first of its kind: by the columns named, or by all."""
    seen: set[bytes] = set()
    out = []
    for row in found.rows:
        mark = canon.dumps([list(values(row, p)) for p in paths] if paths else row)
        out.append(mark not in seen)
        seen.add(mark)
    return out


def _strip(found: Found, paths: list[tuple[str, ...]]) -> int:
    """White space at the ends off, inside it one space, letters composed (NFC); how many rows changed."""
    rows, changed = [], 0
    for row in found.rows:
        now = row
        for path in paths:
            if len(path) == 1 and isinstance(now.get(path[0]), str):
                clean = unicodedata.normalize("NFC", " ".join(now[path[0]].split()))
                now = {**now, path[0]: clean} if clean != now[path[0]] else now
        changed += now is not row
        rows.append(now)
    found.rows = rows
    return changed
