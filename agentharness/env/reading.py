"""From a folder with task.yaml to a Task in its long form."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentharness.config.yaml import Document, KeyPath, Place, load
from agentharness.env.expand import expand, is_short, merge, short_keys
from agentharness.env.keys import fields, inside, is_model
from agentharness.env.mistakes import dotted, explain
from agentharness.env.shape import check
from agentharness.env.spec import TaskSpec
from agentharness.env.task import Places, Task
from agentharness.errors import UserError, closest

FILE = "task.yaml"


def read_task(folder: Path, *, name: str | None = None, overrides: dict[str, Any] | None = None, trusted: bool = True) -> Task:
    """The task in `folder`.

    `overrides`: nested long keys from the command line, laid over the file's ({"limits": {"turns": 8}}). `name`: the folder's by default.
    Raises UserError, one line with file, line and column, for the first mistake.
    """
    document = _document(folder)
    if is_short(document.data):
        data, places = expand(document)
    else:
        data, places = document.data, Places(document.file, dict(document.places))
    spec = _validate(data, places)
    changed: list[str] = []
    if overrides:
        changed = _override(spec, data, places, overrides)
        spec = _validate(data, places)
    return Task(name or folder.resolve().name, folder, spec, places, trusted, changed)


def _document(folder: Path) -> Document:
    path = folder / FILE
    if not path.is_file():
        what = f"has no {FILE}" if folder.is_dir() else "is no folder"
        raise UserError(what, where=str(folder), hint=f"a task is a folder that holds {FILE}")
    document = load(path)
    if document.data is None:
        raise UserError("is empty", where=str(path), hint="begin with `data:`, `preset:`, `ask:`, `answer:` and `reward:`")
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "one value"
        raise UserError(f"must be a mapping, is {kind}", where=str(document.place(())), hint="write `key: value` lines, such as `data: rows.jsonl`")
    return document


def _validate(data: dict[str, Any], places: Places) -> TaskSpec:
    try:
        spec = TaskSpec.model_validate(data)
    except ValidationError as e:
        raise explain(e, data, places, short_keys()) from None
    check(spec, places)
    return spec


def _override(spec: TaskSpec, data: dict[str, Any], places: Places, overrides: dict[str, Any]) -> list[str]:
    """Lays overrides over the long form in place; their dotted keys. A key that the task does not have is a mistake, free mappings aside."""
    said = deepcopy(overrides)
    full = spec.model_dump(by_alias=True, warnings=False)
    changed: dict[str, KeyPath] = {}
    _leaves(said, TaskSpec, full, (), changed)
    known = {path[:n]: Place(f"task.{key}") for key, path in changed.items() for n in range(1, len(path) + 1)}
    merge(data, places, said, known)
    return list(changed)


def _leaves(said: dict[str, Any], annotation: Any, have: Any, path: KeyPath, out: dict[str, KeyPath]) -> None:
    for key, value in said.items():
        at = (*path, key)
        inner = inside(annotation, key)
        known = list(fields(annotation)) if is_model(annotation) else list(have or {}) if is_model(inner) else None
        if known is not None and key not in known:
            hint = "the long key is limits.turns" if at == ("turns",) else closest(key, known)
            raise UserError("unknown key", where=f"task.{dotted(at)}", hint=hint)
        if isinstance(value, dict) and value:
            _leaves(value, inner, have.get(key) if isinstance(have, dict) else None, at, out)
        else:
            out[dotted(at)] = at
