"""Agents and the seat they play from. An agent sees observations; it never sees an env."""

from __future__ import annotations

from typing import Any, Protocol

from agentharness.types.model import Message, Reply
from agentharness.types.move import ActionSet, Move, Observation, Shown
from agentharness.types.part import JsonDict


class Transcript(Protocol):
    """The table of messages of one session: append-only; a prompt is a list of ranges [start, end) into it."""

    messages: list[Message]

    def add(self, data: JsonDict, shown: Shown | None = None) -> int:
        """Appends a message; its index. With `shown`, the message holds exactly those parts, and the record points at it instead of repeating them."""
        ...


class Seat(Protocol):
    """An agent's place in one session."""

    seed: int
    """For all that the agent draws: derived from env seed, sample, round and agent digest."""
    transcript: Transcript

    async def ask(self, tools: ActionSet | None = None, *, prompt: list[list[int]] | None = None, role: str = "policy", **sampling: Any) -> Reply:
        """One call to the model: recorded, journalled, charged. `prompt`: ranges into the transcript, all of it by default. The reply's message is appended to
        the transcript (its index: the last). Raises as `Model.complete`, and Truncated for the session's own limits."""
        ...

    def unused(self) -> None:
        """Marks the last reply as not used (a parse retry follows)."""
        ...

    def count(self, metric: str, n: float = 1) -> None:
        """Adds to a counted metric of the episode."""
        ...

    def oracle(self) -> Move | None:
        """The task's own next move. Only agents with `privileged = True` may call it; others get PermissionError."""
        ...


class Player(Protocol):
    """An agent in one session."""

    async def act(self, observation: Observation) -> Move: ...


class Agent(Protocol):
    """Makes players. One per run, shared by all sessions; holds no session's data."""

    name: str
    needs_model: bool
    privileged: bool

    def identity(self) -> JsonDict:
        """What goes into the agent digest: code digest, prompts, parameters, sampling. JSON."""
        ...

    def sit(self, seat: Seat) -> Player: ...
