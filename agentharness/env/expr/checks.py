"""The tests behind `is`: `x is none`, `x is even`, `selectattr('year', 'gt', 1990)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentharness.env.expr.budget import ExprError, Run, kind_of
from agentharness.env.expr.ops import COMPARE, NUMBERS, contains, mod


def _starts(value: Any, start: Any, run: Run | None) -> bool:
    return type(value) is str and type(start) is str and value.startswith(start)


def _ends(value: Any, end: Any, run: Run | None) -> bool:
    return type(value) is str and type(end) is str and value.endswith(end)


def _has(value: Any, what: Any, run: Run | None) -> bool:
    return contains(what, value, run)


def _divisible(value: Any, by: Any, run: Run | None) -> bool:
    return bool(mod(value, by, run) == 0)


def _even(value: Any) -> bool:
    if type(value) is not int:
        raise ExprError(f"even and odd take a whole number, not {kind_of(value)}")
    return value % 2 == 0


ONE: dict[str, Callable[[Any], bool]] = {
    "boolean": lambda value: type(value) is bool,
    "defined": lambda value: value is not None,
    "even": _even,
    "false": lambda value: value is False,
    "float": lambda value: type(value) is float,
    "integer": lambda value: type(value) is int,
    "mapping": lambda value: type(value) is dict,
    "none": lambda value: value is None,
    "number": lambda value: type(value) in NUMBERS and type(value) is not bool,
    "odd": lambda value: not _even(value),
    "sequence": lambda value: type(value) in (list, str),
    "string": lambda value: type(value) is str,
    "true": lambda value: value is True,
    "undefined": lambda value: value is None,
}
"""Tests without an argument. What is missing is null, so `defined` is `not none`."""

TWO: dict[str, Callable[[Any, Any, Run | None], bool]] = {
    "!=": COMPARE["ne"],
    "<": COMPARE["lt"],
    "<=": COMPARE["lteq"],
    "==": COMPARE["eq"],
    ">": COMPARE["gt"],
    ">=": COMPARE["gteq"],
    "contains": _has,
    "divisibleby": _divisible,
    "endingwith": _ends,
    "eq": COMPARE["eq"],
    "equalto": COMPARE["eq"],
    "ge": COMPARE["gteq"],
    "greaterthan": COMPARE["gt"],
    "gt": COMPARE["gt"],
    "in": COMPARE["in"],
    "le": COMPARE["lteq"],
    "lessthan": COMPARE["lt"],
    "lt": COMPARE["lt"],
    "ne": COMPARE["ne"],
    "startingwith": _starts,
}
"""Tests with one argument."""
