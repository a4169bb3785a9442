"""Small tasks, checked: a sound one, and the pieces that break it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from harness import write

from agentharness.check.finding import Finding, Report
from agentharness.check.main import check
from agentharness.cli.face import Terminal
from agentharness.config.run_config import Ref, RunConfig

PLACES = ("Avonlea", "Brackwater", "Coldharbour", "Dunmarrow", "Elsinore", "Fairhaven", "Greymoor", "Hollowell")

SOUND = """\
data: {from: rows.jsonl, key: id}   # forty letters
preset: qa
ask: "Where does letter {{ row.id }} go? {{ row.hint }}"
answer: place
reward: exact
turns: 5
licence: CC0-1.0
"""


def letters(n: int = 40) -> list[dict[str, Any]]:
    """Rows with eight places in turn; hints tell nothing that the answer says."""
    return [{"id": f"r{i:02}", "hint": f"It weighs {i} grams.", "place": PLACES[i % len(PLACES)]} for i in range(n)]


def task(cwd: Path, yaml: str = SOUND, rows: list[dict[str, Any]] | None = None, name: str = "letters", **files: str) -> Path:
    """Writes tasks/NAME, other files by name with `_` for the dot; its folder."""
    lines = "".join(json.dumps(row) + "\n" for row in (letters() if rows is None else rows))
    more = {key.replace("_", ".", 1): text for key, text in files.items()}
    return write(cwd / "tasks" / name, {"task.yaml": yaml, "rows.jsonl": lines, **more})


def checked(cwd: Path, name: str = "letters", limit: int | None = 200, **keys: Any) -> Report:
    """What `check` finds."""
    with contextlib.chdir(cwd):
        return check(name, RunConfig(task=Ref(names=(name,)), quiet=True, **keys), Terminal(quiet=True), limit=limit)


def colours(report: Report) -> dict[str, str]:
    """Findings that are not green, without the lock that no small task has."""
    return {f.name: f.colour for f in report.findings if f.colour != "green" and f.name != "lock"}


def finding(report: Report, name: str) -> Finding:
    """The finding of this name."""
    return next(f for f in report.findings if f.name == name)
