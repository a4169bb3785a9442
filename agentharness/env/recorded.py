"""Recorded trajectories as a world plays them: steps in order, where each stands, and which are one state. Made once, at load, by record.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from agentharness.types.part import JsonDict, Part

RECORDED = 1
"""Version of what matchers, divergence and merging mean: goes into the world digest."""

Box: TypeAlias = tuple[float, float, float, float]
"""x0, y0, x1, y1, the lower first."""


@dataclass(slots=True, frozen=True)
class Step:
    """One recorded step. `name` None: it is only seen, and play passes it by."""

    key: str
    name: str | None
    args: JsonDict
    """As the action's schema reads them: defaults filled in, null where one was left out."""
    reward: float | None
    item: JsonDict
    """The whole row, gold included."""
    box: Box | None = None
    """Where its action's point may lie."""


Matcher: TypeAlias = Callable[[JsonDict, Step], bool]
"""(an agent's arguments, a step that recorded the same action) -> whether they are the recorded ones."""
Spot: TypeAlias = tuple[str, int]
"""(trajectory, place in it from 0)"""


@dataclass(slots=True, frozen=True)
class Way:
    """What lies between a step and the next one that has an action."""

    to: str | None
    """Key of the step that one comes to; None behind the last."""
    seen: list[str | Part]
    rewards: list[float]
    over: bool
    """Whether no action follows."""


@dataclass(slots=True, eq=False)
class Recorded:
    """All trajectories of one table. Shared by all sessions; changed by none."""

    table: str
    scoped: bool
    """Whether an episode's row holds its own steps."""
    diverge: Literal["end", "stay", "force", "snap"]
    observe: Callable[[JsonDict], Any] | None
    """{item} -> what is seen on coming to a step."""
    rewarded: bool
    matchers: dict[str, Matcher]
    """Action -> when it is the recorded one."""
    runs: dict[str, list[Step]] = field(default_factory=dict)
    """Trajectory -> its steps in order."""
    lengths: dict[str, int] = field(default_factory=dict)
    """Trajectory -> how many actions it has."""
    spots: dict[tuple[str | None, str], Spot] = field(default_factory=dict)
    """(episode row where scoped, key) -> where the step stands."""
    states: dict[Spot, list[Spot]] = field(default_factory=dict)
    """Where trajectories are merged: a step with an action -> the steps of its state, in the table's order."""

    ways: dict[Spot, Way] = field(default_factory=dict)
    """Where one comes to from a place, once it was asked for."""

    def spot(self, table: str, key: str, row: str) -> Spot | None:
        """Where a row of the corpus stands in the recording."""
        return self.spots.get((row if self.scoped else None, key)) if table == self.table else None

    def step(self, table: str, key: str, row: str) -> Step | None:
        """The step that a state's `at` names."""
        spot = self.spot(table, key, row)
        return None if spot is None else self.runs[spot[0]][spot[1]]

    def matches(self, spot: Spot, name: str, args: JsonDict) -> bool:
        """Whether this action is the recorded one of a step."""
        step = self.runs[spot[0]][spot[1]]
        return step.name == name and self.matchers[name](args, step)

    def find(self, spot: Spot, name: str, args: JsonDict) -> Spot | None:
        """The step that this action plays in the state of `spot`: its own first, then those of other trajectories."""
        if self.matches(spot, name, args):
            return spot
        return next((one for one in self.states.get(spot, ()) if one != spot and self.matches(one, name, args)), None)

    def nearest(self, spot: Spot, name: str, args: JsonDict) -> Spot | None:
        """The step of the same trajectory nearest to `spot` that recorded this action; of two that are as near the later one."""
        run, at = spot
        return next((one for i in _outward(at, len(self.runs[run])) if self.matches(one := (run, i), name, args)), None)


def _outward(at: int, length: int) -> Iterator[int]:
    for far in range(1, length):
        for i in (at + far, at - far):
            if 0 <= i < length:
                yield i
