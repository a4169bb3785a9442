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
    images: bool = False
    notes: list[str] = field(default_factory=list)
    licence: str = "private"


def see(where: str, cwd: Path, said: Mapping[str, str]) -> Seen:
    """Reads all rows of a source named on the command line. `said`: the command's labels, table, sheet, config, split, trust. Raises UserError."""
    notes: list[str] = []
    config, split, trusted = said.get("config"), said.get("split"), said.get("trust") == "true"
    path = (cwd / where).expanduser()
    if path.is_dir():
        return _folder(path, said.get("labels"), notes)
    if path.exists():
        return _file(path, {key: said[key] for key in ("table", "sheet") if key in said}, notes)
    if re.search(r"\.py:\w+\Z", where):
        source = Source(python=str(cwd / where))
        return Seen(read(source, Reading(cwd, Assets(), notes.append, trusted)), {"from": where}, notes=notes)
    if re.fullmatch(r"[\w.-]+/[\w.-]+", where) and not path.suffix:
        source = Source(hub=where, config=config, split=split)
        data = {"from": where, **({"config": config} if config else {}), **({"split": split} if split else {})}
        return Seen(read(source, Reading(cwd, Assets(), notes.append)), data, notes=notes, licence="")
    near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    raise UserError(f"no file, folder or hub id {where!r}", where="from", hint=closest(path.name, near))


def place(seen: Seen, folder: Path, cwd: Path) -> None:
    """Puts the data where the task finds it: a file is copied into the task's folder, what is large is named by its path from there."""
    for kind in ("from", "images", "labels"):
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
        return Seen(read(Source(file=path.name, **inside), reading), data, notes=notes)
    except UserError as e:
        inner = _PATH.match(e.hint)
        if inner is None:
            raise
        # A JSON object that holds its rows under a key says so in the hint.
        return Seen(read(Source(file=path.name, path=inner[1]), reading), {**data, "path": inner[1]}, notes=notes)


def _folder(path: Path, labels: str | None, notes: list[str]) -> Seen:
    tables = sorted(p for place in (path, path.parent) for p in place.iterdir() if p.suffix.lower() in (".csv", ".json") and p.is_file())
    nested = any(p.is_dir() and not p.name.startswith(".") for p in path.iterdir())
    if labels is None and not nested and len(tables) == 1:
        labels = str(tables[0])
    if labels is None and not nested:
        _no_labels(path)
    data = {"images": str(path), **({"labels": labels} if labels else {})}

    def attempt(match: str) -> Seen:
        source = Source(images=str(path), labels=str(Path(labels).resolve()) if labels else None, match=match)
        return Seen(read(source, Reading(path.parent, Assets(), notes.append)), data, images=True, notes=notes)

    try:
        return attempt("exact")
    except UserError as e:
        if e.hint != "match: lower":
            raise
        data["match"] = "lower"
        return attempt("lower")


def _no_labels(path: Path) -> None:
    files = [p for p in path.iterdir() if p.suffix.lower() in KNOWN]
    if len(files) == 1:
        raise UserError(f"{path} is a folder with one table", where="from", hint=f"from={files[0]}")
    raise UserError(f"{path} has neither subfolders nor a table of labels", where="from", hint="labels=FILE: a CSV or JSON from image name to label")
