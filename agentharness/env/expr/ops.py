"""Operators on plain JSON, each checked before its work. Operands of the wrong kind raise ExprError; what is not there is null."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from agentharness.env.expr.budget import INT, ExprError, Run, kind_of, weigh

NUMBERS = frozenset({int, float, bool})


def item(value: Any, key: Any) -> Any:
    """`value[key]` or `value.key`: null where it is missing or `value` is null."""
    kind = type(value)
    if value is None or key is None:
        return None
    if kind is dict:
        if type(key) is str:
            return value.get(key)
    elif kind is list or kind is str:
        if type(key) is int:
            return value[key] if -len(value) <= key < len(value) else None
        if type(key) is str and kind is list:
            raise ExprError(f"a list has no field {key!r}: take one item with [0], or that field of each with map({key!r})")
    raise ExprError(f"{kind_of(value)} has no {kind_of(key).split(' ')[-1]} index" if type(key) is not str else f"{kind_of(value)} has no field {key!r}")


def part(value: Any, start: Any, stop: Any, step: Any, run: Run) -> Any:
    """`value[start:stop:step]` of a list or a text."""
    if value is None:
        return None
    if type(value) not in (list, str):
        raise ExprError(f"{kind_of(value)} has no slices")
    if any(x is not None and type(x) is not int for x in (start, stop, step)) or step == 0:
        raise ExprError("a slice takes whole numbers, and no step of 0")
    run.charge(1 + len(value))
    return value[start:stop:step]


def bounded(value: Any) -> Any:
    """A number that an operator made, if it is small enough to go on with."""
    kind = type(value)
    if kind is int:
        if -INT < value < INT:
            return value
    elif kind is bool or (kind is float and math.isfinite(value)):
        return value
    raise ExprError("makes a number that is too large")


def _wrong(word: str, a: Any, b: Any) -> ExprError:
    return ExprError(f"cannot {word} {kind_of(a)} and {kind_of(b)}")


def add(a: Any, b: Any, run: Run) -> Any:
    ta, tb = type(a), type(b)
    if ta in NUMBERS and tb in NUMBERS:
        return bounded(a + b)
    if ta is str and tb is str:
        run.text(len(a) + len(b))
        return a + b
    if ta is list and tb is list:
        run.charge(1 + len(a) + len(b))
        return a + b
    raise _wrong("add", a, b)


def sub(a: Any, b: Any, run: Run | None) -> Any:
    if type(a) in NUMBERS and type(b) in NUMBERS:
        return bounded(a - b)
    raise _wrong("subtract", a, b)


def mul(a: Any, b: Any, run: Run) -> Any:
    ta, tb = type(a), type(b)
    if ta in NUMBERS and tb in NUMBERS:
        return bounded(a * b)
    if ta is int:
        a, b, ta, tb = b, a, tb, ta
    if tb is int and ta is str:
        run.text(len(a) * max(b, 0))
        return a * b
    if tb is int and ta is list:
        run.charge(1 + len(a) * max(b, 0))
        return a * b
    raise _wrong("multiply", a, b)


def div(a: Any, b: Any, run: Run | None) -> Any:
    _numbers("divide", a, b)
    return bounded(a / b)


def floordiv(a: Any, b: Any, run: Run | None) -> Any:
    _numbers("divide", a, b)
    return bounded(a // b)


def mod(a: Any, b: Any, run: Run | None) -> Any:
    if type(a) is str:
        raise ExprError("% takes numbers only: build text with ~ or {{ }}")
    _numbers("divide", a, b)
    return bounded(a % b)


def _numbers(word: str, a: Any, b: Any) -> None:
    if type(a) not in NUMBERS or type(b) not in NUMBERS:
        raise _wrong(word, a, b)
    if b == 0:
        raise ExprError("divides by zero")


def power(a: Any, b: Any, run: Run | None) -> Any:
    if type(a) not in NUMBERS or type(b) not in NUMBERS:
        raise _wrong("raise", a, b)
    if a == 0 and b < 0:
        raise ExprError("divides by zero")
    if isinstance(a, int) and isinstance(b, int) and a not in (-1, 0, 1) and b > 64:
        raise ExprError("makes a number that is too large")
    try:
        return bounded(a**b)
    except OverflowError:
        raise ExprError("makes a number that is too large") from None


def negative(a: Any) -> Any:
    if type(a) not in NUMBERS:
        raise ExprError(f"cannot negate {kind_of(a)}")
    return bounded(-a)


def positive(a: Any) -> Any:
    if type(a) not in NUMBERS:
        raise ExprError(f"cannot take {kind_of(a)} as a number")
    return bounded(+a)


def equal(a: Any, b: Any, run: Run | None) -> bool:
    if run is not None and type(a) in (list, dict) and type(b) in (list, dict):
        weigh(a, run)
        weigh(b, run)
    return bool(a == b)


def unequal(a: Any, b: Any, run: Run | None) -> bool:
    return not equal(a, b, run)


def contains(a: Any, b: Any, run: Run | None) -> bool:
    """`a in b`: an item of a list, a key of an object, a piece of a text. Nothing is in null, null is in no text."""
    kind = type(b)
    if kind is list:
        if run is not None:
            _charge_search(a, len(b), run)
        return a in b
    if b is None:
        return False
    if kind is dict:
        return type(a) is str and a in b
    if kind is str:
        if type(a) is str:
            if run is not None:
                run.charge(1 + (len(b) >> 6))
            return a in b
        if a is None:
            return False
        raise ExprError(f"looks for {kind_of(a)} in a text")
    raise ExprError(f"looks inside {kind_of(b)}")


def _charge_search(a: Any, size: int, run: Run) -> None:
    if type(a) in (list, dict):
        before = run.left
        weigh(a, run)
        run.charge(size * (before - run.left))
    else:
        run.charge(1 + size)


def lacks(a: Any, b: Any, run: Run | None) -> bool:
    return not contains(a, b, run)


def ordered(a: Any, b: Any) -> None:
    """Raises ExprError unless both are numbers or both are texts."""
    if not ((type(a) in NUMBERS and type(b) in NUMBERS) or (type(a) is str and type(b) is str)):
        raise _wrong("compare", a, b)


def less(a: Any, b: Any, run: Run | None) -> bool:
    ordered(a, b)
    return bool(a < b)


def less_equal(a: Any, b: Any, run: Run | None) -> bool:
    ordered(a, b)
    return bool(a <= b)


def greater(a: Any, b: Any, run: Run | None) -> bool:
    ordered(a, b)
    return bool(a > b)


def greater_equal(a: Any, b: Any, run: Run | None) -> bool:
    ordered(a, b)
    return bool(a >= b)


COMPARE: dict[str, Callable[[Any, Any, Run | None], bool]] = {
    "eq": equal,
    "ne": unequal,
    "lt": less,
    "lteq": less_equal,
    "gt": greater,
    "gteq": greater_equal,
    "in": contains,
    "notin": lacks,
}
