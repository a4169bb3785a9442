"""A reply as a move: CASES 7.9 and its kind."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.agent.parse import arguments, content, native, protocol, without_thoughts
from agentharness.types.model import Reply

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def says(text: Any, calls: Any = None) -> Reply:
    return Reply({"role": "assistant", "content": text} | ({} if calls is None else {"tool_calls": calls}), "stop")


def call(name: Any, args: Any, ident: Any = "c1") -> dict[str, Any]:
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": args}}


def test_parallel_calls_keep_order_ids_and_prose() -> None:
    parsed = native(says("<think>hm</think> first a", [call("open", '{"title": "A"}', "x"), call("answer", '{"text": "é"}', "y")]))
    assert [(a.name, a.args, a.id, a.error, a.raw) for a in parsed.move.actions] == [
        ("open", {"title": "A"}, "x", None, None),
        ("answer", {"text": "é"}, "y", None, None),
    ]
    assert (parsed.move.prose, parsed.unreadable) == ("first a", "")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ('{}""', "not JSON"),
        ('{"a": 1', "not JSON"),
        ('{"a": 1,}', "not JSON"),
        ("{'a': 1}", "not JSON"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": 1e999}', "no finite number"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ('{"a": {"b": 1, "b": 2}}', "the key 'b' stands twice"),
        ("[1]", "not a list"),
        ('"text"', "not a text"),
        ("null", "not null"),
        ("5", "not a number"),
        ("true", "not true or false"),
        (5, "not a number"),
        (["x"], "not a list"),
        ('{"a":' * 100000, "nested too deep"),
        ('{"a": ' + "9" * 5000 + "}", "not JSON"),
    ],
)
def test_arguments_that_cannot_be_read_are_an_action_with_an_error(raw: Any, why: str) -> None:
    parsed = native(says(None, [call("open", raw)]))
    (action,) = parsed.move.actions
    assert (action.name, action.args, action.id) == ("open", {}, "c1")
    assert action.error is not None
    assert why in action.error
    assert action.raw == (raw if isinstance(raw, str) else repr(raw))
    assert parsed.unreadable == action.error


@pytest.mark.parametrize(("raw", "args"), [("", {}), (" \n", {}), (None, {}), ("{}", {}), ({"a": 1}, {"a": 1}), (' {"a": [1.5, null]} ', {"a": [1.5, None]})])
def test_arguments_that_can(raw: Any, args: dict[str, Any]) -> None:
    assert arguments(raw) == (args, None)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4))
def test_every_object_is_read_back(args: dict[str, Any]) -> None:
    assert arguments(json.dumps(args)) == (args, None)
    move = protocol(says(f"so:\n```json\n{json.dumps({'action': 'go', 'args': args}, indent=1)}\n```")).move
    assert (move.actions[0].name, move.actions[0].args) == ("go", args)


@pytest.mark.parametrize("bad", [None, 5, {}, {"function": None}, {"id": 5, "function": {"name": 5}}, {"id": "a", "function": {"name": ""}}, "x", []])
def test_a_call_that_is_none(bad: Any) -> None:
    parsed = native(says("", [bad]))
    assert [(a.name, a.error) for a in parsed.move.actions] == [("", "the call names no action")]


def test_one_readable_call_makes_the_reply_readable() -> None:
    parsed = native(says("", [call("open", "{", "a"), call("open", "{}", "b")]))
    assert parsed.unreadable == ""
    assert [a.error is None for a in parsed.move.actions] == [False, True]


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (None, ""),
        ("", ""),
        (" hi ", "hi"),
        ("<think>never ends", ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 5], "a\nb"),
        (5, ""),
        ({}, ""),
    ],
)
def test_prose_alone_is_a_move_without_actions(text: Any, prose: str) -> None:
    parsed = native(says(text))
    assert (parsed.move.actions, parsed.move.prose, parsed.unreadable) == ([], prose, "")
    assert content(says(text)) == prose
    assert native(says(text, "no list")).move.actions == []


BLOCK = '{"action": "open", "args": {"title": "A"}}'


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{BLOCK}\n```",
        f"I look.\n```json\n{BLOCK}\n```\nEnv: nothing.\n```json\n" + '{"action": "answer", "args": {}}\n```',
        f"```\n{BLOCK}\n```",
        f"```json {BLOCK}",
        f"ACTION {BLOCK}",
        f"ACTION: {BLOCK} and then",
        f"I do {BLOCK} now",
        f"<tool_call>\n{BLOCK}\n</tool_call>",
        f'<think>```json\n{{"action": "wrong"}}\n```</think>```json\n{BLOCK}\n```',
        '```json\n{"name": "open", "arguments": {"title": "A"}, "id": "7"}\n```',
        '```JSON\n[{"tool": "open", "parameters": {"title": "A"}}]\n```',
    ],
)
def test_the_first_block_counts(text: str) -> None:
    parsed = protocol(says(text))
    assert [(a.name, a.args, a.error, a.id) for a in parsed.move.actions] == [("open", {"title": "A"}, None, None)]
    assert parsed.unreadable == ""
    assert "Env" not in parsed.move.prose


def test_a_list_is_ordered_actions_and_prose_stands_before() -> None:
    parsed = protocol(says('Two.\n```json\n[{"action": "a"}, {"action": "b", "args": null}, 5]\n``` after'))
    assert [(a.name, a.args) for a in parsed.move.actions] == [("a", {}), ("b", {}), ("", {})]
    assert parsed.move.actions[2].error == "an action must be an object, not a number"
    assert parsed.move.actions[0].raw == '{"action": "a"}'
    assert (parsed.move.prose, parsed.unreadable) == ("Two.", "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('```json\n{"action": "open",}\n```', "the block is not JSON"),
        ('```json\n{"action": "open"', "the block is not JSON"),
        ('```json\n{"title": "A"}\n```', "the block names no action"),
        ('```json\n{"action": 5}\n```', "the block names no action"),
        ('```json\n{"action": "open", "title": "A"}\n```', "unknown key 'title'"),
        ('```json\n{"action": "open", "args": ["A"]}\n```', '"args" must be an object, not a list'),
        ('```json\n{"action": "a", "action": "b"}\n```', "stands twice"),
        ("```json\n[]\n```", "the block holds no action"),
        ("```json\n" + "[" * 100000, "nested too deep"),
        ("no block", "holds no ```json block"),
        ("", "holds no ```json block"),
        (None, "holds no ```json block"),
    ],
)
def test_a_block_that_cannot_be_read(text: Any, why: str) -> None:
    parsed = protocol(says(text))
    assert why in parsed.unreadable
    assert all(a.error and a.raw is not None for a in parsed.move.actions)
    assert bool(parsed.move.actions) is ("json\n" in (text or ""))


@given(st.text('`json{}[]":, action\n<think>/', max_size=80))
def test_no_text_raises(text: str) -> None:
    assert isinstance(protocol(says(text)).move.actions, list)
    assert isinstance(native(says(text, [call("a", text)])).unreadable, str)


def test_thoughts() -> None:
    assert without_thoughts("a<think>b</think>c") == "ac"
    assert without_thoughts("b</think>c") == "c"
    assert without_thoughts("a<think>b") == "a"
