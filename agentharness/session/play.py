"""One env being played: reset, step, observe, close, scoring. What run, servers and trainers share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from agentharness.env.world import World
from agentharness.errors import EpisodeError, Truncated
from agentharness.layer.stack import stack
from agentharness.score.total import score_all
from agentharness.types import part
from agentharness.types.env import Ask, Env, Outcome
from agentharness.types.move import Action, ActionSet, Move, Observation, Shown
from agentharness.types.score import Score

NUDGE = "No action was read. Act with one of the actions; prose alone changes nothing."


class Step:
    """One transition as it will stand in the record."""

    __slots__ = ("action", "actions", "outcome", "shown", "state_hash", "turn")

    def __init__(self, turn: int, action: Action | None, outcome: Outcome, state_hash: str, shown: Shown | None, actions: ActionSet | None) -> None:
        self.turn, self.action, self.outcome, self.state_hash, self.shown, self.actions = turn, action, outcome, state_hash, shown, actions


class Play:
    """The agent talks to the stack of layers; state is read from the base, which no layer holds. Rewards come from `scores`, never from a step."""

    def __init__(self, world: World, row: str, seed: int, ask: Ask, layers: Sequence[Callable[[Env], Env]] = ()) -> None:
        self.world, self.row = world, row
        self._base = world.open(row, seed, ask)
        self._env = stack(self._base, layers)
        self._layered = bool(layers)
        self._legal: ActionSet | None = None
        self._seen = 0
        self.turn = 0
        self.steps: list[Step] = []
        self.metrics: Counter[str] = Counter()
        self.over = False

    async def reset(self) -> Observation:
        """The opening observation."""
        observation = await self._guard(self._env.reset)
        self._log(observation)
        return observation

    async def step(self, move: Move) -> Observation:
        """Applies a move's actions in order. Raises Truncated("turns") where this was the last turn and the episode is not over."""
        self.turn += 1
        actions = move.actions or self._from_prose(move)
        if not actions:
            observation = await self._guard(self._env.observe)
            observation = Observation([Shown([part.text(NUDGE)])], observation.actions, observation.over)
        else:
            shown: list[Shown] = []
            for action in actions:
                observation = await self._guard(lambda action=action: self._env.step(action))  # type: ignore[misc]  # mypy cannot infer the bound default
                self._log(observation)
                shown += observation.shown
            observation = Observation(shown, observation.actions, observation.over)
        self.over = bool(self._base.state["over"])
        if not self.over and self.turn >= self.world.limits.turns:
            raise Truncated("turns")
        return observation

    async def observe(self) -> Observation:
        """What is seen now, without a step."""
        return await self._guard(self._env.observe)

    async def close(self) -> None:
        """Frees what the env holds."""
        await self._env.close()

    def oracle(self) -> Move | None:
        """The task's own next move."""
        return self._base.oracle()

    @property
    def state(self) -> Any:
        """The state, read from the base."""
        return self._base.state

    def scores(self) -> dict[str, Score]:
        """Every reward of the task over the state as it is. Raises EpisodeError("scorer")."""
        return score_all(self.world.rewards, self.world.full(self.row), self._base.state)

    def _from_prose(self, move: Move) -> list[Action]:
        if self.world.prose == "answer" and self.world.answering is not None and move.prose.strip():
            name, arg = self.world.answering
            return [Action(name, {arg: move.prose})]
        self.metrics["prose"] += 1
        if self.world.prose == "invalid":
            return [Action("", {}, error="prose is no action here: act with one of the actions")]
        return []

    def _log(self, observation: Observation) -> None:
        log, actions = self._base.log, observation.actions
        changed = actions if actions is not self._legal else None
        self._legal = actions
        last = len(log) - 1
        for i in range(self._seen, len(log)):
            action, outcome, state_hash = log[i]
            # What the agent saw came through the layers; a layer's own extra steps are recorded as the base showed them.
            shown = observation.shown[-1] if i == last and observation.shown else None
            self.steps.append(Step(self.turn, action, outcome, state_hash, shown, changed if i == last else None))
            if outcome.verdict != "ok":
                self.metrics[outcome.verdict] += 1
        self._seen = len(log)

    async def _guard(self, call: Callable[[], Awaitable[Observation]]) -> Observation:
        try:
            return await call()
        except (EpisodeError, Truncated):
            raise
        except Exception as e:
            raise EpisodeError("layer" if self._layered else "env", f"{type(e).__name__}: {e}") from e
