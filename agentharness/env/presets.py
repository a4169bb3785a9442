"""Presets: files of the long form with holes, and the filling of holes. The notation is explained in presets/bare.yaml."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from agentharness.config.yaml import KeyPath, load
from agentharness.errors import UserError, closest

FOLDER = Path(__file__).parent / "presets"
BARE = "bare"

_NAME = r"[a-z_]+(?:\.[a-z_]+)*"
_WHOLE = re.compile(rf"<({_NAME})(\??)>\Z")
_INNER = re.compile(rf"((?<=[\w\])])\.|')?<({_NAME})>")  # a full stop behind }} is text
_SECTION = re.compile(rf"(.+) <([?!])({_NAME})>\Z")
_WORD = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass(frozen=True, slots=True)
class Preset:
    """One preset: `short` holds its own short keys with their defaults, `long` the long form with holes."""

    name: str
    about: str
    short: dict[str, Any]
    long: dict[str, Any]
    reference: str = ""
    """What rewards compare with where it is not the answer's column itself."""
    subject: str = ""
    """What rewards score where it is not the submission."""


@dataclass(slots=True)
class Hole:
    """What fills a hole. `origins`: path inside `value` -> path of the short key that says it; () stands for the whole."""

    value: Any
    origins: dict[KeyPath, KeyPath] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        return self.value is None or self.value in ("", [], {})


@dataclass(frozen=True, slots=True)
class Missing:
    """Stands in the filled form where a hole that must be filled is empty."""

    hole: str


@dataclass(slots=True)
class Filled:
    """A form without holes. `origins`: path in `data` -> path of the short key behind it."""

    data: Any
    origins: dict[KeyPath, KeyPath] = field(default_factory=dict)


def names() -> list[str]:
    """All presets, sorted."""
    return sorted(p.stem for p in FOLDER.glob("*.yaml"))


def get(name: str, where: str = "") -> Preset:
    """The preset of that name. Raises UserError with the closest one."""
    if name not in names():
        raise UserError(f"there is no preset {name!r}", where=where, hint=closest(name, names()))
    return _read(name)


@cache
def _read(name: str) -> Preset:
    data = load(FOLDER / f"{name}.yaml", f"preset {name}").data
    return Preset(name, data["about"], data.get("short") or {}, data["long"], data.get("reference", ""), data.get("subject", ""))


def fill(form: Any, holes: dict[str, Hole]) -> Filled:
    """`form` with its holes filled; Missing where one that must be filled is empty."""
    out = Filled(None)
    out.data = _fill(form, holes, (), out.origins)
    return out


def access(path: str) -> str:
    """A field path as it stands behind a table's row in an expression: `a.b` is `.a.b`, `two words` is `['two words']`; `[]` stays."""
    out = ""
    for part in path.split("."):
        name = part.rstrip("[]")
        out += f".{name}" if _WORD.match(name) else f"['{quoted(name)}']"
        out += part[len(name) :]
    return out


def quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _fill(form: Any, holes: dict[str, Hole], at: KeyPath, origins: dict[KeyPath, KeyPath]) -> Any:
    if isinstance(form, str):
        whole = _WHOLE.match(form)
        return _value(whole[1], holes, at, origins) if whole else _text(form, holes, at, origins)
    if isinstance(form, list):
        return [_fill(item, holes, (*at, i), origins) for i, item in enumerate(form)]
    if not isinstance(form, dict):
        return form
    out: dict[str, Any] = {}
    for key, inner in form.items():
        section = _SECTION.match(key)
        if section and holes.get(section[3], _NONE).empty == (section[2] == "?"):
            continue
        whole = _WHOLE.match(inner) if isinstance(inner, str) else None
        if whole and whole[2] and holes.get(whole[1], _NONE).empty:
            continue
        name = _key(section[1] if section else key, holes)
        out[name] = _fill(inner, holes, (*at, name), origins)
    return out


_NONE = Hole(None)


def _key(key: str, holes: dict[str, Hole]) -> str:
    whole = _WHOLE.match(key)
    return str(holes[whole[1]].value) if whole else key


def _value(name: str, holes: dict[str, Hole], at: KeyPath, origins: dict[KeyPath, KeyPath]) -> Any:
    hole = holes.get(name, _NONE)
    if hole.value is None:
        return Missing(name)
    for inner, short in hole.origins.items():
        origins[(*at, *inner)] = short
    return deepcopy(hole.value)


def _text(form: str, holes: dict[str, Hole], at: KeyPath, origins: dict[KeyPath, KeyPath]) -> Any:
    for _, name in _INNER.findall(form):
        hole = holes.get(name, _NONE)
        if hole.value is None:
            return Missing(name)
        if () in hole.origins:
            origins.setdefault(at, hole.origins[()])

    def put(match: re.Match[str]) -> str:
        before, value = match[1] or "", str(holes[match[2]].value)
        return access(value) if before == "." else before + (quoted(value) if before else value)

    return _INNER.sub(put, form)
