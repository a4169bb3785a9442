"""The one line that lives while a run goes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from agentharness.report.table import duration, short
from agentharness.types.episode import Facts, final

if TYPE_CHECKING:
    from rich.live import Live as RichLive
    from rich.text import Text

PLAIN_EVERY = 5.0
"""Seconds between two plain lines, where the stream is no terminal."""
DRAW_EVERY = 0.1
"""Seconds between two drawings of the live line."""
_PLACED = ("in_flight", "calls", "tokens")
"""Counts that have a place of their own in the line."""


class Live:
    """Done of total, in flight, mean so far, calls, tokens, errors, retries. On a terminal one line that is drawn anew, elsewhere a plain line now and then.

    Draws from `update` and `tick` alone, at most ten times a second: it starts no thread. Not enabled, it only counts.
    """

    def __init__(self, total: int, enabled: bool = True, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.enabled = total, enabled
        self._stream = stream if stream is not None else sys.stderr
        self._clock = clock
        self._rich: RichLive | None = None
        self._start = self._last = clock()
        self._ids: set[str] = set()
        self._failed: set[str] = set()
        self._n, self._sum, self._tokens = 0, 0.0, 0
        self._counts: dict[str, float] = {}

    def __enter__(self) -> Live:
        self._start = self._last = self._clock()
        if self.enabled and self._stream.isatty():
            from rich.console import Console
            from rich.live import Live as RichLive

            self._rich = RichLive(
                console=Console(file=self._stream, highlight=False, markup=False), auto_refresh=False, transient=True, get_renderable=self._renderable
            )
            self._rich.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._rich is not None:
            self._rich.stop()
            self._rich = None
        elif self.enabled and self._last > self._start:
            self._write(self.line())

    def update(self, facts: Facts) -> None:
        """Counts an episode that ended, in whatever way; a later attempt of the same one takes its place."""
        self._tokens += facts.usage.get("prompt_tokens", 0) + facts.usage.get("completion_tokens", 0)
        if facts.status.startswith("error:"):
            self._failed.add(facts.id)
        else:
            self._failed.discard(facts.id)
        if final(facts.status) and facts.id not in self._ids:
            self._ids.add(facts.id)
            if facts.reward is not None and facts.reward - facts.reward == 0 and facts.status != "error:agent":
                self._n += 1
                self._sum += facts.reward
        self._draw()

    def tick(self, **counts: float) -> None:
        """Sets counts such as `in_flight` and `retries`, and lets the line live while no episode ends. `tokens`: of episodes that go on, for facts tell those
        of the others."""
        self._counts.update(counts)
        self._draw()

    def above(self, text: str) -> None:
        """Writes text that stays, above the line."""
        if self._rich is not None:
            self._rich.console.print(text, soft_wrap=True)
        else:
            self._write(text)

    def line(self) -> str:
        """The line as text."""
        words = [f"{len(self._ids)}/{self.total} done"]
        if "in_flight" in self._counts:
            words.append(f"{self._counts['in_flight']:.0f} in flight")
        words.append(f"mean {self._sum / self._n:.3f}" if self._n else "mean —")
        if self._counts.get("calls"):
            words.append(f"{short(self._counts['calls'])} calls")
        words.append(f"{short(self._tokens + self._counts.get('tokens', 0))} tokens")
        words.append(f"{len(self._failed)} errors")
        words += [f"{value:.0f} {name.replace('_', ' ')}" for name, value in self._counts.items() if name not in _PLACED and value]
        words.append(duration(self._clock() - self._start))
        return " · ".join(words)

    def _draw(self) -> None:
        if not self.enabled or self._clock() - self._last < (PLAIN_EVERY if self._rich is None else DRAW_EVERY):
            return
        self._last = self._clock()
        if self._rich is not None:
            self._rich.refresh()
        else:
            self._write(self.line())

    def _renderable(self) -> Text:
        from rich.text import Text

        return Text(self.line(), no_wrap=True, overflow="ellipsis")

    def _write(self, text: str) -> None:
        self._stream.write(text + "\n")
        self._stream.flush()
