"""query sql: an agent's SELECT over public columns; its rows are the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentharness import canon
from agentharness.env.maker import Maker
from agentharness.env.sql import Database, Found, check_installed
from agentharness.env.sql_tables import relation, twins
from agentharness.env.work import Missing, Verb, Work
from agentharness.types.part import JsonDict

_CELL = 200
"""Characters of a cell that the shown table has."""
_MOST_ROWS, _MOST_SECONDS = 10_000, 60


def sql(make: Maker, body: JsonDict, *path: str | int) -> Verb:
    """{sql: expression, in: TABLE or list, limit: 20, seconds: 5}"""
    limit, seconds = body.get("limit", 20), body.get("seconds", 5)
    if type(limit) is not int or not 1 <= limit <= _MOST_ROWS:
        raise make.fail(f"limit is a whole number from 1 to {_MOST_ROWS}", (*path, "limit"))
    if type(seconds) not in (int, float) or not 0 < seconds <= _MOST_SECONDS:
        raise make.fail(f"seconds is a number up to {_MOST_SECONDS}", (*path, "seconds"))
    check_installed(str(make.place((*path, "sql"))))
    base = database(make, body.get("in"), *path, "in")
    run, room = make.expression(body["sql"], *path, "sql"), make.spec.limits.state // 4

    def verb(work: Work) -> Missing | None:
        scene = work.scene
        text = run(work.env)
        found = base.query(text if isinstance(text, str) else "", scene.rows, scene.row, work.edits, limit=limit, seconds=seconds)
        if found.error:
            return Missing(found.error)
        found = _fitting(found, room)
        if found.more and not found.rows:
            return Missing(f"A row of the result has more than {room} bytes: select fewer columns.")
        work.found(list(found.rows))
        if work.texts:
            work.shown.append(shown(found))
        return None

    return verb


def chosen(make: Maker, tables: Any, *path: str | int) -> list[str]:
    """The tables that SQL sees: those named, else all but the episode's own."""
    named = [tables] if isinstance(tables, str) else tables or []
    if not isinstance(named, list):
        raise make.fail("tables are named by one word, or a list of words", path, "in: [one, another]")
    found = [make.table(name, *path) for name in named] or [name for name in make.corpus.tables if name != make.each]
    if not found:
        raise make.fail("SQL sees all tables but the episode's own, and there is no other", path[:-1], f"in: {make.each} shows it")
    return found


def database(make: Maker, tables: Any, *path: str | int) -> Database:
    """The database over some tables; one for all rules that name the same. Raises UserError for names that SQL cannot tell apart."""
    names = tuple(chosen(make, tables, *path))
    base = make.databases.get(names)
    if base is None:
        found = [relation(make.corpus.tables[name]) for name in names]
        same = twins(names) or next((pair for one in found if (pair := twins(c for c, _ in one.columns))), None)
        if same is not None:
            raise make.fail(f"SQL cannot tell {same[0]!r} from {same[1]!r}", path[:-1], "rename one of them")
        empty = next((one.name for one in found if not one.columns), None)
        if empty is not None:
            raise make.fail(f"{empty} has no public column", path[:-1], f"columns: {{{empty}: {{COLUMN: public}}}}")
        base = make.databases[names] = Database(found)
    return base


def shown(found: Found) -> str:
    """A result as a compact table."""
    lines = [" | ".join(found.columns), *(" | ".join(map(_cell, row.values())) for row in found.rows)]
    count = len(found.rows)
    end = f"the first {count} rows; there are more" if found.more else f"{count} row{'' if count == 1 else 's'}"
    return "\n".join([*lines, f"({end})"])


def _cell(value: Any) -> str:
    text = "NULL" if value is None else value if isinstance(value, str) else canon.dumps(value).decode()
    text = text.replace("\n", " ").replace("\r", " ")
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def _fitting(found: Found, room: int) -> Found:
    """The first rows that the state has room for."""
    for i, row in enumerate(found.rows):
        room -= len(canon.dumps(row)) + 1
        if room < 0:
            return Found(found.rows[:i], found.columns, True)
    return found


def listing(make: Maker, tables: Sequence[str], *path: str | int) -> list[str]:
    """What SQL sees of tables, one line each: `movies(title VARCHAR, year BIGINT)`."""
    return [str(one) for one in database(make, list(tables), *path).relations.values()]
