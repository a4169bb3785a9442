"""The one place where an agent's text is code: it goes to duckdb, over public columns only, and can do nothing but read them.

The database lies in memory, without files, extensions and settings that could be changed; hidden and gold paths are never loaded. One statement, a SELECT by
duckdb's own parser, is run within limits of rows, time and memory, on one thread. Rows without ORDER BY come as duckdb's plan gives them: the same from one
run to the next over the same rows with one version of duckdb, and in no promised order beyond that.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from importlib.util import find_spec
from threading import Lock, Timer
from typing import Any

from agentharness.env.edits import Edits
from agentharness.env.sql_guard import refusal
from agentharness.env.sql_tables import Relation, quoted, unique
from agentharness.env.views import Rows
from agentharness.errors import UserError
from agentharness.types.part import JsonDict

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "memory_limit": "1GB",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
}
_LONGEST = 20_000
"""Characters of a query."""
_CHUNK = 1024
"""Rows that one insert takes: while duckdb reads them, no other thread of Python runs."""
_KEPT = 4096
"""Texts whose check is kept: many sessions ask the same."""
_WHY = 600
"""Characters of an error that an agent is shown."""


@dataclass(slots=True, frozen=True)
class Found:
    """What a query gave. `rows`: at most as many as asked for, column -> value. `error`: why there is no result, in words; empty where there is one."""

    rows: list[JsonDict]
    columns: list[str]
    more: bool = False
    error: str = ""


def check_installed(where: str) -> None:
    """Raises UserError where duckdb is not there."""
    if find_spec("duckdb") is None:
        raise UserError("`query: {sql: …}` needs duckdb, which is not installed", where=where, hint="pip install 'agentharness[sql]'")


class Database:
    """Some tables of a world, loaded once for all sessions of a process, each at the first query that reads it. Safe in threads."""

    def __init__(self, relations: Sequence[Relation]) -> None:
        self.relations = {relation.name.lower(): relation for relation in relations}
        self._columns = frozenset(name.lower() for relation in relations for name, _ in relation.columns)
        self._lock = Lock()
        self._shared: Any = None
        self._volatile: frozenset[str] = frozenset()
        self._loaded: set[str] = set()
        self._checked: dict[str, tuple[str, list[Relation]]] = {}

    def query(self, sql: str, rows: Rows, row: str, edits: Edits | None, *, limit: int, seconds: float) -> Found:
        """Runs one SELECT as the episode of `row` sees the tables, with its edits. What is wrong with it comes back as `error`; nothing is raised for it.

        rows: the world's rows as the edits leave them. limit: rows that are given back. seconds: then it is interrupted.
        """
        import duckdb

        connection = self._connect()
        try:
            wrong, asked = self._check(connection, sql)
            if wrong:
                return Found([], [], error=wrong)
            self._load(asked)
            for relation in asked:
                self._own(connection, relation, rows, row, (edits or {}).get(relation.name))
            return _run(connection, sql, limit, seconds)
        except duckdb.InterruptException:
            return Found([], [], error=f"The query took longer than {seconds:g} seconds and was stopped.")
        except (duckdb.OutOfMemoryException, MemoryError):
            return Found([], [], error="The query needs too much memory.")
        except (duckdb.Error, UnicodeError, RecursionError, ValueError, OverflowError) as e:
            return Found([], [], error=str(e).strip()[:_WHY] or type(e).__name__)
        finally:
            connection.close()

    def _connect(self) -> Any:
        """A connection of this call's own: what it makes is seen by nobody else."""
        import duckdb

        with self._lock:
            if self._shared is None:
                shared = duckdb.connect(":memory:", config=_CONFIG)
                found = shared.execute("SELECT DISTINCT function_name FROM duckdb_functions() WHERE stability = 'VOLATILE'").fetchall()
                self._volatile = frozenset(str(name).lower() for (name,) in found)
                shared.execute("SET temp_directory = ''")
                shared.execute("SET enable_external_access = false")
                shared.execute("CREATE SCHEMA base")
                with suppress(duckdb.Error):  # without its time zones duckdb knows none but UTC
                    shared.execute("SET GLOBAL TimeZone = 'UTC'")
                shared.execute("SET lock_configuration = true")
                self._shared = shared
            return self._shared.cursor()

    def _check(self, connection: Any, sql: str) -> tuple[str, list[Relation]]:
        """Why a text may not run, and the tables that it reads."""
        import duckdb

        known = self._checked.get(sql)
        if known is not None:
            return known
        if len(sql) > _LONGEST:
            return f"A query has at most {_LONGEST} characters.", []
        sql.encode()  # a lone surrogate is no text to a database
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            return "One SELECT statement, please: nothing else is run.", []
        tree = json.loads(connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()[0])
        if tree.get("error"):
            return str(tree.get("error_message", "The statement cannot be read."))[:_WHY], []
        wrong = refusal(tree, self.relations, self._volatile, self._columns)
        if wrong:
            return f"{wrong[0].upper()}{wrong[1:]}. Tables: {'; '.join(map(str, self.relations.values()))}."[:_WHY], []
        names = json.dumps(tree, ensure_ascii=False).lower()
        found = "", [relation for name, relation in self.relations.items() if json.dumps(name, ensure_ascii=False) in names]
        if len(self._checked) >= _KEPT:
            self._checked.clear()
        self._checked[sql] = found
        return found

    def _load(self, relations: Iterable[Relation]) -> None:
        with self._lock:
            for relation in relations:
                if relation.name not in self._loaded:
                    _load(self._shared, relation)
                    self._loaded.add(relation.name)

    def _own(self, connection: Any, relation: Relation, rows: Rows, row: str, patches: dict[str, JsonDict | None] | None) -> None:
        """Over a table that is scoped to a row, or edited, lays what this episode sees of it."""
        if patches is None and not relation.table.scope:
            return
        name, columns = quoted(relation.name), ", ".join(quoted(c) for c, _ in relation.columns)
        source = f'SELECT {columns} FROM base.{name} WHERE ("_scope" = {_text(row)} OR "_scope" IS NULL)'
        if patches:
            gone, new = quoted(f"_gone {relation.name}"), quoted(f"_new {relation.name}")
            views = [view for key in sorted(patches) if (view := rows.look(relation.name, key, row)) is not None]
            connection.execute(f"CREATE TEMP TABLE {gone} (k VARCHAR)")
            _fill(connection, gone, ["VARCHAR"], [[key] for key in patches])
            connection.execute(f"CREATE TEMP TABLE {new} ({_declared(relation)})")
            _fill(connection, new, [kind for _, kind in relation.columns], [relation.cells(view) for view in views])
            source += f' AND "_key" NOT IN (SELECT k FROM {gone}) UNION ALL SELECT * FROM {new}'
        connection.execute(f"CREATE TEMP VIEW {name} AS {source}")


def _load(connection: Any, relation: Relation) -> None:
    name, columns = quoted(relation.name), ", ".join(quoted(c) for c, _ in relation.columns)
    connection.execute(f'CREATE TABLE base.{name} ("_scope" VARCHAR, "_key" VARCHAR, {_declared(relation)})')
    cells = [[scope, key, *relation.cells(view)] for scope, key, view in relation.rows()]
    _fill(connection, f"base.{name}", ["VARCHAR", "VARCHAR", *(kind for _, kind in relation.columns)], cells)
    connection.execute(f"CREATE VIEW main.{name} AS SELECT {columns} FROM base.{name}")


def _fill(connection: Any, table: str, kinds: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Inserts rows column by column: duckdb takes lists far faster than single rows."""
    values = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
    for start in range(0, len(rows), _CHUNK):
        columns = [list(column) for column in zip(*rows[start : start + _CHUNK], strict=True)]
        connection.execute(f"INSERT INTO {table} SELECT {values}", columns)


def _run(connection: Any, sql: str, limit: int, seconds: float) -> Found:
    timer = Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        cursor = connection.execute(sql)
        columns = unique([str(column[0]) for column in cursor.description])
        found = cursor.fetchmany(limit + 1)
    finally:
        timer.cancel()
    return Found([dict(zip(columns, map(_plain, row), strict=True)) for row in found[:limit]], columns, len(found) > limit)


def _declared(relation: Relation) -> str:
    return ", ".join(f"{quoted(name)} {kind}" for name, kind in relation.columns)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _plain(value: Any) -> Any:
    """JSON of a value: decimals are numbers, dates and all other kinds are text, what is no number is text."""
    if value is None or type(value) in (str, bool, int):
        return value
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
