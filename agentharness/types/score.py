"""What a scorer gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Score:
    """`value` None means unscored, with the reason; the rule that fired and the extracted text stand beside the value."""

    value: float | None
    rule: str = ""
    extracted: str | None = None
    reason: str = ""
