"""Whose fault an exception under `Play` is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from agentharness.errors import EpisodeError, StoreFull, Truncated
from agentharness.layer.stack import Layer
from agentharness.session.play import Play
from agentharness.types.env import Env
from agentharness.types.move import Action, ActionSet, Move, Observation


class Failing:
    """A base env whose every call raises."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.state: dict[str, Any] = {"over": False}
        self.log: list[Any] = []

    async def reset(self) -> Observation:
        raise self.error

    async def step(self, action: Action) -> Observation:
        raise self.error

    async def observe(self) -> Observation:
        raise self.error

    async def close(self) -> None:
        raise self.error


def play(error: Exception, *layers: Any) -> Play:
    world: Any = SimpleNamespace(open=lambda row, seed, ask: Failing(error), prose="nudge", answering=None, setup=None, limits=SimpleNamespace(turns=3))
    return Play(world, "row", 1, ask=None, layers=layers)  # type: ignore[arg-type]  # nothing is asked


CALLS = ("reset", "observe", "step", "prose")


async def call(one: Play, name: str) -> Observation:
    if name == "reset":
        return await one.reset()
    return await one.observe() if name == "observe" else await one.step(Move([Action("a", {})] if name == "step" else [], "x"))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("error", [EpisodeError("responder", "gone"), Truncated("time"), StoreFull("full")])
async def test_what_an_env_may_raise_passes_as_it_is(name: str, error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        await call(play(error), name)
    assert caught.value is error
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("name", CALLS)
async def test_anything_else_is_a_fault_of_the_env_or_of_a_layer(name: str) -> None:
    for layers, cause in (((), "env"), ((Layer,), "layer")):
        with pytest.raises(EpisodeError, match="KeyError") as caught:
            await call(play(KeyError("x"), *layers), name)
        assert caught.value.cause == cause


async def test_a_base_env_holds_nothing_and_layers_are_closed() -> None:
    closed: list[str] = []

    class Closing(Layer):
        async def close(self) -> None:
            closed.append("layer")

    await play(KeyError("x")).close()
    await play(KeyError("x"), Closing).close()
    assert closed == ["layer"]


async def test_a_prose_reply_counts() -> None:
    class Nothing(Layer):
        def __init__(self, inner: Env) -> None:
            super().__init__(inner)

        async def observe(self) -> Observation:
            return Observation([], ActionSet(()))

    one = play(KeyError("x"), Nothing)
    await one.step(Move([], "words"))
    await one.step(Move([], "words"))
    assert (one.metrics, one.turn) == ({"prose": 2}, 2)
