"""Scorers of places and of what is read off pictures, against values worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.score.near import anls, relaxed_accuracy
from agentharness.score.places import geo_distance, haversine, iou, overlap, point_in_box

PARIS, LONDON = (48.8566, 2.3522), (51.5074, -0.1278)


def test_distances_on_the_earth() -> None:
    assert haversine((0, 0), (0, 90)) == pytest.approx(6371 * math.pi / 2)
    assert haversine((90, 0), (-90, 123)) == pytest.approx(6371 * math.pi)
    assert haversine((0, 179), (0, -179)) == pytest.approx(6371 * math.radians(2))
    assert haversine(PARIS, LONDON) == pytest.approx(343.6, abs=0.1)


@pytest.mark.parametrize(
    ("subject", "reference", "value"),
    [
        ([0, 0], [0, 0], 1.0),
        ("0, 90", [0, 0], math.exp(-6371 * math.pi / 2 / 2000)),
        ({"lat": 48.8566, "lon": 2.3522}, {"latitude": 51.5074, "longitude": -0.1278}, math.exp(-343.556 / 2000)),
        ("I say 51.5074 north, -0.1278", [51.5074, -0.1278], 1.0),
        ("somewhere", [0, 0], 0.0),
        ("1, 2, 3", [0, 0], 0.0),
        ([95, 0], [0, 0], 0.0),
        (None, [0, 0], 0.0),
        ([0, 0], [95, 0], None),
        ([0, 0], None, None),
        ([0, 0], "nowhere", None),
    ],
)
def test_geo_distance(subject: Any, reference: Any, value: float | None) -> None:
    got = geo_distance(subject, reference).value
    assert got == (None if value is None else pytest.approx(value, rel=1e-4))


def test_the_scale_is_an_option() -> None:
    assert geo_distance([0, 1], [0, 0], scale_km=111.19).value == pytest.approx(math.exp(-1), rel=1e-3)


@pytest.mark.parametrize(
    ("subject", "box", "value"),
    [
        ([5, 5], [0, 0, 10, 10], 1.0),
        ([10, 10], [10, 10, 0, 0], 1.0),
        ([10.1, 5], [0, 0, 10, 10], 0.0),
        ("click at (3, 4)", [0, 0, 10, 10], 1.0),
        ({"x": 11, "y": 4}, {"x0": 0, "y0": 0, "x1": 10, "y1": 10}, 0.0),
        ([0, 0, 10, 30], [0, 10, 10, 20], 1.0),
        ("here", [0, 0, 10, 10], 0.0),
        (None, [0, 0, 10, 10], 0.0),
        ([1, 1], [1, 2, 3], None),
        ([1, 1], None, None),
    ],
)
def test_point_in_box(subject: Any, box: Any, value: float | None) -> None:
    assert point_in_box(subject, box).value == value


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ([0, 0, 2, 2], [1, 1, 3, 3], 1 / 7),
        ([0, 0, 2, 2], [2, 2, 0, 0], 1.0),
        ([0, 0, 1, 1], [5, 5, 6, 6], 0.0),
        ([0, 0, 10, 10], [0, 0, 5, 10], 0.5),
        ([1, 1, 1, 1], [1, 1, 1, 1], 0.0),
        ("0 0 2 2", "1, 1, 3, 3", 1 / 7),
    ],
)
def test_iou(a: Any, b: Any, value: float) -> None:
    assert iou(a, b).value == pytest.approx(value)


BOX = st.lists(st.integers(-50, 50), min_size=4, max_size=4)


@given(BOX, BOX)
def test_overlap_is_a_symmetric_share(a: list[int], b: list[int]) -> None:
    assert 0 <= overlap(a, b) <= 1
    assert overlap(a, b) == overlap(b, a)


@pytest.mark.parametrize(
    ("subject", "reference", "value"),
    [
        ("105", "100", 1.0),
        ("105.1", "100", 0.0),
        ("95", "100", 1.0),
        ("12 %", "0.12", 1.0),
        ("1,050", "1000", 1.0),
        ("0", "0", 1.0),
        ("0.01", "0", 0.0),
        ("Blue", "blue ", 1.0),
        ("blue", "green", 0.0),
        ("100", ["7", "101"], 1.0),
        (None, "1", 0.0),
        ("1", None, None),
    ],
)
def test_relaxed_accuracy(subject: Any, reference: Any, value: float | None) -> None:
    assert relaxed_accuracy(subject, reference).value == value


@pytest.mark.parametrize(
    ("subject", "reference", "value"),
    [
        ("Hello World", "hello wrld", 1 - 1 / 11),
        ("abcd", "abxy", 0.5),
        ("abcd", "axyz", 0.0),
        ("kitten", ["dog", "Sitting"], 1 - 3 / 7),
        ("", "", 1.0),
        ("x", "", 0.0),
        (None, "x", 0.0),
        ("x", None, None),
    ],
)
def test_anls(subject: Any, reference: Any, value: float | None) -> None:
    assert anls(subject, reference).value == (None if value is None else pytest.approx(value))
    assert anls("abcd", "axyz", threshold=0.2).value == 0.25
