"""What a reader gets, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentharness.corpus.assets import Assets
from agentharness.types.part import JsonDict

Note = Callable[[str], None]


@dataclass(slots=True)
class Reading:
    """What readers share: where files lie, where pictures go, who hears of guesses."""

    folder: Path
    """Files are named relative to it."""
    assets: Assets
    note: Note
    trusted: bool = True
    """Whether Python sources may run."""
    hear: Note = lambda _: None
    """Hears of what takes long."""
    keep: frozenset[str] = frozenset()
    """Columns that no guess types: keys and gold are compared as text, `1.10` is not `1.1`."""


@dataclass(slots=True)
class Batch:
    """Rows as read."""

    rows: list[JsonDict]
    name: str
    """How messages name the source."""
    lines: Sequence[int] | None = None
    """Line of each row in a text file; None: rows are named by position, from 0."""
    origin: JsonDict = field(default_factory=dict)
    """For the manifest: files with sha256 and size, or the hub's revision."""
    refused: dict[str, str] = field(default_factory=dict)
    """Columns left out -> why."""

    def place(self, i: int) -> str:
        """Where row `i` stands, for messages."""
        return f"{self.name}:{self.lines[i]}" if self.lines is not None else f"{self.name}, row {i}"
