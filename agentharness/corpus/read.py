"""One source read: which reader, by what the source names."""

from __future__ import annotations

import hashlib
from pathlib import Path

from agentharness.corpus.archive import Archive
from agentharness.corpus.batch import Batch, Reading
from agentharness.corpus.cells import apply_types
from agentharness.corpus.chat import normalise
from agentharness.corpus.files import check_file, read_file
from agentharness.corpus.formats_arrow import read_arrow
from agentharness.corpus.formats_csv import read_csv
from agentharness.corpus.formats_hub import read_hub
from agentharness.corpus.formats_images import read_images
from agentharness.corpus.formats_json import read_json, read_jsonl
from agentharness.corpus.formats_pdf import read_pdf
from agentharness.corpus.formats_python import read_python
from agentharness.corpus.formats_sqlite import SUFFIXES, read_sqlite
from agentharness.corpus.formats_xlsx import read_xlsx
from agentharness.corpus.spec import Source
from agentharness.corpus.text import decode, unpack
from agentharness.errors import UserError
from agentharness.types.part import JsonDict

LINES = (".jsonl", ".ndjson")
TABLES = (".csv", ".tsv")
ARROW = (".parquet", ".arrow", ".feather", ".ipc")
_BOOK = ".xlsx"
_ZIP = ".zip"
_PDF = ".pdf"
_PACKED = (*ARROW, _BOOK, *SUFFIXES)
"""Kinds that are read where they lie, not as text."""
_ROWS = (*LINES, ".json", *TABLES, *_PACKED)
TEXTS = (".txt", ".md")
"""Plain texts: one row with the column `text`."""
KNOWN = (*_ROWS, _ZIP, *TEXTS)
LOCATORS = ("hub", "file", "images", "pdf", "python")


def read(source: Source, reading: Reading, *, soft: bool = False) -> Batch:
    """Rows of a source. `soft`: a file in the place of another, whose `path` counts only where the file has it.

    Raises UserError for everything that can be wrong with a source.
    """
    named = [kind for kind in LOCATORS if getattr(source, kind) is not None]
    if len(named) != 1:
        raise UserError(f"a source names {' and '.join(named) or 'nothing'}", where="source", hint=f"exactly one of {', '.join(LOCATORS)}")
    if source.file is not None:
        batch = _file(source.file, source, reading, soft)
    elif source.images is not None:
        batch = read_images(source, reading)
    elif source.pdf is not None:
        batch = read_pdf(source.pdf, source.dpi, reading)
    else:
        batch = read_hub(source, reading) if source.hub is not None else read_python(source.python or "", reading)
    if batch.rows:  # a source without rows has no columns to type; whoever reads it says so
        apply_types(batch, source.types)
    normalise(batch, source.chat, reading.note)
    return batch


def instead(source: Source, file: str, base: Path, labels: str | None) -> Source:
    """The source that a local file, image folder or PDF folder (relative to `base`) makes in the place of `source`: types, `path` and labels stay."""
    path, kept = base / file, source.model_dump(include={"types", "demo", "match", "dpi", "chat"})
    if path.suffix.lower() == _PDF or (path.is_dir() and source.pdf is not None):
        return Source(pdf=file, **kept)
    if path.is_dir() or (path.suffix.lower() == _ZIP and source.images is not None):
        return Source(images=file, labels=labels, **kept)
    return Source(file=file, path=source.path, table=source.table, sheet=source.sheet, member=source.member, **kept)


def _file(name: str, source: Source, reading: Reading, soft: bool) -> Batch:
    path = reading.folder / name
    kind, packed = kind_of(path)
    if kind not in KNOWN or (packed and kind in (*_PACKED, _ZIP)):
        also = "; pictures are `images:`, PDFs `pdf:`" if kind == _PDF else ""
        hint = f"known: {', '.join(KNOWN)}, text formats also .gz{also}"
        raise UserError(f"no reader for {path.suffix if packed else kind or 'a file without a suffix'}", where=name, hint=hint)
    if source.member is not None and kind != _ZIP:
        raise UserError("is no zip: `member` names a file in one", where=name, hint="leave member: out")
    if kind == _ZIP:
        return _zipped(path, name, source, reading, soft)
    if kind in _PACKED:
        check_file(path, name)
        batch = _binary(path, name, kind, source, reading, None)
        batch.origin = _facts(path, name)
        return batch
    data = read_file(path, name)
    batch = _text(unpack(data, name) if packed else data, name, kind, source, reading, soft)
    batch.origin = {"file": name, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    return batch


def _zipped(path: Path, name: str, source: Source, reading: Reading, soft: bool) -> Batch:
    """Rows of one file in an archive, read without unpacking it to disk."""
    archive = Archive(path, name)
    member = archive.only(_ROWS, source.member)
    inner = Path(member)
    kind, packed = kind_of(inner)
    shown = f"{name}/{member}"
    if kind not in _ROWS or (packed and kind in _PACKED):
        raise UserError(f"no reader for {kind or 'a file without a suffix'}", where=shown, hint=f"known: {', '.join(_ROWS)}, text formats also .gz")
    data = archive.need(member)
    if source.member is None and len(archive.members) > 1:
        reading.note(f"{name}: rows are read from {member} (change with member:)")
    if kind in _PACKED:
        batch = _binary(path.parent / inner.name, shown, kind, source, reading, data)
    else:
        batch = _text(unpack(data, shown) if packed else data, shown, kind, source, reading, soft)
    batch.origin = {**_facts(path, name), "member": member}
    return batch


def _binary(path: Path, name: str, kind: str, source: Source, reading: Reading, data: bytes | None) -> Batch:
    if kind in ARROW:
        return read_arrow(path, name, reading, source.types, data)
    if kind == _BOOK:
        return read_xlsx(path, name, source.sheet, reading.note, data)
    return read_sqlite(path, name, source.table, reading, data)


def _text(data: bytes, name: str, kind: str, source: Source, reading: Reading, soft: bool) -> Batch:
    if kind in LINES:
        return read_jsonl(data, name, source.encoding, reading.note)
    if kind == ".json":
        return read_json(data, name, source.path, source.encoding, reading.note, soft=soft)
    text = decode(data, name, source.encoding, reading.note)
    if kind in TEXTS:
        return Batch([{"text": text}] if text.strip() else [], name)
    delimiter = source.delimiter or ("\t" if kind == ".tsv" else None)
    return read_csv(text, name, delimiter, reading.note, types=source.types, keep=reading.keep)


def kind_of(path: Path) -> tuple[str, bool]:
    """A file's kind, by its suffix, and whether it is packed by gzip."""
    packed = path.suffix.lower() == ".gz"
    return (Path(path.stem) if packed else path).suffix.lower(), packed


def _facts(path: Path, name: str) -> JsonDict:
    with path.open("rb") as file:
        return {"file": name, "sha256": hashlib.file_digest(file, "sha256").hexdigest(), "size": path.stat().st_size}
