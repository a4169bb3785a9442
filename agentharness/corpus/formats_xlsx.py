"""Excel workbooks: one sheet, its first filled row the header. Numbers and truth values are what the sheet says, dates are ISO texts."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentharness.corpus.archive import Archive
from agentharness.corpus.batch import Batch, Note
from agentharness.corpus.formats_csv import header_names
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

_MIDNIGHT = dt.time()


def read_xlsx(path: Path, name: str, sheet: str | None, note: Note, data: bytes | None = None) -> Batch:
    """Rows of a sheet. `sheet`: which; needed where several hold cells. `data`: the file's bytes, where it lies in an archive.

    Formulas count by the value that was stored with them. Raises UserError, also where a formula has none.
    """
    try:
        import openpyxl
    except ImportError:
        raise UserError("a workbook needs `openpyxl`", where=name, hint="pip install 'agentharness[xlsx]', or save it as CSV") from None
    Archive(path, name, data, "workbook")  # a workbook is a zip archive: refused by what it claims, before it is unpacked
    try:
        book = openpyxl.load_workbook(path if data is None else io.BytesIO(data), read_only=True, data_only=True)
    except Exception as e:  # noqa: BLE001  (a damaged archive makes the reader raise almost anything)
        raise UserError(f"is no workbook that can be read: {type(e).__name__}: {e}", where=name, hint="save it anew as .xlsx, or as CSV") from None
    try:
        chosen = _choose(book, name, sheet)
        batch = _rows(name, chosen, note)
        title = chosen.title
    finally:
        book.close()
    if any(value is None for row in batch.rows for value in row.values()):
        _formulas(openpyxl, path if data is None else io.BytesIO(data), title, name, batch)
    return batch


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
    records: list[tuple[Any, ...]] = []
    lines: list[int] = []
    sheet.reset_dimensions()  # what the file claims of its size may be wrong: rows are read to their end
    for line, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        if all(cell is None or cell == "" for cell in cells):
            continue
        if not names:
            width = max(i + 1 for i, cell in enumerate(cells) if cell not in (None, ""))
            names = header_names([str(cell) if cell is not None else "" for cell in cells[:width]], f"{name}:{line}", note)
            continue
        if any(cell not in (None, "") for cell in cells[len(names) :]):
            raise UserError("has a cell to the right of the header's last", where=f"{name}:{line}", hint="give that column a name")
        records.append((*cells[: len(names)], *[None] * (len(names) - len(cells))))
        lines.append(line)
    columns = [_column(column, cells, name, note) for column, cells in zip(names, zip(*records, strict=True), strict=True)] if records else []
    rows: list[JsonDict] = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return Batch(rows, name, lines)


def _column(column: str, cells: Iterable[Any], name: str, note: Note) -> list[Any]:
    """The values of a column. A column of moments that all lie at midnight is one of days."""
    kinds = {type(cell) for cell in cells} - {type(None)}
    days = dt.datetime in kinds and all(cell.time() == _MIDNIGHT for cell in cells if isinstance(cell, dt.datetime))
    out = [_cell(cell, days) for cell in cells]
    plain = {type(value) for value in out if value is not None}
    if str in plain and plain & {int, float, bool}:
        note(f"{name}: column {column} mixes text and numbers (all text with types: {{{column}: text}})")
    return out


def _cell(value: Any, days: bool) -> Any:
    if value == "":
        return None
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if days else value.isoformat()
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return f"PT{value.total_seconds():.15g}S"
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _formulas(openpyxl: Any, file: Any, sheet: str, name: str, batch: Batch) -> None:
    """Raises UserError where an empty cell is a formula whose value was never stored."""
    book = openpyxl.load_workbook(file, read_only=True)
    try:
        wanted = {line: row for line, row in zip(batch.lines or (), batch.rows, strict=True) if None in row.values()}
        for line, cells in enumerate(book[sheet].iter_rows(), 1):
            for cell, (column, value) in zip(cells, wanted.get(line, {}).items(), strict=False):
                if value is None and getattr(cell, "data_type", "") == "f":
                    what = f"the formula in {cell.coordinate} (column {column!r}) has no stored value"
                    raise UserError(what, where=f"{name}:{line}", hint="open it in a spreadsheet program and save it, or save it as CSV")
    finally:
        book.close()
