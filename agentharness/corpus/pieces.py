"""Large sources read in pieces, so that the first build of a mapped table never holds all rows: JSON Lines, CSV and TSV, parquet and Arrow.

What a piece cannot tell (another encoding than UTF-8, pictures, quotes that do not pair) is left to the reader of whole sources:
`Whole` is raised, also midway.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from agentharness.corpus import formats_arrow
from agentharness.corpus.batch import Batch, Reading
from agentharness.corpus.cells import Guess, Kind, reader
from agentharness.corpus.formats_csv import WIDEST, check_width, header_names, note_delimiter, note_guesses, sniff
from agentharness.corpus.formats_json import parse_line
from agentharness.corpus.read import ARROW, LINES, TABLES, kind_of
from agentharness.corpus.spec import Source
from agentharness.corpus.text import MARKS
from agentharness.errors import UserError

SIZE = 4096
"""Rows of a piece."""


class Whole(Exception):
    """The source has to be read as a whole."""


class Pictures(Exception):
    """The source brings pictures, whose bytes no mapped table holds."""


def pieces(source: Source, reading: Reading) -> Iterator[Batch]:
    """The rows of a file, untyped (`types:` aside from guesses), in order. Raises Whole, Pictures, and UserError as the readers of whole sources."""
    assert source.file is not None
    path, name = reading.folder / source.file, source.file
    kind, packed = kind_of(path)
    if packed or kind not in (*LINES, *TABLES, *ARROW):
        raise Whole
    if kind in ARROW:
        yield from _arrow(path, name, source, reading)
        return
    if (source.encoding or "utf-8").lower() not in ("utf-8", "utf8"):
        raise Whole
    skip = _mark(path)
    if kind in LINES:
        yield from _lines(path, name, skip)
    else:
        yield from _table(path, name, source, reading, "\t" if kind == ".tsv" else None)


def _mark(path: Path) -> int:
    """Bytes of a UTF-8 byte order mark at the start. Raises Whole for another one."""
    with path.open("rb") as file:
        start = file.read(4)
    for mark, encoding in MARKS:
        if start.startswith(mark):
            if encoding != "utf-8":
                raise Whole
            return len(mark)
    return 0


def _lines(path: Path, name: str, skip: int) -> Iterator[Batch]:
    with path.open("rb") as file:
        file.seek(skip)
        numbered = enumerate(file, 1)
        while block := list(islice(numbered, SIZE)):
            rows, lines = [], []
            for number, line in block:
                line = line.removesuffix(b"\n")
                if not line.strip():
                    continue
                if not line.isascii():
                    _check_utf8(line)
                rows.append(parse_line(line, name, number))
                lines.append(number)
            yield Batch(rows, name, lines)


def _check_utf8(line: bytes) -> None:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        raise Whole from None


def _table(path: Path, name: str, source: Source, reading: Reading, delimiter: str | None) -> Iterator[Batch]:
    """Two passes: the first guesses the types of columns by all their cells."""
    notes: list[str] = []
    try:
        delimiter = source.delimiter or delimiter
        if delimiter is None:
            with path.open(encoding="utf-8-sig", newline="") as text:
                delimiter = sniff(text.read(65537))
            note_delimiter(delimiter, name, notes.append)
        header: list[str] = []
        guesses: list[Guess] = []
        for start, row in _records(path, delimiter):
            if not header:
                header = header_names(row, f"{name}:{start}", notes.append)
                guesses = [Guess() for _ in header]
                continue
            check_width(row, header, f"{name}:{start}")
            for guess, cell in zip(guesses, row, strict=True):
                if cell and guess.open:
                    guess.add(cell)
    except (csv.Error, UnicodeDecodeError, TypeError, UserError):
        raise Whole from None  # the reader of whole files tries more, and says best what is wrong
    kinds: dict[str, Kind] = {c: "text" if c in source.types or c in reading.keep else g.kind for c, g in zip(header, guesses, strict=True)}
    note_guesses(kinds, name, notes.append)
    for line in notes:
        reading.note(line)
    readers = [reader(kind) for kind in kinds.values()]
    records = islice(_records(path, delimiter), 1, None)
    while block := list(islice(records, SIZE)):
        rows = [{c: read(cell) if cell else None for c, read, cell in zip(header, readers, row, strict=True)} for _, row in block]
        yield Batch(rows, name, [start for start, _ in block])


def _records(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of the records that are not empty, the header first."""
    csv.field_size_limit(WIDEST)
    with path.open(encoding="utf-8-sig", newline="") as text:
        start = 1
        rows = csv.reader(text, delimiter=delimiter, strict=True)
        for row in rows:
            if row:
                yield start, row
            start = rows.line_num + 1


def _arrow(path: Path, name: str, source: Source, reading: Reading) -> Iterator[Batch]:
    pa = formats_arrow.need_pyarrow(name)
    said: set[str] = set()

    def note(line: str) -> None:
        if line not in said:  # every piece would say it
            said.add(line)
            reading.note(line)

    once = replace(reading, note=note)
    try:
        schema, batches = _batches(pa, path)
        if any(_has_pictures(pa, field.type) for field in schema):
            raise Pictures
        classes = formats_arrow.class_names(schema)
        for batch in batches:
            yield formats_arrow.from_table(pa.Table.from_batches([batch]), name, path.parent, once, source.types, classes)
    except (pa.ArrowException, OSError):
        raise Whole from None


def _batches(pa: Any, path: Path) -> tuple[Any, Iterator[Any]]:
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        file = pq.ParquetFile(path)
        return file.schema_arrow, file.iter_batches(batch_size=SIZE)
    try:
        opened = pa.ipc.open_file(pa.memory_map(str(path)))
        return opened.schema, (opened.get_batch(i) for i in range(opened.num_record_batches))
    except pa.ArrowInvalid:
        stream = pa.ipc.open_stream(pa.memory_map(str(path)))
        return stream.schema, iter(stream)


def _has_pictures(pa: Any, kind: Any) -> bool:
    """Whether a hub's pictures ({bytes, path}) stand somewhere in a type."""
    t = pa.types
    if t.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        return {f.name for f in fields} == {"bytes", "path"} or any(_has_pictures(pa, f.type) for f in fields)
    if t.is_list(kind) or t.is_large_list(kind) or t.is_fixed_size_list(kind):
        return _has_pictures(pa, kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return _has_pictures(pa, kind.storage_type)
    return bool(t.is_map(kind)) and _has_pictures(pa, kind.item_type)
