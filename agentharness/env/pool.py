"""Where heavy rules run: a bounded pool of threads of their own, so that one query never holds the loop that all sessions share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

T = TypeVar("T")

SIZE = max(2, min(8, os.cpu_count() or 2))
"""Heavy rules that run at once: more threads than cores only add memory."""
_LIMITER: RunVar[CapacityLimiter] = RunVar("agentharness.env.pool")  # of one loop: a limiter cannot serve two


async def aside(call: Callable[[], T]) -> T:
    """Runs a plain function in the pool. A cancelled caller waits for its end: heavy rules have time limits of their own, and the bound stays true."""
    try:
        limiter = _LIMITER.get()
    except LookupError:
        limiter = CapacityLimiter(SIZE)
        _LIMITER.set(limiter)
    return await to_thread.run_sync(call, limiter=limiter)
