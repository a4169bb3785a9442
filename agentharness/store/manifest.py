"""manifest.json: what a run folder holds, and whether a command may go on in it."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from agentharness import __version__, canon
from agentharness.errors import UserError
from agentharness.store import disk
from agentharness.store.migrate import check_version
from agentharness.types.episode import SCHEMA_VERSION
from agentharness.types.part import JsonDict

NAME = "manifest.json"
_SHOWN = 6  # differing keys that a refusal spells out
_WIDTH = 48  # characters of each value
_ABSENT = object()


def read_manifest(folder: Path) -> JsonDict | None:
    """The manifest of a run folder, or None where there is none. Raises UserError where it cannot be read or comes from a newer version."""
    path = folder / NAME
    try:
        data = canon.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as e:
        raise UserError("is not JSON", where=str(path), hint="mend it, or start again with `fresh=true`") from e
    if not isinstance(data, dict) or not isinstance(data.get("identity"), dict):
        raise UserError("is not the manifest of a run: no `identity`", where=str(path), hint="choose another `out=`")
    check_version(data, where=str(path))
    return data


def write_manifest(folder: Path, data: JsonDict) -> None:
    """Writes it atomically, indented for people. Raises StoreFull."""
    marked = orjson.loads(canon.dumps(data))
    disk.write_atomic(folder / NAME, orjson.dumps(marked, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))


def opened(old: JsonDict | None, added: JsonDict, identity: JsonDict) -> JsonDict:
    """The manifest after one more opening: what the caller adds replaces what was there, the list of invocations grows by one."""
    before = old or {}
    invocation: JsonDict = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "argv": [],
        "config_changes": changes(before.get("config"), added.get("config")) if old else {},
        "versions": {"agentharness": __version__, "python": platform.python_version(), "schema": SCHEMA_VERSION},
        "host": {
            "name": platform.node(),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "cpus": os.cpu_count(),
            "pid": os.getpid(),
        },
        **(added.get("invocation") or {}),
    }
    kept = {k: v for k, v in added.items() if k != "invocation"}
    return {**before, **kept, "schema_version": SCHEMA_VERSION, "identity": identity, "invocations": [*before.get("invocations", []), invocation]}


def check_identity(old: JsonDict, new: JsonDict, folder: Path) -> None:
    """Raises UserError, with the differing keys, where a folder of one run is opened for another."""
    if canon.digest(old) == canon.digest(new):
        return
    found = [f"{key}: {_short(a, b)} -> {_short(b, a)}" for key, a, b in _differing(old, new)]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise UserError(
        f"this folder holds another run: {', '.join(found[:_SHOWN])}{more}",
        where=str(folder),
        hint="`fresh=true` starts again and keeps the old folder under another name; another `out=` leaves it alone",
    )


def changes(old: Any, new: Any) -> JsonDict:
    """What differs between two configs: dotted key -> [old, new], None where a side lacks it."""
    return {key: [None if v is _ABSENT else v for v in (a, b)] for key, a, b in _differing(old, new)}


def _differing(old: Any, new: Any) -> list[tuple[str, Any, Any]]:
    a, b = dict(_flat(old)), dict(_flat(new))
    pairs = [(key, a.get(key, _ABSENT), b.get(key, _ABSENT)) for key in sorted(a.keys() | b.keys())]
    return [(key, x, y) for key, x, y in pairs if x is _ABSENT or y is _ABSENT or canon.dumps(x) != canon.dumps(y)]


def _flat(value: Any, prefix: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        return [pair for k, v in value.items() for pair in _flat(v, f"{prefix}.{k}" if prefix else str(k))]
    return [(prefix, value)] if prefix else []


def _short(value: Any, other: Any) -> str:
    """The value as JSON; of a long one, the piece where it begins to differ from the other."""
    if value is _ABSENT:
        return "(none)"
    text = canon.dumps(value).decode()
    if len(text) <= _WIDTH:
        return text
    beside = "" if other is _ABSENT else canon.dumps(other).decode()
    same = next((i for i, (a, b) in enumerate(zip(text, beside, strict=False)) if a != b), min(len(text), len(beside)))
    start = max(0, same - 8)
    end = start + _WIDTH
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
