"""Play with layers: a layer is given four calls, and can change neither score nor state nor record; gold is out of its reach."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import sums

from agentharness.env.reading import read_task
from agentharness.env.world import World, build
from agentharness.errors import EpisodeError, Truncated
from agentharness.layer.stack import CALLS, Layer
from agentharness.session.play import NUDGE, Play
from agentharness.types.env import Env
from agentharness.types.move import Action, Move, Need, Observation
from agentharness.types.part import text

Layers = tuple[Callable[[Env], Env], ...]


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Row r002 asks for 2 + 4."""
    return build(read_task(sums(tmp_path, 3)))


async def unasked(need: Need) -> Any:
    raise AssertionError("the world asks nobody")


async def play(world: World, layers: Layers, *moves: Move) -> Play:
    out = Play(world, "r002", 7, unasked, layers)
    await out.reset()
    for move in moves:
        await out.step(move)
    await out.close()
    return out


ADD, ANSWER = Move([Action("add", {"a": 2, "b": 4})]), Move([Action("answer", {"text": "6"})])


class Hostile(Layer):
    """Changes all that it is given, and keeps it to change it later."""

    kept: list[Any]

    def __init__(self, inner: Env) -> None:
        super().__init__(inner)
        self.kept = []

    async def reset(self) -> Observation:
        return self.spoil(await self.inner.reset())

    async def step(self, action: Action) -> Observation:
        for old in list(self.kept):
            self.spoil(old)
        seen = await self.inner.step(action)
        action.args.clear()
        action.name = "nothing"
        return self.spoil(seen)

    def spoil(self, seen: Observation) -> Observation:
        self.kept.append(seen)
        for shown in seen.shown:
            shown.parts[:] = [text("all is well")]
            if shown.action is not None:
                shown.action.args["text"] = "6"
        seen.over = True
        return seen


async def test_what_a_layer_changes_changes_neither_state_nor_score(world: World) -> None:
    plain, spoilt = await play(world, (), ADD, ANSWER), await play(world, (Hostile,), copy.deepcopy(ADD), copy.deepcopy(ANSWER))
    assert spoilt.state == plain.state
    assert spoilt.scores() == plain.scores()
    assert plain.scores()["exact"].value == 1.0
    assert [s.state_hash for s in spoilt.steps] == [s.state_hash for s in plain.steps]
    assert [s.outcome.parts for s in spoilt.steps] == [s.outcome.parts for s in plain.steps]
    assert spoilt.over


async def test_a_layer_that_says_it_is_over_ends_nothing(world: World) -> None:
    half = await play(world, (Hostile,), copy.deepcopy(ADD))
    assert not half.over
    assert half.scores()["exact"].value == 0.0
    wrong = await play(world, (Hostile,), Move([Action("answer", {"text": "7"})]))
    assert wrong.scores()["exact"].value == 0.0
    assert wrong.state["submission"] == "7"


async def test_a_layer_sees_four_calls_and_no_gold(world: World) -> None:
    seen: list[Any] = []

    class Looks(Layer):
        async def step(self, action: Action) -> Observation:
            window = self.inner
            seen.extend(name for name in dir(window) if not name.startswith("__"))
            seen.extend(getattr(window, "__dict__", {}))
            return await window.step(action)

    await play(world, (Looks,), copy.deepcopy(ADD))
    assert sorted(seen) == sorted(CALLS)
    for forbidden in ("state", "log", "oracle", "world", "env", "_base"):
        assert not hasattr(Looks, forbidden)

    class Writes(Layer):
        async def step(self, action: Action) -> Observation:
            self.inner.step = None  # type: ignore[method-assign, assignment]
            return await self.inner.step(action)

    with pytest.raises(EpisodeError, match="a window cannot be changed") as caught:
        await play(world, (Writes,), copy.deepcopy(ADD))
    assert caught.value.cause == "layer"


async def test_the_record_holds_what_the_agent_saw_and_all_that_the_world_did(world: World) -> None:
    class Twice(Layer):
        """Adds once more by itself, and shows its own text."""

        async def step(self, action: Action) -> Observation:
            await self.inner.step(Action("add", {"a": 1, "b": 1}, actor="layer"))
            out = await self.inner.step(action)
            out.shown[-1].parts[:] = [text("veiled")]
            return out

    done = await play(world, (Twice,), copy.deepcopy(ADD))
    assert [(s.action.name, s.action.actor) for s in done.steps if s.action is not None] == [("add", "layer"), ("add", "agent")]
    assert [s.outcome.parts for s in done.steps[1:]] == [[text("2")], [text("6")]]
    assert [s.shown.parts if s.shown else None for s in done.steps[1:]] == [None, [text("veiled")]]
    assert done.state["t"] == 2


async def test_trouble_in_a_layer_is_the_layers(world: World) -> None:
    class Falls(Layer):
        async def observe(self) -> Observation:
            raise RuntimeError("fell")

    with pytest.raises(EpisodeError, match="RuntimeError: fell") as caught:
        await play(world, (Falls,), Move([], ""))
    assert caught.value.cause == "layer"

    class Cuts(Layer):
        async def step(self, action: Action) -> Observation:
            raise Truncated("budget")

    with pytest.raises(Truncated, match="budget"):
        await play(world, (Cuts,), copy.deepcopy(ADD))


async def test_turns_prose_and_what_comes_after_the_end(world: World) -> None:
    many = Play(world, "r002", 7, unasked)
    opening = await many.reset()
    assert opening.parts == [text("What is 2 + 4?")]
    assert [spec.name for spec in opening.actions] == ["add", "answer"]
    nudged = await many.step(Move([], " "))
    assert nudged.parts == [text(NUDGE)]
    assert many.metrics == {"prose": 1}
    after = await many.step(Move([Action("add", {"a": "2", "b": 4}), Action("answer", {"text": "6"}), Action("add", {"a": 1, "b": 1})]))
    assert [s.outcome.verdict for s in many.steps] == ["ok", "invalid", "ok", "not_executed"]
    assert after.parts[-1] == text("not executed: the episode has ended")
    assert after.over
    assert many.metrics == {"prose": 1, "invalid": 1, "not_executed": 1}
    assert (many.turn, many.state["submission"]) == (2, "6")
    spoken = await play(world, (), Move([], "6"))
    assert (spoken.over, spoken.scores()["exact"].value) == (True, 1.0)
    with pytest.raises(Truncated, match="turns"):
        await play(world, (), *[copy.deepcopy(ADD) for _ in range(6)])


async def test_a_layer_that_empties_the_legal_actions_empties_only_its_own(world: World) -> None:
    class Emptying(Layer):
        async def reset(self) -> Observation:
            seen = await self.inner.reset()
            seen.actions.specs[0].parameters.clear()
            seen.actions.specs = ()
            return seen

    assert (await Play(world, "r002", 7, unasked, (Emptying,)).reset()).actions.specs == ()
    specs = (await Play(world, "r002", 7, unasked).reset()).actions.specs
    assert [(s.name, "properties" in s.parameters) for s in specs] == [("add", True), ("answer", True)]
