from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.corpus.paths import parse, possible, shape, values
from agentharness.corpus.project import compile_levels, tree
from agentharness.corpus.spec import Level

ROW = {"q": "why", "ctx": [{"t": "A", "gold": True}, {"t": "B"}, "odd"], "ans": {"text": "x", "lang": "en"}, "more": 1}


def public(levels: dict[str, Level], row: dict[str, Any]) -> dict[str, Any]:
    return compile_levels(tree(levels, row)).public(row)


def test_longest_path_wins_and_covers_what_is_below() -> None:
    levels: dict[str, Level] = {"q": "public", "ctx": "public", "ctx[].gold": "gold", "ans": "gold", "ans.lang": "public"}
    assert public(levels, ROW) == {"q": "why", "ctx": [{"t": "A"}, {"t": "B"}, "odd"], "ans": {"lang": "en"}}
    three = compile_levels(tree(levels, ROW))
    assert three.gold(ROW) == {"ctx": [{"gold": True}, {}, None], "ans": {"text": "x"}}
    assert three.non_gold(ROW) == {"q": "why", "ctx": [{"t": "A"}, {"t": "B"}, "odd"], "ans": {"lang": "en"}, "more": 1}


def test_what_no_path_names_is_hidden() -> None:
    assert public({}, ROW) == {}
    assert compile_levels(tree({}, ROW)).non_gold(ROW) == ROW
    assert compile_levels(tree({"q": "gold"}, ROW)).gold(ROW) == {"q": "why"}


def test_a_public_path_under_a_hidden_one_shows_nothing_else() -> None:
    assert public({"ans.lang": "public"}, ROW) == {"ans": {"lang": "en"}}
    assert public({"ctx[].t": "public"}, ROW) == {"ctx": [{"t": "A"}, {"t": "B"}, None]}
    assert public({"ctx[].none": "public"}, ROW) == {}


def test_lists_never_open_a_way_round_a_level() -> None:
    levels: dict[str, Level] = {"a": "public", "a[].s": "gold"}
    assert public(levels, {"a": {"s": 1, "t": 2}}) == {"a": {"t": 2}}  # the list is a record in this row
    assert public(levels, {"a": [[{"s": 1}]]}) == {"a": [[{}]]}


def test_a_column_with_a_dot_is_one_name() -> None:
    assert public({"a.b": "public"}, {"a.b": 1, "a": {"b": 2}}) == {"a.b": 1}


def test_empty_containers_keep_rows_apart() -> None:
    levels: dict[str, Level] = {"a": "gold", "a.x": "public"}
    gold = compile_levels(tree(levels)).gold
    assert gold({"a": {}}) == {"a": {}}
    assert gold({}) == {}


NAMES = st.sampled_from("abc")
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.integers(0, 3) | st.none(), lambda v: st.lists(v, max_size=3) | st.dictionaries(NAMES, v, max_size=3), max_leaves=12
)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(".".join)
LEVELS: st.SearchStrategy[Any] = st.sampled_from(["public", "hidden", "gold"])


def leaves(value: Any, at: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        return [leaf for name, inner in value.items() for leaf in leaves(inner, (*at, name))]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner, at)]
    return [] if value is None else [(at, value)]


@given(st.dictionaries(NAMES, VALUES, max_size=3), st.dictionaries(PATHS, LEVELS, max_size=4))
def test_every_leaf_is_in_the_projection_of_its_level_only(row: dict[str, Any], levels: dict[str, Level]) -> None:
    root = tree(levels)
    three = compile_levels(root)
    for wanted, project in (({"public"}, three.public), ({"public", "hidden"}, three.non_gold), ({"gold"}, three.gold)):
        assert leaves(project(row)) == [leaf for leaf in leaves(row) if root.at(*leaf[0]).level in wanted]


@pytest.mark.parametrize(("path", "tokens"), [("a", ("a",)), ("a[].b", ("a", "[]", "b")), ("a[][]", ("a", "[]", "[]")), ("a.b", ("a", "b"))])
def test_parse(path: str, tokens: tuple[str, ...]) -> None:
    assert parse(path) == tokens


def test_paths_read_the_data() -> None:
    assert list(values(ROW, parse("ctx[].t"))) == ["A", "B"]
    assert list(values(ROW, parse("ctx.t"))) == []
    assert shape([ROW]) == {"q", "ctx", "ctx[].t", "ctx[].gold", "ans", "ans.text", "ans.lang", "more"}
    assert possible({"a": []}, parse("a[].b"))
    assert possible({"a": None}, parse("a.b"))
    assert not possible({"a": [1]}, parse("a[].b"))
    assert not possible({"a": [{"b": 1}]}, parse("a.b"))
