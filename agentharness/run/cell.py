"""One cell of a run: a task, an agent and a model, joined, in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from agentharness import canon
from agentharness.config.run_config import RunConfig
from agentharness.env.world import World
from agentharness.run.voices import Voices
from agentharness.types.agent import Agent
from agentharness.types.episode import MARK, Key
from agentharness.types.model import Model
from agentharness.types.part import JsonDict


@dataclass
class Cell:
    """What is played, by whom, and where it is kept."""

    task: str
    agent_ref: str
    model_ref: str | None
    """Task, agent and model as the user named them."""
    world: World
    agent: Agent
    model: Model | None
    agent_digest: str
    agent_identity: JsonDict
    identity: JsonDict
    folder: Path
    config: RunConfig
    rows: Sequence[str] | None = None
    """Keys of the rows that are played, where not the world's first `limit`."""
    voices: Voices | None = None
    """Models that play roles inside the world."""

    @cached_property
    def played(self) -> str:
        """Digest of the world that is played: the task's own, or one of its own where models play roles in it."""
        if self.voices is None or not self.world.voices:
            return self.world.world
        return MARK + canon.digest([self.world.world, self.voices.identity()])

    @property
    def total(self) -> int:
        """Episodes in the plan."""
        if self.rows is not None:
            return len(self.rows) * self.config.samples
        rows = len(self.world) if self.split is None else len(self.world.side(self.split))
        return (rows if self.config.limit is None else min(self.config.limit, rows)) * self.config.samples

    @property
    def split(self) -> str | None:
        """Which rows of a task with a test split are played: those of the test, unless the run says otherwise. None where the task has none."""
        return (self.config.split or "test") if self.world.is_split else None

    def plan(self) -> Iterator[Key]:
        """The keys in order, lazily: the samples of a row stand together and form its group."""
        for row in self.rows if self.rows is not None else islice(self.world.keys() if self.split is None else self.world.side(self.split), self.config.limit):
            for sample in range(self.config.samples):
                yield Key(self.played, row, self.config.seed, sample, self.agent_digest, self.config.round)
