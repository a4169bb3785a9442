"""CSV and TSV: a header, then records of the same width. Cells are typed by `types:`, or by a guess over the whole column, which is noted."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence

from agentharness.corpus.batch import Batch, Note
from agentharness.corpus.cells import Kind, guess, reader
from agentharness.errors import UserError
from agentharness.types.part import JsonDict

_DELIMITERS = (",", ";", "\t", "|")
_SHOWN = {"\t": "tab"}
WIDEST = 1 << 30
"""Characters of a cell: the standard limit of 128 KB refuses long documents."""


def read_csv(text: str, name: str, delimiter: str | None, note: Note, *, types: Mapping[str, Kind], keep: frozenset[str] = frozenset()) -> Batch:
    """Rows of a CSV text. Columns in `types` stay text here, for their declared type; those in `keep` stay text. Raises UserError with file:line."""
    if delimiter is None:
        delimiter = sniff(text)
        note_delimiter(delimiter, name, note)
    header, records, lines = _records(text, name, delimiter, note)
    columns: list[Sequence[str]] = list(zip(*records, strict=True)) if records else [()] * len(header)
    kinds: dict[str, Kind] = {}
    values: list[list[object]] = []
    for column, cells in zip(header, columns, strict=True):
        kind: Kind = "text" if column in types or column in keep else guess(cells)
        kinds[column] = kind
        read = reader(kind)
        values.append([read(cell) if cell else None for cell in cells])
    note_guesses(kinds, name, note)
    rows: list[JsonDict] = [dict(zip(header, row, strict=True)) for row in zip(*values, strict=True)]
    return Batch(rows, name, lines)


def note_delimiter(delimiter: str, name: str, note: Note) -> None:
    """Says a guessed delimiter that is no comma."""
    if delimiter != ",":
        note(f"{name}: fields are parted by {_SHOWN.get(delimiter, delimiter)!r} (change with delimiter:)")


def note_guesses(kinds: Mapping[str, Kind], name: str, note: Note) -> None:
    """Says which columns are not read as text."""
    guessed = {column: kind for column, kind in kinds.items() if kind != "text"}
    if guessed:
        by_kind = {k: ", ".join(c for c, kind in guessed.items() if kind == k) for k in ("int", "float", "bool")}
        shown = "; ".join(f"{names} as {kind}" for kind, names in by_kind.items() if names)
        note(f"{name}: read {shown} (keep text with types: {{{next(iter(guessed))}: text}})")


def sniff(text: str) -> str:
    """The delimiter that cuts the first 50 records into the most equal parts; a comma where none cuts."""
    sample = text[:65536]
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        rows = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
        widths: list[int] = []
        try:
            for row in rows:
                if row:
                    widths.append(len(row))
                if len(widths) > 50:
                    break
        except csv.Error:
            continue
        if len(sample) < len(text) and len(widths) > 1:
            widths.pop()  # cut off by the sample's end
        width, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
        score = (count / len(widths), width) if width > 1 else (0.0, 0)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _records(text: str, name: str, delimiter: str, note: Note) -> tuple[list[str], list[list[str]], list[int]]:
    try:
        return _parse(text, name, delimiter, csv.QUOTE_MINIMAL, note)
    except UserError:
        if delimiter != "\t" or '"' not in text:
            raise
        try:  # much TSV knows no quotes: a cell may start with one
            out = _parse(text, name, delimiter, csv.QUOTE_NONE, lambda _: None)
        except UserError:
            out = None
        if out is None:
            raise
    note(f"{name}: quotes are read as text, they do not pair")
    return out


def _parse(text: str, name: str, delimiter: str, quoting: int, note: Note) -> tuple[list[str], list[list[str]], list[int]]:
    csv.field_size_limit(WIDEST)
    header: list[str] = []
    records: list[list[str]] = []
    lines: list[int] = []
    start = 1
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True)  # type: ignore[arg-type]
        for row in rows:
            if not header:
                header = header_names(row, f"{name}:{start}", note) if row else []
            elif row:
                check_width(row, header, f"{name}:{start}")
                records.append(row)
                lines.append(start)
            start = rows.line_num + 1
    except csv.Error as e:
        raise UserError(f"is not CSV: {e}", where=f"{name}:{start}", hint="double the quotes inside a quoted field, and close it") from None
    except TypeError as e:
        raise UserError(f"cannot be the delimiter: {delimiter!r} ({e})", where=name, hint="one character") from None
    return header, records, lines


def check_width(row: list[str], header: list[str], where: str) -> None:
    """Raises UserError for a record that is not as wide as the header."""
    if len(row) != len(header):
        what = f"{len(row)} fields, the header has {len(header)}"
        raise UserError(what, where=where, hint="quote fields that hold the delimiter, or say delimiter:")


def header_names(row: list[str], where: str, note: Note) -> list[str]:
    """Names of the columns. Raises UserError for two of one name."""
    names = [cell.strip() for cell in row]
    for i, column in enumerate(names):
        if not column:
            names[i] = f"_{i + 1}"
            note(f"{where}: column {i + 1} has no name, called {names[i]}")
    twice = [column for column, n in Counter(names).items() if n > 1]
    if twice:
        raise UserError(f"two columns are called {twice[0]!r}", where=where, hint="give each column a name of its own")
    return names
