"""SQLite files: one table or view, read-only. Cells have the types that the file gives them; an empty text is no null."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from agentharness.corpus.batch import Batch, Reading
from agentharness.corpus.images import UNKNOWN, mime_of
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

SUFFIXES = (".db", ".sqlite", ".sqlite3")
_STEPS = 20_000_000
"""Steps of SQLite's machine between two looks at a query: a view may run for ever."""


def read_sqlite(path: Path, name: str, table: str | None, reading: Reading, data: bytes | None = None) -> Batch:
    """Rows of a table in the order in which the file lists them (by rowid, where it has one). `table`: which; needed where there are several.

    Bytes that are pictures become image parts; a column of other bytes is left out. `data`: the file's bytes, where it lies in an archive. Raises UserError
    where the file is no database or has no such table.
    """
    import sqlite3

    try:
        db = _open(path, data)
        try:
            db.execute("pragma trusted_schema = off")
            chosen = _choose(db, name, table)
            ordered = _has_rowid(db, chosen)
            _patience(db)
            cursor = db.execute(f"select * from {_quoted(chosen)}{' order by rowid' if ordered else ''}")
            columns = [str(column[0]) for column in cursor.description]
            rows = cursor.fetchall()
        finally:
            db.close()
    except sqlite3.Error as e:
        raise UserError(f"is no SQLite file that can be read: {e}", where=name, hint="check the file; a copy without a -wal beside it may help") from None
    if len(set(columns)) < len(columns):
        raise UserError(f"two columns of {chosen} have one name", where=name, hint="rename one in the view")
    refused: dict[str, str] = {}
    read: dict[str, list[Any]] = {}
    for column, cells in zip(columns, zip(*rows, strict=True) if rows else [()] * len(columns), strict=True):
        try:
            read[column] = [_cell(cell, reading) for cell in cells] if bytes in {type(cell) for cell in cells} else list(cells)
        except ValueError:
            refused[column] = "it holds bytes that are no pictures"
            reading.note(f"{name}: column {column} is left out: {refused[column]}")
    out: list[JsonDict] = [dict(zip(read, row, strict=True)) for row in zip(*read.values(), strict=True)]
    return Batch(out, name, refused=refused)


def _open(path: Path, data: bytes | None) -> Any:
    import sqlite3

    if data is not None:
        db = sqlite3.connect(":memory:")
        db.deserialize(data)
        return db
    wal = path.with_name(path.name + "-wal")
    # Without a log beside it nobody writes to the file: `immutable` opens it in a folder that cannot be written, too.
    still = "" if wal.exists() and wal.stat().st_size else "&immutable=1"
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro{still}", uri=True)


def _patience(db: Any) -> None:
    """Ends a query after ten thousand million steps, some minutes; a table of a thousand million cells has less."""
    looks = iter(range(500))
    db.set_progress_handler(lambda: next(looks, None) is None, _STEPS)


def _cell(cell: Any, reading: Reading) -> Any:
    if not isinstance(cell, bytes):
        return cell
    if mime_of(cell) == UNKNOWN:
        raise ValueError
    return reading.assets.part(reading.assets.add_bytes(cell))


def _choose(db: Any, name: str, table: str | None) -> str:
    found = [row[0] for row in db.execute("select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' order by name")]
    if table is not None and table not in found:
        raise UserError(f"has no table {table!r}", where=name, hint=closest(table, found))
    if table is None and len(found) != 1:
        raise UserError(f"holds {len(found)} tables" if found else "holds no table", where=name, hint=f"table: {' | '.join(found[:10])}")
    return table or str(found[0])


def _has_rowid(db: Any, table: str) -> bool:
    import sqlite3

    try:
        db.execute(f"select rowid from {_quoted(table)} limit 1")
    except sqlite3.OperationalError:
        return False
    return True


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
