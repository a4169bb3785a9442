"""Tables derived from another: one row for each item of a column, and the levels that they inherit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentharness.corpus.formats_json import VALUE
from agentharness.corpus.keys import Found
from agentharness.corpus.levels import respell
from agentharness.corpus.paths import bare, parse, shape
from agentharness.corpus.project import Node, tree
from agentharness.corpus.spec import Level, TableSpec
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


def inherit(
    name: str, spec: TableSpec, levels: Mapping[str, Level], columns: frozenset[str], rows: list[JsonDict], parent: Table, place: Callable[..., Any]
) -> dict[str, Level]:
    """The levels of a derived table: its own, but what is gold in the parent is gold here. Raises UserError where such a path is declared public."""
    source = tree(parent.levels, parent.columns).at(*((spec.explode,) if spec.explode else ()))
    back = {column: column for column in columns}
    back.update({new: old for old, new in spec.rename.items()})
    out = dict(levels)
    declared = {bare(parse(path, columns)): path for path in levels}
    for path, level in levels.items():
        names = _source_names(bare(parse(path, columns)), back, source)
        if source.at(*names).level == "gold":
            if level == "public":
                from_ = ".".join((spec.explode or parent.name, *names))
                hint = f"leave it gold, or make {from_} of {parent.name} public"
                raise UserError(f"{path!r} of {name} is gold in {parent.name} and cannot be public", where=str(place("columns", name, path)), hint=hint)
            out[path] = "gold"
    added: list[tuple[str, ...]] = []
    for column in sorted(columns):
        _gold_below(source.at(*_source_names((column,), back, source)), (column,), added)
    missing = [names for names in added if names not in declared]
    out.update(dict.fromkeys(respell(missing, shape(rows[:100])), "gold") if missing else {})
    return out


def _source_names(names: tuple[str, ...], back: Mapping[str, str], source: Node) -> tuple[str, ...]:
    """The path below `source` that a path of the derived table was."""
    first = back.get(names[0], names[0])
    if first == VALUE and VALUE not in source.children:
        return names[1:]  # a list of plain values: the item itself
    return (first, *names[1:])


def _gold_below(node: Node, names: tuple[str, ...], out: list[tuple[str, ...]]) -> None:
    """The gold paths at and below `node`."""
    if node.level == "gold":
        out.append(names)
    for child, below in node.children.items():
        _gold_below(below, (*names, child), out)
