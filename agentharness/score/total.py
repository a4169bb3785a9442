"""The scoring of one episode. Pure: no env, no model, no clock."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from agentharness.errors import EpisodeError
from agentharness.score.registry import SCORERS, RewardRule
from agentharness.types.part import JsonDict
from agentharness.types.score import Score


def score_all(
    rules: Mapping[str, RewardRule], row_full: JsonDict, state: JsonDict, goal: JsonDict | None = None, distance: JsonDict | None = None
) -> dict[str, Score]:
    """Reward -> score of one episode. `goal`: the state that the row's gold actions reach, where a reward asks for it. `distance`:
    name -> hops to a goal from each place stood on. A score that is no finite number is unscored, with the reason. Raises EpisodeError("scorer", …) that names
    the reward where resolving or scoring raises."""
    out = {}
    for name, rule in rules.items():
        try:
            subject, reference = rule.resolve(row_full, state, goal, distance)
            score = SCORERS[rule.scorer].fn(subject, reference, **rule.options)
            out[name] = _finite(score)
        except Exception as e:
            raise EpisodeError("scorer", f"reward {name!r} ({rule.scorer}): {type(e).__name__}: {e}") from e
    return out


def total(scores: Mapping[str, Score], weights: Mapping[str, float]) -> float | None:
    """The weighted mean over the rewards (a weight that is not named is 1). None where a reward with a weight above 0 is unscored, or none has one."""
    weighed = [(s.value, weights.get(name, 1.0)) for name, s in scores.items() if weights.get(name, 1.0) > 0]
    if not weighed or any(value is None for value, _ in weighed):
        return None
    return math.fsum(value * weight for value, weight in weighed if value is not None) / math.fsum(weight for _, weight in weighed)


def _finite(score: Score) -> Score:
    value: Any = score.value
    if value is None:
        return score
    if not isinstance(value, int | float):
        return Score(None, score.rule, score.extracted, f"the scorer gave {value!r:.80}, no number")
    if not math.isfinite(value):
        return Score(None, score.rule, score.extracted, f"the scorer gave {value}")
    return score if type(value) is float else Score(float(value), score.rule, score.extracted, score.reason)
