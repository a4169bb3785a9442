"""The scorer of rows: the result of a query against the result of another."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from agentharness import canon
from agentharness.score.words import no_answer
from agentharness.types.score import Score

_MOST_ORDERS = 5040
"""Ways to lay one side's columns on the other's that are tried."""
_MOST_PAIRS = 1_000_000
"""Pairs of rows that are compared where numbers are only near."""

Row: TypeAlias = tuple[Any, ...]
Near: TypeAlias = Callable[[Row, Row], bool]


def result_set(subject: Any, reference: Any, *, ordered: bool = False, tolerance: float = 1e-6, relative: float = 1e-6) -> Score:
    """1 where both are the same rows, else 0: as a multiset, or in order with `ordered`; columns in any order and under any name.

    A side is a list of records or of lists, one record, or one value; a text that reads as JSON is taken as that. Rows are equal where their cells are: numbers
    within max(tolerance, relative * |reference|), truth values, texts and nulls exactly, lists and records as JSON. The rows must be equal under one mapping
    of columns to columns; where more than 5040 mappings are possible, those beyond are not tried. Source: this project; the idea that a query is right where
    its result is (execution accuracy) is the text-to-SQL benchmarks'. No reference is unscored.
    """
    if reference is None:
        return Score(None, reason="there is no reference")
    early = no_answer(subject, "rows")
    if early is not None:
        return early
    found, wanted = _rows(subject), _rows(reference)
    if len(found) != len(wanted):
        return Score(0.0, "count", f"{len(found)} rows, {len(wanted)} wanted")
    if not wanted:
        return Score(1.0, "empty", "0 rows")
    widths = {len(row) for row in (*found, *wanted)}
    if len(widths) > 1:
        return Score(0.0, "columns", f"{len(found[0])} columns, {len(wanted[0])} wanted")
    near = partial(_near, tolerance=tolerance, relative=relative)
    same = _in_order if ordered else _as_bag
    for order in islice(_orders(found, wanted, near), _MOST_ORDERS):
        if same([tuple(row[i] for i in order) for row in found], wanted, near):
            return Score(1.0, "rows", f"{len(found)} rows")
    return Score(0.0, "rows", f"{len(found)} rows")


def _rows(value: Any) -> list[Row]:
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_constant=str)
        except (ValueError, RecursionError):
            value = [[value]]
    if isinstance(value, Mapping) or not isinstance(value, list | tuple):
        value = [value]
    return [tuple(row.values()) if isinstance(row, Mapping) else tuple(row) if isinstance(row, list | tuple) else (row,) for row in value]


def _orders(found: Sequence[Row], wanted: Sequence[Row], near: Near) -> Iterator[tuple[int, ...]]:
    """Ways to read the found rows' columns in the wanted ones' order, such that each column alone holds the same values; as they stand first."""
    width = len(wanted[0])
    mine, theirs = ([[(row[i],) for row in rows] for i in range(width)] for rows in (found, wanted))
    fits = [[i for i in sorted(range(width), key=lambda i: i != j) if _as_bag(mine[i], theirs[j], near)] for j in range(width)]

    def walk(j: int, taken: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if j == width:
            yield taken
            return
        for i in fits[j]:
            if i not in taken:
                yield from walk(j + 1, (*taken, i))

    return walk(0, ())


def _in_order(found: Sequence[Row], wanted: Sequence[Row], near: Near) -> bool:
    return all(near(a, b) for a, b in zip(found, wanted, strict=True))


def _as_bag(found: Sequence[Row], wanted: Sequence[Row], near: Near) -> bool:
    """Whether one is an order of the other. Rows are told apart by their texts first; near numbers are then paired, nearest in order, else one by one."""
    mine, theirs = _split(found), _split(wanted)
    if {k: len(v) for k, v in mine.items()} != {k: len(v) for k, v in theirs.items()}:
        return False
    room = _MOST_PAIRS
    for key, rows in mine.items():
        left = sorted(theirs[key], key=_numbers)
        rows = sorted(rows, key=_numbers)
        if _in_order(rows, left, near):
            continue
        room -= len(rows) ** 2
        if room < 0:
            return False
        for row in rows:
            hit = next((i for i, other in enumerate(left) if near(row, other)), None)
            if hit is None:
                return False
            del left[hit]
    return True


def _split(rows: Sequence[Row]) -> dict[bytes, list[Row]]:
    """Rows by all that is no number in them."""
    out: dict[bytes, list[Row]] = {}
    for row in rows:
        out.setdefault(canon.dumps([_NUMBER if _is_number(cell) else cell for cell in row]), []).append(row)
    return out


_NUMBER = {"": "a number"}


def _numbers(row: Row) -> tuple[float, ...]:
    return tuple(cell for cell in row if _is_number(cell))


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool) and math.isfinite(cell)


def _near(a: Row, b: Row, *, tolerance: float, relative: float) -> bool:
    """Whether two rows that agree in all that is no number agree in their numbers."""
    return all(abs(x - y) <= max(tolerance, relative * abs(y)) for x, y in zip(_numbers(a), _numbers(b), strict=True))
