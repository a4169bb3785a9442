"""CASES section 4, and the other scorers of words and values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.score.values import equal
from agentharness.score.words import contains, exact, hotpot_f1, squad_em, squad_f1

WORDS = st.text("ab the.,-\n", max_size=30)


@pytest.mark.parametrize(
    ("subject", "reference", "value"),
    [
        ("the cat sat on the mat", "cat mat", 2 / 3),
        ("yes yes yes", "yes", 0.5),
        ("New York City", "New York", 0.8),
        ("", "", 1.0),
        ("x", "", 0.0),
        ("", "x", 0.0),
        ("the", "", 1.0),
        ("York", ["Paris", "New York"], 2 / 3),
        ("a b", "c d", 0.0),
        (5, "5", 1.0),
    ],
)
def test_squad_f1(subject: Any, reference: Any, value: float) -> None:
    assert squad_f1(subject, reference).value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("subject", "reference", "value"),
    [
        ("The Eiffel Tower.", "eiffel tower", 1.0),
        ("1,000", "1000", 1.0),
        ("U.S.", "us", 1.0),
        ("well-known", "well known", 0.0),
        ("", "", 1.0),
        ("x", ["y", "X!"], 1.0),
        ("a theory", "theory", 1.0),
        ("<think>y</think>x", "x", 1.0),
        ("<think>x", "x", 0.0),
    ],
)
def test_squad_em(subject: str, reference: Any, value: float) -> None:
    assert squad_em(subject, reference).value == value


@pytest.mark.parametrize(
    ("subject", "reference", "value"),
    [
        ("yes", "Yes.", 1.0),
        ("yes it is", "yes", 0.0),
        ("no", "no man", 0.0),
        ("noanswer", "answer", 0.0),
        ("yes", "no", 0.0),
        ("New York City", "New York", 0.8),
        ("", "", 0.0),
        ("the", "", 0.0),
    ],
)
def test_hotpot_f1(subject: str, reference: str, value: float) -> None:
    assert hotpot_f1(subject, reference).value == pytest.approx(value, abs=1e-12)


@given(WORDS, WORDS)
def test_f1_is_symmetric_bounded_and_above_em(a: str, b: str) -> None:
    left, right, em = squad_f1(a, b).value, squad_f1(b, a).value, squad_em(a, b).value
    assert left is not None
    assert em is not None
    assert left == right
    assert 0 <= em <= left <= 1
    assert squad_f1(a, [b, a]).value == 1.0


@pytest.mark.parametrize(
    ("subject", "reference", "options", "value"),
    [
        (" North\n Macedonia ", "north macedonia", {}, 1.0),
        ("STRASSE", "straße", {}, 1.0),
        ("Paris", "paris", {"case": True}, 0.0),
        (" Paris", "Paris", {"case": True}, 1.0),
        ("Paris.", "Paris", {}, 0.0),
        (5, "5", {}, 1.0),
        (True, "true", {}, 1.0),
        ("b", ["a", "b"], {}, 1.0),
        ("", "", {}, 1.0),
    ],
)
def test_exact(subject: Any, reference: Any, options: dict[str, bool], value: float) -> None:
    assert exact(subject, reference, **options).value == value


@pytest.mark.parametrize(
    ("subject", "reference", "value"),
    [("It is new  york.", "New York", 1.0), ("Yorkshire", "York", 0.0), ("a+b", "+", 0.0), ("x", "", 0.0), ("", "", 1.0), ("b", ["c", "b"], 1.0)],
)
def test_contains(subject: str, reference: Any, value: float) -> None:
    assert contains(subject, reference).value == value


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        (1, 1.0, 1.0),
        (True, 1, 0.0),
        (None, None, 1.0),
        (None, "", 0.0),
        ("A", "a", 0.0),
        ([1, [2]], [1, [2.0]], 1.0),
        ([1, 2], [2, 1], 0.0),
        ([1], [1, 1], 0.0),
        ({"a": {"b": None}}, {"a": {"b": None}}, 1.0),
        ({"a": 1}, {"a": 1, "b": None}, 0.0),
        ({"a": 0}, {"a": False}, 0.0),
        (float("nan"), float("nan"), 0.0),
        ("1", 1, 0.0),
    ],
)
def test_equal(a: Any, b: Any, value: float) -> None:
    assert equal(a, b).value == equal(b, a).value == value


@pytest.mark.parametrize("fn", [exact, contains, squad_em, squad_f1, hotpot_f1])
def test_what_needs_no_comparison(fn: Any) -> None:
    assert (fn(None, "x").value, fn(None, "x").rule) == (0.0, "no submission")
    assert (fn("<think>x", "x").value, fn("<think>x", "x").rule) == (0.0, "unclosed think")
    assert fn("x", None).value is fn("x", []).value is None
    assert fn("x", None).reason == "the row has no reference answer"
