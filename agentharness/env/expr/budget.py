"""What one evaluation may spend: steps charged by size, text, integers, nesting. Every check stands before the work it bounds."""

from __future__ import annotations

from typing import Any

from agentharness.canon import dumps
from agentharness.config.yaml import Place

STEPS = 100_000
"""Steps of one evaluation: about one for each node evaluated in a loop, each item that a filter looks at, each 64 characters that are copied."""
TEXT = 65_536
"""Characters of a text that an evaluation builds."""
INT = 2**64
"""Absolute values of integers stay below this."""
DEPTH = 100
"""Lists in lists."""
RESULT = 250_000
"""Size of a result: its values, plus a 64th of its characters. Shared parts count each time they stand there, as they would once written out."""


class ExprError(Exception):
    """An expression that failed on these values: what went wrong, the source, and where it stands in the task."""

    def __init__(self, message: str, source: str = "", place: Place | None = None) -> None:
        self.message, self.source, self.place = message, source, place
        super().__init__(message)

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.message} (in {short(self.source)})" if self.source else self.message


class Run:
    """One evaluation's accounts: steps left, locals, output so far."""

    __slots__ = ("frame", "left", "out", "room")

    def __init__(self, slots: int = 0, steps: int = STEPS) -> None:
        self.left = steps
        self.room = TEXT
        self.frame: list[Any] = [None] * slots
        self.out: list[str] = []

    def charge(self, steps: int) -> None:
        """Takes `steps` off. Raises ExprError when none are left."""
        self.left -= steps
        if self.left < 0:
            raise ExprError(f"takes more than {STEPS} steps")

    def text(self, size: int) -> None:
        """Charges a text of `size` characters that is about to be built. Raises ExprError where it is too long."""
        if size > TEXT:
            raise ExprError(f"would build a text of {size} characters, more than {TEXT}")
        self.charge(1 + (size >> 6))

    def write(self, piece: str) -> None:
        """Appends to the output. Raises ExprError where it gets too long."""
        self.room -= len(piece)
        if self.room < 0:
            raise ExprError(f"writes more than {TEXT} characters")
        self.out.append(piece)


def weigh(value: Any, run: Run, depth: int = 0) -> None:
    """Charges the whole of a value as it would be written out, before something walks it."""
    kind = type(value)
    if kind is str:
        run.charge(1 + (len(value) >> 6))
    elif kind is list or kind is dict:
        if depth >= DEPTH:
            raise ExprError(f"is nested deeper than {DEPTH} levels")
        run.charge(1 + len(value))
        for item in value if kind is list else value.values():
            weigh(item, run, depth + 1)


def text(value: Any, run: Run | None) -> str:
    """How a value is shown: null as nothing, booleans as in JSON, lists and objects as compact JSON."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if value is None:
        return ""
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is float:
        return repr(value)
    if run is not None:
        weigh(value, run)
    return dumps(value).decode()


def kind_of(value: Any) -> str:
    """A value's kind as users call it."""
    names = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


def short(value: str, most: int = 60) -> str:
    """A text for a message: quoted, on one line, cut."""
    return repr(value if len(value) <= most else value[: most - 1] + "…")
