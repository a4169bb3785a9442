"""Tables of large files: built once into mapped files in the cache, then opened in no time and shared.

The key is what decides the table: the file's content (its sha256, worked out once for a path, size and time of change) and what the declaration makes of it.
$AGENTHARNESS_CACHE_ABOVE says from how many bytes a file counts as large.
"""

from __future__ import annotations

import hashlib
import os
import time
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agentharness import canon
from agentharness.corpus import cache, mapped, rename
from agentharness.corpus.batch import Batch, Reading
from agentharness.corpus.cells import apply_types, check_types
from agentharness.corpus.chat import Hint
from agentharness.corpus.files import check_file
from agentharness.corpus.keys import Found, assign, key_columns
from agentharness.corpus.levels import check, check_key
from agentharness.corpus.mapped import MappedKeys, MappedRows
from agentharness.corpus.merkle import TableDigest, digest_table
from agentharness.corpus.pieces import Pictures, Whole, pieces
from agentharness.corpus.project import compile_levels, tree
from agentharness.corpus.read import LOCATORS, read
from agentharness.corpus.spec import Level, Source, TableSpec
from agentharness.corpus.table import Table
from agentharness.errors import UserError
from agentharness.types.part import JsonDict

VARIABLE = "AGENTHARNESS_CACHE_ABOVE"
ABOVE = 64 << 20
"""Bytes from which a file is large."""
_YOUNG = 2 * 10**9
"""Nanoseconds for which a file may change again without its time of change telling."""


@dataclass(slots=True, frozen=True)
class Wanted:
    """A table of a file, as declared: all that decides it."""

    name: str
    spec: TableSpec
    source: Source
    soft: bool
    reading: Reading
    levels: Mapping[str, Level]
    renames: list[tuple[Mapping[str, str], str]]
    """In turn: the names, and where they are said."""
    empty: Callable[[str], UserError]
    """The mistake of a source without rows, by its name."""
    place: Callable[..., Any]

    @property
    def path(self) -> Path:
        return self.reading.folder / (self.source.file or "")


@dataclass(slots=True, frozen=True)
class Opened:
    """A mapped table."""

    table: Table
    origin: JsonDict
    digest: TableDigest


def is_large(wanted: Wanted) -> bool:
    """Whether the table's source is a file above the threshold. Of an archive it is not known which member will be read."""
    source = wanted.source
    if wanted.spec.tidy or wanted.spec.join is not None:
        return False  # what rows are left is known when all are read
    if source.file is None or source.member is not None or wanted.path.suffix.lower() == ".zip":
        return False
    if wanted.spec.empty:
        return False
    if sum(getattr(source, kind) is not None for kind in LOCATORS) > 1:
        return False  # a mistake, which reading it tells
    try:
        return wanted.path.is_file() and wanted.path.stat().st_size >= above()
    except OSError:
        return False


def above() -> int:
    """Bytes from which a file is large. Raises UserError for a value that is no number."""
    said = os.environ.get(VARIABLE, "")
    if not said:
        return ABOVE
    if not said.isdecimal():
        raise UserError(f"{said!r} is no number of bytes", where=VARIABLE, hint="for example 64000000")
    return int(said)


def open_large(wanted: Wanted) -> Opened | None:
    """The table, from the cache or built into it; None where it holds pictures. Raises UserError as reading the source in memory does."""
    check_file(wanted.path, wanted.source.file or "")
    before = _facts(wanted.path)
    origin: JsonDict = {"file": wanted.source.file, "sha256": _sha(wanted.path, before), "size": before[1]}
    key = canon.digest([mapped.VERSION, mapped.BYTE_ORDER, origin, _declared(wanted)])[:32]

    def build(folder: Path) -> None:
        _build(wanted, folder)
        if _facts(wanted.path) != before:
            raise UserError("changed while it was read", where=wanted.source.file or "", hint="start again once it is complete")

    def say() -> None:
        wanted.reading.hear(f"{wanted.name}: {wanted.source.file} ({before[1] >> 20:,} MB) is read into the cache, once ({cache.folder()})")

    while True:
        try:
            path = cache.entry("tables", key, build, say)
        except Pictures:
            return None
        try:
            return _open(wanted, path, origin)
        except (ValueError, OSError, KeyError, TypeError):  # whole by its facts, and yet unreadable: as good as missing
            cache.drop(path)


def _declared(wanted: Wanted) -> JsonDict:
    spec = wanted.spec
    return {
        "source": wanted.source.model_dump(exclude={"demo", "file"}, exclude_defaults=True),
        "soft": wanted.soft,
        "renames": [list(names.items()) for names, _ in wanted.renames],
        "key": spec.key,
        "unique": spec.unique,
        "levels": sorted(wanted.levels.items()),
        "text": sorted(wanted.reading.keep),
    }


def _facts(path: Path) -> tuple[str, int, int, int]:
    stat = path.stat()
    return str(path.resolve()), stat.st_size, stat.st_mtime_ns, stat.st_ino


def _sha(path: Path, facts: tuple[str, int, int, int]) -> str:
    """The file's sha256; remembered by its facts, unless it is so young that it may change without changing them."""
    note = cache.folder() / "facts" / canon.digest(list(facts))[:32]
    try:
        known = note.read_text(encoding="ascii")
        if len(known) == 64:
            return known
    except (OSError, ValueError):
        pass
    with path.open("rb") as file:
        sha = hashlib.file_digest(file, "sha256").hexdigest()
    if time.time_ns() - facts[2] > _YOUNG:
        cache.remember(note, sha)
    return sha


def _open(wanted: Wanted, path: Path, origin: JsonDict) -> Opened:
    meta = canon.loads((path / mapped.META).read_bytes())
    counts: dict[tuple[str | None, str], int] = {(None, key): n for key, n in meta["counts"]}
    table = Table(wanted.name, MappedRows(path), MappedKeys(path), wanted.levels, counts=counts, columns=meta["columns"])
    digest = TableDigest(**meta["digest"])
    for line in meta["notes"]:
        wanted.reading.note(wanted.name + line[1:] if line.startswith(_NAME) else line)
    return Opened(table, origin, digest)


_NAME = "\0"
"""Stands for the table's name in kept notes: a table of another name, otherwise declared alike, is the same files."""


def _build(wanted: Wanted, folder: Path) -> None:
    notes: list[str] = []
    found, starts, refused = _spool(wanted, folder, notes)
    check(wanted.name, wanted.levels, found.rows, found.columns, refused, wanted.place)
    check_key(wanted.name, key_columns(wanted.spec), wanted.levels, found.columns, wanted.place)
    keyed = assign(found, wanted.spec, compile_levels(tree(wanted.levels, found.columns)))
    notes += [_NAME + line.removeprefix(wanted.name) for line in keyed.notes(wanted.name)]
    mapped.write_starts(folder, array("Q", (starts[i] for i in keyed.kept)))
    mapped.write_keys(folder, keyed.keys)
    counts = [[key, n] for (_, key), n in keyed.counts.items()]
    columns = sorted(found.columns)
    del found, starts, keyed
    table = Table(wanted.name, MappedRows(folder), MappedKeys(folder), wanted.levels, columns=columns)
    meta = {"columns": columns, "notes": notes, "counts": counts, "digest": asdict(digest_table(table))}
    (folder / mapped.META).write_bytes(canon.dumps(meta))


def _spool(wanted: Wanted, folder: Path, notes: list[str]) -> tuple[Found, array[int], Mapping[str, str]]:
    """Writes all rows, typed and renamed; what was found, where each row begins, and the columns left out."""
    try:
        return _write(wanted, folder, notes, _typed(wanted, notes))
    except Whole:
        notes.clear()
        batch = read(wanted.source, replace(wanted.reading, note=notes.append), soft=wanted.soft)
        return _write(wanted, folder, notes, iter([batch]))


def _typed(wanted: Wanted, notes: list[str]) -> Iterator[Batch]:
    source, known = wanted.source, set[str]()
    chats = Hint(source.chat)
    for batch in pieces(source, replace(wanted.reading, note=notes.append)):
        if chats.may(batch):
            raise Whole  # conversations are told by all rows
        here = {column for row in batch.rows for column in row}
        known |= here
        apply_types(batch, {column: kind for column, kind in source.types.items() if column in here})
        yield batch
    if known:
        check_types(source.types, known, source.file or "")


def _write(wanted: Wanted, folder: Path, notes: list[str], batches: Iterator[Batch]) -> tuple[Found, array[int], Mapping[str, str]]:
    starts, lines, end = array("Q"), array("Q"), 0
    known: set[str] = set()
    name, refused = wanted.source.file or "", {}
    with (folder / mapped.ROWS).open("wb") as out:
        for batch in batches:
            name, refused = batch.name, batch.refused
            known.update(column for row in batch.rows for column in row)
            lines.extend(batch.lines or ())
            for names, _ in wanted.renames:
                rename.apply(batch, names)
            for row in batch.rows:
                line = mapped.dump_row(row)
                starts.append(end)
                end += len(line)
                out.write(line)
    if not starts:
        raise wanted.empty(name)
    columns = frozenset(known)
    for names, where in wanted.renames:
        rename.check(names, columns, name, where)
        columns = frozenset(names.get(column, column) for column in columns)

    def at(i: int) -> str:
        return f"{name}:{lines[i]}" if lines else f"{name}, row {i}"

    return Found(wanted.name, MappedRows(folder, starts), range(len(starts)), at, None, columns), starts, refused
