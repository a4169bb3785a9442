"""Mistakes in a task file as one line each: what pydantic found, said in the words of the file, at the place where the user wrote it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agentharness.config.yaml import Document, KeyPath, Place
from agentharness.env.keys import fields, is_model, plain, spell, within
from agentharness.env.task import Places
from agentharness.errors import UserError, closest


def wrong(document: Document, path: KeyPath, what: str, *, hint: str = "", key: bool = False) -> UserError:
    """A mistake at `path` of the user's file: at the value, or with `key` at the key itself."""
    place = document.place(path)
    return UserError(what, where=str(key_place(place, str(path[-1])) if key else place), hint=hint)


def key_place(place: Place, key: str) -> Place:
    """Where the key stands whose value stands at `place`; `place` itself where the file does not show it."""
    try:
        lines = Path(place.file).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return place
    form = re.compile(rf"""(?<![\w.-])["']?{re.escape(key)}["']?\s*:(?=\s|$)""")
    for number in range(min(place.line, len(lines)), 0, -1):
        before = lines[number - 1][: place.column - 1] if number == place.line else lines[number - 1]
        found = list(form.finditer(before))
        if found and not before[: found[-1].start()].lstrip().startswith("#"):
            return Place(place.file, number, found[-1].start() + 1)
    return place


def dotted(path: Iterable[str | int]) -> str:
    """A key path as users write it: actions.open.do.0.goto."""
    return ".".join(str(p) for p in path)


def explain(error: ValidationError, data: Any, places: Places, also: Iterable[str] = ()) -> UserError:
    """The first thing that is wrong, as one line. `also`: known top-level keys beside the long form's."""

    def order(found: ErrorDetails) -> tuple[bool, int, int]:
        place = places.at(*_real(found["loc"], data))
        return found["type"] == "missing", place.line, place.column  # last: a misspelt key is why another one is missing

    first = min(error.errors(include_url=False), key=order)
    path = _real(first["loc"], data)
    kind, given = first["type"], first["input"]
    place = places.at(*path)
    if kind == "extra_forbidden":
        model = within(path[:-1])
        known = [*(fields(model) if is_model(model) else ()), *(also if len(path) == 1 else ())]
        return UserError(f"{dotted(path)}: unknown key", where=str(key_place(place, str(path[-1]))), hint=closest(str(path[-1]), known))
    if kind == "missing":
        lost = first["loc"][-1]
        return UserError(f"{dotted((*path, lost))} is missing", where=str(place), hint=f"add `{lost}: …`{_meaning(path, str(lost))}")
    what, hint = _say(first, kind, given, within(path))
    return UserError(f"{dotted(path)} {what}", where=str(place), hint=hint)


def _real(loc: KeyPath, data: Any) -> KeyPath:
    """The part of pydantic's path that stands in the data: without the names of union members and missing keys."""
    out: list[str | int] = []
    for key in loc:
        if (isinstance(data, dict) and key in data) or (isinstance(data, list) and isinstance(key, int) and key < len(data)):
            data = data[key]  # type: ignore[index]
            out.append(key)
        else:
            break
    return tuple(out)


def _meaning(path: KeyPath, key: str) -> str:
    model = within(path)
    infos = {info.alias or name: info for name, info in model.model_fields.items()} if is_model(model) else {}
    about = infos[key].description if key in infos else None
    return f", {about}" if about else ""


def shown(value: Any) -> str:
    """A value as a message shows it: short, and with its kind."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return f"{str(value).lower()} (true or false)"
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _say(first: ErrorDetails, kind: str, given: Any, annotation: Any) -> tuple[str, str]:
    limits: dict[str, Any] = first.get("ctx") or {}
    words = spell(annotation) if annotation is not None else ""
    if get_origin(plain(annotation)) is Literal:
        return f"must be one of {words.replace(' | ', ', ')}, is {shown(given)}", closest(str(given), [str(a) for a in get_args(plain(annotation))])
    if kind.startswith(("greater", "less")):
        sign, bound = next(iter(limits.items()))
        return f"must be {_SIGNS[sign]} {bound}, is {shown(given)}", "change the number"
    if "number" in words and isinstance(given, float) and not math.isfinite(given):
        return f"must be a finite number, is {shown(given)}", "change the number"
    need = {"dict_type": "a mapping", "model_type": "a mapping", "list_type": "a list"}.get(kind, words or first["msg"])
    if is_model(annotation):
        return f"must be a mapping, is {shown(given)}", f"its keys: {', '.join(fields(annotation))}"
    if given is None:
        return f"must be {need}, is empty", "fill it, or remove the key"
    if kind == "string_type" or ("text" in words and not isinstance(given, dict | list)):
        hint = "put it in quotes" if isinstance(given, int | float) else "write one text, in quotes where it holds { } [ ] or : "
        return f"must be {words if 'number' in words else 'text'}, is {shown(given)}", "change the value" if "number" in words else hint
    if kind == "dict_type":
        return f"must be a mapping, is {shown(given)}", "write `key: value` lines under it"
    if kind == "list_type":
        return f"must be a list, is {shown(given)}", "write it as [one, another]" if isinstance(given, str) else "write `- item` lines under it"
    return f"must be a {need}, is {shown(given)}".replace("a a ", "a "), "change the value"


_SIGNS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
