"""The scorers by name, and the checks of a task's rewards at load."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from agentharness.errors import UserError, closest
from agentharness.score import near, own, places, rows, turns, values, words
from agentharness.types.part import JsonDict
from agentharness.types.score import Score


@dataclass(slots=True, frozen=True)
class Scorer:
    """A named way to score. A change that changes any value raises `version`, which counts into the scoring digest."""

    fn: Callable[..., Score]
    """fn(subject, reference, **options) -> Score."""
    version: int
    needs_reference: bool = True
    values: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Option -> the words that it may be, where it is one of a few."""

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
    def fn(self) -> Callable[..., Any] | None:
        """The scorer where it is the task's own."""
        ...

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
    "per_turn": Scorer(turns.per_turn, 1, values={"by": turns.BY}),
}


def scorer_of(rule: RewardRule) -> Scorer:
    """The scorer of a reward: the task's own, or one of SCORERS. Raises KeyError where there is none."""
    if rule.fn is None:
        return SCORERS[rule.scorer]
    return Scorer(own.wrapped(rule.fn), 1, own.needs_reference(rule.fn))


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
        if rule.fn is None and rule.scorer not in SCORERS:
            raise UserError(f"there is no scorer {rule.scorer!r}", where=f"rewards.{reward}.scorer", hint=closest(rule.scorer, SCORERS))
        if rule.fn is not None and (fault := own.fault(rule.fn)):
            raise UserError(f"{rule.scorer} {fault}", where=f"rewards.{reward}.scorer", hint="def NAME(subject, reference, *, option=1): return 0.5")
        scorer = scorer_of(rule)
        if rule.against is None and scorer.needs_reference:
            raise UserError(
                f"{rule.scorer} compares with a right answer, and the task names none",
                where=f"rewards.{reward}.scorer",
                hint="add `answer: COLUMN`, or `against:` to the reward",
            )
        known = scorer.options
        for option, value in rule.options.items():
            if option not in known:
                raise UserError(f"{rule.scorer} has no option {option!r}", where=f"rewards.{reward}.options", hint=closest(option, known))
            if option in scorer.values and value not in scorer.values[option]:
                what = f"{option} of {rule.scorer} cannot be {value!r}"
                raise UserError(what, where=f"rewards.{reward}.options.{option}", hint=closest(str(value), scorer.values[option]))
        if not (math.isfinite(rule.weight) and rule.weight >= 0):
            raise UserError(f"a weight cannot be {rule.weight}", where=f"rewards.{reward}.weight", hint="0 or a positive number")
