"""Where content lies: an explicit root, the working folder's own `tasks/` and `agents/`, installed packs, and what came with the package."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import agentharness
from agentharness.errors import UserError, closest
from agentharness.plugins import refs
from agentharness.plugins.packs import packs

Kind = Literal["tasks", "agents"]
Origin = Literal["root", "local", "pack", "bundled", "path", "module"]

MARKS = {"tasks": "task.yaml", "agents": "agent.py"}
"""The file that makes a folder a task or an agent."""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of tasks or agents."""

    folder: Path
    origin: Origin


@dataclass(frozen=True, slots=True)
class Found:
    """A task or an agent that exists."""

    name: str
    folder: Path
    """Absolute; of a module: the working folder."""
    origin: Origin
    trusted: bool
    """Whether its Python may run unasked: content of the working folder's and the bundled roots, of installed packs, and importable modules."""
    target: str = ""
    """Of an agent, what makes it: `/abs/file.py:Name` or `module:Name`, called with (options, folder)."""


def roots(kind: Kind, cwd: Path, root: str | Path | None = None) -> list[Root]:
    """The folders that are looked in, in order. Raises UserError for an explicit root that is no folder."""
    out: list[Root] = []
    bundle = bundled(kind)
    if root is not None:
        folder = _real(cwd, str(root))
        if not folder.is_dir():
            raise UserError("is no folder", where=f"{kind}_root={root}", hint=f"a folder whose subfolders hold {MARKS[kind]}")
        out.append(Root(folder, "root"))
    local = next((p / kind for p in (cwd.resolve(), *cwd.resolve().parents) if (p / kind).is_dir()), None)
    if local is not None and local != bundle:
        out.append(Root(local, "local"))
    out += [Root(folder, "pack") for _, folder in packs(kind)]
    if bundle is not None:
        out.append(Root(bundle, "bundled"))
    return out


def bundled(kind: Kind) -> Path | None:
    """What came with the package: inside it in a wheel, beside it in a checkout."""
    package = Path(agentharness.__file__).resolve().parent
    inside, beside = package / "_content" / kind, package.parent / kind
    if inside.is_dir():
        return inside
    # site-packages may hold a stranger's `tasks`: only a checkout's counts.
    return beside if beside.is_dir() and (package.parent / "pyproject.toml").is_file() else None


def find_task(ref: str, cwd: Path, root: str | Path | None = None) -> Found:
    """The task that `ref` names: a name, a folder, or its task.yaml. Raises UserError with the closest name."""
    return _find("tasks", ref, cwd, root, ())


def find_agent(ref: str, cwd: Path, root: str | Path | None = None, extra: Iterable[str] = ()) -> Found:
    """The agent that `ref` names. `extra`: names that the caller resolves itself, offered as hints. Raises UserError with the closest name."""
    return _find("agents", ref, cwd, root, extra)


def list_tasks(cwd: Path, root: str | Path | None = None) -> list[Found]:
    """Every task by name; of two with one name the first root's."""
    return _all("tasks", cwd, root)


def list_agents(cwd: Path, root: str | Path | None = None) -> list[Found]:
    """Every agent by name; of two with one name the first root's."""
    return _all("agents", cwd, root)


def _all(kind: Kind, cwd: Path, root: str | Path | None) -> list[Found]:
    places = roots(kind, cwd, root)
    out: dict[str, Found] = {}
    for place in places:
        for mark in sorted(place.folder.glob(f"*/{MARKS[kind]}")):
            name = mark.parent.name
            if not name.startswith((".", "_")):
                out.setdefault(name, Found(name, mark.parent, place.origin, _trusted(place.folder, places), _target(kind, mark.parent)))
    return [out[name] for name in sorted(out)]


def _find(kind: Kind, ref: str, cwd: Path, root: str | Path | None, extra: Iterable[str]) -> Found:
    reference, one = refs.read(ref), kind[:-1]
    if reference.kind == "name":
        found = _all(kind, cwd, root)
        match = next((f for f in found if f.name == reference.where), None)
        if match is None:
            raise UserError(f"no {one} is named {ref!r}", hint=_hint(kind, ref, cwd, [*(f.name for f in found), *extra]))
        return match
    if reference.kind == "folder":
        return _folder(kind, reference.where, cwd, root)
    if kind == "tasks":
        raise UserError(f"{ref!r} is no task", hint="a task is a folder with a task.yaml: write its name or path/to/folder")
    if reference.kind == "module":
        return Found(reference.name, cwd.resolve(), "module", True, f"{reference.where}:{reference.name}")
    file = _real(cwd, reference.where)
    if not file.is_file():
        raise UserError(f"no file {reference.where}", hint="the path is taken from the working folder")
    return Found(reference.name, file.parent, "path", _trusted(file, roots(kind, cwd)), f"{file}:{reference.name}")


def _folder(kind: Kind, where: str, cwd: Path, root: str | Path | None) -> Found:
    path = _real(cwd, where)
    folder = path.parent if path.name == MARKS[kind] and path.is_file() else path
    if not (folder / MARKS[kind]).is_file():
        hint = f"it has no {MARKS[kind]}" if folder.is_dir() else "no such folder; the path is taken from the working folder"
        raise UserError(f"{where} is no {kind[:-1]}", hint=hint)
    places = roots(kind, cwd, root)
    origin: Origin = next((place.origin for place in places if folder.is_relative_to(place.folder)), "path")
    return Found(folder.name, folder, origin, _trusted(folder, places), _target(kind, folder))


def _real(cwd: Path, where: str) -> Path:
    """The path without links. Raises UserError where there is none: links that lead in a circle."""
    try:
        return (cwd / Path(where).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as e:
        raise UserError(f"is no path: {e}", where=where, hint="check its links") from None


def _target(kind: Kind, folder: Path) -> str:
    return f"{folder / MARKS[kind]}:make" if kind == "agents" else ""


def _trusted(path: Path, places: list[Root]) -> bool:
    own = [bundled("tasks"), bundled("agents"), *(place.folder for place in places if place.origin != "root")]
    return any(folder is not None and path.is_relative_to(folder) for folder in own)


def _hint(kind: Kind, ref: str, cwd: Path, names: list[str]) -> str:
    if (cwd / ref).is_dir():
        return f"for the folder write ./{ref}"
    return closest(ref, names)
