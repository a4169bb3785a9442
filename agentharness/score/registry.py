"""The scorers by name, and the checks of a task's rewards at load."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from agentharness.errors import UserError, closest
from agentharness.score import near, places, rows, values, words
from agentharness.types.part import JsonDict
from agentharness.types.score import Score


@dataclass(slots=True, frozen=True)
class Scorer:
    """A named way to score. A change that changes any value raises `version`, which counts into the scoring digest."""

    fn: Callable[..., Score]
    """fn(subject, reference, **options) -> Score."""
    version: int
    needs_reference: bool = True

    @property
    def options(self) -> list[str]:
        """Names of the options that `fn` takes."""
        return [p.name for p in inspect.signature(self.fn).parameters.values() if p.kind is p.KEYWORD_ONLY]


class RewardRule(Protocol):
    """A reward of a task, as the env compiles it."""

    @property
    def scorer(self) -> str: ...
    @property
    def weight(self) -> float: ...
    @property
    def options(self) -> JsonDict: ...
    @property
    def against(self) -> object | None:
        """What the reference is made by; None where the task names none."""
        ...

    def resolve(self, row_full: JsonDict, state: JsonDict, goal: JsonDict | None = None, distance: JsonDict | None = None) -> tuple[Any, Any]:
        """(subject, reference) of an episode: its row with gold, its last state, the state that its gold actions reach, its distances."""
        ...


SCORERS: dict[str, Scorer] = {
    "exact": Scorer(words.exact, 1),
    "contains": Scorer(words.contains, 1),
    "numeric": Scorer(values.numeric, 1),
    "choice": Scorer(values.choice, 1),
    "squad_em": Scorer(words.squad_em, 1),
    "squad_f1": Scorer(words.squad_f1, 1),
    "turns_f1": Scorer(words.turns_f1, 1),
    "hotpot_f1": Scorer(words.hotpot_f1, 1),
    "equal": Scorer(values.equal, 1),
    "share": Scorer(values.share, 1),
    "progress": Scorer(values.progress, 1, needs_reference=False),
    "amount": Scorer(values.amount, 1, needs_reference=False),
    "relaxed_accuracy": Scorer(near.relaxed_accuracy, 1),
    "anls": Scorer(near.anls, 1),
    "geo_distance": Scorer(places.geo_distance, 1),
    "point_in_box": Scorer(places.point_in_box, 1),
    "iou": Scorer(places.iou, 1),
    "result_set": Scorer(rows.result_set, 1),
}


def versions() -> dict[str, int]:
    """Scorer -> version."""
    return {name: s.version for name, s in SCORERS.items()}


def check_scorers(names: Iterable[str]) -> None:
    """Raises UserError for the first name that is no scorer."""
    for name in names:
        if name not in SCORERS:
            raise UserError(f"there is no scorer {name!r}", where=name, hint=closest(name, SCORERS))


def check_rules(rules: Mapping[str, RewardRule]) -> None:
    """Raises UserError for an unknown scorer, an unknown option, or a weight that is negative or no finite number."""
    for reward, rule in rules.items():
        if rule.scorer not in SCORERS:
            raise UserError(f"there is no scorer {rule.scorer!r}", where=f"rewards.{reward}.scorer", hint=closest(rule.scorer, SCORERS))
        if rule.against is None and SCORERS[rule.scorer].needs_reference:
            raise UserError(
                f"{rule.scorer} compares with a right answer, and the task names none",
                where=f"rewards.{reward}.scorer",
                hint="add `answer: COLUMN`, or `against:` to the reward",
            )
        known = SCORERS[rule.scorer].options
        for option in rule.options:
            if option not in known:
                raise UserError(f"{rule.scorer} has no option {option!r}", where=f"rewards.{reward}.options", hint=closest(option, known))
        if not (math.isfinite(rule.weight) and rule.weight >= 0):
            raise UserError(f"a weight cannot be {rule.weight}", where=f"rewards.{reward}.weight", hint="0 or a positive number")
