"""What counts as the same value in a text."""

from __future__ import annotations

import pytest

from agentharness.check.words import folded, leaves, stands, tellable


@pytest.mark.parametrize(
    ("value", "text", "there"),
    [
        ("paris", "He lives in PARIS, France", True),
        ("paris", "a comparison of parishes", False),
        ("paris", "comparison, Paris", True),
        ("1800", "it cost 18000", False),
        ("1800", "it cost $1800.", True),
        ("#### 1800", "so #### 1800", True),
        ("new  york", "to New\nYork", True),
        ("東京都庁舎", "これは東京都庁舎です", True),
    ],
)  # fmt: skip
def test_values_stand_as_whole_words(value: str, text: str, there: bool) -> None:
    assert stands(folded(value), folded(text)) is there


def test_values_that_tell_nothing_are_not_looked_for() -> None:
    row = {"a": ["Yes", "no", "A", "12", True, None, "Paris"], "b": {"c": 1234, "d": "unknown"}, "i": {"type": "image", "asset": "ab" * 32, "view": []}}
    assert tellable(leaves(row)) == {"paris", "1234"}
