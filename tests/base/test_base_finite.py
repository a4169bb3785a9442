"""The quick look for floats that are not finite says what the walk says."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentharness import canon

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text("a$nul\ud800", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)


def infinite(value: Any) -> bool:
    """Whether a float somewhere in it is not finite."""
    if isinstance(value, dict):
        return any(map(infinite, value.values()))
    return any(map(infinite, value)) if isinstance(value, list) else isinstance(value, float) and not math.isfinite(value)


@given(VALUES)
def test_finite(value: Any) -> None:
    assert canon.finite(value) is not infinite(value)


@given(VALUES)
def test_a_finite_value_needs_no_second_look(value: Any) -> None:
    if canon.finite(value):
        assert canon.dumps(value, finite=True) == canon.dumps(value)


@given(VALUES)
def test_what_holds_a_mark_is_seen(value: Any) -> None:
    data = canon.dumps(value)
    assert canon.marked(data) or canon.loads(data) == value
