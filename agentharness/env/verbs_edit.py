"""The second form of set: a row of this episode is edited, added or removed; the corpus never changes."""

from __future__ import annotations

from typing import Any

from agentharness.corpus.keys import key_columns
from agentharness.env.edits import NotEditable, Said, added, changed, editable, key_of_row, removed
from agentharness.env.expr import Compiled
from agentharness.env.maker import Maker
from agentharness.env.work import NOTHING, Missing, Verb, Work
from agentharness.errors import EpisodeError, closest
from agentharness.types.part import JsonDict

OWN_ROW = Missing("The row of the task itself cannot be removed.")
_KEYS = ("in", "key", "values", "add", "remove")


def edit(make: Maker, body: JsonDict, *path: str | int) -> Verb:
    """{in: TABLE, key, values: {FIELD: expression}} | the same with add: true | {in: TABLE, key, remove: true}: all values are worked out before any is set."""
    for key in body:
        if key not in _KEYS:
            raise make.fail(f"set in a table knows no {key!r}", (*path, key), closest(key, _KEYS))
    for flag in ("add", "remove"):
        if flag in body and body[flag] is not True:
            raise make.fail(f"{flag} is true, or left out", (*path, flag), f"{flag}: true")
    adds, removes = "add" in body, "remove" in body
    if "key" not in body or adds + removes > 1 or removes == ("values" in body):
        raise make.fail("set in a table says `key`, and `values` (with `add: true` for a new row) or `remove: true`", path)
    table = make.keyed(body["in"], *path, "in")
    columns = key_columns(make.spec.corpus[table])
    asked = make.expression(body["key"], *path, "key")
    if removes:
        return lambda work: remove_row(work, table, key_of_row(columns, asked(work.env))[0])
    plan = _plan(make, table, columns, body["values"], adds, *path, "values")

    def verb(work: Work) -> Missing | None:
        key, named = key_of_row(columns, asked(work.env))
        said = [(tokens, run(work.env)) for tokens, run in plan]
        return add_row(work, table, key, named, said) if adds else edit_row(work, table, key, said)

    return verb


def _plan(make: Maker, table: str, columns: list[str], given: Any, adds: bool, *path: str | int) -> list[tuple[tuple[str, ...], Compiled]]:
    if not isinstance(given, dict) or (not given and not adds):
        raise make.fail("values takes fields", path, "values: {FIELD: expression}")
    plan: dict[str, tuple[tuple[str, ...], Compiled]] = {}
    for field, source in given.items():
        try:
            tokens = editable(make.corpus.tables[table], columns, field)
        except NotEditable as e:
            raise make.fail(e.what, (*path, field), e.hint) from None
        twin = next((other for other, (seen, _) in plan.items() if seen[: len(tokens)] == tokens or tokens[: len(seen)] == seen), None)
        if twin is not None:
            raise make.fail(f"{field!r} and {twin!r} are one place", (*path, field), "set one of them")
        plan[field] = (tokens, make.expression(source, *path, field))
    return list(plan.values())


def edit_row(work: Work, table: str, key: str | None, said: list[Said]) -> Missing | None:
    """New values for fields of a row; NOTHING where there is no such row."""
    now, base = _now(work, table, key), _base(work, table, key)
    if now is None or key is None:
        return NOTHING
    try:
        work.edit(changed(work.edits or {}, table, key, base, now, said))
    except ValueError as e:
        raise EpisodeError("env", f"an edit of {table} {key!r}: {e}") from None
    return None


def add_row(work: Work, table: str, key: str | None, named: JsonDict, said: list[Said]) -> Missing | None:
    """A new row; NOTHING where one of this key is there, or the key is none. `named`: what the key's columns hold."""
    if key is None or _now(work, table, key) is not None:
        return NOTHING
    try:
        work.edit(added(work.edits or {}, table, key, _base(work, table, key), named, said))
    except ValueError as e:
        raise EpisodeError("env", f"a new row of {table}, {key!r}: {e}") from None
    return None


def remove_row(work: Work, table: str, key: str | None) -> Missing | None:
    """Takes a row away; NOTHING where there is none, OWN_ROW where it is the episode's own."""
    if key is None or _now(work, table, key) is None:
        return NOTHING
    if (table, key) == (work.scene.node.table, work.scene.row):
        return OWN_ROW
    work.edit(removed(work.edits or {}, table, key, _base(work, table, key)))
    return None


def _now(work: Work, table: str, key: str | None) -> JsonDict | None:
    return None if key is None else work.scene.rows.look(table, key, work.scene.row)


def _base(work: Work, table: str, key: str | None) -> JsonDict | None:
    return None if key is None else work.scene.root.rows.look(table, key, work.scene.row)
