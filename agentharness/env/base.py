"""The env at the bottom of the stack: four calls around the pure transition."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from agentharness.env.advance import advance, start, state_hash, unchanged
from agentharness.env.legal import NO_ACTIONS
from agentharness.env.oracle import moves
from agentharness.env.pool import aside
from agentharness.env.rules import Rules
from agentharness.env.setup import uncharged
from agentharness.types.env import SETUP, Ask, Outcome
from agentharness.types.move import Action, ActionSet, Move, Need, Observation, Shown
from agentharness.types.part import JsonDict


class BaseEnv:
    """One episode's env. `state` is plain JSON and never changed in place; `log` holds every transition."""

    __slots__ = ("_actions", "_ask", "_limit", "_moves", "_rules", "log", "row", "scene", "seed", "state")

    def __init__(self, rules: Rules, row: str, seed: int, ask: Ask) -> None:
        """`seed`: the env seed, all that draws depend on."""
        self._rules, self._ask, self._limit = rules, ask, rules.state_limit
        self.row, self.seed = row, seed
        self.scene = rules.scene(row, seed)
        self.state: JsonDict = {}
        self.log: list[tuple[Action | None, Outcome, str]] = []
        self._actions: ActionSet = NO_ACTIONS
        self._moves: Iterator[Move] | None = None

    async def reset(self) -> Observation:
        """Starts the episode anew: the same bytes each time. Raises EpisodeError."""
        rules = self._rules
        answers: list[Any] = []
        heavy = rules.opening.heavy
        call = partial(start, rules, self.scene, answers)
        out = await aside(call) if heavy else call()
        while isinstance(out, Need):
            answers.append(await self._ask(out))
            out = await aside(call) if heavy else call()
        self.log, self._moves = [], None
        self._keep(None, out)
        return Observation([Shown(out.parts)], self._actions, out.state["over"])

    async def step(self, action: Action) -> Observation:
        """Applies one action. What an agent does wrong is answered in the observation. Raises EpisodeError for a fault of the task's rules."""
        if not self.log:
            raise RuntimeError("reset() comes before step()")
        rules, scene, state = self._rules, self.scene, self.state
        heavy = action.name in rules.heavy
        out = await aside(partial(advance, rules, scene, state, action)) if heavy else advance(rules, scene, state, action)
        if isinstance(out, Need):
            answers: list[Any] = []
            while isinstance(out, Need):
                answers.append(await self._ask(out))
                call = partial(advance, rules, scene, state, action, answers)
                out = await aside(call) if heavy else call()
        if action.actor == SETUP:
            uncharged(state, out)
        self._keep(action, out)
        return Observation([Shown(out.parts, action)], self._actions, out.state["over"])

    async def observe(self) -> Observation:
        """The last observation once more. Changes nothing."""
        if not self.log:
            raise RuntimeError("reset() comes before observe()")
        action, out, _ = self.log[-1]
        return Observation([Shown(out.parts, action)], self._actions, self.state["over"])

    async def close(self) -> None:
        """Nothing is held."""

    def oracle(self) -> Move | None:
        """The task's own next move, or None where it knows none. Raises EpisodeError where an expression of the oracle fails."""
        if self._moves is None:
            self._moves = moves(self._rules, self.scene, lambda: self.state)
        return next(self._moves, None)

    def _keep(self, action: Action | None, out: Outcome) -> None:
        state, before = out.state, self.state
        mark = self.log[-1][2] if action is not None and unchanged(before, state) else state_hash(state, self._limit)
        self._actions = NO_ACTIONS if state["over"] else self._rules.legals.of(self.scene, state).actions
        self.state = state
        self.log.append((action, out, mark))
