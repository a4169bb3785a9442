"""A join: each row gets the row, or the rows, of another table that have the same values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentharness import canon
from agentharness.corpus.keys import Found
from agentharness.corpus.levels import column
from agentharness.corpus.paths import values
from agentharness.corpus.spec import JoinSpec
from agentharness.corpus.table import Table
from agentharness.errors import UserError
from agentharness.types.part import JsonDict


def joined(found: Found, said: JoinSpec, other: Table, place: Callable[..., Any]) -> int:
    """Puts the partners of each row into the column `as`, in place; how many rows were dropped. Raises UserError."""
    if said.as_ in found.columns:
        raise UserError(f"{found.name} has a column {said.as_!r} already", where=str(place("corpus", found.name, "join", "as")), hint="as: another name")
    on = {said.on: said.on} if isinstance(said.on, str) else said.on
    where = str(place("corpus", found.name, "join", "on"))
    mine = [column(found.name, found.columns, one, where) for one in on]
    theirs = [column(other.name, other.columns, one, where) for one in on.values()]
    index: dict[bytes, list[JsonDict]] = {}
    for _, _, row in other:
        index.setdefault(_mark(row, theirs), []).append(dict(row))
    rows: list[JsonDict] = []
    kept: list[int] = []
    for i, row in enumerate(found.rows):
        mark = _mark(row, mine)
        partners = index.get(mark, [])
        if len(partners) > 1 and not said.many:
            what = f"{len(partners)} rows of {other.name} have {', '.join(on.values())} = {canon.loads(mark)}"
            raise UserError(what, where=found.place(i), hint="many: true makes a list of them, or join on more columns")
        if not partners and said.missing == "error":
            raise UserError(f"no row of {other.name} has {', '.join(on.values())} = {canon.loads(mark)}", where=found.place(i), hint="missing: null or drop")
        if partners or said.missing != "drop":
            rows.append({**row, said.as_: partners if said.many else partners[0] if partners else None})
            kept.append(i)
    dropped = len(found.rows) - len(rows)
    found.take(kept)
    found.rows = rows
    found.columns |= {said.as_}
    return dropped


def _mark(row: JsonDict, tokens: list[tuple[str, ...]]) -> bytes:
    return canon.dumps([next(values(row, t), None) for t in tokens])
