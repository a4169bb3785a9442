"""Oracle, random play and doing nothing."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.agent.baselines import BASELINES, make_baseline
from agentharness.errors import UserError
from agentharness.types import part
from agentharness.types.agent import Agent
from agentharness.types.move import Action, ActionSet, ActionSpec, Move, Observation, Shown


class FakeSeat:
    """A seat without a model; its oracle plays a list."""

    def __init__(self, seed: int = 0, plan: list[Move] | None = None) -> None:
        self.seed, self.plan = seed, list(plan or [])
        self.transcript: Any = None

    async def ask(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("baselines ask no model")

    def unused(self) -> None: ...

    def count(self, metric: str, n: float = 1) -> None: ...

    def oracle(self) -> Move | None:
        return self.plan.pop(0) if self.plan else None


def baseline(name: str) -> Agent:
    made = make_baseline(name, {})
    assert made is not None
    return made


def sees(*specs: ActionSpec, text: str = "") -> Observation:
    return Observation([Shown([part.text(text)])], ActionSet(specs))


def spec(name: str, suggest: dict[str, Any] | None = None, needed: list[str] | None = None, **properties: Any) -> ActionSpec:
    return ActionSpec(name, "", {"type": "object", "properties": properties, "required": list(properties) if needed is None else needed}, suggest or {})


async def plays(observation: Observation, n: int = 300, seed: int = 0) -> list[Action]:
    player = baseline("random").sit(FakeSeat(seed))
    return [(await player.act(observation)).actions[0] for _ in range(n)]


async def test_the_oracle_plays_the_plan_then_nothing() -> None:
    move = Move([Action("open", {"title": "A"})])
    player = baseline("oracle").sit(FakeSeat(plan=[move]))
    assert await player.act(sees()) is move
    assert await player.act(sees()) == Move()


async def test_noop_never_acts_and_random_needs_an_action() -> None:
    assert await baseline("noop").sit(FakeSeat()).act(sees(spec("go"))) == Move()
    assert await baseline("random").sit(FakeSeat()).act(sees()) == Move()


async def test_random_play_follows_its_seed_alone() -> None:
    observation = sees(spec("go", to={"type": "string", "enum": list("abcdef")}), spec("say", text={"type": "string"}), text="one two\nthree")
    assert await plays(observation, seed=5) == await plays(observation, seed=5)
    assert await plays(observation, seed=5) != await plays(observation, seed=6)


async def test_actions_are_uniform() -> None:
    actions = await plays(sees(spec("a"), spec("b"), spec("c")), 3000)
    counts = [sum(a.name == n for a in actions) for n in "abc"]
    assert sum(counts) == 3000
    assert all(900 < c < 1100 for c in counts)


async def test_suggestions_before_enum_before_type() -> None:
    actions = await plays(
        sees(
            spec(
                "go",
                {"to": ["x", "y"], "none": []},
                to={"type": "string", "enum": ["a"]},
                none={"type": "string", "enum": ["b", "c"]},
                flag={"type": "boolean"},
                n={"type": "integer", "minimum": 3, "maximum": 5},
                r={"type": "number", "minimum": -1, "maximum": 1},
                free={"type": "integer", "minimum": 500},
                box={"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9}, "minItems": 4, "maxItems": 4},
                record={"type": "object", "properties": {"k": {"type": "boolean"}}},
            )
        )
    )
    assert {a.args["to"] for a in actions} == {"x", "y"}
    assert {a.args["none"] for a in actions} == {"b", "c"}
    assert {a.args["flag"] for a in actions} == {True, False}
    assert {a.args["n"] for a in actions} == {3, 4, 5}
    assert all(-1 <= a.args["r"] <= 1 for a in actions)
    assert {a.args["free"] for a in actions} == {500}
    assert all(len(a.args["box"]) == 4 and set(a.args["box"]) <= set(range(10)) for a in actions)
    assert {a.args["record"]["k"] for a in actions} == {True, False}


async def test_texts_come_from_what_was_shown() -> None:
    actions = await plays(sees(spec("say", text={"type": "string"}), text="one two\n\n three \n"))
    assert {a.args["text"] for a in actions} == {"one", "two", "one two", "three"}
    assert {a.args["text"] for a in await plays(sees(spec("say", text={"type": "string"})), 5)} == {""}


async def test_texts_of_the_turn_before_serve_where_nothing_is_shown() -> None:
    player = baseline("random").sit(FakeSeat())
    say = spec("say", text={})
    await player.act(sees(say, text="word"))
    image = Observation([Shown([{"type": "image", "asset": "0" * 64, "view": [], "size": [1, 1]}])], ActionSet((say,)))
    assert (await player.act(image)).actions[0].args == {"text": "word"}


async def test_optional_arguments_are_left_out_at_times() -> None:
    actions = await plays(sees(spec("go", needed=[], fast={"type": "boolean"})))
    assert {tuple(a.args) for a in actions} == {(), ("fast",)}


def test_making_and_identity() -> None:
    assert make_baseline("tools", {}) is None
    assert [baseline(n).identity() for n in BASELINES] == [{"name": n, "version": 1} for n in ("oracle", "random", "noop")]
    assert [baseline(n).privileged for n in BASELINES] == [True, False, False]
    assert not any(baseline(n).needs_model for n in BASELINES)
    with pytest.raises(UserError, match="random takes no option 'temperature'"):
        make_baseline("random", {"temperature": 1})
