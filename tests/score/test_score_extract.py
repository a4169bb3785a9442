"""Thoughts, boxes and markers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.score.extract import answer_text, boxed, last_line, place, plain_form


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (None, ""),
        ("", ""),
        ("plain", "plain"),
        ("<think>a</think>b", "b"),
        ("x<think>a</think>b<think>c</think>d", "xbd"),
        ("<THINKING>a</THINKING> b", " b"),
        ("a thought that began in the prompt</think>b", "b"),
        ("<think>a", None),
        ("b<think>", None),
        ("<think>a</think>b<think>c", None),
        (5, "5"),
    ],
)
def test_thoughts_are_no_answer(text: Any, answer: str | None) -> None:
    assert answer_text(text) == answer


@given(st.text("<>/thinka \n", max_size=60))
def test_answers_hold_no_thought_tag(text: str) -> None:
    answer = answer_text(text)
    assert answer is None or "</think>" not in answer


@given(st.text(max_size=40), st.text("abc \n", max_size=40))
def test_a_thought_never_leaks(thought: str, rest: str) -> None:
    thought = thought.replace("<", "").replace(">", "")
    assert answer_text(f"<think>{thought}</think>{rest}") == rest


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{1} then \boxed{2}", "2"),
        (r"\boxed 5$", "5"),
        (r"\fbox{7}", "7"),
        (r"\boxed{\{1,2\}}", r"\{1,2\}"),
        (r"\boxed{7", None),
        (r"\boxed{7} and \boxed{8", "7"),
        (r"\boxed{}", ""),
        (r"\boxed", None),
        ("7", None),
    ],
)
def test_boxes(text: str, inside: str | None) -> None:
    assert boxed(text) == inside


@pytest.mark.parametrize(
    ("text", "rule", "there"),
    [
        ("#### 5 … #### 99", "####", " 5 … #### 99"),
        ("ANSWER: 1 the answer is 2", "answer:", " 1 the answer is 2"),
        ("the answer is 2", "answer is", " 2"),
        ("Answer: 1\n#### 2", "####", " 2"),
        ("**Answer**: 1", "answer:", " 1"),
        ("**Answer:**\n\n1\n2", "answer:", "1"),
        ("The correct option is B", "answer is", " B"),
        ("#### Step one\nAnswer: 2", "answer:", " 2"),
        ("#### 1. Look\nAnswer: 2", "answer:", " 2"),
        ("Step\n#### none", "####", " none"),
        (r"#### 5 \boxed{6}", "boxed", "6"),
    ],
)
def test_places(text: str, rule: str, there: str) -> None:
    found = place(text)
    assert found is not None
    assert (found.rule, found.text.strip()) == (rule, there.strip())


@pytest.mark.parametrize("text", ["", "no mark", "the answer isn't 5", "answers 5", "The best option is to wait"])
def test_no_place(text: str) -> None:
    assert place(text) is None


def test_the_last_line_with_text() -> None:
    assert last_line("a\nb\n \n") == "b"
    assert last_line(" \n") == ""


def test_plain_form_changes_only_what_has_an_ascii_twin() -> None:
    assert plain_form("ＡＢｃ１２：−５％") == "ABc12:-5%"
    assert plain_form("٤٢ 10² ½ é") == "42 10² ½ é"
