"""Layers: envs around an env. A layer is given four calls and nothing else, so it cannot reach state, gold or reward."""

from __future__ import annotations

import copy
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from agentharness.errors import UserError
from agentharness.types.env import Env
from agentharness.types.move import Action, ActionSet, Observation, Shown
from agentharness.types.part import Part

CALLS = ("reset", "step", "observe", "close")


class Window:
    """The four calls of an env and no path to it: they are closures, so that no attribute, slot or dict of a window leads to the env.

    Actions, observations and action sets are copied on their way through, so that a layer that changes one changes no record and no other session. What Python
    cannot prevent: code that reads closure cells, frames or the garbage collector (`step.__closure__`, `inspect`, `gc`) reaches the env all the same. A window
    keeps honest layers honest; it is no sandbox for hostile ones.
    """

    __slots__ = CALLS

    reset: Callable[[], Coroutine[Any, Any, Observation]]
    step: Callable[[Action], Coroutine[Any, Any, Observation]]
    observe: Callable[[], Coroutine[Any, Any, Observation]]
    close: Callable[[], Coroutine[Any, Any, None]]

    def __init__(self, env: Env) -> None:
        legal: dict[int, tuple[ActionSet, ActionSet]] = {}

        def copied(seen: Observation, outer: dict[int, Action] | None = None) -> Observation:
            # One copy for each set, so that an unchanged set is seen to be unchanged; the original is kept beside it, so that its id stays its own.
            pair = legal.get(id(seen.actions))
            if pair is None:
                pair = legal[id(seen.actions)] = (seen.actions, ActionSet(copy.deepcopy(seen.actions.specs)))
            return _copied(seen, pair[1], outer)

        async def reset() -> Observation:
            return copied(await env.reset())

        async def step(action: Action) -> Observation:
            inner = copy.deepcopy(action)
            return copied(await env.step(inner), {id(inner): action})

        async def observe() -> Observation:
            return copied(await env.observe())

        async def close() -> None:
            await env.close()

        for name, call in zip(CALLS, (reset, step, observe, close), strict=True):
            object.__setattr__(self, name, call)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a window cannot be changed")


class Layer:
    """A layer that changes nothing: subclass it and override what the layer is about. `inner` is the env below, or a window on it."""

    def __init__(self, inner: Env) -> None:
        self.inner = inner

    async def reset(self) -> Observation:
        return await self.inner.reset()

    async def step(self, action: Action) -> Observation:
        return await self.inner.step(action)

    async def observe(self) -> Observation:
        return await self.inner.observe()

    async def close(self) -> None:
        await self.inner.close()


def stack(base: Env, layers: Sequence[Callable[[Env], Env]]) -> Env:
    """The env that the agent plays: the base itself without layers, else the layers around a window on it, the first one innermost.

    Raises UserError where a layer makes no env.
    """
    if not layers:
        return base
    env: Env = Window(base)
    for i, make in enumerate(layers):
        env = make(env)
        missing = [name for name in CALLS if not callable(getattr(env, name, None))]
        if missing:
            name = getattr(make, "__name__", type(make).__name__)
            raise UserError(f"{name} made no env: it has no {missing[0]}", where=f"layers[{i}]", hint="subclass agentharness.layer.stack.Layer")
    return env


def _copied(seen: Observation, actions: ActionSet, outer: dict[int, Action] | None) -> Observation:
    """A copy that shares nothing changeable with the env. `actions`: the layer's own copy of what is legal; `outer`: id of an action the env was given -> the
    action it answers."""
    given = outer or {}
    shown = [Shown([_part(p) for p in s.parts], given.get(id(s.action)) or copy.deepcopy(s.action), s.message) for s in seen.shown]
    return Observation(shown, actions, seen.over)


def _part(part: Part) -> Part:
    return dict(part) if part["type"] == "text" else copy.deepcopy(part)
