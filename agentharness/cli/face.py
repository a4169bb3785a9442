"""The terminal as a run's face: words and tables to stdout, the live line to stderr."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentharness.report.live import Live
    from agentharness.stats.cell import Cell

WIDTH = 100


class Terminal:
    """Implements `types.face.Face`. While the live line lives, words go above it."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live: Live | None = None

    def say(self, text: str) -> None:
        """Lines for the user."""
        if self._live is not None:
            self._live.above(text)
        else:
            print(text, flush=True)

    @contextmanager
    def live(self, total: int) -> Iterator[Live]:
        """The live line over `total` episodes."""
        from agentharness.report.live import Live

        with Live(total, enabled=not self._quiet, stream=sys.stderr) as line:
            self._live = line
            try:
                yield line
            finally:
                self._live = None

    def table(self, cells: Sequence[Cell]) -> None:
        """The table at the end."""
        from agentharness.report.table import render

        width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns) if sys.stdout.isatty() else WIDTH
        print(render(cells, width), flush=True)
