"""What a check says of a task."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Colour = Literal["green", "yellow", "red"]
SHOWN = 3
"""Rows that a finding names."""


@dataclass(slots=True, frozen=True)
class Finding:
    """One thing that was looked at."""

    check: str
    colour: Colour
    what: str
    rows: tuple[str, ...] = ()
    """Keys of rows concerned, three at most."""
    hint: str = ""
    """What to do; "" where there is nothing to do."""


def some(keys: Iterable[str]) -> tuple[str, ...]:
    """The first rows of many."""
    return tuple(key for key, _ in zip(keys, range(SHOWN), strict=False))


def count(n: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
