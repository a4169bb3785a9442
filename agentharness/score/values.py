"""Scorers that compare values: a number, a choice, a piece of JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from agentharness.canon import same
from agentharness.score.extract_choice import choice as chosen
from agentharness.score.extract_choice import options
from agentharness.score.extract_number import number
from agentharness.score.words import no_answer, references
from agentharness.types.score import Score


def numeric(subject: Any, reference: Any, *, tolerance: float = 0.0, relative: float = 0.0) -> Score:
    """1 where the number extracted from the subject (rules: `extract_number.number`) is the reference's, else 0; the best over a list of references.

    Formula: |s - r| <= max(tolerance, relative * |r|), exact arithmetic, both 0 unless the task asks (so 100001 is not 100000). A percent sign is flagged in
    the rule and does not change the value. Source: this project. A reference without a number is unscored.
    """
    early = no_answer(subject, reference)
    if early is not None:
        return early
    targets = [number(r).value for r in (reference if isinstance(reference, list | tuple) else [reference])]
    if any(t is None for t in targets):
        return Score(None, reason="the reference holds no number")
    found = number(subject)
    if found.value is None:
        return Score(0.0, found.rule)
    close = any(_close(found.value, t, tolerance, relative) for t in targets)
    return Score(float(close), found.rule, found.text)


def choice(subject: Any, reference: Any, *, choices: Any = None, multiple: bool = False) -> Score:
    """1 where the option extracted from the subject (rules: `extract_choice.choice`) is the reference's, else 0; with `multiple`, where the sets are equal.

    `choices`: the options as a list of texts, a letter -> text mapping, or their number. The reference is a letter, `(B)`, an option's text, or its index
    from 0 (with `multiple` a list of these, or `A, C`); where rows have options of their own it is {"answer": …, "choices": …}. Source: this project. A
    reference that is no option is unscored.
    """
    if isinstance(reference, Mapping) and "answer" in reference:
        reference, choices = reference["answer"], reference.get("choices", choices)
    early = no_answer(subject, reference)
    if early is not None:
        return early
    known = options(choices)
    if multiple and isinstance(reference, str):
        reference = sorted(chosen(reference, choices, multiple=True).value or [reference])
    targets = {_letter(r, known) for r in (reference if isinstance(reference, list | tuple) else [reference])}
    if None in targets:
        return Score(None, reason=f"the reference is none of the options {', '.join(known)}")
    found = chosen(subject, choices, multiple=multiple)
    if found.value is None:
        return Score(0.0, found.rule, found.text)
    shown = "".join(sorted(found.value)) if multiple else found.value
    return Score(float(found.value == targets if multiple else found.value in targets), found.rule, shown)


def equal(subject: Any, reference: Any) -> Score:
    """1 where the two are the same JSON, else 0. For state paths: a subject of None is a value, not a missing submission.

    Formula: numbers by value (1 = 1.0), true is not 1, texts exactly, lists in order, objects by keys; NaN equals nothing. Source: this project.
    """
    return Score(float(same(subject, reference)), "equal")


def share(subject: Any, reference: Any) -> Score:
    """How much of the reference the subject is: both are numbers, in [0, 1].

    Formula: min(1, max(0, s / r)); a subject that is no number is 0, a reference that is none above 0 is unscored. Source: this project.
    """
    if not _amount(reference) or reference <= 0:
        return Score(None, reason="the reference is no number above 0")
    return Score(min(1.0, max(0.0, subject / reference)) if _amount(subject) else 0.0, "share")


def progress(subject: Any, reference: Any) -> Score:
    """How much of the way to a goal was made: the subject is the list of distances, first to last.

    Formula: max(0, 1 - d_last / d_first); 1 where it began at the goal and ends there. A last distance of null (no way is left) is 0, a first one unscored.
    Source: this project; the steps' differences are the potential-based shaping of Ng, Harada, Russell 1999 with the potential -d.
    """
    if not isinstance(subject, list) or not subject or not _amount(subject[0]):
        return Score(None, reason="there is no way to the goal from where it began")
    first, last = subject[0], subject[-1]
    if not _amount(last):
        return Score(0.0, "progress")
    return Score(float(last == 0) if first == 0 else max(0.0, 1 - last / first), "progress")


def amount(subject: Any, reference: Any) -> Score:
    """The subject itself, where it is a number: a sum of recorded rewards, a count. Not bounded, so give it weight 0 beside rewards in [0, 1].

    Formula: s. Source: this project. A subject that is no number is unscored.
    """
    return Score(float(subject), "amount") if _amount(subject) else Score(None, reason="the subject is no number")


def _amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _close(value: float, target: float, tolerance: float, relative: float) -> bool:
    if isinstance(value, int) and isinstance(target, int) and not tolerance and not relative:
        return value == target
    s, r = _exactly(value), _exactly(target)
    return abs(s - r) <= max(_exactly(tolerance), _exactly(relative) * abs(r))


def _exactly(value: float) -> Fraction:
    """The decimal number that is written: .1 is one tenth, not the nearest double."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value)) if math.isfinite(value) else Fraction(0)


def _letter(reference: Any, known: Mapping[str, str]) -> str | None:
    if isinstance(reference, int) and not isinstance(reference, bool):
        return list(known)[reference] if 0 <= reference < len(known) else None
    text = references(reference)[0].strip()
    letter = text.strip("().: ").upper()
    if letter in known:
        return letter
    same_text = [k for k, v in known.items() if v and " ".join(v.split()).casefold() == " ".join(text.split()).casefold()]
    return same_text[0] if len(same_text) == 1 else None
