"""Sums with a text of 4 MB beside each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

ROWS = 40
FILLER = "All work and no play. " * 190_000


def rows() -> Iterator[dict[str, Any]]:
    """One row for each sum; the text is one object, shared."""
    for i in range(ROWS):
        yield {"a": i, "b": 2 * i + 1, "total": 3 * i + 1, "filler": FILLER}
