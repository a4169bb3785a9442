"""Field paths: `contexts[].is_supporting`. A segment names a key of an object; `[]` goes into a list.

A column whose name holds a dot is one segment where the whole path is its name. Levels ignore `[]` when they are applied (a list never opens a way round them);
the spelling is checked against the data, so that readers of a path can trust it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any, TypeAlias

LIST = "[]"
Tokens: TypeAlias = tuple[str, ...]


def parse(path: str, columns: Container[str] = ()) -> Tokens:
    """`a[].b` as ("a", "[]", "b"). `columns`: names that are one segment, whatever they hold."""
    if path in columns:
        return (path,)
    out: list[str] = []
    for segment in path.split("."):
        name = segment
        depth = 0
        while name.endswith(LIST):
            name, depth = name[:-2], depth + 1
        out.append(name)
        out.extend([LIST] * depth)
    return tuple(out)


def bare(tokens: Tokens) -> Tokens:
    """The path without its `[]`."""
    return tuple(t for t in tokens if t != LIST)


def values(value: Any, tokens: Tokens) -> Iterator[Any]:
    """Every value that stands at the path, in order; nothing where it does not exist."""
    if not tokens:
        yield value
    elif tokens[0] == LIST:
        if isinstance(value, list):
            for item in value:
                yield from values(item, tokens[1:])
    elif isinstance(value, dict) and tokens[0] in value:
        yield from values(value[tokens[0]], tokens[1:])


def possible(value: Any, tokens: Tokens) -> bool:
    """Whether the path exists in `value`, or may exist in another row: a null or an empty list on the way says nothing against it."""
    if not tokens or value is None:
        return True
    if tokens[0] == LIST:
        return isinstance(value, list) and (not value or any(possible(item, tokens[1:]) for item in value))
    return isinstance(value, dict) and tokens[0] in value and possible(value[tokens[0]], tokens[1:])


def shape(rows: Iterable[Any]) -> set[str]:
    """Every path that the rows hold, spelt as `columns:` wants it."""
    found: set[str] = set()
    for row in rows:
        _shape(row, "", found)
    return found


def _shape(value: Any, prefix: str, found: set[str]) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            path = f"{prefix}.{name}" if prefix else name
            found.add(path)
            _shape(inner, path, found)
    elif isinstance(value, list):
        for item in value:
            _shape(item, prefix + LIST, found)
