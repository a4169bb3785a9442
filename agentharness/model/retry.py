"""Attempts of one call: a plain first try; only after a failure that may pass, tenacity. Nothing here is shared between calls but the draws of the jitter."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from agentharness.errors import EpisodeError, Truncated
from agentharness.model.faults import Transient

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")
Waiting: TypeAlias = Callable[[], AbstractContextManager[object]]
Once: TypeAlias = Callable[[float], Awaitable[T]]
"""One attempt that takes no longer than the given seconds."""

UNREACHED = frozenset({"connect", "dns", "tls"})


@dataclass(slots=True, frozen=True)
class Policy:
    """When a failed attempt is made again. Times in seconds."""

    attempts: int = 8
    first_contact: int = 3
    """Attempts to connect to a server that has never answered: then it is most likely not there."""
    attempt_s: float = 120.0
    call_s: float = 600.0
    """One call in all, its waits included."""
    base_s: float = 0.5
    """First wait; doubled each time, up to `cap_s`, each between half and all of it."""
    cap_s: float = 30.0
    retry_after_cap_s: float = 120.0


class Call(Generic[T]):
    """One call: its attempts and its waits, one after the other."""

    __slots__ = ("attempts", "clock", "latency_s", "limit_s", "once", "policy", "started", "waited_s", "worked_s")

    def __init__(self, once: Once[T], policy: Policy, clock: Callable[[], float], limit_s: float | None) -> None:
        self.once, self.policy, self.clock, self.limit_s = once, policy, clock, limit_s
        self.started = clock()
        self.attempts = 0
        self.latency_s = self.waited_s = self.worked_s = 0.0

    async def attempt(self) -> T:
        """One attempt, within what is left. Raises what `once` raises, and Truncated("time") where `limit_s` is used up."""
        begun = self.clock()
        seconds = self.policy.attempt_s
        if self.attempts:
            seconds = max(min(seconds, self.policy.call_s - (begun - self.started)), 0.001)  # a wait may last longer than asked for
        elif seconds > self.policy.call_s:
            seconds = self.policy.call_s
        left = None if self.limit_s is None else self.limit_s - self.worked_s
        if left is not None and left <= seconds:
            if left <= 0:
                raise Truncated("time")
            seconds = left
        self.attempts += 1
        try:
            result = await self.once(seconds)
        except Transient as failure:
            self.worked_s += self.clock() - begun
            if failure.kind == "timeout" and seconds == left:
                raise Truncated("time") from None
            raise
        self.latency_s = self.clock() - begun
        return result

    async def again(
        self,
        first: Transient,
        *,
        sleep: Callable[[float], Awaitable[None]],
        rng: random.Random,
        waiting: Waiting | None,
        reached: Callable[[], bool],
    ) -> T:
        """The attempts after the first, which failed with `first`. Raises the last Transient once a bound is met."""
        from tenacity import AsyncRetrying, retry_if_exception_type

        pending: list[Transient] = [first]

        async def attempt() -> T:
            if pending:  # tenacity is shown the first failure as its own first attempt, so that its counts hold
                raise pending.pop()
            return await self.attempt()

        def wait(state: RetryCallState) -> float:
            return self.wait_s(_failure(state), rng)

        def stop(state: RetryCallState) -> bool:
            most = self.policy.first_contact if _failure(state).kind in UNREACHED and not reached() else self.policy.attempts
            return self.attempts >= most or self.clock() - self.started + state.upcoming_sleep >= self.policy.call_s

        async def pause(seconds: float) -> None:
            begun = self.clock()
            with waiting() if waiting is not None else nullcontext():
                await sleep(seconds)
            self.waited_s += self.clock() - begun

        retrying = AsyncRetrying(sleep=pause, wait=wait, stop=stop, retry=retry_if_exception_type(Transient), reraise=True)
        return await retrying(attempt)

    def wait_s(self, failure: Transient, rng: random.Random) -> float:
        """Seconds to wait after `failure`: at least what the server asks for, a little more so that not all come back at once."""
        if failure.retry_after is not None:
            return min(failure.retry_after, self.policy.retry_after_cap_s) + rng.random() * self.policy.base_s
        most = min(self.policy.cap_s, self.policy.base_s * 2.0 ** min(self.attempts - 1, 60))
        return most * (0.5 + rng.random() / 2)

    def gave_up(self, failure: Transient, *, url: str, reached: bool) -> EpisodeError:
        """The error that ends a call whose last attempt failed with `failure`."""
        if failure.kind in UNREACHED and not reached:
            what = "does the server's certificate hold?" if failure.kind == "tls" else "is the server running?"
            return EpisodeError("model", f"cannot reach {url}: {what} ({failure.message})", fatal=True)
        attempts = f"{self.attempts} attempt{'s' if self.attempts != 1 else ''}"
        return EpisodeError("model", f"gave up after {attempts} in {self.clock() - self.started:.1f} s: {failure.kind}: {failure.message}")


def _failure(state: RetryCallState) -> Transient:
    failure = state.outcome.exception() if state.outcome is not None else None
    assert isinstance(failure, Transient), failure
    return failure
