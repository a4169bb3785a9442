"""Actions, moves and observations: what crosses between an agent and an env."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agentharness import canon
from agentharness.types.part import JsonDict, Part


@dataclass(slots=True)
class Action:
    """One action of a move. `error` says why it could not even be read (malformed JSON, say): it is then answered, counted and never applied."""

    name: str
    args: JsonDict
    id: str | None = None
    """The model's tool_call_id, which the answer must carry."""
    error: str | None = None
    raw: str | None = None
    """What the model wrote, kept where `args` do not say it (unreadable JSON, a text protocol)."""
    actor: str = "agent"


@dataclass(slots=True)
class Move:
    """What an agent does in one turn: ordered actions, maybe none, and the prose beside them."""

    actions: list[Action] = field(default_factory=list)
    prose: str = ""


@dataclass(slots=True, frozen=True)
class ActionSpec:
    """One action that is legal now."""

    name: str
    description: str
    parameters: JsonDict
    """JSON schema of the arguments: {"type": "object", "properties": {…}, "required": […], "additionalProperties": false}."""
    suggest: JsonDict = field(default_factory=dict)
    """Public values an argument may take, argument -> list: random play draws from them. Not shown to models."""
    prose: str | None = None
    """The argument that takes a prose reply under the task's `prose: answer`, on the answering action only."""


class ActionSet:
    """The actions that are legal in one state. Immutable and shared: the same object means the same set, so a change is seen by identity first."""

    def __init__(self, specs: tuple[ActionSpec, ...]) -> None:
        self.specs = specs
        self.by_name = {s.name: s for s in specs}

    def __iter__(self) -> Iterator[ActionSpec]:
        return iter(self.specs)

    @cached_property
    def tools(self) -> list[JsonDict]:
        """The set in the chat-completions `tools` form."""
        return [{"type": "function", "function": {"name": s.name, "description": s.description, "parameters": s.parameters}} for s in self.specs]

    @cached_property
    def wire(self) -> bytes:
        """Canonical JSON of `tools`, made once."""
        return canon.dumps(self.tools)

    @cached_property
    def digest(self) -> str:
        """Digest of `tools`."""
        return canon.sha256(self.wire)


@dataclass(slots=True)
class Shown:
    """Parts that the env shows: the answer to one action (`action` is set), or what an observation shows by itself."""

    parts: list[Part]
    action: Action | None = None
    message: int | None = None
    """Index in the transcript of the one message that holds exactly these parts, once there is one: the record then points there."""


@dataclass(slots=True)
class Observation:
    """What an agent sees: the answers to its last move in order, then anything else (the opening, a nudge), and the actions that are legal now."""

    shown: list[Shown]
    actions: ActionSet
    over: bool = False

    @property
    def parts(self) -> list[Part]:
        """All parts in order."""
        return [p for s in self.shown for p in s.parts]


@dataclass(slots=True, frozen=True)
class Need:
    """A transition's question to the outside. The session gets and records the reply, then calls the pure function again with one answer more."""

    role: str
    """Who answers: user, patient, judge, …"""
    request: Any
    """JSON."""
