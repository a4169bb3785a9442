"""SQLite files: one table or view, read-only. Cells have the types that the file gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from agentharness.corpus.batch import Batch
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

SUFFIXES = (".db", ".sqlite", ".sqlite3")


def read_sqlite(path: Path, name: str, table: str | None) -> Batch:
    """Rows of a table in the order in which the file lists them (by rowid, where it has one). `table`: which; needed where there are several.

    Columns that hold bytes are left out. Raises UserError where the file is no database or has no such table.
    """
    import sqlite3

    try:
        db = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)
        try:
            chosen = _choose(db, name, table)
            ordered = _has_rowid(db, chosen)
            cursor = db.execute(f"select * from {_quoted(chosen)}{' order by rowid' if ordered else ''}")
            columns = [str(column[0]) for column in cursor.description]
            rows = cursor.fetchall()
        finally:
            db.close()
    except sqlite3.Error as e:
        raise UserError(f"is no SQLite file that can be read: {e}", where=name, hint="check the file; a copy without a -wal beside it may help") from None
    refused = {column: "holds bytes" for i, column in enumerate(columns) if any(isinstance(row[i], bytes) for row in rows)}
    kept = [(i, column) for i, column in enumerate(columns) if column not in refused]
    out: list[JsonDict] = [{column: row[i] for i, column in kept} for row in rows]
    return Batch(out, name, refused=refused)


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
