"""Arguments: what is let through, what the model is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.config.yaml import Place
from agentharness.env import schema
from agentharness.errors import UserError

PLACE = Place("task.yaml", 3, 5)


def check(args: dict[str, Any], given: Any) -> Any:
    """The arguments as rules see them, or the message."""
    full = {name: schema.normal(one, PLACE) for name, one in args.items()}
    try:
        return schema.checker(full)(given)
    except schema.Invalid as e:
        return str(e)


@pytest.mark.parametrize(
    ("kind", "value", "want"),
    [
        ("string", "x", "x"),
        ("string", 5, "a must be a string"),
        ("string", None, "a must be a string"),
        ("integer", 5, 5),
        ("integer", 5.0, 5),
        ("integer", 5.5, "a must be an integer"),
        ("integer", "5", "a must be an integer"),
        ("integer", True, "a must be an integer"),
        ("integer", float("inf"), "a must be an integer"),
        ("number", 5, 5),
        ("number", 0.5, 0.5),
        ("number", False, "a must be a number"),
        ("number", float("nan"), "a must be a number"),
        ("boolean", True, True),
        ("boolean", 1, "a must be true or false"),
        ({"type": "integer", "minimum": 1, "maximum": 3}, 0, "a must be at least 1"),
        ({"type": "integer", "minimum": 1, "maximum": 3}, 4, "a must be at most 3"),
        ({"type": "string", "enum": ["red", "green"]}, "red", "red"),
        ({"type": "string", "enum": ["red", "green"]}, "gren", "a must be one of the listed values (did you mean 'green'?)"),
        ({"type": "integer", "enum": [1, 2]}, 2.0, 2),
        ({"type": "integer", "enum": [1, 2]}, 7, "a must be one of the listed values (known: 1, 2)"),
        ("array", ["x"], ["x"]),
        ("array", "x", "a must be a list"),
        ("array", ["x", 1], "a[1] must be a string"),
        ({"type": "array", "items": "integer", "minItems": 2, "maxItems": 2}, [1.0, 2], [1, 2]),
        ({"type": "array", "items": "integer", "minItems": 2, "maxItems": 2}, [1], "a must hold 2 items"),
        ({"type": "array", "items": "integer", "minItems": 1, "maxItems": 2}, [], "a must hold 1 to 2 items"),
        ({"type": "array", "items": {"type": "string", "enum": ["p"]}}, ["q"], "a[0] must be one of the listed values (known: p)"),
        ({"type": "object", "properties": {"x": "integer", "y": {"type": "integer", "optional": True}}}, {"x": 1.0}, {"x": 1}),
        ({"type": "object", "properties": {"x": "integer"}}, {}, "a.x is missing"),
        ({"type": "object", "properties": {"x": "integer"}}, {"x": 1, "z": 2}, "there is no argument 'a.z' (did you mean 'a.x'?)"),
        ({"type": "object", "properties": {"x": "integer"}}, [], "a must be an object"),
    ],
)
def test_values(kind: Any, value: Any, want: Any) -> None:
    got = check({"a": kind}, {"a": value})
    assert got == (want if isinstance(want, str) and want.startswith(("a ", "a.", "a[", "there")) else {"a": want})
    if not isinstance(got, str):
        assert type(got["a"]) is type(want)


def test_names_of_arguments() -> None:
    args = {"title": "string", "page": {"type": "integer", "default": 1}, "lang": {"type": "string", "optional": True}}
    assert check(args, {"title": "x"}) == {"title": "x", "page": 1, "lang": None}
    assert check(args, {"title": "x", "lang": None, "page": 2}) == {"title": "x", "page": 2, "lang": None}
    assert check(args, {"titel": "x"}) == "the argument 'title' is missing ('titel' is not one)"
    assert check(args, {"title": "x", "extra": 1}) == "there is no argument 'extra' (known: lang, page, title)"
    assert check(args, ["x"]) == "the arguments must be an object"
    assert check({}, {"x": 1}) == "there is no argument 'x' (it takes none)"
    assert check({"one": "string"}, {"one": "x", "two": 1}) == "there is no argument 'two' (known: one)"
    assert check({}, {}) == {}


def test_what_a_model_is_shown() -> None:
    args = {"b": "string", "a": {"type": "integer", "minimum": 1, "optional": True, "description": "how many"}}
    full = {name: schema.normal(one, PLACE) for name, one in args.items()}
    assert schema.parameters(full) == {
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 1, "description": "how many"}, "b": {"type": "string"}},
        "required": ["b"],
        "additionalProperties": False,
    }


def test_holes_are_filled() -> None:
    full = {
        "one": schema.normal({"type": "string", "enum": "at.borders"}, PLACE),
        "many": schema.normal({"type": "array", "items": {"type": "string", "enum": "labels"}}, PLACE),
    }
    assert schema.holes(full) == {("one",): "at.borders", ("many", "items"): "labels"}
    filled = schema.fill(full, {("one",): ["x"], ("many", "items"): ["p", "q"]})
    assert filled["one"] == {"type": "string", "enum": ["x"]}
    assert filled["many"]["items"] == {"type": "string", "enum": ["p", "q"]}
    assert full["one"]["enum"] == "at.borders"


@pytest.mark.parametrize(
    ("written", "part"),
    [
        ("strin", "unknown type 'strin' (did you mean 'string'?)"),
        (5, "an argument is a type name or a JSON schema"),
        ({"type": "string", "minimum": 1}, "unknown schema key 'minimum' of a string"),
        ({"type": "string", "pattern": "x"}, "unknown schema key 'pattern'"),
        ({"type": "string", "enum": 5}, "`enum` is a list"),
        ({"type": "integer", "default": "x"}, "default must be an integer"),
        ({"type": "object", "properties": {"x": "string"}, "additionalProperties": True}, "takes no others"),
        ({"type": "object", "properties": {"x": "string"}, "required": ["y"]}, "`required` lists properties"),
        ({"type": "array", "items": {"type": "array", "items": {"enum": "x"}}}, "cannot be an expression"),
    ],
)
def test_mistakes_of_the_author(written: Any, part: str) -> None:
    with pytest.raises(UserError, match=r"task.yaml:3:5") as e:
        schema.normal(written, PLACE)
    assert part in str(e.value)


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x), max_leaves=8)


@given(JSON)
def test_any_json_gets_a_line_or_arguments(value: Any) -> None:
    args = {"n": {"type": "integer", "minimum": 0}, "s": {"type": "string", "enum": ["a"], "optional": True}, "l": {"type": "array", "optional": True}}
    for given_ in (value, {"n": value}, {"n": 1, "s": value}, {"n": 1, "l": value}):
        got = check(args, given_)
        assert isinstance(got, dict) or (isinstance(got, str) and got)
        if isinstance(got, dict):
            assert set(got) == {"n", "s", "l"}
            assert type(got["n"]) is int
