"""Changes of a task.yaml by places: every other character, comments and layout included, stays as it is.

Each change is read back: where the file does not then say just what was meant (an anchor that other keys share, a layout that is not foreseen), there is no
change at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml as pyyaml

from agentharness.config.yaml import parse
from agentharness.env.expand import is_short
from agentharness.errors import UserError

Path = tuple[str, ...]


def put(text: str, path: Path, value: Any) -> str | None:
    """`text` with the value of the long key `path` (two keys at most) set to a word or a number; None where that cannot be done by places."""
    data = parse(text).data
    if not isinstance(data, dict):
        return None
    path = _written(data, path)
    for changed in _ways(text, data, path, str(value)):
        if _says(changed, data, path, value):
            return changed
    return None


def _written(data: dict[str, Any], path: Path) -> Path:
    """Where this file says it: `turns` on the short level stands for limits.turns."""
    if path == ("limits", "turns") and is_short(data) and "turns" not in (data.get("limits") or {}):
        return ("turns",)
    return path


def _ways(text: str, data: dict[str, Any], path: Path, value: str) -> Iterator[str]:
    root = pyyaml.compose(text, Loader=pyyaml.SafeLoader)
    if not isinstance(root, pyyaml.MappingNode):
        return
    end = "\r\n" if "\r\n" in text else "\n"
    held = _find(root, path)
    if held is not None:
        start, stop = held.start_mark.index, held.end_mark.index
        lead = "" if text[start - 1 : start] in (" ", "\t") else " "
        yield f"{text[:start]}{lead}{value}{text[stop:]}"
        return
    if len(path) == 1:
        yield from _append(text, root, f"{path[0]}: {value}", end)
    elif path[0] not in data:
        yield from _append(text, root, f"{path[0]}:{end}  {path[1]}: {value}", end)
    else:
        parent = _find(root, path[:1])
        if isinstance(parent, pyyaml.MappingNode) and parent.value:
            first = parent.value[0][0].start_mark
            after = ", " if parent.flow_style else end + " " * first.column
            yield f"{text[: first.index]}{path[1]}: {value}{after}{text[first.index :]}"


def _append(text: str, root: pyyaml.MappingNode, line: str, end: str) -> Iterator[str]:
    """A top-level key after all that stands there."""
    if root.flow_style:
        return
    column = " " * root.start_mark.column
    body = text if text.endswith("\n") else text + end
    yield body + column + line.replace(end, end + column) + end


def _find(node: pyyaml.Node | None, path: Sequence[str]) -> pyyaml.Node | None:
    for key in path:
        if not isinstance(node, pyyaml.MappingNode):
            return None
        node = next((value for name, value in node.value if isinstance(name, pyyaml.ScalarNode) and name.value == key), None)
    return node


def _says(text: str, data: dict[str, Any], path: Path, value: Any) -> bool:
    """Whether the text reads as `data` with that one change."""
    wanted = {**data}
    if len(path) == 1:
        wanted[path[0]] = value
    else:
        wanted[path[0]] = {**(data.get(path[0]) or {}), path[1]: value}
    try:
        return bool(parse(text).data == wanted)
    except UserError:
        return False
