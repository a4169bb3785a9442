"""Excel workbooks: one sheet, its first filled row the header. Numbers and truth values are what the sheet says, dates are ISO texts."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

from agentharness.corpus.batch import Batch, Note
from agentharness.corpus.formats_csv import header
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict


def read_xlsx(path: Path, name: str, sheet: str | None, note: Note) -> Batch:
    """Rows of a sheet. `sheet`: which; needed where several hold cells. Formulas count by their last value. Raises UserError."""
    try:
        import openpyxl
    except ImportError:
        raise UserError("a workbook needs `openpyxl`", where=name, hint="pip install 'agentharness[xlsx]', or save it as CSV") from None
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except Exception as e:  # noqa: BLE001  (a damaged archive makes the reader raise almost anything)
        raise UserError(f"is no workbook that can be read: {type(e).__name__}: {e}", where=name, hint="save it anew as .xlsx, or as CSV") from None
    try:
        return _rows(name, _choose(book, name, sheet), note)
    finally:
        book.close()


def _choose(book: Any, name: str, sheet: str | None) -> Any:
    names = [one.title for one in book.worksheets]
    if sheet is not None:
        if sheet not in names:
            raise UserError(f"has no sheet {sheet!r}", where=name, hint=closest(sheet, names))
        return book[sheet]
    filled = [one for one in book.worksheets if any(any(cell is not None for cell in row) for row in one.iter_rows(values_only=True, max_row=5))]
    if len(filled) > 1:
        raise UserError(f"has {len(filled)} sheets with cells", where=name, hint=f"sheet: {' | '.join(one.title for one in filled[:10])}")
    return filled[0] if filled else book.worksheets[0]


def _rows(name: str, sheet: Any, note: Note) -> Batch:
    names: list[str] = []
    rows: list[JsonDict] = []
    lines: list[int] = []
    for line, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        if all(cell is None or cell == "" for cell in cells):
            continue
        if not names:
            width = max(i + 1 for i, cell in enumerate(cells) if cell not in (None, ""))
            names = header([str(cell) if cell is not None else "" for cell in cells[:width]], f"{name}:{line}", note)
            continue
        if any(cell not in (None, "") for cell in cells[len(names) :]):
            raise UserError("has a cell to the right of the header's last", where=f"{name}:{line}", hint="give that column a name")
        rows.append(dict(zip(names, [*map(_cell, cells), *[None] * len(names)], strict=False)))
        lines.append(line)
    return Batch(rows, name, lines)


def _cell(value: Any) -> Any:
    if value == "":
        return None
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
