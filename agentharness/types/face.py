"""What a run shows while it goes: implemented by the command line, and by anything else that starts a run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from agentharness.types.episode import Facts


class Progress(Protocol):
    """One live line."""

    def update(self, facts: Facts) -> None:
        """Counts an episode that ended, in whatever way."""
        ...

    def tick(self, **counts: float) -> None:
        """Sets what goes on: `in_flight` sessions and the `tokens` that they used; `calls` that the model answered so far, and `retries` of requests."""
        ...


class Face(Protocol):
    """Where a run's words go. None of its calls blocks for longer than a write."""

    def say(self, text: str) -> None:
        """One or more lines for the user."""
        ...

    def live(self, total: int) -> AbstractContextManager[Progress]:
        """A live line over `total` episodes, gone when the context ends."""
        ...

    def table(self, cells: Sequence[Any]) -> None:
        """The table at the end; the items are `stats.cell.Cell`."""
        ...
