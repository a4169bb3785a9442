"""One env being played: reset, step, observe, close, scoring. What run, servers and trainers share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import anyio

from agentharness.env.pool import aside
from agentharness.env.rules import Setup as Given
from agentharness.env.setup import fault
from agentharness.env.world import World
from agentharness.errors import EpisodeError, StoreFull, Truncated
from agentharness.layer.setup import Setup
from agentharness.layer.stack import stack
from agentharness.score.total import score_all
from agentharness.types import part
from agentharness.types.env import SETUP, Ask, Env, Outcome
from agentharness.types.move import Action, ActionSet, Move, Observation, Shown
from agentharness.types.score import Score

NUDGE = "No action was read. Act with one of the actions; prose alone changes nothing."

OWN = (EpisodeError, Truncated, StoreFull)
"""What an env may raise; anything else is a fault of it or of a layer."""


class Step:
    """One transition as it will stand in the record."""

    __slots__ = ("action", "actions", "distances", "outcome", "shown", "state_hash", "turn")

    def __init__(self, turn: int, action: Action | None, outcome: Outcome, state_hash: str) -> None:
        self.turn, self.action, self.outcome, self.state_hash = turn, action, outcome, state_hash
        self.shown: Shown | None = None
        self.actions: ActionSet | None = None
        """The legal actions after it, where they changed."""
        self.distances: dict[str, int | None] = {}
        """How far the place stood on after it is from each goal that the task names; known once the episode is scored."""


class Play:
    """The agent talks to the stack of layers; state is read from the base, which no layer holds. Rewards come from `scores`, never from a step."""

    def __init__(self, world: World, row: str, seed: int, ask: Ask, layers: Sequence[Callable[[Env], Env]] = ()) -> None:
        self.world, self.row, self._seed = world, row, seed
        self._base = world.open(row, seed, ask)
        own = [] if world.setup is None else [partial(Setup, given=lambda: world.given(row), show=world.setup.show)]
        self._env = stack(self._base, [*own, *layers])
        self._layered = bool(layers)
        self._legal: ActionSet | None = None
        self._seen = 0
        self.turn = 0
        self.steps: list[Step] = []
        self.metrics: dict[str, float] = {}
        self.over = False

    async def reset(self) -> Observation:
        """The opening observation."""
        try:
            observation = await self._env.reset()
        except OWN:
            raise
        except Exception as e:
            raise self._trouble(e) from e
        self._log(observation)
        if self.world.setup is not None:
            self._set_up(self.world.setup)
        return observation

    def _set_up(self, setup: Given) -> None:
        """What the agent saw first is the opening, not the last of the setup. Raises EpisodeError for an action of the setup that does nothing, or ends all."""
        opening, last = self.steps[0], self.steps[-1]
        if last is not opening:
            opening.shown, last.shown = last.shown, None
        played = [step for step in self.steps if step.action is not None and step.action.actor == SETUP]
        for n, step in enumerate(played, 1):
            if step.action is not None and (wrong := fault(setup, n, step.action, step.outcome)) is not None:
                raise wrong

    async def step(self, move: Move) -> Observation:
        """Applies a move's actions in order. Raises Truncated("turns") where this was the last turn and the episode is not over."""
        self.turn += 1
        actions = move.actions or self._from_prose(move)
        if not actions:
            observation = await self.observe()
            observation = Observation([Shown([part.text(NUDGE)])], observation.actions, observation.over)
        else:
            shown: list[Shown] = []
            for action in actions:
                try:
                    if action.actor == SETUP:
                        raise EpisodeError("agent", f"a move's actor is {SETUP!r}: what the agent does is charged to it")
                    observation = await self._env.step(action)
                except OWN:
                    raise
                except Exception as e:
                    _check_action(action)
                    raise self._trouble(e) from e
                self._log(observation)
                shown += observation.shown
            if len(actions) > 1:
                observation = Observation(shown, observation.actions, observation.over)
        self.over = bool(self._base.state["over"])
        if not self.over and self.turn >= self.world.limits.turns:
            raise Truncated("turns")
        return observation

    async def observe(self) -> Observation:
        """What is seen now, without a step."""
        try:
            return await self._env.observe()
        except OWN:
            raise
        except Exception as e:
            raise self._trouble(e) from e

    async def close(self) -> str:
        """Frees what the layers hold, cancelled or not; what went wrong, in words. A base env holds nothing."""
        if self._layered:
            with anyio.CancelScope(shield=True):
                try:
                    await self._env.close()
                except Exception as e:  # noqa: BLE001  (a layer's own code)
                    return f"close: {type(e).__name__}: {e}"
        return ""

    def oracle(self) -> Move | None:
        """The task's own next move."""
        return self._base.oracle()

    async def settle(self) -> None:
        """Works out what `scores` compares with, aside: a goal may take as long as the actions that reach it. What goes wrong is raised by `scores`."""
        with suppress(EpisodeError):
            await aside(lambda: self.world.goal(self.row, self._seed))

    @property
    def state(self) -> Any:
        """The state, read from the base."""
        return self._base.state

    def scores(self) -> dict[str, Score]:
        """Every reward of the task over the state as it is. Raises EpisodeError("scorer")."""
        distances = self.world.distances(self.row, self._seed, [step.outcome.state for step in self.steps])
        for i, step in enumerate(self.steps):
            step.distances = {name: along[i] for name, along in distances.items()}
        return score_all(self.world.rewards, self.world.full(self.row), self._base.state, self.world.goal(self.row, self._seed), distances)

    def _from_prose(self, move: Move) -> list[Action]:
        if self.world.prose == "answer" and self.world.answering is not None and move.prose.strip():
            name, arg = self.world.answering
            return [Action(name, {arg: move.prose})]
        self._count("prose")
        if self.world.prose == "invalid":
            return [Action("", {}, error="prose is no action here: act with one of the actions")]
        return []

    def _log(self, observation: Observation) -> None:
        log, actions = self._base.log, observation.actions
        for action, outcome, state_hash in log[self._seen :]:
            self.steps.append(step := Step(self.turn, action, outcome, state_hash))
            if outcome.verdict != "ok":
                self._count(outcome.verdict)
        if len(log) > self._seen:
            # What the agent saw came through the layers; a layer's own extra steps are recorded as the base showed them.
            step.shown = observation.shown[-1] if observation.shown else None
            step.actions = actions if actions is not self._legal else None
            self._seen = len(log)
        self._legal = actions

    def _count(self, metric: str) -> None:
        self.metrics[metric] = self.metrics.get(metric, 0) + 1

    def _trouble(self, e: Exception) -> EpisodeError:
        return EpisodeError("layer" if self._layered else "env", f"{type(e).__name__}: {e}")


def _check_action(action: Any) -> None:
    """Raises EpisodeError where the agent made something that is no action: only code can do this, so that it is looked at once a step has failed."""
    if not (isinstance(action, Action) and isinstance(action.name, str) and isinstance(action.args, dict) and isinstance(action.id, str | None)):
        raise EpisodeError("agent", f"a move holds what is no action: {action!r:.200}")
