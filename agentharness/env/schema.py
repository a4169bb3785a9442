"""Arguments of actions: a small subset of JSON schema, compiled once to closures; its messages are for the model that wrote the arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from agentharness.config.yaml import Place
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

Hole: TypeAlias = tuple[str, ...]
"""Where an enum is an expression: (argument,) or (argument, "items")."""
Check: TypeAlias = Callable[[Any, str], Any]
"""value, its name -> the value as rules see it; raises Invalid."""
ArgsCheck: TypeAlias = Callable[[Any], JsonDict]
"""arguments -> the arguments as rules see them: whole floats as integers, defaults filled in, None for what may be left out; raises Invalid."""

TYPES = ("string", "integer", "number", "boolean", "array", "object")
_WORDS = {"string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false", "array": "a list", "object": "an object"}
_KEYS = {
    "": {"type", "description", "enum", "optional", "default"},
    "integer": {"minimum", "maximum"},
    "number": {"minimum", "maximum"},
    "array": {"items", "minItems", "maxItems"},
    "object": {"properties", "required", "additionalProperties"},
}


class Invalid(Exception):
    """Arguments outside their schema: one line for the model."""


def normal(schema: Any, place: Place, *, depth: int = 0) -> JsonDict:
    """The written schema of one argument in full: a bare type name becomes {type: …}. A text `enum` (an expression) stays text. Raises UserError."""
    if isinstance(schema, str):
        schema = {"type": schema}
    if not isinstance(schema, dict):
        raise UserError("an argument is a type name or a JSON schema", where=str(place), hint=f"types: {', '.join(TYPES)}")
    out = dict(schema)
    kind = out.setdefault("type", "string")
    if not isinstance(kind, str) or kind not in TYPES:
        raise UserError(f"unknown type {kind!r}", where=str(place), hint=closest(str(kind), TYPES))
    known = _KEYS[""] | _KEYS.get(kind, set())
    for key in out:
        if key not in known:
            raise UserError(f"unknown schema key {key!r} of {_WORDS[kind]}", where=str(place), hint=closest(key, known))
    if "enum" in out and not isinstance(out["enum"], str | list):
        raise UserError("`enum` is a list, or an expression for one", where=str(place))
    if isinstance(out.get("enum"), str) and depth > 1:
        raise UserError("an `enum` this deep cannot be an expression", where=str(place), hint="write it at the argument or its items")
    if kind == "array":
        out["items"] = normal(out.get("items", "string"), place, depth=depth + 1)
    if kind == "object":
        properties = out.get("properties", {})
        if out.pop("additionalProperties", False) is not False or not isinstance(properties, dict):
            raise UserError("an object names its properties, and takes no others", where=str(place), hint="properties: {name: type}")
        out["properties"] = {k: normal(v, place, depth=depth + 2) for k, v in properties.items()}
        required = out.setdefault("required", [k for k, v in out["properties"].items() if not v.get("optional")])
        if not isinstance(required, list) or not set(required) <= set(properties):
            raise UserError("`required` lists properties", where=str(place))
    if "default" in out and depth == 0:
        _check_default(out, place)
    return out


def _check_default(schema: JsonDict, place: Place) -> None:
    if isinstance(schema.get("enum"), str):
        return
    try:
        check(schema)(schema["default"], "default")
    except Invalid as e:
        raise UserError(str(e), where=str(place)) from None


def holes(args: Mapping[str, JsonDict]) -> dict[Hole, str]:
    """The enums that are expressions."""
    out: dict[Hole, str] = {}
    for name, schema in args.items():
        if isinstance(schema.get("enum"), str):
            out[(name,)] = schema["enum"]
        if schema["type"] == "array" and isinstance(schema["items"].get("enum"), str):
            out[(name, "items")] = schema["items"]["enum"]
    return out


def fill(args: Mapping[str, JsonDict], values: Mapping[Hole, list[Any]]) -> dict[str, JsonDict]:
    """The schemas with their expression enums replaced by values."""
    out = dict(args)
    for hole, found in values.items():
        schema = dict(out[hole[0]])
        if len(hole) == 1:
            schema["enum"] = found
        else:
            schema["items"] = {**schema["items"], "enum": found}
        out[hole[0]] = schema
    return out


def parameters(args: Mapping[str, JsonDict]) -> JsonDict:
    """The JSON schema that a model is shown (arguments by name, so that the order in a file means nothing)."""
    return {
        "type": "object",
        "properties": {name: _shown(args[name]) for name in sorted(args)},
        "required": [name for name in sorted(args) if required(args[name])],
        "additionalProperties": False,
    }


def required(schema: JsonDict) -> bool:
    """Whether the argument must be given."""
    return not schema.get("optional") and "default" not in schema


def _shown(schema: JsonDict) -> JsonDict:
    out = {k: v for k, v in schema.items() if k != "optional"}
    if "items" in out:
        out["items"] = _shown(out["items"])
    if "properties" in out:
        out["properties"] = {k: _shown(v) for k, v in sorted(out["properties"].items())}
        out["required"] = sorted(out["required"])
        out["additionalProperties"] = False
    return out


def checker(args: Mapping[str, JsonDict]) -> ArgsCheck:
    """Compiles the (filled) arguments of an action."""
    checks = {name: check(schema) for name, schema in args.items()}
    needed = [name for name, schema in args.items() if required(schema)]
    absent = {name: schema.get("default") for name, schema in args.items() if not required(schema)}

    def run(given: Any) -> JsonDict:
        if type(given) is not dict:
            raise Invalid("the arguments must be an object")
        for name in needed:
            if name not in given:
                raise Invalid(_missing(name, given, checks))
        out = dict(absent)
        for name, value in given.items():
            one = checks.get(name)
            if one is None:
                raise Invalid(_unknown(name, checks))
            if value is None and name in absent:
                continue
            out[name] = one(value, name)
        return out

    if len(needed) == 1 and not absent:
        return _single(needed[0], checks[needed[0]], run)
    return run


def _single(name: str, one: Check, full: ArgsCheck) -> ArgsCheck:
    # most actions take one argument
    def run(given: Any) -> JsonDict:
        if type(given) is dict and len(given) == 1 and name in given:
            return {name: one(given[name], name)}
        return full(given)

    return run


def _missing(name: str, given: JsonDict, checks: Mapping[str, Check]) -> str:
    extra = [k for k in given if k not in checks]
    return f"the argument {name!r} is missing" + (f" ({extra[0]!r} is not one)" if extra else "")


def _unknown(name: Any, known: Mapping[str, Any]) -> str:
    return f"there is no argument {name!r} ({closest(str(name), known) if known else 'it takes none'})"


def check(schema: JsonDict) -> Check:
    """Compiles one schema."""
    kind: str = schema["type"]
    inner = _MAKERS[kind](schema)
    return _enum(schema["enum"], kind, inner) if "enum" in schema else inner


def _enum(values: Sequence[Any], kind: str, inner: Check) -> Check:
    if kind in ("array", "object"):

        def run_any(value: Any, name: str) -> Any:
            value = inner(value, name)
            if value not in values:
                raise Invalid(f"{name} must be one of the listed values")
            return value

        return run_any
    legal = frozenset(values)
    if kind == "string":

        def run_text(value: Any, name: str) -> Any:
            if type(value) is str and value in legal:
                return value
            inner(value, name)
            raise Invalid(f"{name} must be one of the listed values ({closest(value, map(str, values))})")

        return run_text

    def run(value: Any, name: str) -> Any:
        value = inner(value, name)
        if value not in legal:
            raise Invalid(f"{name} must be one of the listed values ({closest(str(value), map(str, values))})")
        return value

    return run


def _string(_: JsonDict) -> Check:
    def run(value: Any, name: str) -> Any:
        if type(value) is str:
            return value
        raise Invalid(f"{name} must be a string")

    return run


def _boolean(_: JsonDict) -> Check:
    def run(value: Any, name: str) -> Any:
        if value is True or value is False:
            return value
        raise Invalid(f"{name} must be true or false")

    return run


def _number(schema: JsonDict) -> Check:
    whole = schema["type"] == "integer"
    low, high = schema.get("minimum"), schema.get("maximum")

    def run(value: Any, name: str) -> Any:
        if type(value) is float and whole and value.is_integer():
            value = int(value)
        if type(value) is not int and (whole or type(value) is not float or not math.isfinite(value)):
            raise Invalid(f"{name} must be {'an integer' if whole else 'a number'}")
        if low is not None and value < low:
            raise Invalid(f"{name} must be at least {low}")
        if high is not None and value > high:
            raise Invalid(f"{name} must be at most {high}")
        return value

    return run


def _array(schema: JsonDict) -> Check:
    item = check(schema["items"])
    low, high = schema.get("minItems", 0), schema.get("maxItems", math.inf)

    def run(value: Any, name: str) -> Any:
        if type(value) is not list:
            raise Invalid(f"{name} must be a list")
        if not low <= len(value) <= high:
            raise Invalid(f"{name} must hold {low} items" if low == high else f"{name} must hold {low} to {high} items")
        return [item(v, f"{name}[{i}]") for i, v in enumerate(value)]

    return run


def _object(schema: JsonDict) -> Check:
    checks = {k: check(v) for k, v in schema["properties"].items()}
    needed = schema["required"]

    def run(value: Any, name: str) -> Any:
        if type(value) is not dict:
            raise Invalid(f"{name} must be an object")
        for key in needed:
            if key not in value:
                raise Invalid(f"{name}.{key} is missing")
        for key in value:
            if key not in checks:
                raise Invalid(_unknown(f"{name}.{key}", {f"{name}.{k}": 0 for k in checks}))
        return {k: checks[k](v, f"{name}.{k}") for k, v in value.items()}

    return run


_MAKERS: dict[str, Callable[[JsonDict], Check]] = {
    "string": _string,
    "boolean": _boolean,
    "integer": _number,
    "number": _number,
    "array": _array,
    "object": _object,
}
