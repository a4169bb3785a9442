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
    out = Guess()
    for cell in cells:
        if cell:
            out.add(cell)
            if not out.open:
                break
    return out.kind


class Guess:
    """`guess`, a filled cell at a time."""

    __slots__ = ("_filled", "_left")

    def __init__(self) -> None:
        self._left: list[tuple[Kind, Callable[[str], Any]]] = list(_TESTS)
        self._filled = False

    @property
    def open(self) -> bool:
        """Whether another cell may still change the guess."""
        return bool(self._left)

    @property
    def kind(self) -> Kind:
        """The type that all cells so far allow."""
        return self._left[0][0] if self._left and self._filled else "text"

    def add(self, cell: str) -> None:
        """Takes a filled cell into account."""
        self._filled = True
        self._left = [one for one in self._left if one[1](cell)]


def _fits(cell: str) -> bool:
    digits = sum(c.isdigit() for c in cell.lower().partition("e")[0])
    return 0 < digits <= 17 and math.isfinite(float(cell))


_TESTS: tuple[tuple[Kind, Callable[[str], Any]], ...] = (
    ("bool", lambda cell: cell in ("true", "false")),
    ("int", _INT.match),
    ("float", lambda cell: _FLOAT.match(cell) and _fits(cell)),
)


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


def check_types(types: Mapping[str, Kind], known: set[str], name: str) -> None:
    """Raises UserError for a typed column that no row has."""
    for column in types:
        if column not in known:
            raise UserError(f"types: names no column {column!r}", where=name, hint=closest(column, known))


def apply_types(batch: Batch, types: Mapping[str, Kind]) -> None:
    """Gives declared types to the text values of a batch, in place; `text` also turns other values into text. Raises UserError with file:line."""
    if types:
        check_types(types, columns_of(batch), batch.name)
    for column, kind in types.items():
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
