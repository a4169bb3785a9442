"""How a table looks to SQL: its public columns, in the order in which the task declares them, each with one type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agentharness import canon
from agentharness.corpus.paths import parse
from agentharness.corpus.table import Table
from agentharness.env.fields import level
from agentharness.types.part import JsonDict

_SMALL = 1 << 63


@dataclass(slots=True, frozen=True)
class Relation:
    """A table of the corpus as SQL sees it. `columns`: (name, duckdb type); lists and records are JSON text."""

    table: Table
    columns: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The table's name, the same in both worlds."""
        return self.table.name

    def __str__(self) -> str:
        return f"{_plain(self.name)}({', '.join(f'{_plain(name)} {kind}' for name, kind in self.columns)})"

    def rows(self) -> Iterator[tuple[str | None, str, JsonDict]]:
        """(scope, key, public view) of each row, in order."""
        for scope, key in map(self.table.ident, range(len(self.table))):
            yield scope, key, self.table.view(key, scope) or {}

    def cells(self, view: JsonDict) -> list[Any]:
        """A view's values by column, as the column's type takes them; null where it cannot."""
        return [_cell(view.get(name), kind) for name, kind in self.columns]


def relation(table: Table) -> Relation:
    """Reads what SQL needs to know of a table. Types are by what all its rows hold: whole numbers, numbers, truth values, else text."""
    names = dict.fromkeys(parse(path, table.columns)[0] for path in table.levels)
    shown = [name for name in names if name in table.columns and level(table, name) == "public"]
    kinds: dict[str, set[str]] = {name: set() for name in shown}
    for scope, key in map(table.ident, range(len(table))):
        view = table.view(key, scope) or {}
        for name in shown:
            kinds[name].add(_kind(view.get(name)))
    return Relation(table, tuple((name, _joined(kinds[name] - {""})) for name in shown))


def twins(names: Iterable[str]) -> tuple[str, str] | None:
    """Two names that SQL cannot tell apart, or None: it folds case."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            return other, name
    return None


def quoted(name: str) -> str:
    """A name as SQL writes it whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def _plain(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else quoted(name)


def _kind(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, int):
        return "BIGINT" if -_SMALL <= value < _SMALL else "VARCHAR"
    return "DOUBLE" if isinstance(value, float) else "VARCHAR"


def _joined(kinds: set[str]) -> str:
    if len(kinds) == 1:
        return next(iter(kinds))
    return "DOUBLE" if kinds == {"BIGINT", "DOUBLE"} else "VARCHAR"


def _cell(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "VARCHAR":
        text = value if isinstance(value, str) else canon.dumps(value).decode()
        return text.encode("utf-8", "replace").decode()  # a lone surrogate is no text to a database
    if kind == "DOUBLE" and type(value) is int:
        return float(value)
    return value if _kind(value) == kind else None


def unique(names: Sequence[str]) -> list[str]:
    """Names of result columns: a second `n` is `n_2`."""
    out: list[str] = []
    for name in names:
        free, count = name, 1
        while free in out:
            count += 1
            free = f"{name}_{count}"
        out.append(free)
    return out
