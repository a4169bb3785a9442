"""What can be mended without a decision: a licence where none is said, turns that the solution does not fit into. Lines are edited, never a file rewritten."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from agentharness.check.finding import Finding
from agentharness.check.played import Played
from agentharness.config.yaml import load
from agentharness.env.expand import is_short

ROOM = 2
"""Turns that a model may take for each that the solution takes."""


def fix(played: Played, findings: list[Finding]) -> str:
    """Mends task.yaml; the change as a diff, "" where there was nothing to mend."""
    path = played.world.folder / "task.yaml"
    before = path.read_text(encoding="utf-8")
    after = before
    by_name = {f.check: f for f in findings}
    if by_name["licence"].colour != "green":
        after = _put(after, "licence", "private")
    if by_name["turns"].rows or (by_name["solvable"].colour == "red" and "fix=true" in by_name["solvable"].hint):
        after = _turns(path, after, _needed(played))
    if after != before:
        path.write_text(after, encoding="utf-8")
    return "".join(difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), f"{path}", f"{path}", n=1))


def _needed(played: Played) -> int:
    taken = [int(line["metrics"]["turns"]) for line in played.lines["oracle"].values() if "metrics" in line]
    return max(max(taken, default=1), played.world.limits.turns) * ROOM


def _turns(path: Path, text: str, turns: int) -> str:
    data = load(path).data
    if isinstance(data.get("limits"), dict):
        return re.sub(r"(?m)^(\s*limits:.*?\bturns:\s*)\d+", rf"\g<1>{turns}", text, count=1, flags=re.DOTALL)
    return _put(text, "turns", str(turns)) if is_short(data) else _put(text, "limits", f"{{turns: {turns}}}")


def _put(text: str, key: str, value: str) -> str:
    """The text with a top-level key set: its line replaced, or a line more at the end."""
    line = re.compile(rf"(?m)^{key}:[^\n#]*?(\s*#[^\n]*)?$")
    if line.search(text):
        return line.sub(lambda m: f"{key}: {value}{m[1] or ''}", text, count=1)
    return f"{text if text.endswith(chr(10)) or not text else text + chr(10)}{key}: {value}\n"
