"""Loads a corpus: sources, derived tables, levels, keys. Every mistake is found here, before anything is played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from agentharness.corpus.assets import Assets
from agentharness.corpus.batch import Batch, Note, Reading
from agentharness.corpus.big import Wanted, is_large, open_large
from agentharness.corpus.derive import derive, inherit
from agentharness.corpus.formats_python import is_code
from agentharness.corpus.join import joined
from agentharness.corpus.keys import Found, assign, key_columns
from agentharness.corpus.levels import check, check_key
from agentharness.corpus.merkle import TableDigest, digest_table
from agentharness.corpus.project import compile_levels, tree
from agentharness.corpus.read import LOCATORS, instead, read
from agentharness.corpus.regroup import regrouped
from agentharness.corpus.rename import rename as rename_columns
from agentharness.corpus.spec import Level, Source, TableSpec
from agentharness.corpus.table import ListRows, Table
from agentharness.corpus.tidy import Condition, tidy
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

Columns = Mapping[str, Mapping[str, Level]]
Place = Callable[..., Any]
_T = TypeVar("_T")


def _dotted(*path: str | int) -> str:
    return ".".join(str(p) for p in path)


@dataclass(eq=False)
class Corpus:
    """Typed tables and pictures; immutable, shared by every session of a process."""

    tables: dict[str, Table]
    assets: Assets
    origin: dict[str, JsonDict]
    """Table with a source -> where its rows came from: file with sha256 and size, folder, hub id with revision, Python file."""
    notes: list[str] = field(default_factory=list)
    """Guesses and skipped things, each with how to change it."""
    known: dict[str, TableDigest] = field(default_factory=dict)
    """Digests of tables that came with theirs."""
    note: Note = lambda _: None
    """Hears of what takes long, such as a text index that is built."""

    def digests(self) -> dict[str, TableDigest]:
        """Content digests by table; computed once."""
        return self._digests

    @cached_property
    def _digests(self) -> dict[str, TableDigest]:
        return {name: self.known.get(name) or digest_table(table) for name, table in self.tables.items()}


def load(
    tables: Mapping[str, TableSpec],
    columns: Columns,
    folder: Path,
    *,
    root: str,
    data: str | None = None,
    source: str | None = None,
    rename: Mapping[str, str] | None = None,
    trusted: bool = True,
    note: Note = lambda _: None,
    place: Place = _dotted,
    condition: Condition | None = None,
) -> Corpus:
    """Reads and joins all tables. `folder`: the task's. `root`: the table whose rows are episodes.

    `data="demo"` plays the root source's demo file, and those of other sources that have one; `source` is a file of any format that takes the root source's
    place (relative to the working folder), with `rename` from its columns to the source's own; or a folder that holds the root's file and those of other
    tables, under the names that the task gives them. `place`: long-form key path -> place in the
    user's file. `condition`: compiles the expressions of `tidy`. Raises UserError.
    """
    notes: list[str] = []

    def noted(line: str) -> None:
        notes.append(line)
        note(line)

    order = _order(tables, place)
    unknown = next((t for t in columns if t not in tables), None)
    if unknown is not None:
        raise UserError(f"no table {unknown!r}", where=str(place("columns", unknown)), hint=closest(unknown, tables))
    base = _base(tables, root, place)
    instead_of = _replaced(tables, base, source)
    corpus = Corpus({}, Assets(), {}, notes, {}, note)
    for name in order:
        spec = tables[name]
        declared = columns.get(name, {})
        if spec.from_ is not None:
            make = derive if _plain(spec) else regrouped
            found, refused = make(name, spec, corpus.tables[spec.from_], place), {}
        else:
            renamed = (rename or {}) if name == base else {}
            reading = Reading(folder, corpus.assets, noted, trusted, note, _as_text(spec, declared, renamed))
            # Demo rows of one table ask for those of the others that have some.
            shown = data if name == base or (data is not None and spec.source is not None and spec.source.demo is not None) else None
            wanted = _wanted(name, spec, reading, declared, (shown, instead_of.get(name)), renamed, place)
            large = _blamed(wanted, open_large) if is_large(wanted) else None
            if large is not None:
                corpus.tables[name], corpus.origin[name], corpus.known[name] = large.table, large.origin, large.digest
                continue
            batch = _blamed(wanted, _read)
            corpus.origin[name] = batch.origin
            found, refused = _found(name, batch), batch.refused
        corpus.tables[name] = _table(found, spec, declared, refused, corpus.tables, noted, place, condition)
    return corpus


def _plain(spec: TableSpec) -> bool:
    return spec.group is None and spec.sessions is None and spec.windows is None and spec.pairs is None


def _no_condition(*_: Any) -> Any:
    raise ValueError("load() was given no way to read expressions")


def _needs(spec: TableSpec) -> list[str]:
    """The tables that must be there before this one."""
    return [*([spec.from_] if spec.from_ is not None else []), *([spec.join.table] if spec.join is not None else [])]


def _order(tables: Mapping[str, TableSpec], place: Place) -> list[str]:
    """Tables, each after the one it is derived from."""
    order: list[str] = []
    waiting = dict(tables)
    while waiting:
        ready = [n for n, spec in waiting.items() if all(need in order for need in _needs(spec))]
        if not ready:
            name, spec = next(iter(waiting.items()))
            for name, spec in waiting.items():
                for need, at in ((spec.from_, ("from",)), (spec.join.table if spec.join else None, ("join", "table"))):
                    if need is not None and need not in tables:
                        raise UserError(f"no table {need!r}", where=str(place("corpus", name, *at)), hint=closest(need, tables))
            where = str(place("corpus", name, "from" if spec.from_ is not None else "join"))
            raise UserError(f"{', '.join(waiting)} are derived from each other", where=where, hint="one of them needs a source")
        for name in ready:
            spec = waiting.pop(name)
            if (spec.source is None) == (spec.from_ is None):
                raise UserError(f"table {name!r} needs a source or a table it is derived from, not both", where=str(place("corpus", name)))
            if spec.from_ is not None and spec.empty:
                raise UserError(f"table {name!r} is derived: `empty` needs a source", where=str(place("corpus", name, "empty")), hint="say it at its `from`")
            if spec.from_ is None and (spec.explode or spec.scope or not _plain(spec)):
                raise UserError(
                    f"table {name!r} is not derived: explode, group, sessions, windows, pairs and scope need `from`", where=str(place("corpus", name))
                )
            shapes = [key for key in ("explode", "group", "sessions", "windows", "pairs") if getattr(spec, key) is not None]
            if len(shapes) > 1 or (spec.scope and shapes and shapes != ["explode"]):
                what = f"table {name!r} has {' and '.join([*shapes, *(['scope'] if spec.scope else [])])}"
                raise UserError(what, where=str(place("corpus", name)), hint="one of them; a second table may be derived from the first")
        order += ready
    return order


def _base(tables: Mapping[str, TableSpec], root: str, place: Place) -> str:
    """The table with a source that `root` is, or is derived from."""
    if root not in tables:
        raise UserError(f"no table {root!r}", where=str(place("episode", "each")), hint=closest(root, tables))
    while (parent := tables[root].from_) is not None:
        root = parent
    return root


def _replaced(tables: Mapping[str, TableSpec], base: str, source: str | None) -> dict[str, str]:
    """Table -> the file that takes its source's place. A folder that holds the root's file brings those of all tables that it has."""
    if source is None:
        return {}
    files = {name: spec.source.file for name, spec in tables.items() if spec.source is not None and spec.source.file is not None}
    found = {name: str(path) for name, file in files.items() if (path := Path(source) / Path(file).name).is_file()}
    return found if base in found else {base: source}


def _as_text(spec: TableSpec, levels: Mapping[str, Level], rename: Mapping[str, str]) -> frozenset[str]:
    """Columns that no guess types, as the source calls them: keys and gold are compared as they are written."""
    out = {*key_columns(spec), *(path for path, level in levels.items() if level == "gold")}
    for names in (spec.rename, rename):
        back = {new: old for old, new in names.items()}
        out = {back.get(column, column) for column in out}
    return frozenset(out)


def _wanted(
    name: str, spec: TableSpec, reading: Reading, levels: Mapping[str, Level], swap: tuple[str | None, str | None], rename: Mapping[str, str], place: Place
) -> Wanted:
    """A table's source, or what takes its place."""
    source, (data, file) = spec.source, swap
    assert source is not None
    if data is not None and file is not None:
        raise UserError("data and source both replace the rows", where="source", hint="say one of them")
    if data is not None:
        demo = _demo(name, source, data, place)
        kept = {"types": source.types, "chat": source.chat}
        source = Source(python=demo, **kept) if is_code(demo) else instead(source, demo, reading.folder, source.labels)
    if file is not None:
        labels = str(reading.folder / source.labels) if source.labels else None
        reading.folder = Path.cwd()
        source = instead(source, file, reading.folder, labels)
    replaced = file is not None or data is not None

    def empty(said: str) -> UserError:
        # a command that names the file is at fault itself, not the task
        where, what = (said, "holds no rows") if replaced else (str(place("corpus", name, "source", _locator(source))), f"{said} holds no rows")
        return UserError(what, where=where, hint="a table needs at least one")

    renames = [(names, where) for names, where in ((rename, "rename"), (spec.rename, str(place("corpus", name, "rename")))) if names]
    return Wanted(name, spec, source, replaced, reading, levels, renames, empty, place)


def _blamed(wanted: Wanted, read: Callable[[Wanted], _T]) -> _T:
    """What `read` makes of a source. Where the source itself is at fault, and the task names it, the error says where it does."""
    try:
        return read(wanted)
    except UserError as e:
        kind = _locator(wanted.source)
        locator = getattr(wanted.source, kind)
        if wanted.soft or e.where != locator:
            raise
        raise UserError(f"{locator}: {e.what}", where=str(wanted.place("corpus", wanted.name, "source", kind)), hint=e.hint) from e


def _read(wanted: Wanted) -> Batch:
    """All rows of a source, in memory."""
    batch = read(wanted.source, wanted.reading, soft=wanted.soft)
    if not batch.rows:
        raise wanted.empty(batch.name)
    for names, where in wanted.renames:
        rename_columns(batch, names, where)
    for i, column in enumerate(wanted.spec.empty):
        if any(column in row for row in batch.rows):
            raise UserError(
                f"{wanted.name} has a column {column!r}", where=str(wanted.place("corpus", wanted.name, "empty", i)), hint="leave it out of `empty`"
            )
    if wanted.spec.empty:
        batch.rows = [{**row, **dict.fromkeys(wanted.spec.empty)} for row in batch.rows]
    return batch


def _locator(source: Source) -> str:
    return next((kind for kind in LOCATORS if getattr(source, kind) is not None), "file")


def _demo(name: str, source: Source, data: str, place: Place) -> str:
    where = str(place("corpus", name, "source"))
    if data != "demo":
        raise UserError(f"no data {data!r}", where="data", hint=closest(data, ["demo"]))
    if source.demo is None:
        raise UserError("this task has no demo rows", where=where, hint="leave data=demo out, or give source=FILE")
    return source.demo


def _found(name: str, batch: Batch) -> Found:
    columns = frozenset(c for row in batch.rows for c in row)
    return Found(name, batch.rows, range(len(batch.rows)), batch.place, None, columns)


def _table(
    found: Found,
    spec: TableSpec,
    levels: Mapping[str, Level],
    refused: Mapping[str, str],
    tables: Mapping[str, Table],
    note: Note,
    place: Place,
    condition: Condition | None,
) -> Table:
    """Levels checked, keys given, duplicates settled."""
    name = found.name
    if spec.from_ is not None and spec.rename:
        batch = Batch(list(found.rows), name)
        rename_columns(batch, spec.rename, str(place("corpus", name, "rename")))
        found.rows = batch.rows
        found.columns = frozenset(c for row in found.rows for c in row)
    if spec.join is not None and (dropped := joined(found, spec.join, tables[spec.join.table], place)):
        note(f"{name}: {dropped:,} rows without a partner in {spec.join.table} left out (missing: drop)")
    if spec.tidy:
        tidy(found, spec.tidy, condition or _no_condition, note, place)
    check(name, levels, found.rows, found.columns, refused, place)
    if _needs(spec):
        levels = inherit(name, spec, levels, found.columns, found.rows, tables, place)
    check_key(name, key_columns(spec), levels, found.columns, place)
    keyed = assign(found, spec, compile_levels(tree(levels, found.columns)))
    for line in keyed.notes(name):
        note(line)
    rows = ListRows([found.rows[i] for i in keyed.kept])
    return Table(name, rows, keyed.keys, levels, scopes=keyed.scopes, counts=keyed.counts, columns=found.columns, parents=keyed.parents)
