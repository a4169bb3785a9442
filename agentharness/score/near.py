"""Scorers that forgive a little: a number read off a chart, a text read off a page."""

from __future__ import annotations

from typing import Any

from agentharness.corpus.alike import likeness
from agentharness.score.words import best
from agentharness.types.score import Score


def relaxed_accuracy(subject: Any, reference: Any, *, tolerance: float = 0.05) -> Score:
    """1 where a number is within `tolerance` of the reference's, relative to it, or a text is the same but for case; else 0. The best over a list.

    Formula: |s - r| / |r| <= tolerance where both read as numbers (`12 %` is 0.12) and r is not 0; else equality of the texts, case folded and stripped.
    Source: Masry et al. 2022 (ChartQA, section 5.1), after Methani et al. 2020.
    """

    def close(a: str, b: str) -> float:
        s, r = _number(a), _number(b)
        if s is not None and r:
            return float(abs(s - r) / abs(r) <= tolerance)
        return float(a.strip().casefold() == b.strip().casefold())

    return best(subject, reference, close, "relaxed_accuracy")


def anls(subject: Any, reference: Any, *, threshold: float = 0.5) -> Score:
    """Normalised Levenshtein similarity, 0 below `threshold`; the best over a list of references.

    Formula: 1 - distance(a, b) / max(len(a), len(b)) over the texts stripped and lower case, 0 where it is less than the threshold; 1 for two empty texts.
    Source: Biten et al. 2019 (ST-VQA); DocVQA uses it with 0.5. Raises UserError where `rapidfuzz` is not installed.
    """
    likeness("", "", "the scorer anls", "anls")

    def like(a: str, b: str) -> float:
        found = likeness(a.strip().lower(), b.strip().lower(), "the scorer anls", "anls")
        return found if found >= threshold else 0.0

    return best(subject, reference, like, "anls")


def _number(text: str) -> float | None:
    text = text.strip().replace(",", "")
    try:
        return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None
