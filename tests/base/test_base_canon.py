"""Canonical JSON: one byte string for a value, strict, and the same value back."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness import canon

SURROGATE = "a\ud800\\b"

keys = st.text(st.characters(exclude_categories=()), max_size=5) | st.sampled_from(["$text", "$float", "$"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=()), max_size=5) | st.sampled_from(["$text", "$float", "$"]), inner, max_size=4)
    ),
    max_leaves=20,
)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and bool(a == b)


@given(values)
def test_reads_back_the_same_and_is_strict_json(value: Any) -> None:
    out = canon.dumps(value)
    assert same(canon.loads(out), value)
    out.decode("utf-8")  # no lone surrogate reaches the bytes
    json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not strict JSON"))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": 1, "a": [1.0, None, True]}, b'{"a":[1.0,null,true],"b":1}'),
        ([math.nan, 1], b'[{"$float":"nan"},1]'),
        (-math.inf, b'{"$float":"-inf"}'),
        (SURROGATE, b'{"$text":"a\\\\ud800\\\\\\\\b"}'),
        (2**70, b'{"$int":"1180591620717411303424"}'),
        ({"$text": 1}, b'{"$object":[["$text",1]]}'),
        ("NA", b'"NA"'),
    ],
)
def test_written_form(value: Any, written: bytes) -> None:
    assert canon.dumps(value) == written


def test_key_order_and_spelling_do_not_matter_but_order_of_lists_does() -> None:
    assert canon.digest({"a": 1, "b": 2}) == canon.digest({"b": 2, "a": 1})
    assert canon.digest([1, 2]) != canon.digest([2, 1])
    assert canon.digest(1) != canon.digest(1.0)


def test_digest_is_sha256_of_the_canonical_form() -> None:
    assert canon.digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_seeds_are_fixed_for_ever() -> None:
    assert canon.derive_seed("atlas", "row", 0) == 5592859742957527010
    assert canon.derive_seed("atlas", "row", 1) != canon.derive_seed("atlas", "row", 0)
    assert canon.derive_seed("ab", "c") != canon.derive_seed("a", "bc")
    assert 0 <= canon.derive_seed(1) < 2**63


@pytest.mark.parametrize("value", [{1: 2}, {"a": object()}, b"bytes", {"a": {2: math.nan}}])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        canon.dumps(value)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "{", "", "{'a': 1}"])
def test_what_is_no_json_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|Expecting|property name"):
        canon.loads(text)


def test_others_surrogates_are_read() -> None:
    assert canon.loads(b'"\\ud800"') == "\ud800"
