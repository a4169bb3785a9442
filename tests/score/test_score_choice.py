"""CASES section 3: a choice out of a text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.errors import UserError
from agentharness.score.extract_choice import LETTERS, choice, options
from agentharness.score.values import choice as scored

COLOURS = ["red", "green", "blue", "yellow"]


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        ("answer: b", "B"),
        ("ANSWER: $B$", "B"),
        ("**B**", "B"),
        ("(B)", "B"),
        (r"\boxed{B}", "B"),
        (r"\boxed{\text{(A)}}", "A"),
        ("The answer is B. Note that A is a common distractor.", "B"),
        ("I think it is green", "B"),
        ("<think>ANSWER: A</think> ANSWER: C", "C"),
        ("ANSWER： B", "B"),
        ("Ｂ", "B"),
        ("B) green", "B"),
        ("b. Green.", "B"),
        ("Let me see.\n\nB", "B"),
        ("The correct option is C", "C"),
        ("The answer is option D", "D"),
        ("The answer is B because A is wrong", "B"),
        ("The answer is a red one", "A"),
        ("ANSWER: Green.", "B"),
        ("I choose D", "D"),
        ("it must be (c)", "C"),
        ("#### B", "B"),
    ],
)
def test_a_letter_is_read(text: str, letter: str) -> None:
    assert choice(text, COLOURS).value == letter


@pytest.mark.parametrize(
    "text",
    [
        "ANSWER: None of the above",
        "ANSWER: AB",
        "AB",
        "I don't know",
        "I can't see the image",
        "ANSWER: E",
        "<think>ANSWER: A",
        None,
        "",
        "ANSWER:",
        "ANSWER: a banana",
        "ANSWER: B or C",
        "The answer is not B",
        "C is wrong",
        "It is green, not blue",
        "red or green",
        "A car stood there",
        "option A or (B)",
        "I",
    ],
)
def test_no_letter_is_guessed(text: Any) -> None:
    assert choice(text, COLOURS).value is None


def test_an_option_that_is_ruled_out_is_never_chosen() -> None:
    assert choice("Option C is wrong; A is right", COLOURS).value in ("A", None)


@pytest.mark.parametrize(
    ("text", "letters"),
    [("A, B, and C", "ABC"), ("A,C,", "AC"), ("AC", "AC"), ("B", "B"), ("ANSWER: A and C", "AC"), ("(A), (C)", "AC"), ("red and blue", "AC")],
)
def test_several(text: str, letters: str) -> None:
    assert choice(text, COLOURS, multiple=True).value == frozenset(letters)


@pytest.mark.parametrize("text", ["A, E", "AA", "AE", "none", ""])
def test_no_set_is_guessed(text: str) -> None:
    assert choice(text, COLOURS, multiple=True).value is None


@pytest.mark.parametrize(
    ("text", "letter"), [("I think so", None), ("I don't know", None), ("ANSWER: I don't know", None), ("(I)", "I"), ("ANSWER: I", "I"), ("It is K", "K")]
)
def test_i_is_a_word_among_many_options(text: str, letter: str | None) -> None:
    assert choice(text, 12).value == letter


def test_texts_that_hold_each_other_or_a_negation() -> None:
    assert choice("surely New York City", ["New York", "New York City"]).value == "B"
    assert choice("surely New York", ["New York", "New York City"]).value == "A"
    assert choice("I say not guilty", ["guilty", "not guilty"]).value == "B"
    assert choice("the twin", ["twin", "twin"]).value is None


@given(
    st.integers(2, 26), st.data(), st.sampled_from(["{}", "({})", "**{}**", "ANSWER: {}", "Answer: {}.", r"\boxed{{{}}}", "The answer is ({}).", "Thus:\n{}"])
)
def test_every_letter_in_every_dress(n: int, data: Any, wrap: str) -> None:
    letter = data.draw(st.sampled_from(LETTERS[:n]))
    assert choice(wrap.format(letter), n).value == letter


@given(st.text("ABCDEabde .,:;()*$\\{}and or not", max_size=60), st.booleans())
def test_nothing_crashes_and_only_options_are_chosen(text: str, multiple: bool) -> None:
    value = choice(text, COLOURS, multiple=multiple).value
    assert value is None or set(value) <= set("ABCD")


@pytest.mark.parametrize("choices", [[], ["one"], 1, 27, True, "AB", 2.5])
def test_options_that_are_none(choices: Any) -> None:
    with pytest.raises(UserError, match="choices must be"):
        options(choices)


@pytest.mark.parametrize(
    ("subject", "reference", "more", "value"),
    [
        ("B", "B", {"choices": COLOURS}, 1.0),
        ("B", "(B)", {}, 1.0),
        ("B", "green", {"choices": COLOURS}, 1.0),
        ("green", 1, {"choices": COLOURS}, 1.0),
        ("B", {"answer": "green", "choices": COLOURS}, {}, 1.0),
        ("blue", {"answer": "C", "choices": {"A": "red", "C": "blue"}}, {}, 1.0),
        ("A", "B", {"choices": 4}, 0.0),
        ("E", "B", {"choices": 4}, 0.0),
        ("B", ["A", "B"], {"choices": 4}, 1.0),
        ("A and C", ["C", "A"], {"choices": 4, "multiple": True}, 1.0),
        ("A and C", "AC", {"choices": 4, "multiple": True}, 1.0),
        ("A", ["C", "A"], {"choices": 4, "multiple": True}, 0.0),
        (None, "B", {"choices": 4}, 0.0),
        ("B", None, {"choices": 4}, None),
        ("B", "E", {"choices": 4}, None),
        ("B", 9, {"choices": 4}, None),
    ],
)
def test_choice_scores(subject: Any, reference: Any, more: dict[str, Any], value: float | None) -> None:
    assert scored(subject, reference, **more).value == value
