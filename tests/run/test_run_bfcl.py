"""tasks/bfcl: gold replays score 1, spoilt ones are judged as bfcl-eval judges them, and the backend is a function of the row and the calls."""

from __future__ import annotations

import ast
import json
import random
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from harness import play, table

from agentharness.env.advance import advance
from agentharness.env.reading import read_task
from agentharness.env.world import World, build
from agentharness.score.registry import versions
from agentharness.session.play import Play
from agentharness.types.env import Outcome
from agentharness.types.move import Action, Move, Need
from agentharness.types.score import Score

pytest.importorskip("bfcl_eval", reason="bfcl-eval is not installed")
pytest.importorskip("mpmath", reason="the extra `bfcl` is not installed")
Turns = list[list[dict[str, Any]]]


@cache
def bfcl() -> World:
    return build(read_task(Path(__file__).parents[2] / "tasks/bfcl"), scorer_versions=versions())


def gold(key: str) -> Turns:
    out: Turns = [[]]
    for call in bfcl().full(key)["calls"]:
        if call["name"] == "say":
            out.append([])
        else:
            out[-1].append(call)
    return out[:-1]


async def ask(need: Need) -> Any:
    raise AssertionError(need)


async def played(key: str, turns: Turns) -> Play:
    game = Play(bfcl(), key, 0, ask)
    await game.reset()
    for turn in turns:
        for call in [*turn, {"name": "say", "args": {"text": "Done."}}]:
            await game.step(Move([Action(call["name"], call["args"])]))
    return game


def verdict(game: Play) -> Score:
    return game.scores()["multi_turn"]


def test_20_gold_replays_of_each_category(tmp_path: Path) -> None:
    for first in ("base", "miss_func", "miss_param", "long_context"):
        where = f"row.category == '{first}' and row.id != 'multi_turn_miss_func_49'"
        done = play(tmp_path, "task=bfcl", "agent=oracle,random,noop", "limit=20", f"task.episode.where={where}", f"out={first}")
        means = {r["agent"]: r["mean"] for r in table(done)}
        assert means == {"oracle": "1.000", "random": "0.000", "noop": "0.000"}


def test_799_of_800_are_played() -> None:
    assert len(bfcl()) == 799
    row = bfcl().full("multi_turn_miss_func_49")
    held = {one["name"]: one["turn"] for one in row["functions"]}
    early = [
        json.dumps(call["args"]["function"]) for i, turn in enumerate(gold("multi_turn_miss_func_49")) for call in turn if held[call["args"]["function"]] > i
    ]
    assert early == ['"tail"']


def spoilt(turns: Turns, rng: random.Random) -> Turns:
    out = [list(turn) for turn in turns]
    i = rng.choice([i for i, turn in enumerate(out) if turn])
    j = rng.randrange(len(out[i]))
    kind = rng.choice(["as it is", "left out", "twice", "later", "changed", "in another order"])
    if kind == "left out":
        del out[i][j]
    elif kind == "twice":
        out[i].insert(j, out[i][j])
    elif kind == "later" and i + 1 < len(out):
        out[i + 1].insert(0, out[i].pop(j))
    elif kind == "in another order":
        rng.shuffle(out[i])
    elif kind == "changed":
        given = json.loads(out[i][j]["args"]["arguments"])
        for name, value in given.items():
            if isinstance(value, str):
                given[name] = value + "x"
        out[i][j] = {"name": "call", "args": {**out[i][j]["args"], "arguments": json.dumps(given)}}
    return out


def written(call: dict[str, Any]) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in json.loads(call["args"]["arguments"]).items())
    return f"{call['args']['function']}({given})"


def published(category: str) -> tuple[dict[str, Any], dict[str, Any]]:
    folder = files("bfcl_eval").joinpath("data")
    lines = [folder.joinpath(*path, f"BFCL_v4_multi_turn_{category}.json").read_text(encoding="utf-8").splitlines() for path in ((), ("possible_answer",))]
    entries, answers = ([json.loads(line) for line in some if line.strip()] for some in lines)
    return {one["id"]: one for one in entries}, {one["id"]: one["ground_truth"] for one in answers}


async def test_40_spoilt_plays_are_judged_as_the_package_judges_them() -> None:
    from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker

    rng, judged = random.Random(7), list[bool]()
    for category in ("base", "long_context"):
        entries, answers = published(category)
        for key in list(entries)[::10]:
            turns = spoilt(gold(key), rng)
            game = await played(key, turns)
            calls = [[[written(call) for call in turn]] if turn else [] for turn in turns]
            assert all(ast.parse(call) for turn in calls for step in turn for call in step)
            theirs = multi_turn_checker(calls, answers[key], entries[key], category, f"spoilt{len(judged)}")["valid"]
            assert (verdict(game).value == 1) == theirs, (key, verdict(game), calls)
            judged.append(theirs)
    assert 5 < sum(judged) < 35


async def test_the_backend_is_rebuilt_from_the_row_and_the_calls() -> None:
    key = "multi_turn_base_0"
    whole = await played(key, gold(key))
    fresh = build(read_task(Path(__file__).parents[2] / "tasks/bfcl"), scorer_versions=versions())
    scene = fresh.compiled.scene(key, 0)
    assert len(whole.steps) > 5
    # backwards: no step finds what an earlier one has left
    for before, step in reversed(list(pairwise(whole.steps))):
        assert step.action is not None
        out = advance(fresh.compiled, scene, before.outcome.state, step.action)
        assert isinstance(out, Outcome)
        assert (out.state, out.parts) == (step.outcome.state, step.outcome.parts)


async def test_two_plays_of_a_row_do_not_meet() -> None:
    key = "multi_turn_base_0"
    calls = gold(key)[0]
    one, two = Play(bfcl(), key, 0, ask), Play(bfcl(), key, 0, ask)
    await one.reset()
    await two.reset()
    for call in calls:
        for game in (one, two):
            await game.step(Move([Action("call", call["args"])]))
    assert [s.outcome.parts for s in one.steps] == [s.outcome.parts for s in two.steps]


@pytest.mark.parametrize(
    ("function", "arguments", "told"),
    [
        ("ls", "[1]", 'arguments must be a JSON object, as {"a": 1}'),
        ("ls", "{", "arguments is no JSON: "),
        ("logarithm", '{"value": 3, "base": 2, "precision": 100000000}', "precision must be at most 1000"),
        ("ls", '{"b": 1}', "Error during execution: "),
        ("fly", "{}", "function must be one of the listed values"),
    ],
)
async def test_wrong_calls_are_answered(function: str, arguments: str, told: str) -> None:
    key = next(k for k in list(bfcl().keys()) if {"MathAPI", "GorillaFileSystem"} <= set(bfcl().full(k)["classes"]))
    game = Play(bfcl(), key, 0, ask)
    await game.reset()
    shown = await game.step(Move([Action("call", {"function": function, "arguments": arguments})]))
    assert told in shown.parts[0]["text"]
    assert bool(game.state["vars"]["calls"]) == told.startswith("Error")


async def test_a_directory_in_itself_is_refused() -> None:
    key = "multi_turn_base_0"
    game = Play(bfcl(), key, 0, ask)
    await game.reset()

    async def call(function: str, **given: Any) -> str:
        shown = await game.step(Move([Action("call", {"function": function, "arguments": json.dumps(given)})]))
        return str(shown.parts[0]["text"])

    await call("mkdir", dir_name="a")
    told = await call("mv", source="a", destination="a")
    assert len(game.state["vars"]["calls"]) == (1 if "more than can be kept" in told else 2)
    assert "a" in await call("ls")
