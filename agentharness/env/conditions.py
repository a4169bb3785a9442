"""Conditions over rows while a corpus is made: the expressions of `tidy`. They decide which rows there are, so gold may be read, as in `episode.where`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agentharness.env.expr import ExprError, Record, expression
from agentharness.errors import UserError
from agentharness.types.part import JsonDict


def condition(
    place: Callable[..., Any], source: str, columns: frozenset[str], rows: Sequence[JsonDict], path: Sequence[str | int]
) -> Callable[[JsonDict], bool]:
    """(row) -> whether the expression `source` holds for it. `place`: key path -> place in the user's file; `path`: that of the expression. Raises UserError,
    also when it fails on a row."""
    where = place(*path)
    run = expression(source, {"row": Record(str(path[1]), {}, columns, rows[0] if rows else None, gold_ok=True)}, where, key=".".join(map(str, path)))

    def holds(row: JsonDict) -> bool:
        try:
            return bool(run({"row": row}))
        except ExprError as e:
            raise UserError(f"fails on a row: {e.message}", where=str(where)) from None

    return holds
