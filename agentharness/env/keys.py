"""The closed list of the long form's keys, read off the pydantic fields: for docs, hints and checks."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, TypeGuard, Union, get_args, get_origin

from agentharness.config.closed import Closed
from agentharness.env.spec import TaskSpec

_NAMES = {str: "text", int: "whole number", float: "number", bool: "true or false", Any: "any", type(None): "null"}
_ENTRY = {
    "corpus": "TABLE",
    "columns": "TABLE",
    "edges": "EDGE",
    "derive": "NAME",
    "actions": "ACTION",
    "rewards": "REWARD",
    "trajectories": "TABLE",
    "match": "ACTION",
}


def key_table() -> list[tuple[str, str, str]]:
    """(dotted key, type, description) of every key of the long form, in its order. What the user names stands in capitals: `actions.ACTION.when`."""
    return list(_rows(TaskSpec, ""))


def fields(model: type[Closed]) -> dict[str, Any]:
    """Key as written -> its annotation."""
    return {info.alias or name: info.annotation for name, info in model.model_fields.items()}


def is_model(annotation: Any) -> TypeGuard[type[Closed]]:
    """Whether an annotation is a mapping with a closed list of keys."""
    return isinstance(annotation, type) and issubclass(annotation, Closed)


def plain(annotation: Any) -> Any:
    """The annotation without `| None`."""
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [a for a in get_args(annotation) if a is not type(None)]
        return rest[0] if len(rest) == 1 else annotation
    return annotation


def inside(annotation: Any, key: str | int) -> Any:
    """The annotation of what stands under `key`; None where nothing is known of it."""
    annotation = plain(annotation)
    if is_model(annotation):
        return plain(fields(annotation).get(str(key)))
    args = get_args(annotation)
    return plain(args[-1]) if get_origin(annotation) in (dict, list) and args else None


def within(path: tuple[str | int, ...]) -> Any:
    """The annotation at a path of the long form; None where nothing is known of it."""
    annotation: Any = TaskSpec
    for key in path:
        annotation = inside(annotation, key)
    return annotation


def spell(annotation: Any) -> str:
    """A type in words."""
    annotation = plain(annotation)
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " | ".join(str(a) for a in args)
    if origin in (Union, types.UnionType):
        return " or ".join(spell(a) for a in args if a is not type(None))
    if origin is list:
        return f"list of {spell(args[0])}"
    if origin is dict:
        return f"mapping of {spell(args[1])}"
    return "mapping" if is_model(annotation) else _NAMES.get(annotation, str(annotation))


def _rows(model: type[Closed], prefix: str) -> Iterator[tuple[str, str, str]]:
    for name, info in model.model_fields.items():
        key = info.alias or name
        annotation = plain(info.annotation)
        entry = annotation
        path = prefix + key
        if get_origin(annotation) is dict and is_model(get_args(annotation)[1]):
            entry = get_args(annotation)[1]
            path += "." + _ENTRY.get(key, "NAME")
        yield path, spell(entry), info.description or _about(entry)
        if is_model(entry):
            yield from _rows(entry, path + ".")


def _about(annotation: Any) -> str:
    """A description for a mapping that states none: its model's docstring, else its keys."""
    if not is_model(annotation):
        return ""
    own = annotation.__dict__.get("__doc__")
    return own.strip().splitlines()[0].rstrip(".") if own else f"holds {', '.join(fields(annotation))}"
