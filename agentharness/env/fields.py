"""Field paths in rules: what stands there, and who may see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentharness.corpus.paths import LIST, bare, parse, values
from agentharness.corpus.project import Node, tree
from agentharness.corpus.spec import Level
from agentharness.corpus.table import Table


def level(table: Table, path: str) -> Level:
    """Who may see `path` of the table: public also where only a part of what stands there is, since views hold no more than that part."""
    node = tree(table.levels, table.columns).at(*bare(parse(path, table.columns)))
    return "public" if _some_public(node) else node.level


def _some_public(node: Node) -> bool:
    return node.level == "public" or any(_some_public(child) for child in node.children.values())


def known(table: Table, path: str) -> bool:
    """Whether the table has a column, or declares a path, that `path` starts with."""
    name = parse(path, table.columns)[0]
    return name in table.columns or any(parse(p, table.columns)[0] == name for p in table.levels)


def picker(path: str, columns: frozenset[str] = frozenset()) -> Callable[[Any], Any]:
    """Compiles a path to a function row -> what stands there: a list of all where the path goes into lists, None where nothing stands.

    `columns`: names that are one segment, whatever they hold.
    """
    tokens = parse(path, columns)
    if len(tokens) == 1:
        name = tokens[0]
        return lambda row: row.get(name)
    if LIST in tokens:
        return lambda row: list(values(row, tokens)) or None
    return lambda row: next(values(row, tokens), None)
