"""Arguments by the fast reader: wherever it gives an object, the strict reader gives the same one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentharness.agent import parse

SCALAR = (
    st.none() | st.booleans() | st.integers(-(2**66), 2**66) | st.floats() | st.text('ab:{}[],"\\ué\ud800', max_size=4) | st.lists(st.integers(), max_size=2)
)
PAIRS = st.lists(st.tuples(st.sampled_from(["a", "b", "a:", ""]), SCALAR | st.dictionaries(st.text("ab", max_size=1), SCALAR, max_size=2)), max_size=4)


def strict(raw: str) -> Any:
    """What the strict reader alone says."""
    try:
        return parse._decoder.decode(raw)
    except (ValueError, RecursionError):
        return ValueError


@given(PAIRS, st.booleans())
def test_objects_duplicate_keys_and_odd_numbers(pairs: list[tuple[str, Any]], ascii_only: bool) -> None:
    raw = "{" + ", ".join(f"{json.dumps(k, ensure_ascii=ascii_only)}: {json.dumps(v, ensure_ascii=ascii_only)}" for k, v in pairs) + "}"
    found = parse._quickly(raw)
    assert found is None or repr(found) == repr(strict(raw))


@given(st.text('{}[]",:01-.eE \n\\unltrue', max_size=12))
@example('{"a": -0}')
@example('{"a": 1, "\\u0061": 2}')
@example('\ufeff{"a": 1}')
@example('{"a": 01}')
@example('{"a": 1}}')
@example('{"a": "\t"}')
def test_any_text(raw: str) -> None:
    found = parse._quickly(raw)
    assert found is None or repr(found) == repr(strict(raw))


@pytest.mark.parametrize("raw", ['{"a": 1, "b": "x", "c": true, "d": null}', "{}", ' {"a": 18446744073709551615}\n'])
def test_what_models_write_most_is_read_by_it(raw: str) -> None:
    assert parse._quickly(raw) == json.loads(raw)


@pytest.mark.parametrize(
    "raw", ['{"a": 1, "a": 2}', '{"a": 1.5}', '{"a": {"b": 1}}', '{"a": [1]}', '{"a": "x: y"}', '{"a": 123456789012345678901}', "[1]", "3"]
)
def test_what_it_leaves_to_the_strict_reader(raw: str) -> None:
    assert parse._quickly(raw) is None
