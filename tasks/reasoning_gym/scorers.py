"""The package's own scoring of an answer."""

from __future__ import annotations

from functools import cache
from typing import Any

from agentharness.types.score import Score


def score_answer(subject: Any, reference: Any) -> Score:
    """What the family's `score_answer` gives, in [0, 1]; some families give part of a point for an answer that is near, or only of the right form. The
    reference is the whole row. An answer on which the package fails is no answer."""
    if not isinstance(subject, str):
        return Score(0.0, "no submission")
    entry = {"question": reference["question"], "answer": reference["answer"], "metadata": reference["metadata"]}
    try:
        return Score(float(_family(reference["family"])(subject, entry)), reference["family"])
    except Exception as e:  # noqa: BLE001  (whatever an agent's text does to code that is not ours)
        return Score(0.0, f"{reference['family']}: {type(e).__name__}")


@cache
def _family(name: str) -> Any:
    from reasoning_gym import get_score_answer_fn

    return get_score_answer_fn(name)
