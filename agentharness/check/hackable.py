"""Rewards that one fixed answer wins: the empty text, yes, a letter, the commonest answer, all answers at once, the question itself."""

from __future__ import annotations

from collections import Counter
from typing import Any

from agentharness import canon
from agentharness.check.finding import Finding
from agentharness.check.played import Played, shown
from agentharness.errors import EpisodeError
from agentharness.score.total import score_all, total
from agentharness.types.part import JsonDict

RED, YELLOW = 0.9, 0.5
"""A fixed answer that scores this on the mean."""
FIXED = ("", "yes", "no", "true", "0", "A", "(A)")
ALL = 50
"""Different answers that are said at once."""


def hackable(played: Played) -> Finding:
    """The fixed answer that scores best."""
    world = played.world
    if not world.rewards or world.answering is None:
        return Finding("hackable", "green", "no action takes a fixed text")
    right = _right(played)
    tries = {repr(text): dict.fromkeys(played.keys, text) for text in FIXED}
    if right:
        best, _ = Counter(right.values()).most_common(1)[0]
        tries[f"the commonest answer, {best[:40]!r}"] = dict.fromkeys(played.keys, best)
        every = list(dict.fromkeys(right.values()))
        if 1 < len(every) <= ALL:
            tries["all answers at once"] = dict.fromkeys(played.keys, ", ".join(every))
    tries["the question itself"] = {key: (shown(played.lines["noop"][key]) or [""])[0] for key in played.keys if key in played.lines["noop"]}
    means = {name: _mean(played, said) for name, said in tries.items()}
    name, mean = max(means.items(), key=lambda item: item[1])
    said = f"{name} scores {mean:.3f} on every row's mean"
    if mean >= RED:
        return Finding("hackable", "red", said, hint="choose a scorer that extracts one answer, or balance the rows")
    if mean >= YELLOW:
        return Finding("hackable", "yellow", said, hint="compare models with that number, not with 0")
    return Finding("hackable", "green", f"the best fixed answer scores {mean:.3f} ({name})")


def _right(played: Played) -> dict[str, str]:
    """Row key -> what the oracle submitted, where that is a text."""
    said: dict[str, Any] = {key: (line.get("final_state") or {}).get("submission") for key, line in played.lines["oracle"].items()}
    return {key: text for key, text in said.items() if isinstance(text, str)}


def _mean(played: Played, said: dict[str, str]) -> float:
    """The mean reward if these were submitted at once."""
    world = played.world
    weights = {name: rule.weight for name, rule in world.rewards.items()}
    values = []
    for key, text in said.items():
        state: JsonDict = {**(played.lines["noop"][key].get("final_state") or {}), "over": True, "submission": text}
        try:
            goal = world.goal(key, canon.derive_seed(world.name, key, played.seed))
            values.append(total(score_all(world.rewards, world.full(key), state, goal), weights) or 0.0)
        except EpisodeError:
            values.append(0.0)
    return sum(values) / max(1, len(values))
