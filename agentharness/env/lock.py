"""env.lock beside task.yaml: digests by named data, compared when a world is built."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from agentharness.env.digest import Version
from agentharness.errors import UserError
from agentharness.types.part import JsonDict

FILE = "env.lock"


def section(version: Version) -> JsonDict:
    """What `[data.<name>]` of env.lock holds of a version."""
    return {
        "world": version.world,
        "scoring": version.scoring,
        "tables": {name: {"rows": t.rows, "open": t.open, "gold": t.gold} for name, t in sorted(version.tables.items())},
        "rules": dict(sorted(version.rules.items())),
    }


def read(folder: Path) -> JsonDict:
    """The lock of a task: data name -> section; {} where there is no lock. Raises UserError where it cannot be read."""
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8")).get("data", {})
    except (OSError, ValueError) as e:
        raise UserError(f"cannot be read: {e}", where=str(path), hint="python -m agentharness lock writes it anew") from None
    if not isinstance(data, dict) or not all(isinstance(s, dict) for s in data.values()):
        raise UserError("holds no [data.<name>] sections", where=str(path), hint="python -m agentharness lock writes it anew")
    return data


def check(locked: JsonDict, version: Version, *, task: str, data: str, where: str) -> None:
    """Compares a section with what was built. Raises UserError that names the tables and rules that differ."""
    if (locked.get("world"), locked.get("scoring")) == (version.world, version.scoring):
        return
    parts = differences(locked, section(version))
    raise UserError(
        f"[data.{data}] does not match the task: {'; '.join(parts) or 'its digests are of another kind'}",
        where=where,
        hint=f"mend what changed, or accept it: python -m agentharness lock task={task}, or relock=true",
    )


def differences(old: JsonDict, new: JsonDict) -> list[str]:
    """What differs between two sections, in words, worst first."""
    out: list[str] = []
    tables, now = _mapping(old, "tables"), _mapping(new, "tables")
    for name in sorted({*tables, *now}):
        a, b = tables.get(name), now.get(name)
        if a == b:
            continue
        if not isinstance(a, dict) or not isinstance(b, dict):
            out.append(f"table {name} is {'new' if b else 'gone'}")
            continue
        kinds = [word for key, word in (("open", "content"), ("gold", "gold")) if a.get(key) != b.get(key)]
        rows = f", {a.get('rows')} rows before, {b.get('rows')} here" if a.get("rows") != b.get("rows") else ""
        out.append(f"table {name} differs in {' and '.join(kinds) or 'rows'}{rows}")
    rules, now = _mapping(old, "rules"), _mapping(new, "rules")
    changed = [name for name in sorted({*rules, *now}) if rules.get(name) != now.get(name)]
    if changed:
        shown = ", ".join(changed[:8]) + (f" and {len(changed) - 8} more" if len(changed) > 8 else "")
        out.append(f"rule{'s' if len(changed) > 1 else ''} {shown} {'differ' if len(changed) > 1 else 'differs'}")
    return out


def _mapping(data: JsonDict, key: str) -> dict[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}
