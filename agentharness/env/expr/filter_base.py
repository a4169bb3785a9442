"""What filters share: how they take a list, a text, a field, an order."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeAlias

from agentharness.canon import dumps
from agentharness.env.expr.budget import ExprError, Run, kind_of, text, weigh
from agentharness.env.expr.ops import item, ordered

Keys: TypeAlias = tuple[str | int, ...]
"""A path inside an item; () is the item itself."""


def listed(value: Any, run: Run) -> list[Any]:
    """The items that a list filter works on: null is empty, an object gives its keys."""
    kind = type(value)
    if kind is list or kind is dict:
        run.charge(1 + len(value))
        return list(value) if kind is dict else value
    if value is None:
        return []
    raise ExprError(f"takes a list, not {kind_of(value)}")


def string(value: Any, run: Run) -> str:
    """The text that a text filter works on; other values as they are shown."""
    out = text(value, run)
    run.charge(1 + (len(out) >> 6))
    return out


def whole(value: Any) -> int:
    if type(value) is not int:
        raise ExprError(f"takes a whole number, not {kind_of(value)}")
    return value


def reach(value: Any, path: Keys) -> Any:
    """A field of an item; null where the item is no object."""
    for key in path:
        value = item(value, key) if type(value) in (dict, list) else None
    return value


def folded(value: Any, case_sensitive: Any) -> Any:
    return value.casefold() if type(value) is str and not case_sensitive else value


def in_order(rows: list[Any], run: Run, path: Keys, case_sensitive: Any = False, reverse: Any = False) -> list[tuple[Any, Any]]:
    """(key, row) in the order of the keys, which must all be numbers or all texts."""
    keyed = [(folded(reach(row, path), case_sensitive), row) for row in rows]
    for (key, _), (other, _) in pairwise(keyed):
        ordered(key, other)
    for key, _ in keyed:
        run.charge(2 + (len(key) >> 6 if type(key) is str else 0))
    return sorted(keyed, key=lambda pair: pair[0], reverse=bool(reverse))


def identity(value: Any, run: Run) -> Any:
    if type(value) in (list, dict):
        weigh(value, run)
        return (None, dumps(value))
    if type(value) is str:
        run.charge(len(value) >> 6)
    return (type(value) is bool, value)
