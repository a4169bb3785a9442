"""A folder or a zip archive of images: rows {image, name, label}. Labels come from subfolders, or from a table of names."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from agentharness import canon
from agentharness.corpus.archive import Archive
from agentharness.corpus.batch import Batch, Reading
from agentharness.corpus.files import read_file
from agentharness.corpus.formats_csv import sniff
from agentharness.corpus.images import UNKNOWN
from agentharness.corpus.regions import MAX_PIXELS
from agentharness.corpus.spec import Source
from agentharness.corpus.text import decode, parse_json
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict


def read_images(source: Source, reading: Reading) -> Batch:
    """Rows in order of path. What is no image, damaged, too large or without a label is skipped, and counted in a note.

    Raises UserError where there is no image, and where image and label names differ in case only without `match: lower`.
    """
    assert source.images is not None
    name, folder = source.images, reading.folder / source.images
    packed = folder.suffix.lower() == ".zip" and not folder.is_dir()
    if not packed and not folder.is_dir():
        near = [p.name for p in folder.parent.iterdir() if p.is_dir()] if folder.parent.is_dir() else []
        raise UserError("no such folder", where=name, hint=closest(folder.name, near))
    files = _pictures(_members(folder, name, reading) if packed else _files(folder, reading), name, reading)
    if not files:
        raise UserError("holds no image", where=name, hint="PNG, JPEG, WebP, GIF, BMP, TIFF and AVIF are images")
    origin: JsonDict = {"zip" if packed else "folder": name, "files": len(files), "sha256": canon.digest([[p, sha] for p, sha in files])}
    if source.labels is not None:
        table, fact = _table(source.labels, reading, {n for p, _ in files for n in _names(p)})
        origin["labels"] = fact
        labels = _join(files, table, source, reading)
    elif any("/" in p for p, _ in files):
        labels = {p: p.rpartition("/")[0] for p, _ in files if "/" in p}
        _skipped(len(files) - len(labels), "beside the label folders", name, reading)
    else:
        labels = {}
    rows: list[JsonDict] = []
    for path, sha in files:
        row: JsonDict = {"image": reading.assets.part(sha), "name": _stem(path)}
        if path in labels:
            row["label"] = labels[path]
        elif labels or source.labels is not None:
            continue
        rows.append(row)
    return Batch(rows, name, origin=origin)


def _files(folder: Path, reading: Reading) -> Iterator[tuple[str, Callable[[], str]]]:
    """(path within the folder, what makes it known and gives its sha256) of every file that is not hidden, in order of path."""
    for path, file in sorted((p.relative_to(folder).as_posix(), p) for p in folder.rglob("*") if p.is_file()):
        if not any(segment.startswith(".") for segment in path.split("/")):
            yield path, partial(reading.assets.add_file, file)


def _members(path: Path, name: str, reading: Reading) -> Iterator[tuple[str, Callable[[], str]]]:
    """The same of an archive. One folder that holds all of it is no label: it is left out of the paths."""
    archive = Archive(path, name)
    tops = {member.partition("/")[0] for member in archive.members if "/" in member}
    lone = f"{tops.pop()}/" if len(tops) == 1 and all("/" in member for member in archive.members) else ""

    if lone:
        reading.note(f"{name}: all lies in the folder {lone}, which is no label (a zip of several folders has labels)")

    def known(member: str) -> str:
        return reading.assets.add_packed(archive.need(member), path.parent / member, partial(archive.read, member))

    for member in archive.members:
        yield member.removeprefix(lone), partial(known, member)


def _pictures(files: Iterable[tuple[str, Callable[[], str]]], name: str, reading: Reading) -> list[tuple[str, str]]:
    """(path, sha256) of every image among the files."""
    found: list[tuple[str, str]] = []
    passed: dict[str, list[str]] = {"no image": [], "damaged": [], f"above {MAX_PIXELS // 1_000_000} megapixels": []}
    none, damaged, large = passed.values()
    for path, add in files:
        sha = add()
        header = reading.assets.info(sha).header
        if header.mime == UNKNOWN:
            none.append(path)
        elif header.size == (0, 0):
            damaged.append(path)
        elif header.size[0] * header.size[1] > MAX_PIXELS:
            large.append(path)
        else:
            found.append((path, sha))
    for why, paths in passed.items():
        if paths:
            reading.note(f"{name}: {_count(len(paths), 'file')} skipped, {why}: {_some(paths)}")
    return found


def _join(files: list[tuple[str, str]], table: dict[str, Any], source: Source, reading: Reading) -> dict[str, Any]:
    """Image path -> label."""
    name, shown = source.images or "", source.labels or ""
    lower = source.match == "lower"
    wanted = _lowered(table, shown) if lower else table
    out: dict[str, Any] = {}
    used: set[str] = set()
    missed: list[str] = []
    for path, _ in files:
        names = [n.lower() if lower else n for n in _names(path)]
        hit = next((n for n in names if n in wanted), None)
        if hit is None:
            missed.append(path)
        else:
            out[path] = wanted[hit]
            used.add(hit)
    if missed and not lower:
        by_lower = {n.lower(): n for n in table}
        for path in missed:
            near = next((by_lower[n.lower()] for n in _names(path) if n.lower() in by_lower), None)
            if near is not None:
                raise UserError(f"image {_stem(path)!r} and label {near!r} differ in case only", where=shown, hint="match: lower")
    if not out:
        raise UserError(f"no label names an image of {name}", where=shown, hint=f"images are called {_some([_stem(p) for p, _ in files])}")
    _skipped(len(missed), f"without a label in {shown} ({_some(missed)})", name, reading)
    idle = [n for n in wanted if n not in used]
    if idle:
        reading.note(f"{shown}: {_count(len(idle), 'label')} without an image: {_some(idle)}")
    return out


def _table(shown: str, reading: Reading, images: set[str]) -> tuple[dict[str, Any], JsonDict]:
    """Labels by image name, and the file's facts for the manifest. JSON object, or CSV of two columns; a first line that names no image is its header."""
    file = reading.folder / shown
    data = read_file(file, shown)
    fact: JsonDict = {"file": shown, "sha256": canon.sha256(data), "size": len(data)}
    text = decode(data, shown, None, reading.note)
    if file.suffix == ".json":
        try:
            value = parse_json(text)
        except ValueError as e:
            raise UserError(f"is not JSON: {e}", where=shown, hint="an object, image name -> label") from None
        if not isinstance(value, dict):
            raise UserError("is no JSON object", where=shown, hint="an object, image name -> label")
        return value, fact
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=sniff(text)) if row]
    folded = {n.lower() for n in images}
    header = bool(rows) and rows[0][0].lower() not in folded
    out: dict[str, Any] = {}
    for line, row in enumerate(rows[header:], 1 + header):
        if len(row) != 2:
            raise UserError(f"has {len(row)} columns, not two", where=f"{shown}:{line}", hint="image name, label; the answer's column is called `label`")
        if out.setdefault(row[0], row[1]) != row[1]:
            raise UserError(f"{row[0]!r} has two labels", where=shown, hint="keep one")
    return out, fact


def _lowered(table: dict[str, Any], shown: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, label in table.items():
        if out.setdefault(name.lower(), label) != label:
            raise UserError(f"two labels are called {name.lower()!r} under match: lower", where=shown, hint="keep one, or match: exact")
    return out


def _names(path: str) -> tuple[str, str, str]:
    """How a label table may call an image: by stem, by file name, by path."""
    return _stem(path), path.rpartition("/")[2], path


def _stem(path: str) -> str:
    return Path(path).stem


def _skipped(count: int, which: str, name: str, reading: Reading) -> None:
    if count:
        reading.note(f"{name}: {_count(count, 'image')} {which} skipped")


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:5]) + (", …" if len(listed) > 5 else "")
