"""Whole episodes with layers: a layer's trouble, limits and cancellation become the episode's status; the env is closed once, whatever ends it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from harness import sums

from agentharness import canon
from agentharness.agent.baselines import make_baseline
from agentharness.env.reading import read_task
from agentharness.env.world import World, build
from agentharness.errors import Bug, EpisodeError, StoreFull, Truncated
from agentharness.layer.stack import Layer
from agentharness.session.ports import Cast, Job, Played
from agentharness.session.session import play_episode
from agentharness.types.agent import Agent, Player, Seat
from agentharness.types.episode import Key
from agentharness.types.model import Reply, Request
from agentharness.types.move import Action, Move, Observation


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


class Own:
    """A user's agent whose move is made by a function; it may ask a model."""

    name, needs_model, privileged = "own", True, False

    def __init__(self, act: Callable[[Seat], Awaitable[Move]]) -> None:
        self._act = act

    def identity(self) -> dict[str, Any]:
        return {}

    def sit(self, seat: Seat) -> Player:
        return OwnPlayer(seat, self._act)


class OwnPlayer:
    """One session of it."""

    def __init__(self, seat: Seat, act: Callable[[Seat], Awaitable[Move]]) -> None:
        self._seat, self._act = seat, act

    async def act(self, observation: Observation) -> Move:
        return await self._act(self._seat)


class BrokenModel:
    """A model client with a bug in it."""

    name = "broken"

    def identity(self) -> dict[str, Any]:
        return {}

    async def complete(self, request: Request, *, limit_s: float | None = None, waiting: Any = None) -> Reply:
        raise AttributeError("no such thing")

    async def close(self) -> None:
        """Nothing to free."""


async def own(world: World, act: Callable[[Seat], Awaitable[Move]]) -> dict[str, Any]:
    line: dict[str, Any] = canon.loads((await play_episode(Cast(world, Own(act), BrokenModel(), "a" * 32), job(world))).line)
    return line


async def test_a_bug_of_the_model_client_is_no_fault_of_the_agent(world: World) -> None:
    async def ask(seat: Seat) -> Move:
        await seat.ask()
        return Move()

    with pytest.raises(Bug, match="AttributeError: no such thing"):
        await own(world, ask)


async def test_a_move_that_is_no_json_is_the_agents_error_and_the_rest_is_kept(world: World) -> None:
    async def act(seat: Seat) -> Move:
        return Move([Action("add", {"a": 2, "b": 4}), Action("answer", {"text": object()})])

    line = await own(world, act)
    assert (line["status"], line["reward"]) == ("error:agent", 0.0)
    assert "no JSON" in line["error"]["message"]
    assert (line["steps"][1]["args"], line["steps"][2]["args"]) == ({"a": 2, "b": 4}, {})
    assert "object object" in line["steps"][2]["raw"]


async def test_an_agent_that_exits_ends_its_own_episode_only(world: World) -> None:
    async def act(seat: Seat) -> Move:
        raise SystemExit(4)

    line = await own(world, act)
    assert line["status"] == "error:agent"
    assert line["error"]["message"].startswith("SystemExit: 4 (test_session_play_episode.py:")


async def test_a_layer_that_cannot_close_is_error_layer(world: World) -> None:
    class Stuck(Layer):
        async def close(self) -> None:
            raise RuntimeError("jammed")

    line, _ = await play(world, Stuck)
    assert (line["status"], line["reward"], line["error"]["message"]) == ("error:layer", None, "close: RuntimeError: jammed")
