"""The session's clock: working time, which waits do not use up, and wall time, which they do."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import anyio

from agentharness.errors import Truncated

_NO_LIMITS = nullcontext()


class Clock:
    """Starts when the session gets its slot. `working_s` and `wall_s` are the world's limits in seconds, None for none."""

    __slots__ = ("_deadline", "_scope", "_wall_scope", "started", "waited", "wall_s", "working_s")

    def __init__(self, working_s: float | None, wall_s: float | None) -> None:
        self.working_s, self.wall_s = working_s, wall_s
        self.started = time.monotonic()
        self.waited = 0.0
        self._deadline = math.inf if working_s is None else self.started + working_s
        self._scope: anyio.CancelScope | None = None
        self._wall_scope: anyio.CancelScope | None = None

    @property
    def seconds(self) -> float:
        """Working seconds since the start."""
        return time.monotonic() - self.started - self.waited

    def check(self) -> None:
        """Raises Truncated where a limit has passed: sessions that never wait are not reached by a cancellation."""
        if self.working_s is not None and time.monotonic() >= self._deadline:
            raise Truncated("time")
        if self.wall_s is not None and time.monotonic() >= self.started + self.wall_s:
            raise Truncated("wall")

    def spend(self, seconds: float) -> None:
        """Charges recorded time of a replayed call."""
        self.started -= seconds
        self._move(-seconds)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Around a wait that is not the session's work: the working deadline moves by as much."""
        began = time.monotonic()
        if self._scope is not None:
            self._scope.deadline = math.inf
        try:
            yield
        finally:
            passed = time.monotonic() - began
            self.waited += passed
            self._move(passed)

    def limits(self) -> AbstractContextManager[None]:
        """Cancels what runs inside when a limit passes, and raises Truncated("time" | "wall")."""
        return _NO_LIMITS if self.working_s is None and self.wall_s is None else self._limits()

    @contextmanager
    def _limits(self) -> Iterator[None]:
        # anyio's deadlines are on the loop's clock: only differences are carried over.
        loop_now = anyio.current_time()
        offset = loop_now - time.monotonic()
        wall = math.inf if self.wall_s is None else self.started + self.wall_s + offset
        with anyio.CancelScope(deadline=wall) as self._wall_scope, anyio.CancelScope(deadline=self._deadline + offset) as self._scope:
            yield
        if self._scope.cancelled_caught:
            raise Truncated("time")
        if self._wall_scope.cancelled_caught:
            raise Truncated("wall")

    def _move(self, seconds: float) -> None:
        if self.working_s is None:
            return
        self._deadline += seconds
        if self._scope is not None:
            self._scope.deadline = anyio.current_time() + (self._deadline - time.monotonic())
