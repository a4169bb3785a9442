"""result_set: rows as a multiset or in order, numbers near, columns by content."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.score.rows import result_set

A = [{"title": "Alien", "year": 1979}, {"title": "Brazil", "year": 1985}, {"title": "Brazil", "year": 1985}]


@pytest.mark.parametrize(
    ("subject", "reference", "options", "value"),
    [
        (A, A, {}, 1),
        (A[::-1], A, {}, 1),
        (A[::-1], A, {"ordered": True}, 0),
        (A, A, {"ordered": True}, 1),
        (A[:2], A, {}, 0),
        ([*A[:2], A[0]], A, {}, 0),  # a multiset, not a set
        ([{"y": 1979, "t": "Alien"}], [{"title": "Alien", "year": 1979}], {}, 1),  # names and order of columns mean nothing
        ([[1979, "Alien"]], A[:1], {}, 1),
        ([{"title": "Alien"}], A[:1], {}, 0),
        (A[0], A[:1], {}, 1),  # one record
        ([[1, 2], [2, 1]], [[2, 1], [1, 2]], {}, 1),
        ([[1, 1], [2, 2]], [[1, 2], [2, 1]], {}, 0),  # each column alone is equal, no mapping makes the rows so
        ([[1, 2, 1], [2, 1, 2]], [[1, 1, 2], [2, 2, 1]], {}, 1),
        ([[3]], [[3.0000001]], {}, 1),
        ([[3]], [[3.1]], {}, 0),
        ([[3]], [[3.1]], {"tolerance": 0.2}, 1),
        ([[1e9 + 1]], [[1e9]], {}, 1),  # relative
        ([[1e9 + 1]], [[1e9]], {"relative": 0}, 0),
        ([[1.0, "b"], [1.0 + 1e-9, "a"]], [[1.0, "a"], [1.0, "b"]], {}, 1),
        ([[1.0, 5], [1.0 + 1e-9, 4]], [[1.0, 4], [1.0 + 1e-9, 5]], {}, 1),  # near numbers sort either way
        ([[True]], [[1]], {}, 0),
        ([[None]], [[0]], {}, 0),
        ([["3"]], [[3]], {}, 0),
        ([[[1, 2], {"k": None}]], [[[1, 2], {"k": None}]], {}, 1),
        ([], [], {}, 1),
        ([], A, {}, 0),
        (A, [], {}, 0),
        ("42", [[42]], {}, 1),
        ("[[42]]", [{"n": 42}], {}, 1),
        ('[{"n": 42}]', [{"n": 42}], {}, 1),
        ("Alien", [["Alien"]], {}, 1),
        ("NaN", [["NaN"]], {}, 1),
        ("alien", [["Alien"]], {}, 0),
        (7, [[7]], {}, 1),
        ([[1], [1, 2]], [[1], [1, 2]], {}, 0),
        (None, A, {}, 0),
        (None, [], {}, 0),
        (A, None, {}, None),
    ],
)
def test_result_set(subject: Any, reference: Any, options: dict[str, Any], value: float | None) -> None:
    assert result_set(subject, reference, **options).value == value


CELL = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(-2, 2), st.sampled_from(["a", "b", ""]))


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), max_size=6)), st.randoms(use_true_random=False))
def test_order_names_and_json_change_nothing(rows: list[list[Any]], draw: random.Random) -> None:
    columns = list(range(len(rows[0]) if rows else 0))
    draw.shuffle(columns)
    mixed = [{f"c{i}": row[c] for i, c in enumerate(columns)} for row in rows]
    draw.shuffle(mixed)
    assert result_set(mixed, rows).value == 1
    assert result_set(json.dumps(mixed), rows).value == 1
    assert result_set([*mixed, {f"c{i}": "more" for i in range(len(columns) or 1)}], rows).value == 0


def test_many_equal_columns_end() -> None:
    rows = [[i % 2, *([1] * 30)] for i in range(40)]
    assert result_set(rows, [row[::-1] for row in rows]).value == 1
