"""A task as read from its folder: the long form, and where the user wrote what."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from agentharness.config.yaml import KeyPath, Place
from agentharness.env.spec import TaskSpec


@dataclass(slots=True)
class Places:
    """Long-form key path -> place in the file that the user wrote (a hole of a preset: the short-level key that filled it)."""

    file: str
    known: dict[KeyPath, Place] = field(default_factory=dict)

    def at(self, *path: str | int) -> Place:
        """Place of the value at `path`, or of its nearest known ancestor."""
        while path and path not in self.known:
            path = path[:-1]
        return self.known.get(path, Place(self.file))


@dataclass(slots=True)
class Task:
    """A task in its long form, not yet joined with its corpus."""

    name: str
    folder: Path
    spec: TaskSpec
    places: Places
    trusted: bool = True
    """Whether its hooks and Python sources may run (content of the project's own roots, or trust=true)."""
    changed: list[str] = field(default_factory=list)
    """Keys that the command line overrode: such a world is `unlocked`."""
