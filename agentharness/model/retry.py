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

    def first_s(self, limit_s: float | None) -> float:
        """Seconds that a call's first attempt may take, where the caller has `limit_s` left. Raises Truncated("time") where that is nothing."""
        return _within(limit_s, self.attempt_s if self.attempt_s < self.call_s else self.call_s)


class Call(Generic[T]):
    """One call after its first attempt, which `begun` at that moment and failed with `first`: its further attempts and its waits, one after the other.

    Raises Truncated("time") where the first attempt took all of `limit_s`.
    """

    __slots__ = ("attempts", "begun", "clock", "first", "limit_s", "once", "policy", "started", "waited_s", "worked_s")

    def __init__(self, once: Once[T], policy: Policy, clock: Callable[[], float], limit_s: float | None, begun: float, first: Transient) -> None:
        self.once, self.policy, self.clock, self.limit_s, self.first = once, policy, clock, limit_s, first
        self.started = self.begun = begun
        self.attempts = 1
        self.waited_s = self.worked_s = 0.0
        self._failed(first, policy.first_s(limit_s))

    async def attempt(self) -> T:
        """One attempt, within what is left. Raises what `once` raises, and Truncated("time") where `limit_s` is used up."""
        self.begun = self.clock()
        # A wait may last longer than asked for.
        seconds = _within(self._left(), max(min(self.policy.attempt_s, self.policy.call_s - (self.begun - self.started)), 0.001))
        self.attempts += 1
        try:
            return await self.once(seconds)
        except Transient as failure:
            self._failed(failure, seconds)
            raise

    def _left(self) -> float | None:
        return None if self.limit_s is None else self.limit_s - self.worked_s

    def _failed(self, failure: Transient, seconds: float) -> None:
        left = self._left()
        self.worked_s += self.clock() - self.begun
        if failure.kind == "timeout" and seconds == left:
            raise Truncated("time")

    async def again(
        self,
        *,
        sleep: Callable[[float], Awaitable[None]],
        rng: random.Random,
        waiting: Waiting | None,
        reached: Callable[[], bool],
    ) -> T:
        """The attempts after the first. Raises the last Transient once a bound is met."""
        from tenacity import AsyncRetrying, retry_if_exception_type

        pending: list[Transient] = [self.first]

        async def attempt() -> T:
            if pending:  # tenacity is shown the first failure as its own first attempt, so that its counts hold
                raise pending.pop()
            return await self.attempt()

        def wait(state: RetryCallState) -> float:
            return self.wait_s(_failure(state), rng)

        def stop(state: RetryCallState) -> bool:
            kind, most = _failure(state).kind, self.policy.attempts
            if kind in UNREACHED and not reached():
                most = 1 if kind == "tls" else self.policy.first_contact  # a certificate does not mend itself
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
            what = "does the server speak TLS (try http://), and does its certificate hold?" if failure.kind == "tls" else "is the server running?"
            return EpisodeError("model", f"cannot reach {url}: {what} ({failure.message})", fatal=True)
        attempts = f"{self.attempts} attempt{'s' if self.attempts != 1 else ''}"
        return EpisodeError("model", f"gave up after {attempts} in {self.clock() - self.started:.1f} s: {failure.kind}: {failure.message}")


def _within(limit_s: float | None, seconds: float) -> float:
    if limit_s is None or limit_s > seconds:
        return seconds
    if limit_s <= 0:
        raise Truncated("time")
    return limit_s


def _failure(state: RetryCallState) -> Transient:
    failure = state.outcome.exception() if state.outcome is not None else None
    assert isinstance(failure, Transient), failure
    return failure
