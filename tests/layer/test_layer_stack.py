"""Layers pass through, change what they are about, and reach nothing else."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

from agentharness.errors import UserError
from agentharness.layer.stack import Layer, Window, stack
from agentharness.types import part
from agentharness.types.env import Env
from agentharness.types.move import Action, ActionSet, Observation, Shown

ACTIONS = ActionSet(())
SECRET = "the gold answer"


class Base:
    """A base env with all that a layer must not reach."""

    def __init__(self) -> None:
        self.state = {"submission": SECRET}
        self.row = {"answer": SECRET}
        self.log: list[Any] = []
        self.calls: list[str] = []

    async def reset(self) -> Observation:
        self.calls.append("reset")
        return self._seen(None)

    async def step(self, action: Action) -> Observation:
        self.calls.append(f"step {action.name}")
        return self._seen(action)

    async def observe(self) -> Observation:
        self.calls.append("observe")
        return self._seen(None)

    async def close(self) -> None:
        self.calls.append("close")

    def score(self) -> float:
        return 1.0

    def _seen(self, action: Action | None) -> Observation:
        observation = Observation(
            [Shown([part.text("hello"), {"type": "image", "asset": "a", "view": [{"crop": [0, 0, 1, 1]}], "size": [1, 1]}], action)], ACTIONS
        )
        self.log.append((action, observation))
        return observation


def reachable(start: object) -> list[object]:
    """All objects on attribute paths from `start`: dicts, slots, class attributes, bound selves, containers; not closure cells, frames or globals."""
    seen: dict[int, object] = {}
    todo: deque[object] = deque([start])
    while todo:
        value = todo.popleft()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, str | bytes | int | float | type):
            continue
        if isinstance(value, dict):
            todo.extend(value.values())
        elif isinstance(value, list | tuple | set | frozenset):
            todo.extend(value)
        names = {n for n in dir(value) if not n.startswith("__")} | {"__dict__", "__self__", "__wrapped__", "__defaults__", "__kwdefaults__"}
        todo.extend(getattr(value, name) for name in names if hasattr(value, name))
    return list(seen.values())


async def test_no_attribute_path_leads_from_a_window_to_the_base() -> None:
    base = Base()
    window = Window(base)
    for value in reachable(window):
        assert value is not base
        assert value is not base.state
        assert not (isinstance(value, str) and value == SECRET)
    for name in ("state", "row", "log", "score", "oracle", "inner", "env", "_env", "_base", "__dict__", "__wrapped__"):
        with pytest.raises(AttributeError):
            getattr(window, name)
    walked = reachable(Layer(base))
    assert any(value is base for value in walked)
    assert SECRET in walked


async def test_a_hostile_layer_finds_no_gold() -> None:
    found: list[object] = []

    class Thief(Layer):
        async def step(self, action: Action) -> Observation:
            found.extend(v for v in reachable(self) if v == SECRET)
            for name in ("state", "row", "gold", "score"):
                found.extend([getattr(self.inner, name)] if hasattr(self.inner, name) else [])
            return await super().step(action)

    env = stack(Base(), [Thief])
    await env.step(Action("go", {}))
    assert found == []


async def test_a_window_cannot_be_changed() -> None:
    window = Window(Base())
    for name in ("step", "other"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(window, name, None)


async def test_without_layers_the_base_itself_is_played() -> None:
    base = Base()
    assert stack(base, []) is base


async def test_the_four_calls_pass_through_and_the_first_layer_is_innermost() -> None:
    class Tag(Layer):
        def __init__(self, inner: Env, tag: str) -> None:
            super().__init__(inner)
            self.tag = tag

        async def reset(self) -> Observation:
            observation = await super().reset()
            observation.shown.append(Shown([part.text(self.tag)]))
            return observation

    base = Base()
    env = stack(base, [lambda inner: Tag(inner, "first"), lambda inner: Tag(inner, "second")])
    assert [p["text"] for p in (await env.reset()).parts if p["type"] == "text"] == ["hello", "first", "second"]
    actions = (await env.step(Action("go", {"x": 1}))).actions
    assert actions is not ACTIONS
    assert (actions.specs, actions.wire) == (ACTIONS.specs, ACTIONS.wire)
    seen = await env.observe()
    assert (seen.over, seen.actions is actions) == (False, True)
    await env.close()
    assert base.calls == ["reset", "step go", "observe", "close"]


async def test_what_a_layer_changes_changes_no_record() -> None:
    base = Base()
    env = Window(base)
    action = Action("go", {"x": [1]})
    seen = await env.step(action)
    assert seen.shown[0].action is action
    action.args["x"].append(2)
    seen.shown[0].parts[0]["text"] = "forged"
    seen.shown[0].parts[1]["view"][0]["crop"][0] = 9
    seen.shown.clear()
    kept, observation = base.log[0]
    assert kept.args == {"x": [1]}
    assert observation.parts[0]["text"] == "hello"
    assert observation.parts[1]["view"] == [{"crop": [0, 0, 1, 1]}]


def test_a_layer_that_makes_no_env_is_the_users_mistake() -> None:
    def broken(inner: Env) -> Any:
        return object()

    with pytest.raises(UserError, match=r"layers\[1\]: broken made no env: it has no reset"):
        stack(Base(), [Layer, broken])
