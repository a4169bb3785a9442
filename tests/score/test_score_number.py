"""CASES section 1: a number out of a text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.score.extract_number import number
from agentharness.score.values import numeric

LISTED: list[tuple[Any, float, str]] = [
    ("The answer is 1,000.", 1000, "answer is"),
    ("The total is 72 clips, altogether.", 72, "last line"),
    ("The answer is $9{,}500", 9500, "answer is"),
    (r"\boxed{8,000}", 8000, "boxed"),
    (r"1\,000", 1000, "last line"),
    (r"\$20", 20, "last line"),
    ("(42)", 42, "last line"),
    ("**42**", 42, "last line"),
    ("20% of 100 is 20%", 20, "last line, percent"),
    ("The answer is −5", -5, "answer is"),
    ("#### 5 … #### 99", 5, "####"),
    ("#### 5\n\nQuestion: next\n#### 99", 5, "####"),
    ("ANSWER: 711", 711, "answer:"),
    ("18.", 18, "last line"),
    ("$18.00", 18, "last line"),
    ("It is 7 (not 8)", 8, "last line"),
    ("ANSWER: 7 (not 8)", 7, "answer:"),
    ("100001", 100001, "last line"),
]
MORE: list[tuple[Any, float, str]] = [
    (r"so \boxed{1} or \boxed{\frac{1}{2}}", 0.5, "boxed"),
    (r"$\boxed{-\frac{3}{4}}$", -0.75, "boxed"),
    (r"\boxed \frac12", 0.5, "boxed"),
    (r"3\frac12", 3.5, "last line"),
    ("3 1/2", 3.5, "last line"),
    ("ANSWER: -3/4", -0.75, "answer:"),
    (r"\boxed{x^2 = 4}", 4, "boxed"),
    (r"\boxed{5\text{ cm}^2}", 5, "boxed"),
    ("The answer is 3 + 4 = 7", 7, "answer is"),
    ("The answer is 7 = 3 + 4", 7, "answer is"),
    ("The answer is 5 apples, since 2+3=5", 5, "answer is"),
    ("The answer is − 5.", -5, "answer is"),
    ("The answer is below:\n\n3 + 4 gives 7", 7, "last line"),
    ("Answer:\n\n**12**", 12, "answer:"),
    ("first 3\nthen nothing", 3, "last number"),
    ("-$5", -5, "last line"),
    ("$-5", -5, "last line"),
    ("10-5", 5, "last line"),
    ("10 - 5", 5, "last line"),
    ("A5 costs USD20", 20, "last line"),
    ("1\u202f000 m", 1000, "last line"),
    ("10 000", 10000, "last line"),
    ("1,2,3", 3, "last line"),
    ("1,00,000", 100000, "last line"),
    ("12,345.67", 12345.67, "last line"),
    (".5", 0.5, "last line"),
    ("1.5e3", 1500, "last line"),
    ("3 × 10^5", 300000, "last line"),
    (r"2 \times 10^{-1}", 0.2, "last line"),
    ("１，０００", 1000, "last line"),
    ("٤٢", 42, "last line"),
    ("答案是42", 42, "last line"),
    ("<think>the answer is 3</think>4", 4, "last line"),
    ("20 percent", 20, "last line, percent"),
    ("#### Step 1: add\n3 + 4 = 7\n#### 2. Done\nANSWER: 7", 7, "answer:"),
    (18, 18, "value"),
    (0.5, 0.5, "value"),
    (2.0, 2, "value"),
]
NONE = [
    ("", "no number"),
    (None, "no number"),
    ("inf", "no number"),
    ("nan", "no number"),
    ("-infinity", "no number"),
    (float("inf"), "no number"),
    (float("nan"), "no number"),
    (True, "no number"),
    ("H2O", "no number"),
    ("3/4/2020", "no number"),
    ("1/0", "no number"),
    ("1e999999999", "no number"),
    ("9" * 5000, "no number"),
    ("<think>5", "unclosed think"),
    ("3 + 4\nANSWER: unknown", "answer:, no number"),
    ("3 + 4. The answer is unknown.", "answer is, no number"),
    (r"3 \boxed{\text{none}}", "boxed, no number"),
    ("4\n#### unknown", "####, no number"),
]


@pytest.mark.parametrize(("text", "value", "rule"), LISTED + MORE)
def test_numbers(text: Any, value: float, rule: str) -> None:
    found = number(text)
    assert (found.value, found.rule) == (value, rule)
    assert type(found.value) is type(value)
    assert found.percent is ("percent" in rule)


@pytest.mark.parametrize(("text", "rule"), NONE)
def test_no_number(text: Any, rule: str) -> None:
    found = number(text)
    assert (found.value, found.rule) == (None, rule)


WRAPS = [
    "{}",
    "{}.",
    "**{}**",
    "(${})",
    "The answer is {}.",
    "#### {}",
    "ANSWER: {}",
    r"\boxed{{{}}}",
    "I got 3 and 4.\nSo it is {}",
    "<think>1</think>{}",
    "It is {}!",
]


@given(st.integers(-(10**12), 10**12), st.sampled_from(WRAPS), st.booleans(), st.booleans())
def test_every_integer_in_every_dress(value: int, wrap: str, grouped: bool, minus: bool) -> None:
    text = f"{value:,}" if grouped else str(value)
    assert number(wrap.format(text.replace("-", "−") if minus else text)).value == value


@given(st.decimals(-(10**6), 10**6, places=3))
def test_every_decimal(value: Any) -> None:
    assert number(f"The answer is {value}.").value == float(value)


@given(st.text(r"0123456789,.-+/%$\{}#*=e answeris:x×^frac" + "\n", max_size=80))
def test_nothing_crashes_and_values_are_finite(text: str) -> None:
    value = number(text).value
    assert value is None or value - value == 0


@pytest.mark.parametrize(
    ("subject", "reference", "options", "value"),
    [
        ("It is 18.", "work … #### 18", {}, 1.0),
        ("100001", "100000", {}, 0.0),
        ("12345678901234567891", 12345678901234567890, {}, 0.0),
        ("0.1", 0.1, {}, 1.0),
        ("1/3", "0.333", {}, 0.0),
        ("0.3333", "1/3", {"tolerance": 0.001}, 1.0),
        ("10.5", 10, {"relative": 0.05}, 1.0),
        ("10.51", 10, {"relative": 0.05}, 0.0),
        ("105.2", 100, {"relative": 0.05}, 0.0),
        ("100", 105.2, {"relative": 0.05}, 1.0),
        ("0.3", 0.1, {"tolerance": 0.2}, 1.0),
        ("20%", 20, {}, 1.0),
        ("7", ["6", "7"], {}, 1.0),
        (7, 7, {}, 1.0),
        ("no idea", 7, {}, 0.0),
        (None, 7, {}, 0.0),
        ("<think>7", 7, {}, 0.0),
    ],
)
def test_numeric(subject: Any, reference: Any, options: dict[str, float], value: float) -> None:
    assert numeric(subject, reference, **options).value == value


@pytest.mark.parametrize("reference", [None, [], "none", "nan", float("inf"), ["1", "x"]])
def test_a_reference_without_a_number_is_unscored(reference: Any) -> None:
    score = numeric("inf nan 1", reference)
    assert score.value is None
    assert score.reason


def test_the_score_names_rule_and_text() -> None:
    score = numeric("It is 7 (not 8)", 7)
    assert (score.value, score.rule, score.extracted) == (0.0, "last line", "8")
    assert numeric("20%", 20).rule == "last line, percent"
    assert numeric(None, 20).rule == "no submission"
