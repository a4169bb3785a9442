"""Edges that lead nowhere: a listed neighbour that no row is."""

from __future__ import annotations

from agentharness.check.duplicates import MOST_ROWS
from agentharness.check.finding import Finding, found
from agentharness.check.subject import Subject
from agentharness.corpus.table import Table, key_text
from agentharness.env.spec import EdgeSpec

TORN = 0.2
"""Share of lost neighbours from which on it is no longer the odd slip of real data: the column perhaps holds other names than the key."""


def edges(subject: Subject) -> Finding | None:
    """How many listed neighbours are no rows, and which. None where the task has no edges. Play passes such a neighbour by."""
    world = subject.world
    if not world.spec.edges:
        return None
    lost: list[str] = []
    listed = 0
    for name, edge in world.spec.edges.items():
        for table in (t for t in world.corpus.tables.values() if name in t.columns):
            n, gone = _lost(table, name, world.corpus.tables[edge.to], edge)
            listed, lost = listed + n, lost + gone
    what = f"of {listed:,} listed neighbours"
    if not lost:
        return found("edges", "green", f"all {what} are rows")
    todo = "mend these cells, or say by which column neighbours are named: edges: {EDGE: {to: TABLE, by: COLUMN}}"
    return found("edges", "red" if len(lost) > TORN * listed else "yellow", f"{len(lost):,} {what} are no rows", lost, todo=todo)


def _lost(table: Table, name: str, to: Table, edge: EdgeSpec) -> tuple[int, list[str]]:
    """How many neighbours are listed, and those that are no rows: `row -> neighbour`."""
    known: dict[str | None, set[str]] = {}
    n, lost = 0, list[str]()
    for scope, key in map(table.ident, range(min(len(table), MOST_ROWS))):
        listed = (table.view(key, scope) or {}).get(name)
        inside = scope if to.scope else None
        if inside not in known:
            named = to.keys(inside) if edge.by is None else ((to.view(k, inside) or {}).get(edge.by) for k in to.keys(inside))
            known[inside] = {key_text(value) for value in named if value is not None}
        for value in listed if isinstance(listed, list) else [] if listed is None else [listed]:
            n += 1
            if key_text(value) not in known[inside]:
                lost.append(f"{key} -> {key_text(value)}")
    return n, lost
