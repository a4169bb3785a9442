"""Row keys: a column, several, the position, or the content digest. Identical rows merge under the last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentharness import canon
from agentharness.corpus.paths import parse, values
from agentharness.corpus.project import Projections
from agentharness.corpus.spec import TableSpec
from agentharness.corpus.table import key_text
from agentharness.errors import UserError
from agentharness.types.part import JsonDict

DIGITS = 16
POSITION = "row"


@dataclass(slots=True)
class Found:
    """Rows of a table before they have keys. `scopes`: the episode row's key of each, where the key counts within it."""

    name: str
    rows: Sequence[JsonDict]
    positions: Sequence[int]
    """In the source; of derived rows of a scoped table, within the parent's list."""
    place: Callable[[int], str]
    scopes: Sequence[str] | None = None
    columns: frozenset[str] = frozenset()
    parents: Sequence[str] | None = None
    """Of a derived table: the key of the row that each was made from."""

    def take(self, kept: Sequence[int]) -> None:
        """Leaves these rows alone, by their places, in place."""
        before = self.place
        self.rows, self.positions = [self.rows[i] for i in kept], [self.positions[i] for i in kept]
        self.place = lambda i: before(kept[i])
        self.scopes = None if self.scopes is None else [self.scopes[i] for i in kept]
        self.parents = None if self.parents is None else [self.parents[i] for i in kept]


@dataclass(slots=True)
class Keyed:
    """The rows that stand, with their keys."""

    kept: list[int] = field(default_factory=list)
    """Their places among the rows that were found."""
    keys: list[str] = field(default_factory=list)
    scopes: list[str] | None = None
    parents: list[str] = field(default_factory=list)
    counts: dict[tuple[str | None, str], int] = field(default_factory=dict)
    dropped: int = 0

    def add(self, found: Found, i: int, key: str) -> None:
        self.kept.append(i)
        self.keys.append(key)
        if self.scopes is not None and found.scopes is not None:
            self.scopes.append(found.scopes[i])
        if found.parents is not None:
            self.parents.append(found.parents[i])

    def notes(self, name: str) -> list[str]:
        """What became of duplicates, in one line each."""
        out: list[str] = []
        merged = sum(n - 1 for n in self.counts.values())
        if merged:
            out.append(f"{name}: {merged} identical {'row is' if merged == 1 else 'rows are'} merged and counted (`key: row` keeps each)")
        if self.dropped:
            out.append(f"{name}: {self.dropped} {'row' if self.dropped == 1 else 'rows'} with a key seen before left out (unique: first)")
        return out


def key_columns(spec: TableSpec) -> list[str]:
    """The columns that a table's key is made of; none for position and digest. A column that is called `row` is written [row]."""
    if spec.key is None:
        return made_columns(spec)
    if spec.key == POSITION:
        return []
    return [spec.key] if isinstance(spec.key, str) else list(spec.key)


def made_columns(spec: TableSpec) -> list[str]:
    """The columns by which the rows of such a table are told apart: its key, where the task names none."""
    if spec.group is not None:
        return _list(spec.group.by)
    if spec.sessions is not None:
        return [*_list(spec.sessions.by), "session"]
    if spec.windows is not None:
        return [*_list(spec.windows.by or []), "start"]
    return [*_list(spec.pairs.by), "pair"] if spec.pairs is not None else []


def _list(by: str | list[str]) -> list[str]:
    return [by] if isinstance(by, str) else list(by)


def assign(found: Found, spec: TableSpec, projections: Projections) -> Keyed:
    """Keys for all rows. Raises UserError for a missing key value, and for a second row of one key under `unique: error`."""
    columns = key_columns(spec)
    if spec.key is None and not columns:
        return _by_content(found, projections)
    if spec.key == POSITION:
        return _by_key(found, [str(p) for p in found.positions], "error")
    tokens = [parse(c, found.columns) for c in columns]
    keys: list[str] = []
    for i, row in enumerate(found.rows):
        cells = [next(values(row, t), None) for t in tokens]
        if None in cells:
            column = columns[cells.index(None)]
            hint = "fill it, or choose another key (`key: row` is the position)"
            raise UserError(f"a row of {found.name} has no value in its key column {column!r}", where=found.place(i), hint=hint)
        keys.append(key_text(cells[0]) if len(cells) == 1 else canon.dumps(cells).decode())
    return _by_key(found, keys, spec.unique)


def _scope(found: Found, i: int) -> str | None:
    return found.scopes[i] if found.scopes is not None else None


def _by_key(found: Found, keys: list[str], unique: str) -> Keyed:
    out = Keyed(scopes=None if found.scopes is None else [])
    seen: dict[tuple[str | None, str], int] = {}
    taken = {(_scope(found, i), key) for i, key in enumerate(keys)} if unique == "per_row" else set()
    for i, key in enumerate(keys):
        ident = (_scope(found, i), key)
        first = seen.setdefault(ident, i)
        if first == i:
            out.add(found, i, key)
        elif unique == "error":
            raise _twice(found, keys, first, i)
        elif unique == "first":
            out.dropped += 1
        else:
            n = 2
            while (ident[0], f"{key}-{n}") in taken:
                n += 1
            taken.add((ident[0], f"{key}-{n}"))
            out.add(found, i, f"{key}-{n}")
    return out


def _twice(found: Found, keys: list[str], first: int, second: int) -> UserError:
    idents = [(_scope(found, i), key) for i, key in enumerate(keys)]
    more = len(idents) - len(set(idents)) - 1
    what = f"two rows of {found.name} have the key {keys[first]!r}, the other is at {found.place(first)}"
    if more:
        what += f" ({more} more such {'row' if more == 1 else 'rows'})"
    return UserError(what, where=found.place(second), hint="mend the data, choose another key:, or say unique: first or per_row")


def _by_content(found: Found, projections: Projections) -> Keyed:
    out = Keyed(scopes=None if found.scopes is None else [])
    seen: dict[tuple[str | None, str], dict[str, str]] = {}
    for i, row in enumerate(found.rows):
        scope = _scope(found, i)
        base = canon.digest(projections.non_gold(row))[:DIGITS]
        twins = seen.setdefault((scope, base), {})
        gold: Any = canon.digest(projections.gold(row))
        if gold in twins:
            ident = (scope, twins[gold])
            out.counts[ident] = out.counts.get(ident, 1) + 1
            continue
        key = f"{base}-{len(twins) + 1}" if twins else base
        twins[gold] = key
        out.add(found, i, key)
    return out
