"""`fix=true`: what is mechanical is written into task.yaml, and shown as a diff."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from pathlib import Path

from agentharness.check.edit import put
from agentharness.check.finding import Fix
from agentharness.env.reading import FILE
from agentharness.errors import UserError


def apply(folder: Path, fixes: Sequence[Fix]) -> str:
    """Writes the fixes into the folder's task.yaml; the diff. Raises UserError where the file cannot be written, or has a layout that a fix does not fit."""
    path = folder / FILE
    try:
        with path.open(encoding="utf-8", newline="") as file:
            before = file.read()
        after = before
        for fix in fixes:
            changed = put(after, fix.path, fix.value)
            if changed is None:
                raise UserError(f"cannot be changed by places: {'.'.join(fix.path)}", where=str(path), hint=f"write {'.'.join(fix.path)}: {fix.value} by hand")
            after = changed
        half = path.with_suffix(".yaml.tmp")
        with half.open("w", encoding="utf-8", newline="") as file:
            file.write(after)
        os.replace(half, path)
    except OSError as e:
        raise UserError(f"cannot be written: {e.strerror}", where=str(path), hint="leave fix=true out, or work on a copy of the task") from None
    return "".join(difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{FILE}", f"b/{FILE}"))
