"""The layer `setup`: plays given actions after the reset, before the agent's first observation."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

from agentharness import canon
from agentharness.layer.stack import Layer
from agentharness.types.env import Env
from agentharness.types.move import Action, Observation, Shown
from agentharness.types.part import Part, text


class Setup(Layer):
    """The agent sees the opening of the env below; with `show` also each action and what it showed. What is legal is what the last action left."""

    def __init__(self, inner: Env, given: Callable[[], Sequence[Action]], show: bool) -> None:
        super().__init__(inner)
        self._given, self._show = given, show
        self._first: Observation | None = None

    async def reset(self) -> Observation:
        """The opening of the env below, and then its setup. Raises EpisodeError where the row gives no actions."""
        opening = await self.inner.reset()
        parts: list[Part] = opening.parts
        last = opening
        for action in self._given():
            last = await self.inner.step(action)
            if self._show:
                parts = [*parts, text(f"{action.name} {canon.dumps(action.args).decode()}"), *last.parts]
            if last.over:
                break
        self._first = Observation([Shown(_joined(parts))], last.actions, last.over)
        return self._copy(self._first)

    async def step(self, action: Action) -> Observation:
        """As below."""
        self._first = None
        return await self.inner.step(action)

    async def observe(self) -> Observation:
        """As below; before the first step the opening, for the env below shows the last of the setup."""
        return await self.inner.observe() if self._first is None else self._copy(self._first)

    @staticmethod
    def _copy(seen: Observation) -> Observation:
        return Observation([Shown(copy.deepcopy(s.parts)) for s in seen.shown], seen.actions, seen.over)


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Texts that stand together become one part, as in the opening of any world."""
    out: list[Part] = []
    for part in parts:
        if part["type"] == "text" and out and out[-1]["type"] == "text":
            out[-1] = text(f"{out[-1]['text']}\n{part['text']}")
        else:
            out.append(part)
    return out
