"""The goal: the state that a row's gold actions reach when the world plays them. Pure; for scoring only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentharness.env.advance import advance, start
from agentharness.env.expr import ExprError
from agentharness.env.given import actions
from agentharness.env.rules import Rules
from agentharness.env.setup import given, uncharged
from agentharness.env.views import Scene
from agentharness.errors import EpisodeError
from agentharness.types.env import Outcome
from agentharness.types.move import Action, Need
from agentharness.types.part import JsonDict

_ASKED = 64
"""Answers from outside that one transition of the goal may use up."""


def reach(rules: Rules, row: str, seed: int) -> JsonDict:
    """The state after the setup and the gold actions, from the same row and env seed. What a rule asks outside is answered by an empty text.

    Raises EpisodeError("scorer"): the list is none, an action fails, or a rule does.
    """
    assert rules.goal is not None
    try:
        listed = actions(rules.goal({"row": rules.rows.full(rules.table, row, row)}), "goal")
        scene = rules.scene(row, seed)
        state = _answered(lambda answers: start(rules, scene, answers)).state
        for action in given(rules, row):
            state = _set_up(rules, scene, state, action)
        for i, action in enumerate(listed):
            state = _step(rules, scene, state, action, f"goal: action {i + 1} ({action.name})")
        return state
    except (ExprError, ValueError) as e:
        raise EpisodeError("scorer", str(e) if str(e).startswith("goal") else f"goal: {e}") from e
    except EpisodeError as e:
        raise EpisodeError("scorer", e.message if e.message.startswith("goal") else f"goal: {e.message}") from e


def _set_up(rules: Rules, scene: Scene, state: JsonDict, action: Action) -> JsonDict:
    # one that fails fails in the episode too, which is then an error of its own; or it lacks a voice, and gold needs none
    out = _answered(lambda answers: advance(rules, scene, state, action, answers))
    uncharged(state, out)
    return out.state


def _step(rules: Rules, scene: Scene, state: JsonDict, action: Action, label: str) -> JsonDict:
    try:
        out = _answered(lambda answers: advance(rules, scene, state, action, answers))
    except EpisodeError as e:
        raise EpisodeError("scorer", f"{label}: {e.message}") from e
    if out.verdict != "ok":
        raise EpisodeError("scorer", f"{label} is {out.verdict}: {out.message}")
    return out.state


def _answered(step: Callable[[list[Any]], Outcome | Need]) -> Outcome:
    answers: list[Any] = []
    while isinstance(out := step(answers), Need):
        if len(answers) >= _ASKED:
            raise EpisodeError("scorer", f"it asks {out.role} again and again")
        answers.append("")
    return out
