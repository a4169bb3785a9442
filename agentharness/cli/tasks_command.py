"""`tasks` and `task show`. The list reads the few keys it shows, so that a broken task breaks its own line only."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from agentharness.config import yaml
from agentharness.errors import UserError, closest
from agentharness.plugins.find import Found, find_task, list_tasks, roots
from agentharness.report.plain import Column, table

_COLUMNS = (
    Column("name", least=12),
    Column("rows", right=True),
    Column("modality"),
    Column("licence", least=10),
    Column("version"),
    Column("origin"),
)


def tasks(words: list[str]) -> int:
    """Prints the list."""
    root = options(words, "tasks_root").get("tasks_root")
    found = list_tasks(Path.cwd(), root)
    rows, broken = [], []
    for one in found:
        try:
            rows.append(_row(one))
        except UserError as e:
            rows.append([one.name, "—", "—", "—", "—", one.origin])
            broken.append(f"{one.name}: {e.line()}")
    if not found:
        where = ", ".join(str(place.folder) for place in roots("tasks", Path.cwd(), root)) or "no folder"
        print(f"no tasks in {where}; a task is a folder tasks/NAME with a task.yaml")
        return 0
    print(table(_COLUMNS, rows))
    if broken:
        print("\n" + "\n".join(broken))
    return 0


def task(words: list[str]) -> int:
    """`task show NAME [expanded=true]`."""
    if words[:1] != ["show"]:
        raise UserError(f"unknown command 'task {words[0]}'" if words else "task what?", hint="write task show NAME")
    if len(words) < 2 or "=" in words[1]:
        raise UserError("show which task?", hint="write task show NAME; `agentharness tasks` lists them")
    said = options(words[2:], "expanded", "tasks_root")
    if (expanded := said.get("expanded", "false")) not in ("true", "false"):
        raise UserError(f"must be true or false, not {expanded!r}", where="expanded")
    found = find_task(words[1], Path.cwd(), said.get("tasks_root"))
    if expanded == "true":
        from agentharness.env.expand import to_yaml
        from agentharness.env.reading import read_task

        print(to_yaml(read_task(found.folder, name=found.name).spec).rstrip("\n"))
    else:
        yaml.load(found.folder / "task.yaml")  # a file that cannot be read is a user's error, not a traceback
        print((found.folder / "task.yaml").read_text(encoding="utf-8").rstrip("\n"))
    return 0


def options(words: list[str], *known: str) -> dict[str, str]:
    """The `key=value` words of a command that takes only `known`. Raises UserError."""
    if not words:
        return {}
    from agentharness.config.args import split

    said = split(words)
    for key in said:
        if key not in known:
            raise UserError(f"unknown key {key!r}", hint=closest(key, known))
    return said


def _row(found: Found) -> list[str]:
    data = yaml.load(found.folder / "task.yaml").data
    if not isinstance(data, dict):
        raise UserError("holds no keys", where=str(found.folder / "task.yaml"))
    locked = _locked(found.folder / "env.lock")
    rows, world = locked.get("rows"), str(locked.get("world", ""))
    version = world.partition(":")[2][:12] or "—"
    return [found.name, f"{rows:,}" if isinstance(rows, int) else "—", _modality(data), str(data.get("licence") or "—"), version, found.origin]


def _locked(path: Path) -> dict[str, Any]:
    """The lock's section of the task's own data, else its first one; empty where there is no lock."""
    try:
        named = tomllib.loads(path.read_text(encoding="utf-8")).get("data", {})
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as e:
        raise UserError(f"is no lock: {e}", where=str(path), hint="write it anew with `agentharness lock`") from None
    sections: dict[str, Any] = named if isinstance(named, dict) else {}
    found: Any = next((sections[name] for name in ("own", "hub", *sections) if name in sections), {})
    return found if isinstance(found, dict) else {}


def _modality(data: dict[str, Any]) -> str:
    """The task's own word, else its preset's, else text."""
    if "modality" in data:
        return str(data["modality"])
    from agentharness.env import presets

    name = data.get("preset", presets.BARE)
    return str(presets.get(str(name)).long.get("modality", "text"))
