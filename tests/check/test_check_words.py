"""What counts as the same value in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.check.words import Finder, folded, leaves, stands, tellable


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


LETTERS = st.text(alphabet="ab1_ .#-東京é\u0301", min_size=1, max_size=12).map(folded).filter(bool)


@given(st.sets(LETTERS, max_size=8), st.lists(LETTERS, max_size=4))
def test_many_values_are_found_as_each_is_alone(values: set[str], texts: list[str]) -> None:
    finder = Finder(values)
    assert set().union(*(finder.take(text) for text in texts)) == {v for v in values if any(stands(v, text) for text in texts)}
    assert finder.left == len({v for v in values if not any(stands(v, text) for text in texts)})
