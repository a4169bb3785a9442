"""Types of cells in text formats. A cell is text until `types:` or a printed guess over the whole column says more; only an empty cell is null."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from agentharness.corpus.batch import Batch
from agentharness.corpus.table import key_text
from agentharness.corpus.text import parse_json
from agentharness.errors import UserError, closest

Kind: TypeAlias = Literal["text", "int", "float", "bool", "json"]

_INT = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\Z")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)?(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_LOOSE_INT = re.compile(r"[-+]?[0-9]+\Z")
_WORDS = {"int": "a whole number", "float": "a number", "bool": "true or false", "json": "JSON"}


def guess(cells: Sequence[str]) -> Kind:
    """Type of a column by all its cells. Whatever would not read back the same stays text: `00123`, `+49`, 19 digits, `NA`, `yes`, `True`."""
    filled = [c for c in cells if c]
    if not filled:
        return "text"
    if all(c in ("true", "false") for c in filled):
        return "bool"
    if all(_INT.match(c) for c in filled):
        return "int"
    if all(_FLOAT.match(c) and _fits(c) for c in filled):
        return "float"
    return "text"


def _fits(cell: str) -> bool:
    digits = sum(c.isdigit() for c in cell.lower().partition("e")[0])
    return 0 < digits <= 17 and math.isfinite(float(cell))


def reader(kind: Kind) -> Callable[[str], Any]:
    """A function from a cell to its value; it raises ValueError where the cell is no such thing."""
    readers: dict[Kind, Callable[[str], Any]] = {"text": str, "int": _int, "float": float, "bool": _bool, "json": parse_json}
    return readers[kind]


def _int(cell: str) -> int:
    if not _LOOSE_INT.match(cell.strip()):
        raise ValueError
    return int(cell)


def _bool(cell: str) -> bool:
    word = cell.strip().lower()
    if word not in ("true", "false"):
        raise ValueError
    return word == "true"


def columns_of(batch: Batch) -> set[str]:
    """Every column that some row has."""
    return {name for row in batch.rows for name in row}


def apply_types(batch: Batch, types: Mapping[str, Kind]) -> None:
    """Gives declared types to the text values of a batch, in place; `text` also turns other values into text. Raises UserError with file:line."""
    known = columns_of(batch) if types else set()
    for column, kind in types.items():
        if column not in known:
            raise UserError(f"types: names no column {column!r}", where=batch.name, hint=closest(column, known))
        read = reader(kind)
        for i, row in enumerate(batch.rows):
            value = row.get(column)
            if isinstance(value, str) and kind != "text":
                row[column] = _typed(read, value, column, kind, batch.place(i)) if value else None
            elif kind == "text" and value is not None and not isinstance(value, str):
                row[column] = key_text(value)


def _typed(read: Callable[[str], Any], cell: str, column: str, kind: Kind, where: str) -> Any:
    try:
        return read(cell)
    except ValueError:
        shown = cell if len(cell) <= 40 else cell[:40] + "…"
        raise UserError(f"{shown!r} in column {column!r} is not {_WORDS[kind]}", where=where, hint=f"mend the cell, or types: {{{column}: text}}") from None
