"""What a session is given from above: it knows no store and no config."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from orjson import Fragment

from agentharness.canon import derive_seed, dumps, sha256
from agentharness.env.world import World
from agentharness.types.agent import Agent
from agentharness.types.env import SETUP, Env
from agentharness.types.episode import JournalEntry, Key
from agentharness.types.model import Message, Model
from agentharness.types.move import Need
from agentharness.types.part import JsonDict


class Journal(Protocol):
    """Where outside replies are written before the session goes on."""

    def record(self, entry: JournalEntry) -> None:
        """Writes one entry. Raises StoreFull."""
        ...

    def orphan(self, key_id: str, ordinal: int) -> int:
        """Drops the key's entries from `ordinal` on: play left the recorded path there; how many they were."""
        ...


class NoJournal:
    """Keeps nothing: for env-only play and tests."""

    def record(self, entry: JournalEntry) -> None:
        """Nothing."""

    def orphan(self, key_id: str, ordinal: int) -> int:
        """Nothing."""
        return 0


Responder = Callable[[Need], Awaitable[Any]]


@dataclass
class Cast:
    """What all sessions of one run share."""

    world: World
    agent: Agent
    model: Model | None
    agent_digest: str
    layers: tuple[Callable[[Env], Env], ...] = ()
    layer_names: tuple[str, ...] = ()
    respond: Responder | None = None
    journal: Journal = field(default_factory=NoJournal)
    agent_errors: str = "zero"
    """Reward of error:agent: `zero` or `none`."""
    text: Callable[[str, Any], None] | None = None
    """Takes (sha256, JSON) of what is kept once per run: action sets and system prompts."""

    _systems: dict[bytes, str] = field(default_factory=dict)

    @cached_property
    def weights(self) -> dict[str, float]:
        """Reward -> weight."""
        return {name: r.weight for name, r in self.world.rewards.items()}

    @cached_property
    def common(self) -> JsonDict:
        """What all lines of the run say alike, as canonical bytes: env, agent, model, weights."""
        world = self.world
        layers = [*([SETUP] if world.setup is not None else []), *self.layer_names]
        env = {"name": world.name, "scoring": world.scoring, "locked": world.locked, **({"layers": layers} if layers else {})}
        out: JsonDict = {"env": env, "agent": {"name": self.agent.name}, "weights": self.weights}
        if self.model is not None and self.agent.needs_model:
            out["model"] = {"name": self.model.name}
        return {name: Fragment(dumps(value)) for name, value in out.items()}

    def once(self, system: Message) -> str:
        """Keeps a system prompt once; its digest. Most runs have one."""
        found = self._systems.get(system.wire)
        if found is None:
            found = sha256(system.wire)
            if len(self._systems) < 64:
                self._systems[system.wire] = found
            assert self.text is not None
            self.text(found, system.data)
        return found

    def env_seed(self, key: Key) -> int:
        """The seed of all draws of the world: the same for every agent and every version."""
        return derive_seed(self.world.name, key.row, key.seed)

    def agent_seed(self, env_seed: int, key: Key) -> int:
        """The seed of all that the agent draws, given the episode's env seed."""
        return derive_seed(env_seed, key.sample, key.round, key.agent)


@dataclass(slots=True)
class Job:
    """One episode to play."""

    key: Key
    attempt: int = 1
    replay: list[JournalEntry] = field(default_factory=list)


@dataclass(slots=True)
class Played:
    """One episode, played."""

    line: bytes
    facts: Any
    """types.episode.Facts"""
    pictures: list[str] = field(default_factory=list)
    """sha256 of every picture that the episode showed."""
    fatal: str = ""
    """Why no other episode can do better; the run ends with this line."""


def error_of(status: str, message: str) -> JsonDict:
    """The `error` field of an episode line."""
    return {"cause": status.removeprefix("error:"), "message": message[:2000]}
