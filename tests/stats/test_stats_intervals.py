"""Means and intervals: the values that the field's bug reports taught."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.stats.intervals import interval, mean, normal, standard_error, wilson


def test_standard_errors() -> None:
    assert standard_error([1, 1, 1, 0]) == pytest.approx(0.25)
    assert standard_error([1] * 14 + [0] * 293) == pytest.approx(0.011926, abs=5e-7)
    assert standard_error([1, 1, 0, 0]) == pytest.approx(0.288675, abs=5e-7)
    assert standard_error([1]) is None
    assert standard_error([]) is None


def test_wilson() -> None:
    assert wilson(3, 5) == pytest.approx((0.2307, 0.8824), abs=5e-5)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=5e-5)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=5e-5)
    assert wilson(1, 1) is None


def test_normal() -> None:
    assert normal([1, 1, 1, 0]) == pytest.approx((0.75 - 0.489991, 0.75 + 0.489991))
    assert normal([0.5]) is None
    assert normal([0.5, 0.5, 0.5]) == (0.5, 0.5)


def test_the_method_follows_the_values() -> None:
    assert interval([1, 0, 1.0, 1, 0])[1] == "wilson"
    assert interval([1, 0, 0.5])[1] == "normal"
    assert interval([1]) == (None, "")
    assert interval([]) == (None, "")


def test_an_interval_over_shares_lies_in_0_and_1() -> None:
    low, high = interval([1, 1, 1, 0.5])[0] or (9, 9)
    assert low == pytest.approx(0.875 - 0.245, abs=1e-3)
    assert high == 1.0
    assert (interval([0, 0, 0, 0.5])[0] or (9, 9))[0] == 0.0
    # What may lie outside is left as it is.
    assert interval([1, 1, 1, 1.5])[0] == normal([1, 1, 1, 1.5])


def test_no_values_have_no_mean() -> None:
    assert mean([]) is None
    assert mean([0.1] * 10) == 0.1


@given(st.integers(2, 400), st.data())
def test_wilson_holds_the_share_and_stays_within_0_and_1(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    low, high = wilson(k, n) or (2, -1)
    assert 0 <= low <= k / n + 1e-12
    assert k / n - 1e-12 <= high <= 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_order_changes_no_bit_of_a_mean(values: list[float]) -> None:
    assert mean(values) == mean(sorted(values)) == mean(values[::-1])
