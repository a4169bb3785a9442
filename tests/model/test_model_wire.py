from __future__ import annotations

import base64
import json
import threading
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.errors import EpisodeError, UserError
from agentharness.model.pictures import Pictures, recipe
from agentharness.model.wire import Wire, plain_json
from agentharness.types.model import Message, Request
from agentharness.types.move import ActionSet, ActionSpec

IMAGE = {"type": "image", "asset": "a" * 64, "view": [], "size": [2, 2]}
CROP = {"type": "image", "asset": "a" * 64, "view": [{"crop": [0, 0, 1, 1]}], "size": [1, 1]}
SCHEMA = {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}
ADD = ActionSet((ActionSpec("add", "Adds.", SCHEMA),))


def picture(part: dict[str, Any]) -> tuple[str, bytes]:
    return "image/png", json.dumps(part["view"]).encode()


def url_of(part: dict[str, Any]) -> str:
    return "data:image/png;base64," + base64.b64encode(picture(part)[1]).decode()


async def sent(messages: list[dict[str, Any]], tools: ActionSet | None = None, wire: Wire | None = None, **sampling: Any) -> dict[str, Any]:
    request = Request([Message(m) for m in messages], tools, sampling)
    pictures = await Pictures(picture).gather(request.messages)
    body: dict[str, Any] = json.loads((wire or Wire("m", {}, {})).body(request, pictures))
    return body


async def test_a_body_holds_model_messages_tools_and_sampling() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": 'Say "$5".'},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "5"},
    ]
    wire = Wire("org/m", {"temperature": 0.5, "top_p": 0.9}, {"return_token_ids": True, "top_p": 1})
    body = await sent(messages, ADD, wire, temperature=0, seed=7)
    assert body == {
        "model": "org/m",
        "messages": messages,
        "tools": [{"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": SCHEMA}}],
        "temperature": 0,
        "top_p": 0.9,
        "seed": 7,
        "return_token_ids": True,
    }


async def test_no_tools_and_no_sampling_leave_no_field() -> None:
    assert await sent([{"role": "user", "content": "a"}], ActionSet(())) == {"model": "m", "messages": [{"role": "user", "content": "a"}]}


async def test_messages_go_as_the_bytes_they_have() -> None:
    message = Message({"role": "user", "content": "é"})
    assert b'"messages":[' + message.wire + b"]" in Wire("m", {}, {}).body(Request([message]), {})


async def test_a_lone_surrogate_is_replaced_and_the_message_kept() -> None:
    message = {"role": "user", "content": "a\ud800b \ud83d\ude00 $"}
    body = await sent([message])
    assert body["messages"] == [{"role": "user", "content": "a\ufffdb 😀 $"}]
    assert message["content"] == "a\ud800b \ud83d\ude00 $"


@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x), max_leaves=8))
def test_plain_json_reads_back(value: Any) -> None:
    assert json.loads(plain_json(value)) == value


async def test_a_users_image_becomes_a_data_url_in_its_place() -> None:
    body = await sent(
        [{"role": "user", "content": [{"type": "text", "text": "Look:"}, CROP, {"type": "blob", "mime": "audio/wav", "sha256": "b", "meta": {}}]}]
    )
    assert body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image_url", "image_url": {"url": url_of(CROP)}},
                {"type": "text", "text": "[audio/wav]"},
            ],
        }
    ]


async def test_images_of_tool_messages_follow_after_all_of_them() -> None:
    calls = [{"id": i, "type": "function", "function": {"name": "zoom", "arguments": "{}"}} for i in ("c1", "c2")]
    body = await sent(
        [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "Here:"}, IMAGE]},
            {"role": "tool", "tool_call_id": "c2", "content": [CROP]},
            {"role": "assistant", "content": "I see."},
            {"role": "user", "content": "Go on."},
        ]
    )
    assert body["messages"][2:] == [
        {"role": "tool", "tool_call_id": "c1", "content": "Here:\n[image 1]"},
        {"role": "tool", "tool_call_id": "c2", "content": "[image 2]"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "[image 1]"},
                {"type": "image_url", "image_url": {"url": url_of(IMAGE)}},
                {"type": "text", "text": "[image 2]"},
                {"type": "image_url", "image_url": {"url": url_of(CROP)}},
            ],
        },
        {"role": "assistant", "content": "I see."},
        {"role": "user", "content": "Go on."},
    ]


async def test_images_of_the_last_tool_message_follow_too() -> None:
    body = await sent([{"role": "tool", "tool_call_id": "c", "content": [IMAGE]}])
    assert [m["role"] for m in body["messages"]] == ["tool", "user"]


@pytest.mark.parametrize("key", ["model", "messages", "tools", "stream"])
def test_reserved_fields_are_the_users_mistake(key: str) -> None:
    with pytest.raises(UserError, match=key):
        Wire("m", {key: 1}, {})
    with pytest.raises(UserError, match=key):
        Wire("m", {}, {key: 1})
    with pytest.raises(UserError, match=key):
        Wire("m", {}, {}).body(Request([], sampling={key: 1}), {})


def test_max_tokens_by_either_name() -> None:
    wire = Wire("m", {"max_tokens": 5}, {})
    assert wire.max_tokens(Request([])) == 5
    assert wire.max_tokens(Request([], sampling={"max_completion_tokens": 9})) == 9
    assert Wire("m", {}, {}).max_tokens(Request([])) is None


class Counting:
    def __init__(self) -> None:
        self.calls: list[bytes] = []
        self.threads: set[int] = set()
        self.go = threading.Event()

    def __call__(self, part: dict[str, Any]) -> tuple[str, bytes]:
        self.go.wait(5)
        self.calls.append(recipe(part))
        self.threads.add(threading.get_ident())
        return "image/png", b"x" * 3000


async def test_a_recipe_is_rendered_once_off_the_loop() -> None:
    counting = Counting()
    pictures, message = Pictures(counting), Message({"role": "user", "content": [IMAGE, CROP, IMAGE]})
    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(pictures.gather, [message])
        await anyio.wait_all_tasks_blocked()
        counting.go.set()
    assert sorted(counting.calls) == sorted([recipe(IMAGE), recipe(CROP)])
    assert threading.get_ident() not in counting.threads


async def test_kept_pictures_are_bounded() -> None:
    counting = Counting()
    counting.go.set()
    pictures = Pictures(counting, keep=5000)
    for part in (IMAGE, CROP, CROP, IMAGE):
        await pictures.gather([Message({"role": "user", "content": [part]})])
    assert counting.calls == [recipe(IMAGE), recipe(CROP), recipe(IMAGE)]


async def test_a_picture_that_fails_fails_only_its_own_call() -> None:
    def broken(part: dict[str, Any]) -> tuple[str, bytes]:
        raise EpisodeError("env", "the file is cut short")

    pictures = Pictures(broken)
    for _ in range(2):
        with pytest.raises(EpisodeError, match="cut short"):
            await pictures.gather([Message({"role": "user", "content": [IMAGE]})])


async def test_images_without_a_renderer_are_told() -> None:
    with pytest.raises(EpisodeError, match="without a way to render"):
        await Pictures(None).gather([Message({"role": "user", "content": [IMAGE]})])
