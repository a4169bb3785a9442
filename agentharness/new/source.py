"""Where the rows come from: a file, a folder of images, a hub id or a Python function -> rows, and the `data:` key that reads them again."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentharness.corpus.assets import Assets
from agentharness.corpus.batch import Batch, Reading
from agentharness.corpus.read import KNOWN, read
from agentharness.corpus.spec import Source
from agentharness.errors import UserError, closest

COPIED = 50 << 20
"""Bytes of a file that is copied into the task; a larger one is read where it lies."""
_PATH = re.compile(r"^path: (.+)")


@dataclass(slots=True)
class Seen:
    """Rows as read, and the short level's `data:` that reads them."""

    batch: Batch
    data: dict[str, str]
    assets: Assets
    images: bool = False
    notes: list[str] = field(default_factory=list)
    licence: str = "private"


def see(where: str, cwd: Path, said: Mapping[str, str]) -> Seen:
    """Reads all rows of a source named on the command line. `said`: the command's labels, table, sheet, member, config, split, trust. Raises UserError."""
    notes: list[str] = []
    reading = Reading(cwd, Assets(), notes.append, said.get("trust") == "true")
    path = (cwd / where).expanduser()
    if path.is_dir():
        return _folder(path, said.get("labels"), notes)
    if path.suffix.lower() == ".pdf" and path.exists():
        return _pages(path, said.get("labels"), notes)
    if path.exists():
        return _file(path, {key: said[key] for key in ("table", "sheet", "member") if key in said}, notes)
    if re.search(r"\.py:\w+\Z", where):
        return Seen(read(Source(python=str(cwd / where)), reading), {"from": where}, reading.assets, notes=notes)
    if re.fullmatch(r"[\w.-]+/[\w.-]+", where) and not path.suffix:
        config, split = said.get("config"), said.get("split")
        data = {"from": where, **({"config": config} if config else {}), **({"split": split} if split else {})}
        return Seen(read(Source(hub=where, config=config, split=split), reading), data, reading.assets, notes=notes, licence="")
    near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    raise UserError(f"no file, folder or hub id {where!r}", where="from", hint=closest(path.name, near))


def place(seen: Seen, folder: Path, cwd: Path) -> None:
    """Puts the data where the task finds it: a file is copied into the task's folder, what is large is named by its path from there."""
    for kind in ("from", "images", "labels", "pdf"):
        said = seen.data.get(kind)
        if said and re.search(r"\.py:\w+\Z", said):
            file, _, function = said.rpartition(":")
            seen.data[kind] = f"{os.path.relpath(cwd / file, folder)}:{function}"
            continue
        path = cwd / said if said else None
        if path is None or not path.exists():
            continue
        if path.is_file() and path.stat().st_size <= COPIED:
            (folder / "data").mkdir(exist_ok=True)
            shutil.copyfile(path, folder / "data" / path.name)
            seen.data[kind] = f"data/{path.name}"
        else:
            seen.data[kind] = os.path.relpath(path, folder)


def _file(path: Path, inside: dict[str, str], notes: list[str]) -> Seen:
    reading = Reading(path.parent, Assets(), notes.append)
    data = {"from": str(path), **inside}
    try:
        return Seen(read(Source(file=path.name, **inside), reading), data, reading.assets, notes=notes)
    except UserError as e:
        inner = _PATH.match(e.hint)
        if inner is None:
            raise
        # A JSON object that holds its rows under a key says so in the hint.
        return Seen(read(Source(file=path.name, path=inner[1]), reading), {**data, "path": inner[1]}, reading.assets, notes=notes)


def _folder(path: Path, labels: str | None, notes: list[str]) -> Seen:
    tables = sorted(p for place in (path, path.parent) for p in place.iterdir() if p.suffix.lower() in (".csv", ".json") and p.is_file())
    if any(p.suffix.lower() == ".pdf" for p in path.iterdir()):
        return _pages(path, labels, notes)
    nested = any(p.is_dir() and not p.name.startswith(".") for p in path.iterdir())
    if labels is None and not nested and len(tables) == 1:
        labels = str(tables[0])
    if labels is None and not nested:
        _no_labels(path)
    data = {"images": str(path), **({"labels": labels} if labels else {})}

    def attempt(match: str) -> Seen:
        source = Source(images=str(path), labels=str(Path(labels).resolve()) if labels else None, match=match)
        reading = Reading(path.parent, Assets(), notes.append)
        return Seen(read(source, reading), data, reading.assets, images=True, notes=notes)

    try:
        return attempt("exact")
    except UserError as e:
        if e.hint != "match: lower":
            raise
        data["match"] = "lower"
        return attempt("lower")


def _pages(path: Path, labels: str | None, notes: list[str]) -> Seen:
    if labels is not None:
        raise UserError("pages of PDFs take no labels", where="labels", hint="leave it out: their document is asked for")
    reading = Reading(path.parent, Assets(), notes.append)
    return Seen(read(Source(pdf=path.name), reading), {"pdf": str(path)}, reading.assets, images=True, notes=notes)


def _no_labels(path: Path) -> None:
    files = [p for p in path.iterdir() if p.suffix.lower() in KNOWN]
    if len(files) == 1:
        raise UserError(f"{path} is a folder with one table", where="from", hint=f"from={files[0]}")
    raise UserError(f"{path} has neither subfolders nor a table of labels", where="from", hint="labels=FILE: a CSV or JSON from image name to label")
