"""`What is A + B?`: the rows that the bare loop of the floor makes as well."""

from __future__ import annotations

ROWS = 10_000


def rows() -> list[dict[str, int]]:
    """One row for each sum."""
    return [{"a": i, "b": 2 * i + 1, "total": 3 * i + 1} for i in range(ROWS)]
