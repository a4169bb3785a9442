"""Tables: rows by key, each with its public view. Immutable once loaded, shared by all sessions of a process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Protocol

from agentharness import canon
from agentharness.corpus.paths import LIST, parse, values
from agentharness.corpus.project import compile_levels, tree
from agentharness.corpus.spec import Level
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict


class Rows(Protocol):
    """Rows by position. The only way in which a table reaches them, so that they may lie in memory or in a mapped file."""

    @property
    def held(self) -> bool:
        """Whether they lie in memory anyway, so that their views may be kept beside them."""
        ...

    def __len__(self) -> int: ...
    def get(self, i: int) -> JsonDict: ...


class Index(Protocol):
    """Keys by position, and positions by key. The only way in which a table reaches them."""

    def __len__(self) -> int: ...
    def ident(self, i: int) -> tuple[str | None, str]: ...
    def keys(self, scope: str | None) -> Iterable[str]: ...
    def find(self, scope: str | None, key: str) -> int | None: ...


class ListRows:
    """Rows held in memory."""

    held = True

    def __init__(self, rows: list[JsonDict]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, i: int) -> JsonDict:
        return self._rows[i]


class DictIndex:
    """Keys held in memory."""

    def __init__(self, keys: Sequence[str], scopes: Sequence[str] | None) -> None:
        self._ids: list[tuple[str | None, str]] = list(zip(scopes, keys, strict=True)) if scopes is not None else [(None, k) for k in keys]
        self._scoped = scopes is not None
        self._by_scope: dict[str | None, dict[str, int]] = {}
        for i, (scope, key) in enumerate(self._ids):
            self._by_scope.setdefault(scope, {})[key] = i

    def __len__(self) -> int:
        return len(self._ids)

    def ident(self, i: int) -> tuple[str | None, str]:
        """(scope or None, key) of the row at position `i`."""
        return self._ids[i]

    def keys(self, scope: str | None) -> Iterable[str]:
        """Keys in order: those within `scope`, or all where it is None."""
        if self._scoped and scope is None:
            return chain.from_iterable(self._by_scope.values())
        return self._by_scope.get(scope, {}).keys()

    def find(self, scope: str | None, key: str) -> int | None:
        """The position of a row, or None."""
        part = self._by_scope.get(scope)
        return None if part is None else part.get(key)


def key_text(value: Any) -> str:
    """A value as a key or as what an index is asked for: text as it is, numbers as Python writes them, records and lists as canonical JSON."""
    if isinstance(value, str):
        return value
    return canon.dumps(value).decode() if isinstance(value, dict | list | tuple) else str(value)


def key_of(value: Any) -> str | None:
    """The key that a value names, or None where it names none."""
    if type(value) is str:
        return value
    return None if value is None or isinstance(value, dict) else key_text(value)


class Table:
    """Rows of one kind. `scope`: the key counts within one episode row, whose key is then given as `scope` to every look-up."""

    def __init__(
        self,
        name: str,
        rows: Rows,
        keys: Sequence[str] | Index,
        levels: Mapping[str, Level],
        *,
        scopes: Sequence[str] | None = None,
        counts: Mapping[tuple[str | None, str], int] | None = None,
        columns: Iterable[str] = (),
        parents: Sequence[str] = (),
    ) -> None:
        self.name, self.levels = name, dict(levels)
        self.columns = frozenset(columns)
        """Top-level columns that the data has."""
        self.scope = scopes is not None
        self.counts = dict(counts or {})
        """(scope or None, key) -> how many identical source rows this one stands for; only where more than one."""
        self.parents = parents
        """Of a derived table: the key of the row that each was made from, in order; else empty."""
        self.projections = compile_levels(tree(self.levels, self.columns))
        self._rows = rows
        self._views: list[JsonDict | None] | None = [None] * len(rows) if rows.held else None
        self._index: Index = DictIndex(keys, scopes) if isinstance(keys, Sequence) else keys
        self._found: dict[tuple[str, str | None], dict[str, str]] = {}

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[tuple[str | None, str, JsonDict]]:
        """(scope or None, key, full row) in order."""
        for i in range(len(self)):
            yield *self._index.ident(i), self._rows.get(i)

    def ident(self, i: int) -> tuple[str | None, str]:
        """(scope or None, key) of the row at position `i`."""
        return self._index.ident(i)

    def keys(self, scope: str | None = None) -> Iterable[str]:
        """Keys in order; of a scoped table those within `scope`, all of them where it is None."""
        return self._index.keys(scope if self.scope else None)

    def view(self, key: str, scope: str | None = None) -> JsonDict | None:
        """The public view: holds no other path at all. None where there is no such row. Shared: never to be mutated."""
        i = self._at(key, scope)
        if i is None:
            return None
        if self._views is None:
            return self.projections.public(self._rows.get(i))
        view = self._views[i]
        if view is None:
            view = self._views[i] = self.projections.public(self._rows.get(i))
        return view

    def full(self, key: str, scope: str | None = None) -> JsonDict | None:
        """The whole row, gold included: for scorers, responders and the oracle."""
        i = self._at(key, scope)
        return None if i is None else self._rows.get(i)

    def non_gold(self, key: str, scope: str | None = None) -> JsonDict | None:
        """Public and hidden paths: for reports and slices."""
        i = self._at(key, scope)
        return None if i is None else self.projections.non_gold(self._rows.get(i))

    def find(self, field: str, value: Any, scope: str | None = None) -> str | None:
        """Key of the first row whose public `field` (a path; into lists with []) is or lists `value`, compared as text; None where there is none.

        Raises UserError where the field is not public: an index never answers about what an agent must not see.
        """
        asked = scope if self.scope else None
        index = self._found.get((field, asked))
        if index is None:  # built aside and put in place whole: two threads may build it twice, none sees half of it
            index = self._found[(field, asked)] = self._build(field, scope)
        return index.get(key_text(value))

    def _build(self, field: str, scope: str | None) -> dict[str, str]:
        tokens = parse(field, self.columns)
        node = tree(self.levels, self.columns).at(*(t for t in tokens if t != LIST))
        if node.level != "public":
            where = f"columns.{self.name}.{field}"
            if tokens[0] not in self.columns:
                raise UserError(f"{self.name} has no column {tokens[0]!r}", where=where, hint=closest(tokens[0], self.columns))
            raise UserError(f"{field!r} is {node.level}: an index holds public columns only", where=where, hint="make it public, or look up by another column")
        index: dict[str, str] = {}
        for key in self.keys(scope):
            view = self.view(key, scope)
            for found in values(view, tokens):
                for item in found if isinstance(found, list) else (found,):
                    index.setdefault(key_text(item), key)
        return index

    def _at(self, key: str, scope: str | None) -> int | None:
        if self.scope and scope is None:
            raise ValueError(f"table {self.name!r} is scoped: say which episode row's")
        return self._index.find(scope if self.scope else None, key)
