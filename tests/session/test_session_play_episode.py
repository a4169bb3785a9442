"""Whole episodes with layers: a layer's trouble, limits and cancellation become the episode's status; the env is closed once, whatever ends it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from harness import sums

from agentharness import canon
from agentharness.agent.baselines import make_baseline
from agentharness.env.reading import read_task
from agentharness.env.world import World, build
from agentharness.errors import EpisodeError, StoreFull, Truncated
from agentharness.layer.stack import Layer
from agentharness.session.ports import Cast, Job, Played
from agentharness.session.session import play_episode
from agentharness.types.agent import Agent
from agentharness.types.episode import Key
from agentharness.types.move import Action, Observation


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Row r002 asks for 2 + 4; an episode has a third of a second."""
    return build(read_task(sums(tmp_path, 3), overrides={"limits": {"time": 0.3}}))


class Counts(Layer):
    """Counts how often it was closed."""

    closed = 0

    async def close(self) -> None:
        type(self).closed += 1
        await self.inner.close()


def job(world: World) -> Job:
    return Job(Key(world.world, "r002", 0, 0, "a" * 32))


async def play(world: World, *layers: type[Layer], agent: str = "oracle") -> tuple[dict[str, Any], Played]:
    player: Agent | None = make_baseline(agent, {})
    assert player is not None
    played = await play_episode(Cast(world, player, None, "a" * 32, layers=layers, layer_names=tuple(one.__name__ for one in layers)), job(world))
    line: dict[str, Any] = canon.loads(played.line)
    return line, played


async def test_a_layer_that_changes_nothing_is_named_and_changes_nothing_else(world: World) -> None:
    plain, _ = await play(world)
    layered, _ = await play(world, Layer)
    assert layered["env"].pop("layers") == ["Layer"]
    plain.pop("clock")
    layered.pop("clock")
    assert layered == plain
    assert (plain["status"], plain["reward"], plain["final_state"]["submission"]) == ("completed", 1.0, "6")


@pytest.mark.parametrize(
    ("error", "status", "reward"),
    [
        (RuntimeError("fell"), "error:layer", None),
        (ExceptionGroup("of one", [ValueError("v")]), "error:layer", None),
        (EpisodeError("model", "no judge"), "error:model", None),
        (Truncated("budget"), "truncated:budget", 0.0),
        (None, "truncated:time", 0.0),
    ],
)
@pytest.mark.parametrize("call", ["reset", "step"])
async def test_trouble_in_a_layer_is_that_episodes_status(world: World, error: Exception | None, status: str, reward: float | None, call: str) -> None:
    class Falls(Counts):
        async def reset(self) -> Observation:
            return await self.fall() if call == "reset" else await super().reset()

        async def step(self, action: Action) -> Observation:
            return await self.fall()

        async def fall(self) -> Observation:
            if error is not None:
                raise error
            await anyio.sleep(60)
            raise AssertionError

    line, played = await play(world, Falls)
    assert (line["status"], line["reward"]) == (status, reward)
    assert (played.facts.status, played.facts.reward) == (status, reward)
    assert Falls.closed == 1
    assert ("error" in line) == status.startswith("error:")


async def test_a_cancelled_episode_closes_its_env_once_and_leaves_no_line(world: World) -> None:
    class Waits(Counts):
        async def reset(self) -> Observation:
            await anyio.sleep(60)
            raise AssertionError

        async def close(self) -> None:
            await anyio.sleep(0.01)
            await super().close()

    with anyio.move_on_after(0.05) as scope:
        await play(world, Waits)
    assert scope.cancelled_caught
    assert Waits.closed == 1


async def test_a_full_disk_is_no_episodes_status(world: World) -> None:
    class Full(Counts):
        async def step(self, action: Action) -> Observation:
            raise StoreFull("cannot be written: No space left on device")

    with pytest.raises(StoreFull):
        await play(world, Full)
    assert Full.closed == 1
