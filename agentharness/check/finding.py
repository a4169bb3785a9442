"""What a check finds: one named finding with its colour, the rows concerned and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Colour = Literal["green", "yellow", "red"]

SHOWN = 3
"""Rows that a finding names."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A mechanical change of task.yaml: the value of one key of the long form."""

    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `rows`: at most three of those concerned, as they are to be shown; `count`: how many there are in all."""

    name: str
    colour: Colour
    text: str
    rows: tuple[str, ...] = ()
    count: int = 0
    todo: str = ""
    fix: Fix | None = None


def found(name: str, colour: Colour, text: str, rows: Sequence[str] = (), *, todo: str = "", fix: Fix | None = None) -> Finding:
    """A finding about `rows`, of which the first three are kept."""
    return Finding(name, colour, text, tuple(rows[:SHOWN]), len(rows), todo, fix)


@dataclass(slots=True)
class Report:
    """A task, checked."""

    task: str
    data: str
    """`source=…`, the name of the data, or "" for the task's own."""
    world: str
    licence: str
    rows: int
    looked: int
    """Rows that were played."""
    findings: list[Finding] = field(default_factory=list)
    means: dict[str, float | None] = field(default_factory=dict)
    """Agent -> mean reward."""
    seconds: float = 0.0

    @property
    def colour(self) -> Colour:
        """The worst of the findings'."""
        return max((f.colour for f in self.findings), key=("green", "yellow", "red").index, default="green")

    @property
    def fixes(self) -> list[Fix]:
        """What `fix=true` would change."""
        return [f.fix for f in self.findings if f.fix is not None]


def share(n: int, of: int) -> str:
    """`3 of 200 rows`."""
    return f"{n:,} of {of:,} row{'' if of == 1 else 's'}"


def rate(value: float | None, interval: tuple[float, float] | None) -> str:
    """`0.120 (0.080 – 0.170)`, a mean with its 95 % interval."""
    if value is None:
        return "—"
    return f"{value:.3f}" if interval is None else f"{value:.3f} ({interval[0]:.3f} – {interval[1]:.3f})"
