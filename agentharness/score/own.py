"""A scorer of a task's own: one function in its folder, `def right(subject, reference, *, option=…)`, that gives a number, a truth value or a Score."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from agentharness.types.score import Score

_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def wrapped(fn: Callable[..., Any]) -> Callable[..., Score]:
    """The function as a scorer: what is no Score becomes one, which names the function as its rule. What is no number is left for the total to refuse."""

    @functools.wraps(fn)
    def scored(subject: Any, reference: Any, **options: Any) -> Score:
        value = fn(subject, reference, **options)
        if isinstance(value, Score):
            return value
        if value is None:
            return Score(None, reason="the scorer gave None")
        return Score(float(value) if isinstance(value, bool) else value, getattr(fn, "__name__", ""))

    return scored


def needs_reference(fn: Callable[..., Any]) -> bool:
    """Whether the reference has no default."""
    placed = _placed(fn)
    return len(placed) < 2 or placed[1].default is inspect.Parameter.empty


def fault(fn: Callable[..., Any]) -> str:
    """What is wrong with its parameters; "" where nothing is."""
    placed = _placed(fn)
    if len(placed) != 2 and not (len(placed) > 2 and all(p.default is not inspect.Parameter.empty for p in placed[2:])):
        return f"takes {len(placed)} arguments by place, and is called with two: what is scored, and what it is compared with"
    return ""


def _placed(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    return [p for p in inspect.signature(fn).parameters.values() if p.kind in _BY_PLACE]
