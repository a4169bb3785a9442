"""Tables derived from another: one row for each item of a column, and the levels that they inherit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentharness.corpus.formats_json import VALUE
from agentharness.corpus.keys import Found
from agentharness.corpus.levels import respell
from agentharness.corpus.paths import bare, parse, shape
from agentharness.corpus.project import Node, tree
from agentharness.corpus.spec import Level, PairSpec, SessionSpec, TableSpec
from agentharness.corpus.table import Table
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict


def derive(name: str, spec: TableSpec, parent: Table, place: Callable[..., Any]) -> Found:
    """The rows of a derived table, in the parent's order, without keys. Raises UserError for a column that cannot be exploded."""
    rows: list[JsonDict] = []
    positions: list[int] = []
    scopes: list[str] = []
    origins: list[tuple[str, int]] = []
    where = str(place("corpus", name, "explode"))
    for scope, key, row in parent:
        for i, item in enumerate(_items(spec, parent, key, row, where)):
            rows.append(item)
            positions.append(i if spec.scope else len(positions))
            scopes.append(key if scope is None else scope)
            origins.append((key, i))
    columns = frozenset(c for row in rows for c in row)

    def at(i: int) -> str:
        return f"{parent.name} {origins[i][0]!r}, item {origins[i][1]}"

    return Found(name, rows, positions, at, scopes if spec.scope else None, columns, [key for key, _ in origins])


def _items(spec: TableSpec, parent: Table, key: str, row: JsonDict, where: str) -> list[JsonDict]:
    if spec.explode is None:
        return [dict(row)]
    if spec.explode not in parent.columns:
        raise UserError(f"{parent.name} has no column {spec.explode!r}", where=where, hint=closest(spec.explode, parent.columns))
    value = row.get(spec.explode)
    at = f"{spec.explode!r} of {parent.name} {key!r}"
    if value is None:
        return []
    if isinstance(value, list):
        return _list(value, at, where)
    if isinstance(value, dict) and value and all(isinstance(v, list) for v in value.values()):
        return _zipped(value, at, where)
    raise UserError(f"{at} is no list", where=where, hint="a list of records, a list of values, or a record of parallel lists")


def _list(value: list[Any], at: str, where: str) -> list[JsonDict]:
    records = sum(isinstance(item, dict) for item in value)
    if records == len(value):
        return [dict(item) for item in value]
    if records:
        raise UserError(f"{at} mixes records and plain values", where=where, hint="make every item a record")
    return [{VALUE: item} for item in value]


def _zipped(value: Mapping[str, list[Any]], at: str, where: str) -> list[JsonDict]:
    lengths = {column: len(items) for column, items in value.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{column} {n}" for column, n in lengths.items())
        raise UserError(f"the parallel lists in {at} differ in length: {shown}", where=where, hint="mend that row")
    return [dict(zip(value, items, strict=True)) for items in zip(*value.values(), strict=True)]


@dataclass(slots=True, frozen=True)
class Origin:
    """Where a column stems from: a table, the path there, and the levels below it."""

    table: str
    path: tuple[str, ...]
    node: Node


def origins(spec: TableSpec, columns: frozenset[str], tables: Mapping[str, Table]) -> dict[str, Origin]:
    """Column -> its origin in another table; columns of the table's own have none."""
    out: dict[str, Origin] = {}
    back = {column: column for column in columns} | {new: old for old, new in spec.rename.items()}
    if spec.from_ is not None:
        parent = tables[spec.from_]
        for column in columns:
            path = _path(spec, back[column], parent)
            if path is not None:
                out[column] = Origin(parent.name, path, tree(parent.levels, parent.columns).at(*path))
    if spec.join is not None and spec.join.as_ in columns:
        other = tables[spec.join.table]
        out[spec.join.as_] = Origin(other.name, (), tree(other.levels, other.columns))
    return out


def _path(spec: TableSpec, column: str, parent: Table) -> tuple[str, ...] | None:
    """The path in the parent that a column stems from; () is the whole row, None a column that was made."""
    if spec.explode is not None:
        below = tree(parent.levels, parent.columns).at(spec.explode)
        # a list of plain values: the item itself
        return (spec.explode,) if column == VALUE and VALUE not in below.children else (spec.explode, column)
    said = spec.group or spec.sessions or spec.windows or spec.pairs
    if said is None:
        return (column,)
    if column in ((said.first, said.second) if isinstance(said, PairSpec) else (said.as_,)):
        return ()
    if isinstance(said, SessionSpec) and column in ("start", "end"):
        return bare(parse(said.at, parent.columns))
    by = [said.by] if isinstance(said.by, str) else said.by or []
    return bare(parse(column, parent.columns)) if column in by else None


def inherit(
    name: str,
    spec: TableSpec,
    levels: Mapping[str, Level],
    columns: frozenset[str],
    rows: Sequence[JsonDict],
    tables: Mapping[str, Table],
    place: Callable[..., Any],
) -> dict[str, Level]:
    """The levels of a table that is made of others: its own, but what is gold there is gold here. Raises UserError where such a path is declared public."""
    known = origins(spec, columns, tables)
    out = dict(levels)
    declared = {bare(parse(path, columns)): path for path in levels}
    for path, level in levels.items():
        names = bare(parse(path, columns))
        origin = known.get(names[0])
        if origin is not None and origin.node.at(*names[1:]).level == "gold":
            if level == "public":
                hint = f"leave it gold, or make {'.'.join((*origin.path, *names[1:]))} of {origin.table} public"
                what = f"{path!r} of {name} is gold in {origin.table} and cannot be public"
                raise UserError(what, where=str(place("columns", name, path)), hint=hint)
            out[path] = "gold"
    added: list[tuple[str, ...]] = []
    for column in sorted(columns & known.keys()):
        _gold_below(known[column].node, (column,), added)
    missing = [names for names in added if names not in declared]
    out.update(dict.fromkeys(respell(missing, shape(rows[:100])), "gold") if missing else {})
    return out


def _gold_below(node: Node, names: tuple[str, ...], out: list[tuple[str, ...]]) -> None:
    """The gold paths at and below `node`."""
    if node.level == "gold":
        out.append(names)
    for child, below in node.children.items():
        _gold_below(below, (*names, child), out)
