"""Edits of rows: how one episode's rows differ from the corpus, as plain JSON in its state. The corpus never changes; edits are copied, never changed in place.

In a form that has one spelling for one world: a value is kept under its top-level column, what equals the corpus is left out, and so is a row or a table
without edits. Two states with equal rows have equal edits, whatever the way there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from agentharness import canon
from agentharness.corpus.paths import LIST, parse
from agentharness.corpus.project import Node, tree
from agentharness.corpus.table import Table, key_text
from agentharness.errors import closest
from agentharness.types.part import JsonDict

Edits: TypeAlias = "dict[str, dict[str, JsonDict | None]]"
"""table -> key -> {column: value}, null where the row was removed."""
Said: TypeAlias = "tuple[tuple[str, ...], Any]"
"""A field's path, and its new value."""


def is_edit(body: Any, variables: Iterable[str]) -> bool:
    """Whether a `set` edits rows: it says `in`, and no variable is called so; or its `values` is a mapping, which no variable's expression ever is."""
    return isinstance(body, dict) and "in" in body and ("in" not in variables or isinstance(body.get("values"), dict))


class NotEditable(Exception):
    """A field that no edit may change: what, and how to mend it."""

    def __init__(self, what: str, hint: str = "") -> None:
        self.what, self.hint = what, hint
        super().__init__(what)


def editable(table: Table, key: Sequence[str], field: str) -> tuple[str, ...]:
    """The path of a field that may be edited: public as a whole, no part of the table's key, not inside a list. Raises NotEditable."""
    tokens = parse(field, table.columns)
    shown = sorted({*table.columns, *(parse(p, table.columns)[0] for p in table.levels)})
    node = tree(table.levels, table.columns).at(*(t for t in tokens if t != LIST))
    if tokens[0] not in shown:
        raise NotEditable(f"{table.name} has no column {tokens[0]!r}", closest(tokens[0], shown))
    if LIST in tokens:
        raise NotEditable(f"{field!r} goes into a list", f"edit the whole list: {tokens[0]}")
    if any(parse(k, table.columns)[: len(tokens)] == tokens for k in key):
        raise NotEditable(f"{field!r} is the key of {table.name}", "remove the row, and add another")
    if not open_(node):
        level = node.level if node.level != "public" else "public in part"
        raise NotEditable(f"{field!r} of {table.name} is {level}: edits change public fields only", f"columns: {{{table.name}: {{{field}: public}}}}")
    return tokens


def open_(node: Node) -> bool:
    """Whether all that stands at a place is public."""
    return node.level == "public" and all(open_(child) for child in node.children.values())


def blank(table: Table) -> JsonDict:
    """The public view of a row of which nothing is known."""
    return table.projections.public(dict.fromkeys(sorted(table.columns)))


def laid(table: Table, full: JsonDict, patch: JsonDict) -> JsonDict:
    """A whole row with an edit over it: what of a record the edit cannot see stays."""
    root = tree(table.levels, table.columns)
    return {**full, **{c: v if open_(root.at(c)) else _merged(full.get(c), v) for c, v in patch.items()}}


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{k: _merged(old.get(k), v) for k, v in new.items()}}
    return new


def key_of_row(key: Sequence[str], asked: Any) -> tuple[str | None, JsonDict]:
    """The key that a value names, and what the key's columns hold in a row that is added under it: a list of values where several columns make the key."""
    if len(key) > 1:
        if not isinstance(asked, list) or len(asked) != len(key):
            return None, {}
        return key_text(asked), dict(zip(key, asked, strict=True))
    if asked is None or isinstance(asked, dict | list):
        return None, {}
    return key_text(asked), dict.fromkeys(key, asked)


def changed(edits: Edits, table: str, key: str, base: JsonDict | None, now: JsonDict, said: Iterable[Said]) -> Edits:
    """The edits with new values for fields of a row. `base`: its public view in the corpus, None where it was added. `now`: its view before. Raises
    ValueError where a path goes through what is no record."""
    patch = dict(edits.get(table, {}).get(key) or {})
    for (column, *inner), value in said:
        patch[column] = _with(patch[column] if column in patch else now.get(column), inner, value, column)
    if base is None:
        return _put(edits, table, key, patch)
    return _put(edits, table, key, {c: v for c, v in patch.items() if canon.dumps(v) != canon.dumps(base.get(c))} or _NO_EDIT)


def added(edits: Edits, table: str, key: str, base: JsonDict | None, columns: JsonDict, said: Iterable[Said]) -> Edits:
    """The edits with a new row. `base`: the corpus's row of this key, which was removed before; `columns`: what its key's columns hold."""
    empty: JsonDict = {} if base is None else dict.fromkeys(base)
    cleared = _put(edits, table, key, {**empty, **columns})
    return changed(cleared, table, key, base, empty, said)


def removed(edits: Edits, table: str, key: str, base: JsonDict | None) -> Edits:
    """The edits without a row."""
    return _put(edits, table, key, _NO_EDIT if base is None else None)


_NO_EDIT: JsonDict = {"": None}
"""Stands for: the row is as the corpus has it."""


def _put(edits: Edits, table: str, key: str, patch: JsonDict | None) -> Edits:
    rows = {k: v for k, v in edits.get(table, {}).items() if k != key}
    if patch is not _NO_EDIT:
        rows[key] = patch
    out = {name: found for name, found in edits.items() if name != table}
    if rows:
        out[table] = rows
    return out


def _with(value: Any, path: Sequence[str], new: Any, label: str) -> Any:
    if not path:
        return new
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"{label} is {canon.dumps(value).decode()[:60]}, no record")
    record = value or {}
    return {**record, path[0]: _with(record.get(path[0]), path[1:], new, f"{label}.{path[0]}")}
