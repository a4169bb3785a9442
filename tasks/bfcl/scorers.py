"""bfcl-eval's rule for multi-turn tasks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from agentharness.types.score import Score


def multi_turn(subject: Any, reference: Any) -> Score:
    """1 where every turn in which gold calls something was done, else 0.

    Both are lists of turns, {state: {API: digest}, results: [digest]}. A turn was done where something was called, the state is gold's, and what gold's calls
    gave stands among all that was given so far. Source: bfcl-eval's multi_turn_checker (Patil et al. 2025).
    """
    given: Counter[str] = Counter()
    for i, wanted in enumerate(reference):
        if i >= len(subject):
            return Score(0.0, f"turn {i + 1} was not reached")
        given += Counter(subject[i]["results"])
        if not wanted["results"]:
            continue
        if not subject[i]["results"]:
            return Score(0.0, f"turn {i + 1}: nothing was called")
        if subject[i]["state"] != wanted["state"]:
            return Score(0.0, f"turn {i + 1}: another state")
        if Counter(wanted["results"]) - given:
            return Score(0.0, f"turn {i + 1}: a result is missing")
    return Score(1.0, "all turns")
