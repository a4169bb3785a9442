"""Actions as words: how a model without tools is told what it can do."""

from __future__ import annotations

from typing import Any

from agentharness import canon
from agentharness.types.move import ActionSet, ActionSpec
from agentharness.types.part import JsonDict

VERSION = 1
"""Raised by a change of any word that a model reads; part of the identity of agents that use this file."""
MOST_VALUES = 40
"""Values of an enum that are listed; of a longer one the first so many, and how many more."""


def describe(actions: ActionSet) -> str:
    """All actions, one a paragraph: name, arguments with types and allowed values, description."""
    return "\n".join(one(spec) for spec in actions) or "(no action is possible)"


def changes(before: ActionSet, after: ActionSet) -> str:
    """What changed between two sets, in words; "" where nothing that a model sees did."""
    if before is after or before.digest == after.digest:
        return ""
    lines = [one(s) for s in after if s.name not in before.by_name or one(s) != one(before.by_name[s.name])]
    gone = [s.name for s in before if s.name not in after.by_name]
    told = ["Actions that are different now:", *lines] if lines else []
    return "\n".join(told + ([f"No longer possible: {', '.join(gone)}"] if gone else []))


def one(spec: ActionSpec) -> str:
    """One action: `- open(title): what it does`, then a line for each argument."""
    properties: JsonDict = spec.parameters.get("properties") or {}
    needed = spec.parameters.get("required") or []
    head = f"- {spec.name}({', '.join(n if n in needed else f'{n}?' for n in properties)})"
    lines = [f"{head}: {spec.description}" if spec.description else head]
    return "\n".join(lines + [f"    {name}: {_argument(schema)}" for name, schema in properties.items()])


def example(actions: ActionSet) -> str:
    """A block of the text protocol with the first action that takes arguments, or the first one."""
    spec = next((s for s in actions if s.parameters.get("properties")), next(iter(actions), None))
    if spec is None:
        return '{"action": "…", "args": {}}'
    properties: JsonDict = spec.parameters.get("properties") or {}
    return f'{{"action": {_json(spec.name)}, "args": {{{", ".join(f"{_json(n)}: {_sample(p)}" for n, p in properties.items())}}}}}'


def _argument(schema: JsonDict) -> str:
    words = [_type(schema)]
    for key, word in (("minimum", "at least"), ("maximum", "at most"), ("minItems", "items at least"), ("maxItems", "items at most"), ("default", "default")):
        if key in schema:
            words.append(f"{word} {_json(schema[key])}")
    text = ", ".join(words)
    if schema.get("description"):
        text += f": {schema['description']}"
    values = schema.get("enum")
    if values is None:
        return text
    more = f", … ({len(values) - MOST_VALUES} more)" if len(values) > MOST_VALUES else ""
    return f"{text}; one of {', '.join(map(_json, values[:MOST_VALUES]))}{more}"


def _type(schema: JsonDict) -> str:
    kind = schema.get("type", "any value")
    if kind == "array":
        return f"array of {_type(schema.get('items') or {})}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _sample(schema: JsonDict) -> str:
    if schema.get("enum"):
        return _json(schema["enum"][0])
    kind = schema.get("type")
    if kind == "array":
        return "[" + ", ".join([_sample(schema.get("items") or {})] * max(1, int(schema.get("minItems", 1)))) + "]"
    return {"integer": str(schema.get("minimum", 1)), "number": str(schema.get("minimum", 1)), "boolean": "true", "object": "{}"}.get(str(kind), '"…"')


def _json(value: Any) -> str:
    return canon.dumps(value).decode()
