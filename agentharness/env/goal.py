"""The goal: the state that a row's gold actions reach when the world plays them. Pure; for scoring only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentharness import canon
from agentharness.env.advance import advance, start
from agentharness.env.expr import ExprError
from agentharness.env.rules import Rules
from agentharness.env.views import Scene
from agentharness.errors import EpisodeError
from agentharness.types.env import Outcome
from agentharness.types.move import Action, Need
from agentharness.types.part import JsonDict

_ARGS = ("args", "kwargs", "arguments")
"""How data sets call the arguments of an action."""
_ASKED = 64
"""Answers from outside that one transition of the goal may use up."""


def actions(value: Any, where: str) -> list[Action]:
    """A list of {name, args} as actions; `kwargs` and `arguments` are other words for args. Raises ValueError that names the item which is none."""
    if not isinstance(value, list):
        raise ValueError(f"{where} is {canon.dumps(value).decode()[:80]}, a list of {{name, args}} is wanted")
    out: list[Action] = []
    for i, one in enumerate(value):
        name, args = (one.get("name"), [one[key] for key in _ARGS if key in one]) if isinstance(one, dict) else (None, [])
        if not isinstance(name, str) or len(args) != len(one) - 1 or len(args) > 1 or not all(isinstance(given, dict) for given in args):
            raise ValueError(f"{where}: action {i + 1} is {canon.dumps(one).decode()[:80]}, not {{name, args}}")
        out.append(Action(name, dict(args[0]) if args else {}))
    return out


def reach(rules: Rules, row: str, seed: int) -> JsonDict:
    """The state after the gold actions, from the same row and env seed. What a rule asks outside is answered by an empty text: gold needs no voice.

    Raises EpisodeError("scorer"): the list is none, an action fails, or a rule does.
    """
    assert rules.goal is not None
    try:
        listed = actions(rules.goal({"row": rules.rows.full(rules.table, row, row)}), "goal")
        scene = rules.scene(row, seed)
        state = _answered(lambda answers: start(rules, scene, answers)).state
        for i, action in enumerate(listed):
            state = _step(rules, scene, state, action, f"goal: action {i + 1} ({action.name})")
        return state
    except (ExprError, ValueError) as e:
        raise EpisodeError("scorer", str(e) if str(e).startswith("goal") else f"goal: {e}") from e
    except EpisodeError as e:
        raise EpisodeError("scorer", e.message if e.message.startswith("goal") else f"goal: {e.message}") from e


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
