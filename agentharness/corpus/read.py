"""One source read: which reader, by what the source names."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from agentharness.corpus.batch import Batch, Reading
from agentharness.corpus.cells import apply_types
from agentharness.corpus.files import check_file, read_file
from agentharness.corpus.formats_arrow import read_arrow
from agentharness.corpus.formats_csv import read_csv
from agentharness.corpus.formats_hub import read_hub
from agentharness.corpus.formats_images import read_images
from agentharness.corpus.formats_json import read_json, read_jsonl
from agentharness.corpus.formats_python import read_python
from agentharness.corpus.formats_sqlite import SUFFIXES, read_sqlite
from agentharness.corpus.formats_xlsx import read_xlsx
from agentharness.corpus.spec import Source
from agentharness.corpus.text import decode, unpack
from agentharness.errors import UserError
from agentharness.types.part import JsonDict

_LINES = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
_ARROW = (".parquet", ".arrow", ".feather", ".ipc")
_BOOK = ".xlsx"
KNOWN = (*_LINES, ".json", *_TABLES, *_ARROW, _BOOK, *SUFFIXES)


def read(source: Source, reading: Reading, *, soft: bool = False) -> Batch:
    """Rows of a source. `soft`: a file in the place of another, whose `path` counts only where the file has it.

    Raises UserError for everything that can be wrong with a source.
    """
    named = [kind for kind in ("hub", "file", "images", "python") if getattr(source, kind) is not None]
    if len(named) != 1:
        raise UserError(f"a source names {' and '.join(named) or 'nothing'}", where="source", hint="exactly one of hub, file, images, python")
    if source.file is not None:
        batch = _file(source.file, source, reading, soft)
    elif source.images is not None:
        batch = read_images(source, reading)
    else:
        batch = read_hub(source, reading) if source.hub is not None else read_python(source.python or "", reading)
    if batch.rows:  # a source without rows has no columns to type; whoever reads it says so
        apply_types(batch, source.types)
    return batch


def instead(source: Source, file: str, base: Path, labels: str | None) -> Source:
    """The source that a local file or image folder (relative to `base`) makes in the place of `source`: types, `path` and labels stay."""
    if (base / file).is_dir():
        return Source(images=file, labels=labels, match=source.match, types=source.types, demo=source.demo)
    return Source(file=file, path=source.path, table=source.table, sheet=source.sheet, types=source.types, demo=source.demo)


def _file(name: str, source: Source, reading: Reading, soft: bool) -> Batch:
    path = reading.folder / name
    kind, packed = _kind(path)
    if kind not in KNOWN:
        raise UserError(f"no reader for {kind or 'a file without a suffix'}", where=name, hint=f"known: {', '.join(KNOWN)}, text formats also .gz")
    if kind in (*_ARROW, _BOOK, *SUFFIXES) and not packed:
        check_file(path, name)
        if kind in _ARROW:
            batch = read_arrow(path, name, reading, source.types)
        else:
            batch = read_xlsx(path, name, source.sheet, reading.note) if kind == _BOOK else read_sqlite(path, name, source.table)
        batch.origin = _facts(path, name)
        return batch
    data = read_file(path, name)
    origin: JsonDict = {"file": name, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    if packed:
        data = unpack(data, name)
    if kind in _LINES:
        batch = read_jsonl(data, name, source.encoding, reading.note)
    elif kind == ".json":
        batch = read_json(data, name, source.path, source.encoding, reading.note, soft=soft)
    else:
        text = decode(data, name, source.encoding, reading.note)
        delimiter = source.delimiter or ("\t" if kind == ".tsv" else None)
        batch = read_csv(text, name, delimiter, reading.note, types=source.types, keep=reading.keep)
    return replace(batch, origin=origin)


def _kind(path: Path) -> tuple[str, bool]:
    packed = path.suffix.lower() == ".gz"
    return (Path(path.stem) if packed else path).suffix.lower(), packed


def _facts(path: Path, name: str) -> JsonDict:
    with path.open("rb") as file:
        return {"file": name, "sha256": hashlib.file_digest(file, "sha256").hexdigest(), "size": path.stat().st_size}
