"""Levels compiled into projections: each builds a dict that does not contain any other path at all.

The longest declared path wins and covers everything below it; what no path covers is hidden. Values are shared, never copied: nobody mutates them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from agentharness.corpus.paths import bare, parse
from agentharness.corpus.spec import Level
from agentharness.types.part import JsonDict

Projection: TypeAlias = Callable[[JsonDict], JsonDict]
_Walk: TypeAlias = Callable[[Any], Any]


class _Absent:
    """Stands for a value that the projection does not show."""


_ABSENT = _Absent()


@dataclass(slots=True)
class Node:
    """A place in the tree of declared paths, with the level that holds there."""

    level: Level
    children: dict[str, Node] = field(default_factory=dict)

    def at(self, *names: str) -> Node:
        """The node that decides at this path; past the declared ones, a leaf of the nearest level."""
        node = self
        for name in names:
            node = node.children.get(name) or Node(node.level)
        return node


@dataclass(slots=True, frozen=True)
class Projections:
    """The three readings of a row. `non_gold` and `gold` together hold all of it."""

    public: Projection
    non_gold: Projection
    gold: Projection


def tree(levels: Mapping[str, Level], columns: Container[str] = ()) -> Node:
    """Declared paths as a tree. `[]` plays no part: a list is gone through wherever the data has one."""
    root = Node("hidden")
    paths = sorted(((bare(parse(path, columns)), level) for path, level in levels.items()), key=lambda item: len(item[0]))
    for names, level in paths:
        node = root
        for name in names:  # shorter paths stand already, so a new node takes the level of the nearest declared ancestor
            node = node.children.setdefault(name, Node(node.level))
        node.level = level
    return root


def compile_levels(root: Node) -> Projections:
    """The projections of a tree of levels."""
    return Projections(
        _rows(root, frozenset({"public"})),
        _rows(root, frozenset({"public", "hidden"})),
        _rows(root, frozenset({"gold"})),
    )


def _rows(root: Node, wanted: frozenset[str]) -> Projection:
    fields = {name: _compile(node, wanted) for name, node in root.children.items()}
    rest = root.level in wanted
    if all(f is True for f in fields.values()) and rest:
        return lambda row: row
    if all(isinstance(f, bool) for f in fields.values()):
        if rest:
            dropped = frozenset(name for name, f in fields.items() if not f)
            return lambda row: {name: value for name, value in row.items() if name not in dropped}
        kept = frozenset(name for name, f in fields.items() if f)
        return lambda row: {name: value for name, value in row.items() if name in kept}
    return lambda row: _record(row, fields, rest)


def _compile(node: Node, wanted: frozenset[str]) -> _Walk | bool:
    """True: all of the value is wanted; False: nothing of it; else a function from the value to what is wanted of it."""
    own = node.level in wanted
    fields = {name: _compile(child, wanted) for name, child in node.children.items()}
    if all(f is own for f in fields.values()):
        return own

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            out = _record(value, fields, own)
            return out if out or own else _ABSENT
        if isinstance(value, list):
            items = [walk(item) for item in value]
            if not own and all(item is _ABSENT for item in items):
                return _ABSENT
            # A list keeps its length, so that what stands at one position in two paths stays together.
            return [_hole(was) if item is _ABSENT else item for was, item in zip(value, items, strict=True)]
        return value if own else _ABSENT

    return walk


def _record(value: JsonDict, fields: Mapping[str, _Walk | bool], rest: bool) -> JsonDict:
    out: JsonDict = {}
    for name, inner in value.items():
        f = fields.get(name, rest)
        if f is True:
            out[name] = inner
        elif f is not False:
            shown = f(inner)
            if shown is not _ABSENT:
                out[name] = shown
    return out


def _hole(value: Any) -> Any:
    if isinstance(value, dict):
        return {}
    return [] if isinstance(value, list) else None
