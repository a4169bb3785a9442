"""What a table looks like: one profile a column, made from its cells alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentharness import canon
from agentharness.types.part import JsonDict

Kind = Literal["text", "number", "truth", "texts", "record", "records", "lists", "messages", "image", "empty"]
SAMPLE = 2000
"""Rows that are looked at."""
_NUMBER = re.compile(r"\s*[-+]?[0-9][0-9,]*(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?\s*%?\s*\Z", re.IGNORECASE)


@dataclass(slots=True, frozen=True)
class Column:
    """One column, over the rows that were looked at."""

    name: str
    kind: Kind
    filled: float
    """Share of rows with a value."""
    distinct: int
    """Different values."""
    rows: int
    """Rows with a value."""
    words: float
    """Mean words of a text; of a list, mean items."""
    numeric: float
    """Share of values that read as one number."""
    top: float
    """Share of the commonest value."""
    values: tuple[Any, ...]
    """The different values in order of their first row, 50 at most."""

    @property
    def unique(self) -> bool:
        """Whether each row has a value of its own."""
        return self.filled == 1 and self.distinct == self.rows

    @property
    def labels(self) -> bool:
        """Whether the values are few, come again, and are not nearly all the same: a class, not an answer of its own."""
        few = 2 <= self.distinct <= 50 and self.distinct * 3 <= self.rows and self.top < 0.95
        return few and self.kind in ("text", "number", "truth") and self.words <= 6


def profile(rows: Sequence[JsonDict]) -> list[Column]:
    """Profiles of all columns, in order of first sight."""
    looked = rows[:SAMPLE]
    names = dict.fromkeys(name for row in looked for name in row)
    return [_column(name, [row.get(name) for row in looked]) for name in names]


def opened(rows: Sequence[JsonDict], columns: Sequence[Column]) -> list[Column]:
    """The columns, with the fields of records among them in place of the records: `exam.diagnosis`."""
    out: list[Column] = []
    for column in columns:
        if column.kind == "record":
            cells = [row.get(column.name) or {} for row in rows[:SAMPLE]]
            out += [_column(f"{column.name}.{name}", [cell.get(name) for cell in cells]) for name in dict.fromkeys(k for cell in cells for k in cell)]
        else:
            out.append(column)
    return out


def _column(name: str, cells: list[Any]) -> Column:
    values = [cell for cell in cells if cell is not None and cell not in ("", [], {})]
    keys = [canon.dumps(value) for value in values]
    seen: dict[bytes, Any] = {}
    for k, value in zip(keys, values, strict=True):
        seen.setdefault(k, value)
    kinds = {_kind(value) for value in values}
    kind: Kind = next(iter(kinds)) if len(kinds) == 1 else "text" if kinds else "empty"
    sizes = [len(v.split()) if isinstance(v, str) else len(v) if isinstance(v, list | dict) else 1 for v in values]
    numeric = sum(_is_number(v) for v in values)
    n = max(1, len(values))
    top = max(Counter(keys).values(), default=0) / n
    return Column(name, kind, len(values) / max(1, len(cells)), len(seen), len(values), sum(sizes) / n, numeric / n, top, tuple(list(seen.values())[:50]))


def _kind(value: Any) -> Kind:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        if all(isinstance(item, dict) for item in value):
            return "messages" if all(_speaks(item) for item in value) else "records"
        return "texts"
    if value.get("type") == "image" and "asset" in value:
        return "image"
    return "lists" if len(value) > 1 and all(isinstance(inner, list) for inner in value.values()) else "record"


def _speaks(item: JsonDict) -> bool:
    return {"role", "content"} <= item.keys() or {"from", "value"} <= item.keys()


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and (isinstance(value, int | float) or (isinstance(value, str) and _NUMBER.match(value) is not None))
