"""OpenAIModel against a real server process: what a fake transport cannot show."""

from __future__ import annotations

import base64
import io
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from spawn import Server, serve

from agentharness import canon
from agentharness.errors import EpisodeError, Truncated
from agentharness.model.http import AiohttpTransport
from agentharness.model.openai_chat import OpenAIModel
from agentharness.model.refs import Clients, open_model
from agentharness.model.retry import Policy
from agentharness.model.transport import HttpCall, TransportError
from agentharness.types.model import Message, Reply, Request
from agentharness.types.move import ActionSet, ActionSpec

FAST = Policy(attempt_s=2.0, base_s=0.001)
ADD = ActionSet((ActionSpec("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}),))
HI = [Message({"role": "user", "content": "What is 2 + 3?"})]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serve() as running:
        yield running


async def ask(server: Server, name: str, messages: list[Message] | None = None, tools: ActionSet | None = None, **more: Any) -> Reply:
    policy = more.pop("policy", FAST)
    model = open_model(name, base_url=server.url, env=more.pop("env", {}), policy=policy, picture=more.pop("picture", None))
    try:
        return await model.complete(Request(messages or HI, tools, more.pop("sampling", {})), **more)
    finally:
        await model.close()


async def play(server: Server, name: str) -> list[Message]:
    """A small agent: answers each call with the sum, until the model writes a text."""
    messages = list(HI)
    while True:
        reply = await ask(server, name, messages, ADD)
        messages.append(Message(reply.message))
        if not (calls := reply.message.get("tool_calls")):
            return messages
        for call in calls:
            try:
                arguments = json.loads(call["function"]["arguments"])
                answer = str(arguments["a"] + arguments["b"])
            except ValueError:
                answer = "not JSON"
            messages.append(Message({"role": "tool", "tool_call_id": call["id"], "content": answer}))


async def test_a_scripted_chat_of_two_turns(server: Server) -> None:
    messages = await play(server, "calc")
    assert [m.data["role"] for m in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[1].data["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": 2, "b": 3}'}
    assert messages[3].data == {"role": "assistant", "content": "5"}


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("calc|badjson", {"name": "add", "arguments": '{"a": 2, "b": 3'}),
        ("calc|doubled", {"name": "add", "arguments": '{"a": 2, "b": 3}""'}),
        ("calc|unknown-tool", {"name": "no_such_tool", "arguments": '{"a": 2, "b": 3}'}),
        ("calc|extra-arg", {"name": "add", "arguments": '{"a": 2, "b": 3, "extra": 1}'}),
    ],
)
async def test_odd_calls_reach_the_agent_as_written_and_play_goes_on(server: Server, name: str, function: Any) -> None:
    messages = await play(server, name)
    assert messages[1].data["tool_calls"][0]["function"] == function
    assert messages[3].data["content"] in ("5", "not JSON")


@pytest.mark.parametrize("fault", ["429", "500", "503", "html", "cut", "empty", "nomessage", "error200", "reset"])
async def test_a_fault_that_passes(server: Server, fault: str) -> None:
    reply = await ask(server, f"say:fine|fault-{fault}x2")
    assert (reply.message["content"], reply.clock["attempts"]) == ("fine", 3)
    assert reply.clock["waited_s"] > 0


async def test_a_server_that_takes_no_broken_json_in_the_history() -> None:
    with serve("--strict-args") as server:
        messages = await play(server, "calc|badjson")
        assert messages[1].data["tool_calls"][0]["function"]["arguments"] == '{"a": 2, "b": 3', "the record keeps what the model wrote"
        assert server.last()["body"]["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"
        assert server.stats()["faults"] == {"invalid": 1}
        model = open_model("say:ok", base_url=server.url, env={})
        for _ in range(2):
            await model.complete(Request(messages[:3], ADD))
        assert server.stats()["faults"] == {"invalid": 2}, "once known, the server is not asked in vain again"
        await model.close()


async def test_retry_after_is_waited(server: Server) -> None:
    reply = await ask(server, "say:fine|fault-429x1|retry-after-0.3")
    assert 0.3 <= reply.clock["waited_s"] < 5


async def test_a_server_that_accepts_and_never_answers_one_of_many() -> None:
    with serve() as server:
        model = open_model("say:ok|slow-1", base_url=server.url, env={})
        hung = open_model("say:late|fault-hangx1", base_url=server.url, env={}, policy=Policy(attempt_s=0.3, base_s=0.001))
        replies: list[Reply] = []

        async def one(m: OpenAIModel, i: int) -> None:
            replies.append(await m.complete(Request([Message({"role": "user", "content": str(i)})])))

        async with anyio.create_task_group() as group:
            group.start_soon(one, hung, 0)
            for i in range(1, 50):
                group.start_soon(one, model, i)
        assert sorted({r.message["content"] for r in replies}) == ["late", "ok"]
        assert (len(replies), replies[-1].message["content"]) == (50, "late"), "one session's trouble delays no other"
        assert hung.counters.retries == {"timeout": 1}
        assert model.counters.retries == {}
        await model.close()
        await hung.close()


async def test_always_500_ends(server: Server) -> None:
    with pytest.raises(EpisodeError, match=r"gave up after 4 attempts in .* s: 500: status 500, as asked for") as caught:
        await ask(server, "fault-500", policy=Policy(attempts=4, base_s=0.001))
    assert not caught.value.fatal


@pytest.mark.parametrize("code", [400, 422])
async def test_refusals_are_sent_once(server: Server, code: int) -> None:
    before = server.stats()["requests"]
    with pytest.raises(EpisodeError, match=str(code)):
        await ask(server, f"fault-{code}")
    assert server.stats()["requests"] == before + 1


async def test_a_prompt_too_long(server: Server) -> None:
    with pytest.raises(Truncated, match="context"):
        await ask(server, "fault-context")


async def test_the_episodes_time_ends_the_attempt(server: Server) -> None:
    begun = time.monotonic()
    with pytest.raises(Truncated, match="time"):
        await ask(server, "fault-hang", limit_s=0.1)
    assert time.monotonic() - begun < 2


async def test_keys_and_models() -> None:
    with serve("--key", "sk-good", "--models", "say:hi,big-model") as server:
        assert (await ask(server, "say:hi", env={"OPENAI_API_KEY": "sk-good"})).message["content"] == "hi"
        assert server.last()["headers"]["authorization"] == "Bearer sk-good"
        with pytest.raises(EpisodeError, match="set OPENAI_API_KEY") as caught:
            await ask(server, "say:hi")
        assert caught.value.fatal
        with pytest.raises(EpisodeError, match=r"the server has no model 'big-modle' \(did you mean 'big-model'\?\)"):
            await ask(server, "big-modle", env={"OPENAI_API_KEY": "sk-good"})
        assert server.stats()["faults"] == {"401": 1, "404": 1}


async def test_all_who_meet_404_are_told_the_same() -> None:
    with serve("--models", "big-model") as server:
        model = open_model("big", base_url=server.url, env={})
        said: list[str] = []

        async def one() -> None:
            with pytest.raises(EpisodeError) as caught:
                await model.complete(Request(HI))
            said.append(caught.value.message)

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(one)
        assert said == ["the server has no model 'big' (known: big-model)"] * 8
        await model.close()


async def test_nobody_at_home() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        model = open_model("m", base_url=url, env={}, policy=FAST)
        with pytest.raises(EpisodeError, match=f"cannot reach {url}: is the server running") as caught:
            await model.complete(Request(HI))
        assert (caught.value.fatal, model.counters.retries) == (True, {"connect": 3})
        await model.close()


async def test_a_server_that_goes_away_and_comes_back_is_waited_for() -> None:
    with serve() as first:
        model = open_model("say:ok", base_url=first.url, env={}, policy=Policy(base_s=0.2, attempts=20))
        await model.complete(Request(HI))
    replies: list[Reply] = []
    done = anyio.Event()

    async def call() -> None:
        replies.append(await model.complete(Request(HI)))
        done.set()

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        await anyio.sleep(0.05)
        with serve("--port", str(first.port)):
            await done.wait()
            await model.close()
    assert replies[0].clock["attempts"] > 1


async def test_a_lone_surrogate_is_kept_recorded_and_sent_on(server: Server) -> None:
    reply = await ask(server, "say:a|surrogate")
    assert reply.message["content"] == "a\ud800"
    assert canon.loads(canon.dumps(reply.to_json())) == reply.to_json()
    messages = [*HI, Message(reply.message), Message({"role": "user", "content": "Again."})]
    await ask(server, "say:b", messages)
    assert server.last()["body"]["messages"][1]["content"] == "a\ufffd"


@pytest.mark.parametrize(
    ("name", "content", "reasoning", "finish"),
    [
        ("null", None, None, "stop"),
        ("say:7|think", "<think>hm</think>7", None, "stop"),
        ("say:7|reasoning", "7", "I think.", "stop"),
        ("say:7|length", "7", None, "length"),
    ],
)
async def test_what_is_told_apart(server: Server, name: str, content: str | None, reasoning: str | None, finish: str) -> None:
    reply = await ask(server, name)
    assert (reply.message["content"], reply.reasoning, reply.finish) == (content, reasoning, finish)


async def test_token_ids_extend_from_turn_to_turn(server: Server) -> None:
    first = await ask(server, "calc|tokens", tools=ADD)
    call = first.message["tool_calls"][0]
    second = await ask(server, "calc|tokens", [*HI, Message(first.message), Message({"role": "tool", "tool_call_id": call["id"], "content": "5"})], ADD)
    assert first.prompt_ids is not None
    assert first.completion_ids is not None
    assert first.logprobs is not None
    assert second.prompt_ids is not None
    so_far = first.prompt_ids + first.completion_ids
    assert second.prompt_ids[: len(so_far)] == so_far
    assert first.usage == {"prompt_tokens": len(first.prompt_ids), "completion_tokens": len(first.completion_ids)}
    assert first.logprobs == [-((i % 7) + 1) / 8 for i in first.completion_ids]
    assert (await ask(server, "calc", sampling={"return_token_ids": True})).completion_ids is not None


def png(size: tuple[int, int]) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, "PNG")
    return out.getvalue()


async def test_images_on_the_wire(server: Server) -> None:
    image = {"type": "image", "asset": "a" * 64, "view": [], "size": [2, 2]}
    calls = [{"id": i, "type": "function", "function": {"name": "add", "arguments": "{}"}} for i in ("c1", "c2")]
    messages = [
        Message({"role": "user", "content": [{"type": "text", "text": "Look."}, image]}),
        Message({"role": "assistant", "content": None, "tool_calls": calls}),
        Message({"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "Zoomed."}, image]}),
        Message({"role": "tool", "tool_call_id": "c2", "content": "No."}),
    ]
    before = server.stats()["images"]
    await ask(server, "say:seen", messages, ADD, picture=lambda part: ("image/png", png((2, 2))))
    assert server.stats()["images"] == before + 2
    sent = server.last()["body"]["messages"]
    assert [m["role"] for m in sent] == ["user", "assistant", "tool", "tool", "user"]
    assert base64.b64decode(sent[4]["content"][1]["image_url"]["url"].split(",")[1]) == png((2, 2))


async def test_a_picture_of_megabytes(server: Server) -> None:
    big = png((2, 2)) + bytes(3 << 20)
    image = {"type": "image", "asset": "b" * 64, "view": [], "size": [2, 2]}
    reply = await ask(server, "say:seen|fault-500x1", [Message({"role": "user", "content": [image]})], picture=lambda part: ("image/png", big))
    assert (reply.message["content"], reply.clock["attempts"]) == ("seen", 2)
    assert base64.b64decode(server.last()["body"]["messages"][0]["content"][0]["image_url"]["url"].split(",")[1]) == big


async def test_two_hundred_at_once_on_one_session() -> None:
    with serve("--latency-ms", "300") as server:
        clients = Clients()
        models = [open_model(f"say:{i}", base_url=server.url, env={}, clients=clients) for i in range(2)]
        answers: list[str] = []

        async def one(i: int) -> None:
            answers.append((await models[i % 2].complete(Request(HI))).message["content"])

        async with anyio.create_task_group() as group:
            for i in range(200):
                group.start_soon(one, i)
        assert (answers.count("0"), answers.count("1")) == (100, 100)
        assert server.stats()["peak"] == 200
        assert [m.counters.peak for m in models] == [100, 100]
        await clients.close()


async def test_cancelled_calls_leave_nothing_behind(server: Server) -> None:
    model = open_model("fault-hang", base_url=server.url, env={})
    with anyio.move_on_after(0.1) as scope:
        await model.complete(Request(HI))
    assert (scope.cancelled_caught, model.counters.in_flight, model.counters.retries) == (True, 0, {})
    waiting = open_model("fault-503", base_url=server.url, env={})
    with anyio.move_on_after(0.1) as scope:
        await waiting.complete(Request(HI))
    assert (scope.cancelled_caught, waiting.counters.waiting) == (True, 0)
    await model.close()
    await waiting.close()


async def test_trouble_that_is_not_http() -> None:
    async def gibberish(stream: Any) -> None:
        async with stream:
            await stream.receive()
            await stream.send(b"hello\r\n\r\n")

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, gibberish)
        transport = AiohttpTransport()
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        for scheme, kind in (("http", "protocol"), ("https", "tls")):
            with pytest.raises(TransportError) as caught:
                await transport.send(HttpCall("POST", f"{scheme}://127.0.0.1:{port}/v1", {}, b"{}", 5.0))
            assert caught.value.kind == kind
        with pytest.raises(TransportError) as caught:
            await transport.send(HttpCall("POST", "http://no-such-host.invalid/v1", {}, b"{}", 5.0))
        assert caught.value.kind == "dns"
        await transport.close()
        group.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        ([{"role": "robot", "content": "a"}], "'robot' is no role"),
        ([{"role": "tool", "tool_call_id": "x", "content": "a"}], "answers no call"),
        (
            [{"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}],
            "without an answer: c",
        ),
        ([{"role": "user", "content": None}], "content is missing"),
        ([], "at least one message"),
    ],
)
async def test_the_test_server_refuses_what_the_real_one_would(server: Server, messages: list[Any], says: str) -> None:
    model = open_model("say:a", base_url=server.url, env={})
    with pytest.raises(EpisodeError, match=says):
        await model.complete(Request([Message(m) for m in messages]))
    await model.close()


async def test_an_empty_reply_goes_back_as_an_empty_text(server: Server) -> None:
    model = open_model("say:a", base_url=server.url, env={})
    said: list[Any] = [{"role": "user", "content": "?"}, {"role": "assistant", "content": None}, {"role": "user", "content": "Go on."}]
    await model.complete(Request([Message(m) for m in said]))
    await model.close()
    assert [m["content"] for m in server.last()["body"]["messages"]] == ["?", "", "Go on."]
