from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness import canon
from agentharness.errors import EpisodeError, Truncated
from agentharness.model.faults import Transient
from agentharness.model.reading import read
from agentharness.types.model import Reply


def body(message: Any, finish: Any = "stop", choice: Any = None, **more: Any) -> bytes:
    return json.dumps({"id": "r1", "model": "m-1", "choices": [{"message": message, "finish_reason": finish, **(choice or {})}], **more}).encode()


def message_of(message: Any) -> Any:
    return read(body(message)).message


def test_a_plain_reply() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
    reply = read(body({"role": "assistant", "content": "Hi.", "annotations": []}, usage=usage))
    assert reply == Reply(
        {"role": "assistant", "content": "Hi."}, "stop", {"prompt_tokens": 10, "completion_tokens": 3}, clock={"server": "r1", "served": "m-1"}
    )


def test_tool_calls_keep_their_text() -> None:
    broken = '{"a": 1'
    message = {"content": None, "tool_calls": [{"id": "c", "type": "function", "index": 0, "function": {"name": "f", "arguments": broken}}]}
    reply = read(body(message, "tool_calls"))
    assert reply.message == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": broken}}],
    }
    assert reply.finish == "tool_calls"


@pytest.mark.parametrize(
    ("given_", "want"),
    [({"a": [1, "é"]}, '{"a":[1,"é"]}'), (None, "{}"), ("", ""), ('{}""', '{}""')],
)
def test_arguments_become_text(given_: Any, want: str) -> None:
    calls = message_of({"content": "", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": given_}}]})["tool_calls"]
    assert calls[0]["function"]["arguments"] == want


def test_ids_are_made_where_they_are_missing_or_doubled() -> None:
    call = {"function": {"name": "f", "arguments": "{}"}}
    calls = message_of({"tool_calls": [call, {**call, "id": "x"}, {**call, "id": "x"}, {**call, "id": ""}, "odd"]})["tool_calls"]
    assert [c["id"] for c in calls] == ["call_0", "x", "call_2", "call_3", "call_4"]
    assert calls[4]["function"] == {"name": "", "arguments": "{}"}


@pytest.mark.parametrize("empty", [None, [], {}])
def test_no_tool_calls_leave_no_field(empty: Any) -> None:
    assert message_of({"content": "a", "tool_calls": empty}) == {"role": "assistant", "content": "a"}


@pytest.mark.parametrize(
    ("message", "content", "reasoning"),
    [
        ({"content": None}, None, None),
        ({}, None, None),
        ({"content": ""}, "", None),
        ({"content": "a", "reasoning": "r"}, "a", "r"),
        ({"content": "a", "reasoning_content": "r"}, "a", "r"),
        ({"content": "<think>r</think>a"}, "<think>r</think>a", None),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", None),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]}, {"type": "text", "text": "a"}]}, "a", "r"),
        ({"content": None, "refusal": "No."}, "No.", None),
        ({"content": "a", "refusal": None}, "a", None),
    ],
)
def test_content_and_reasoning(message: Any, content: str | None, reasoning: str | None) -> None:
    reply = read(body(message))
    assert (reply.message["content"], reply.reasoning) == (content, reasoning)


@pytest.mark.parametrize(("finish", "want"), [("length", "length"), ("content_filter", "content_filter"), ("tool_use", "tool_use"), (None, ""), ("", "")])
def test_the_finish_reason_is_kept(finish: Any, want: str) -> None:
    assert read(body({"content": "a"}, finish)).finish == want


def test_usage_in_detail() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 2, "audio_tokens": 0},
    }
    assert read(body({"content": "a"}, usage=usage)).usage == {"prompt_tokens": 10, "completion_tokens": 5, "cached_tokens": 8, "reasoning_tokens": 2}
    assert read(body({"content": "a"}, usage={"prompt_tokens": None, "prompt_tokens_details": None})).usage == {}
    assert read(body({"content": "a"}, usage=None)).usage == {}


def test_token_ids_and_logprobs() -> None:
    logprobs = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": 0}]}
    reply = read(body({"content": "ab"}, choice={"token_ids": [7, 8], "logprobs": logprobs}, prompt_token_ids=[1, 2, 3]))
    assert (reply.prompt_ids, reply.completion_ids, reply.logprobs) == ([1, 2, 3], [7, 8], [-0.5, 0.0])


def test_null_ids_and_uneven_logprobs_are_none() -> None:
    logprobs = {"content": [{"token": "a", "logprob": -0.5}]}
    reply = read(body({"content": "ab"}, choice={"token_ids": None, "logprobs": {"content": None}}, prompt_token_ids=None))
    assert (reply.prompt_ids, reply.completion_ids, reply.logprobs) == (None, None, None)
    assert read(body({"content": "ab"}, choice={"token_ids": [7, 8], "logprobs": logprobs})).logprobs is None
    assert read(body({"content": "ab"}, choice={"logprobs": logprobs})).logprobs == [-0.5]


def test_a_lone_surrogate_is_read_and_reads_back() -> None:
    reply = read(b'{"choices": [{"message": {"content": "a\\ud800"}, "finish_reason": "stop"}]}')
    assert reply.message["content"] == "a\ud800"
    line = canon.dumps(reply.to_json())
    assert Reply.from_json(canon.loads(line)).message == reply.message


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"<html><h1>502 Bad Gateway</h1></html>", "not_json"),
        (b"", "not_json"),
        (b'{"choices": [{"mess', "not_json"),
        (b"[1]", "not_json"),
        (b"null", "not_json"),
        (b'{"choices": [NaN]}', "not_json"),
        (b"\xff\xfe", "not_json"),
        (b"{}", "no_choices"),
        (b'{"choices": []}', "no_choices"),
        (b'{"choices": null}', "no_choices"),
        (b'{"choices": {"a": 1}}', "no_choices"),
        (b'{"choices": [{}]}', "no_message"),
        (b'{"choices": [null]}', "no_message"),
        (b'{"choices": [{"message": {"content": 5}}]}', "no_message"),
        (b'{"error": {"message": "busy", "code": 503}}', "503"),
        (b'{"error": {"message": "busy", "code": "429"}}', "429"),
        (b'{"error": "busy"}', "error_body"),
        (b'{"object": "error", "message": "busy"}', "error_body"),
        (b'{"choices": [{"error": {"code": 502, "message": "upstream"}, "finish_reason": "error", "message": {"content": ""}}]}', "502"),
    ],
)
def test_answers_that_may_pass(raw: bytes, kind: str) -> None:
    with pytest.raises(Transient) as caught:
        read(raw)
    assert caught.value.kind == kind


def test_error_bodies_that_do_not_pass() -> None:
    with pytest.raises(EpisodeError, match=r"model: the server refuses the request \(400, inside a 200\): bad tools"):
        read(b'{"error": {"message": "bad tools", "code": 400}}')
    with pytest.raises(Truncated) as caught:
        read(b'{"error": {"message": "prompt is too long: 9 > 8", "code": 400}}')
    assert caught.value.by == "context"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(
                st.sampled_from(["choices", "message", "content", "tool_calls", "function", "error", "usage", "logprobs", "code", "id"]), x, max_size=4
            )
        ),
    )
)
def test_no_body_crashes_the_reader(value: Any) -> None:
    try:
        reply = read(json.dumps(value).encode())
    except (Transient, EpisodeError, Truncated):
        return
    assert reply.message["role"] == "assistant"


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=3),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(st.sampled_from(["content", "tool_calls", "function", "arguments", "name", "id", "refusal", "reasoning"]), x, max_size=4)
        ),
    ),
    st.integers()
    | st.text()
    | st.none()
    | st.lists(st.integers())
    | st.dictionaries(st.sampled_from(["prompt_tokens_details", "prompt_tokens", "content"]), st.integers() | st.lists(st.integers())),
)
def test_no_message_crashes_the_reader(message: Any, other: Any) -> None:
    try:
        reply = read(body(message, other, {"logprobs": other, "token_ids": other}, usage=other))
    except (Transient, EpisodeError, Truncated):
        return
    canon.loads(canon.dumps(reply.to_json()))
