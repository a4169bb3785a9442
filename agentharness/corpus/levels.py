"""The `columns:` part checked against the data: every path exists, is spelt as the data has it, and is named once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from agentharness.corpus.paths import bare, parse, possible, shape
from agentharness.corpus.project import tree
from agentharness.corpus.spec import Level
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

_SAMPLE = 100


def check(
    table: str, levels: Mapping[str, Level], rows: Sequence[JsonDict], columns: frozenset[str], refused: Mapping[str, str], place: Callable[..., Any]
) -> None:
    """Raises UserError for a path that no row has, for a wrong `[]`, and for one path declared twice."""
    seen: dict[tuple[str, ...], str] = {}
    for path in levels:
        tokens = parse(path, columns)
        where = str(place("columns", table, path))
        twin = seen.setdefault(bare(tokens), path)
        if twin != path:
            raise UserError(f"{path!r} and {twin!r} of {table} are the same path", where=where, hint="keep one")
        if tokens[0] in refused:
            raise UserError(f"column {tokens[0]!r} of {table} was left out: {refused[tokens[0]]}", where=where)
        if any(possible(row, tokens) for row in rows):
            continue
        known = shape(islice(rows, _SAMPLE)) | columns
        spelt = respell([bare(tokens)], known)[0]
        if spelt in known:
            raise UserError(f"{table} has no path {path!r}", where=where, hint=f"write {spelt!r}: [] goes into a list, and only there")
        raise UserError(f"{table} has no column {path!r}", where=where, hint=closest(path, known))


def column(table: str, columns: frozenset[str], path: str, where: Any) -> tuple[str, ...]:
    """A path of a table as tokens. Raises UserError where the table has no such column."""
    tokens = parse(path, columns)
    if tokens[0] not in columns:
        raise UserError(f"{table} has no column {path!r}", where=str(where), hint=closest(path, columns))
    return tokens


def respell(names: Iterable[tuple[str, ...]], known: Iterable[str]) -> list[str]:
    """Each path without `[]` as `known` spells it; joined by dots where it does not."""
    by_bare = {bare(parse(path)): path for path in sorted(known, reverse=True)}
    return [by_bare.get(n, ".".join(n)) for n in names]


def check_key(table: str, key: Iterable[str], levels: Mapping[str, Level], columns: frozenset[str], place: Callable[..., Any]) -> None:
    """Raises UserError for a key column that is not there, or that is gold: keys are shown, counted and hashed as what everybody may see."""
    root = tree(levels, columns)
    where = str(place("corpus", table, "key"))
    for column in key:
        tokens = parse(column, columns)
        if tokens[0] not in columns:
            raise UserError(f"{table} has no column {column!r} for its key", where=where, hint=closest(column, columns))
        if root.at(*bare(tokens)).level == "gold":
            raise UserError(f"the key column {column!r} of {table} is gold", where=where, hint="choose another column, or `key: row`")
