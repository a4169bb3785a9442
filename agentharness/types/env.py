"""The Env protocol: four calls, no reward. A layer is an env around an env."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from agentharness.types.move import Action, Move, Need, Observation
from agentharness.types.part import JsonDict, Part

Ask: TypeAlias = Callable[[Need], Awaitable[Any]]
"""How a base env gets an outside reply; given by the session, which records it."""

SETUP = "setup"
"""Actor of the actions that are played before the agent starts: they are charged to nobody."""

Verdict = Literal["ok", "invalid", "unknown", "refused", "missing", "malformed", "not_executed"]
"""What became of an action: applied · arguments outside the schema · no such action · its `when` is false · the corpus lacks what was asked (off-corpus) ·
unreadable · came after `end`. All but `ok` leave the world as it was, cost aside."""


class Env(Protocol):
    """What an agent plays. `step` takes one action; rewards are the session's affair."""

    async def reset(self) -> Observation: ...
    async def step(self, action: Action) -> Observation: ...
    async def observe(self) -> Observation: ...
    async def close(self) -> None: ...


@dataclass(slots=True)
class Outcome:
    """What one transition did."""

    state: JsonDict
    parts: list[Part]
    verdict: Verdict = "ok"
    rule: str = ""
    """Dotted place in the task of the rule that fired or refused: `actions.open`, `actions.open.when`, `start`."""
    draws: list[Any] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    """Outside replies that the transition used, in order."""
    message: str = ""
    """Why, for every verdict but ok (also shown in `parts`)."""


class Base(Env, Protocol):
    """The env at the bottom of the stack: only the session holds it."""

    state: JsonDict
    log: list[tuple[Action | None, Outcome, str]]
    """Every transition so far: the action (None for reset), the outcome, the hash of the state after."""

    def oracle(self) -> Move | None:
        """The task's own next move, or None where it knows none (no oracle, or its plan is played out)."""
        ...


class World(Protocol):
    """A task compiled over its corpus: opens base envs. Implemented by `agentharness.env`; sessions, runs and reports hold this."""

    name: str
    world: str
    """`v1:` + digest of what decides observations (DESIGN section 5)."""
    scoring: str
    locked: str
    """`locked:<data name>` or `unlocked`."""

    def __len__(self) -> int: ...
    def open(self, row: str, seed: int, ask: Ask) -> Base: ...
