"""How a task or an agent is named: `name`, `path/to/folder`, `file.py:Name`, `module:Name`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from agentharness.errors import UserError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_OBJECT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*\Z")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference taken apart. `where`: the name, the folder, the file or the module; `name`: the object in a file or module."""

    kind: Literal["name", "folder", "file", "module"]
    where: str
    name: str = ""


def read(ref: str) -> Reference:
    """Takes a reference apart. A folder is told from a name by a slash, a leading dot or `~`. Raises UserError."""
    before, colon, name = ref.rpartition(":")
    if colon and before.endswith(".py"):
        return Reference("file", before, _object(name, ref))
    if colon and _MODULE.match(before):
        return Reference("module", before, _object(name, ref))
    if "/" in ref or ref[:1] in (".", "~"):
        return Reference("folder", ref)
    if _NAME.match(ref) and not ref.endswith(".py"):
        return Reference("name", ref)
    raise UserError(f"{ref!r} names nothing", hint="write a name, path/to/folder, file.py:Name or module:Name")


def _object(name: str, ref: str) -> str:
    if not _OBJECT.match(name):
        raise UserError(f"{ref!r} names no object after the colon", hint="write file.py:Name or module:Name")
    return name
