"""Heavy rules run in a bounded pool of threads: the loop goes on meanwhile, and what they do is what they do in the loop."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from agentharness.env.base import BaseEnv
from agentharness.env.pool import SIZE, aside
from agentharness.errors import EpisodeError
from agentharness.types.move import Action, Need

TEXT = """
corpus: {rows: {source: {file: rows.jsonl}, key: id}}
columns: {rows: {id: public}}
episode: {each: rows}
vars: {n: "0"}
observe: hello
actions:
  slow:
    args: {what: string}
    heavy: true
    do:
      - hook: slow
  light:
    do:
      - hook: light
"""
HOOKS = """
import threading
from agentharness.types.move import Need

GATE = threading.Event()

def slow(view, answers):
    if view["args"]["what"] == "wait":
        assert GATE.wait(60)
    if view["args"]["what"] == "ask" and not answers:
        return Need("clerk", threading.current_thread().name)
    if view["args"]["what"] == "fail":
        raise ValueError("broken")
    return [{"set": {"n": view["vars"]["n"] + 1}}, {"show": threading.current_thread().name}]

def light(view, answers):
    GATE.set()
    return [{"show": threading.current_thread().name}]
"""


@pytest.fixture
def world(make_world: Any) -> Any:
    return make_world(TEXT, {"rows.jsonl": [{"id": "a"}]}, hooks=HOOKS)


def text(env: BaseEnv) -> str:
    return str(env.log[-1][1].parts[0]["text"])


async def test_a_light_step_of_another_session_ends_the_wait_of_a_heavy_one(world: Any, begin: Any) -> None:
    plays = [await begin(world, "a") for _ in range(2)]
    async with anyio.create_task_group() as group:
        group.start_soon(plays[0].env.step, Action("slow", {"what": "wait"}))
        await anyio.lowlevel.checkpoint()
        await plays[1].env.step(Action("light", {}))  # in the loop: it would never be reached, were the heavy one there too
    assert plays[0].state["vars"] == {"n": 1}
    assert text(plays[1].env) == threading.current_thread().name != text(plays[0].env)


async def test_needs_are_asked_in_the_loop_and_answered_in_a_thread(world: Any, begin: Any) -> None:
    asked: list[tuple[str, str]] = []

    async def clerk(need: Need) -> str:
        asked.append((need.request, threading.current_thread().name))
        return "well"

    play = await begin(world, "a", ask=clerk)
    await play.do("slow", what="ask")
    ((thread, loop),) = asked
    assert thread != loop == threading.current_thread().name
    assert play.last.answers == ["well"]


async def test_what_a_heavy_rule_raises_is_the_episodes(world: Any, begin: Any) -> None:
    play = await begin(world, "a")
    with pytest.raises(EpisodeError, match=r"actions\.slow: hook slow: ValueError: broken"):
        await play.do("slow", what="fail")
    assert play.state["vars"] == {"n": 0}


async def test_the_pool_is_bounded() -> None:
    lock, now, most = threading.Lock(), [0], [0]
    first = threading.Barrier(SIZE)

    def work(i: int) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        if i < SIZE:
            first.wait(60)  # as many as fit are there at once
        with lock:
            now[0] -= 1

    async with anyio.create_task_group() as group:
        for i in range(4 * SIZE):
            group.start_soon(aside, lambda i=i: work(i))
    assert most[0] == SIZE
