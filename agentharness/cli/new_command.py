"""`new task`: from the words to the task's folder."""

from __future__ import annotations

from pathlib import Path

from agentharness.cli.tasks_command import options
from agentharness.errors import UserError
from agentharness.plugins.find import roots

_KEYS = ("from", "ask", "answer", "reward", "key", "labels", "table", "sheet", "member", "preset", "licence", "config", "split", "trust", "tasks_root")


def new(words: list[str]) -> int:
    """Writes a task. Raises UserError."""
    if words[:1] != ["task"]:
        raise UserError(f"unknown command 'new {words[0]}'" if words else "new what?", hint="write new task NAME from=FILE")
    if len(words) < 2 or "=" in words[1]:
        raise UserError("the new task has no name", hint="write new task NAME from=FILE")
    said = options(words[2:], *_KEYS)
    if "from" not in said:
        raise UserError("does not say where the rows come from", where="from", hint="from=FILE, a folder of pictures, a hub id, or file.py:function")
    from agentharness.new.make import make

    cwd = Path.cwd()
    places = roots("tasks", cwd, said.get("tasks_root"))
    folder = next((place.folder for place in places if place.origin in ("root", "local")), cwd / "tasks")
    return make(words[1], said, folder, cwd, print)
