"""Whether a new task is sound: its oracle wins and doing nothing does not, on a few rows, before the user plays the first episode."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import anyio

from agentharness.agent.baselines import Noop, Oracle
from agentharness.env.reading import read_task
from agentharness.env.world import World, build
from agentharness.run.prepare import checked
from agentharness.score.registry import versions
from agentharness.session.play import Play
from agentharness.session.ports import Cast, Job
from agentharness.session.session import play_episode
from agentharness.types import part
from agentharness.types.agent import Agent
from agentharness.types.episode import Key
from agentharness.types.move import Need

ROWS = 50
"""Rows that are played."""


@dataclass(slots=True)
class Sound:
    """What the baselines came to."""

    rows: int
    played: int
    oracle: float
    noop: float
    unsolved: list[str]
    """Keys of rows that the oracle does not solve, five at most."""
    shown: str
    """The first row's opening, as the agent sees it."""
    first: str
    world: World


def verify(folder: Path, name: str, *, trusted: bool) -> Sound:
    """Loads the task and plays its first rows. Raises UserError where it cannot be loaded."""
    world = checked(build(read_task(folder, name=name, trusted=trusted), scorer_versions=versions()))
    return anyio.run(_verify, world)


async def _verify(world: World) -> Sound:
    keys = list(islice(world.keys(), ROWS))
    oracle = [await _reward(world, Oracle(), key) for key in keys]
    noop = [await _reward(world, Noop(), key) for key in keys]
    unsolved = [key for key, value in zip(keys, oracle, strict=True) if value < 1]
    play = Play(world, keys[0], 0, _silent)
    try:
        shown = part.plain((await play.reset()).parts)
    finally:
        await play.close()
    n = max(1, len(keys))
    return Sound(len(world), len(keys), sum(oracle) / n, sum(noop) / n, unsolved[:5], shown, keys[0], world)


async def _reward(world: World, agent: Agent, row: str) -> float:
    cast = Cast(world, agent, None, "new", text=lambda _sha, _value: None)
    played = await play_episode(cast, Job(Key(world.world, row, 0, 0, "new")))
    return played.facts.reward or 0.0


async def _silent(need: Need) -> str:
    return ""
