"""A small OpenAI-compatible server for tests: a real process on loopback. Prints its port as the first line. Start it with `spawn.serve`.

    python llmserver.py [--port 0] [--key KEY] [--models a,b] [--turns K] [--tool NAME] [--args JSON] [--final TEXT] [--latency-ms N] [--strict-args]

    POST /v1/chat/completions    a reply; 400 with a clear message where the real API would refuse the request; 401 without KEY; 404 for a model not in MODELS
    GET  /v1/models              MODELS
    GET  /stats                  {requests, ok, faults: {kind: n}, invalid: [messages], in_flight, peak, images}
    GET  /last                   {headers, body} of the last chat request
    GET  /log                    [[sha256 of the body, begun, ended], …] of every chat request that is over, on this machine's monotonic clock

The script. The turn is the number of assistant messages since the last user text. With tools, and a turn below K-1 (--turns, default 2), the reply calls
--tool (default: the first tool) with --args; else it is the text --final. Both expand {turn}, {last} (the last message's text), {sum} (A+B of the first
"What is A + B" in the chat), {a}, {b}. `--strict-args` refuses a history with arguments that are not JSON, as vLLM does.

The model's name steers one request further: pieces joined by "|" (a piece it does not know is passed over, so any name works):

    echo                    the text is the last message's text                    say:TEXT      the text is TEXT (it expands too)
    calc                    calls the first tool with {"a": A, "b": B}, then says {last}
    call:NAME:JSON          calls NAME with JSON; several: one a turn, in order, then the text             plain         never calls
    fault-KIND[xN]          the first N (default: all) sendings of each request meet KIND: a status (429 with Retry-After, 500, 400 …), hang, reset, html,
                            cut (half of the JSON), empty (no choices), nomessage, error200 (an error body in a 200), context (400, prompt too long)
    retry-after-S           the seconds that a 429 names (default 0)
    badjson | unknown-tool | extra-arg | doubled         what is wrong with the first turn's call: broken JSON, no such tool, one more argument, `{…}""`
    tokens                  prompt_token_ids, token_ids and logprobs (also where the request asks with return_token_ids)
    surrogate | null | think | reasoning | length         the text ends in a lone surrogate, is null, begins with <think>, has reasoning_content, finish length
    slow-MS                 answers after MS milliseconds
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import binascii
import contextlib
import hashlib
import json
import os
import re
import signal
import sys
import time
from collections import Counter
from typing import Any

from aiohttp import web

MAGIC = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8", "image/webp": b"RIFF"}
END, HEADS = 2, {"assistant": 3, "user": 4, "system": 5, "developer": 5, "tool": 6}


class Refused(Exception):
    """What the real API would refuse."""


class Server:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.models = options.models.split(",") if options.models else []
        self.seen: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.invalid: list[str] = []
        self.requests = self.ok = self.in_flight = self.peak = self.images = 0
        self.last: dict[str, Any] = {}
        self.log: list[tuple[str, float, float]] = []

    async def chat(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        begun, raw = time.monotonic(), await request.read()
        try:
            return await self.answer(request, raw)
        finally:
            self.in_flight -= 1
            self.log.append((hashlib.sha256(raw).hexdigest(), begun, time.monotonic()))

    async def answer(self, request: web.Request, raw: bytes) -> web.StreamResponse:
        if self.options.key and request.headers.get("authorization") != f"Bearer {self.options.key}":
            return self.fault("401", 401, "Incorrect API key provided.", code="invalid_api_key")
        try:
            body = json.loads(raw.decode("utf-8"), object_pairs_hook=once)
            self.last = {"headers": {k.lower(): v for k, v in request.headers.items()}, "body": body}
            self.images += check(body, self.options.strict_args)
        except (ValueError, Refused) as error:
            self.invalid.append(str(error))
            return self.fault("invalid", 400, f"Invalid request: {error}", code="invalid_request_error")
        if self.models and body["model"] not in self.models:
            return self.fault("404", 404, f"The model `{body['model']}` does not exist.", code="model_not_found")
        pieces = body["model"].split("|")
        number = self.seen[key := hashlib.sha256(raw).hexdigest()]
        self.seen[key] += 1
        delay = next((int(p[5:]) for p in pieces if re.fullmatch(r"slow-\d+", p)), self.options.latency_ms)
        if delay:
            await asyncio.sleep(delay / 1000)
        for piece in pieces:
            if (m := re.fullmatch(r"fault-(\w+?)(?:x(\d+))?", piece)) and (m[2] is None or number < int(m[2])):
                return await self.misbehave(m[1], request, body, pieces)
        self.ok += 1
        return web.json_response(reply(body, pieces, self.options, key))

    async def misbehave(self, kind: str, request: web.Request, body: Any, pieces: list[str]) -> web.StreamResponse:
        if kind.isdecimal():
            wait = next((p.removeprefix("retry-after-") for p in pieces if p.startswith("retry-after-")), "0")
            return self.fault(kind, int(kind), f"status {kind}, as asked for", headers={"Retry-After": wait} if kind == "429" else {})
        if kind == "context":
            return self.fault(kind, 400, "This model's maximum context length is 32 tokens. However, you requested 99 tokens.", code="context_length_exceeded")
        self.faults[kind] += 1
        if kind == "hang":
            await asyncio.sleep(3600)
        if kind == "reset" and request.transport is not None:
            request.transport.abort()
        if kind == "html":
            return web.Response(text="<html><body><h1>Bad gateway</h1></body></html>", content_type="text/html")
        if kind == "cut":
            return web.Response(text='{"id": "cut", "choices": [{"mess', content_type="application/json")
        if kind == "nomessage":
            return web.json_response({"id": "x", "choices": [{"index": 0, "finish_reason": "stop"}]})
        if kind == "error200":
            return web.json_response({"error": {"message": "upstream is busy", "code": 503}})
        return web.json_response({"id": "x", "choices": []})

    def fault(self, kind: str, status: int, message: str, *, code: str = "", headers: dict[str, str] | None = None) -> web.Response:
        self.faults[kind] += 1
        return web.json_response({"error": {"message": message, "type": "error", "code": code or None}}, status=status, headers=headers)

    async def list_models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": m, "object": "model"} for m in self.models or ["any"]]})

    async def stats(self, request: web.Request) -> web.Response:
        names = ("requests", "ok", "faults", "invalid", "in_flight", "peak", "images")
        return web.json_response({name: getattr(self, name) for name in names})

    async def show_last(self, request: web.Request) -> web.Response:
        return web.json_response(self.last)

    async def show_log(self, request: web.Request) -> web.Response:
        return web.json_response(self.log)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise Refused(f"a key is there twice: {sorted(k for k, _ in pairs)}")
    return out


def check(body: Any, strict_args: bool) -> int:
    """Refuses what the real API would refuse; the number of images."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise Refused("model must be a string")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused("messages must be a list with at least one message")
    if "tools" in body:
        check_tools(body["tools"])
    images, open_calls = 0, list[str]()
    for i, message in enumerate(messages):
        place, role, content = f"messages[{i}]", message.get("role"), message.get("content")
        if role not in HEADS:
            raise Refused(f"{place}: {role!r} is no role")
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                raise Refused(f"{place}: tool_call_id {message.get('tool_call_id')!r} answers no call of the preceding assistant message")
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            raise Refused(f"{place}: tool_call_ids without an answer: {', '.join(open_calls)}")
        if role == "assistant":
            open_calls = check_calls(place, message, strict_args)
        elif content is None:
            raise Refused(f"{place}: content is missing")
        images += check_content(place, role, content)
    if open_calls:
        raise Refused(f"tool_call_ids without an answer: {', '.join(open_calls)}")
    return images


def check_tools(tools: Any) -> None:
    if not isinstance(tools, list) or not tools:
        raise Refused("tools must be a list with at least one tool")
    names = [t.get("function", {}).get("name") for t in tools]
    for tool, name in zip(tools, names, strict=True):
        if tool.get("type") != "function" or not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            raise Refused(f"tools: {name!r} is no function name")
        if not isinstance(tool["function"].get("parameters", {}), dict) or "$object" in json.dumps(tool):
            raise Refused(f"tools: the parameters of {name!r} are no JSON schema")
    if len(set(names)) != len(names):
        raise Refused("tools: a name is there twice")


def check_calls(place: str, message: Any, strict_args: bool) -> list[str]:
    calls = message.get("tool_calls")
    if calls is None:
        if message.get("content") is None:
            raise Refused(f"{place}: an assistant message needs content or tool_calls")
        return []
    if not isinstance(calls, list) or not calls:
        raise Refused(f"{place}: tool_calls must be a list with at least one call")
    for call in calls:
        function = call.get("function")
        if call.get("type") != "function" or not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
            raise Refused(f"{place}: a tool call is no function call with arguments as text")
        if strict_args:
            json.loads(function["arguments"])
    ids = [c.get("id") for c in calls]
    if len(set(ids)) != len(ids) or not all(isinstance(i, str) and i for i in ids):
        raise Refused(f"{place}: tool call ids must be distinct text")
    return ids


def check_content(place: str, role: str, content: Any) -> int:
    if content is None or isinstance(content, str):
        return 0
    if not isinstance(content, list) or not content:
        raise Refused(f"{place}: content must be text or a list of parts")
    images = 0
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text" and isinstance(part.get("text"), str):
            continue
        if kind != "image_url" or role != "user":
            raise Refused(f"{place}: a part of type {kind!r} cannot stand in a {role} message")
        check_image(place, part["image_url"]["url"])
        images += 1
    return images


def check_image(place: str, url: str) -> None:
    m = re.fullmatch(r"data:([a-z]+/[a-z]+);base64,(.+)", url)
    if not m or m[1] not in MAGIC:
        raise Refused(f"{place}: no data URL of an image: {url[:60]}")
    try:
        data = base64.b64decode(m[2], validate=True)
    except binascii.Error as error:
        raise Refused(f"{place}: {error}") from None
    if not data.startswith(MAGIC[m[1]]):
        raise Refused(f"{place}: the bytes are not {m[1]}")


def text_of(message: Any) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content or [])


def expand(text: str, messages: list[Any], turn: int) -> str:
    sum_ = next((m for m in (re.search(r"What is (-?\d+) \+ (-?\d+)", text_of(x)) for x in messages) if m), None)
    a, b = (int(sum_[1]), int(sum_[2])) if sum_ else (0, 0)
    for name, value in (("turn", turn), ("sum", a + b), ("a", a), ("b", b), ("last", text_of(messages[-1]))):
        text = text.replace("{" + name + "}", str(value))
    return text


def reply(body: Any, pieces: list[str], options: argparse.Namespace, asked: str) -> dict[str, Any]:
    """`asked`: sha256 of the request. A request always gets the same reply, ids included."""
    messages = body["messages"]
    starts = [i for i, m in enumerate(messages) if m["role"] == "user" and isinstance(m["content"], str)]
    turn = sum(m["role"] == "assistant" for m in messages[starts[-1] if starts else 0 :])
    message: dict[str, Any] = {"role": "assistant", "content": None}
    planned = [p for p in pieces if p.startswith("call:")]
    silent = {"plain", "echo"} & set(pieces) or any(p.startswith("say:") for p in pieces)
    if body.get("tools") and turn < (len(planned) or (0 if silent else options.turns - 1)):
        name, arguments = call_of(body, planned, pieces, options, turn)
        message["tool_calls"] = [{"id": f"call_{asked[:12]}", "type": "function", "function": {"name": name, "arguments": arguments}}]
        finish = "tool_calls"
    else:
        message["content"], finish = final_of(messages, pieces, options, turn), "length" if "length" in pieces else "stop"
        if "reasoning" in pieces:
            message["reasoning_content"] = "I think."
    prompt, completion = [i for m in messages for i in ids_of(m)] + [HEADS["assistant"]], ids_of(message)[1:]
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": finish}
    usage = {"prompt_tokens": len(prompt), "completion_tokens": len(completion), "total_tokens": len(prompt) + len(completion)}
    out = {"id": f"chatcmpl-{asked[:12]}", "object": "chat.completion", "created": 0, "model": body["model"], "choices": [choice], "usage": usage}
    if "tokens" in pieces or body.get("return_token_ids"):
        out["prompt_token_ids"], choice["token_ids"] = prompt, completion
        choice["logprobs"] = {"content": [{"token": f"token_id:{i}", "logprob": -((i % 7) + 1) / 8, "top_logprobs": []} for i in completion]}
    return out


def call_of(body: Any, planned: list[str], pieces: list[str], options: argparse.Namespace, turn: int) -> tuple[str, str]:
    name = options.tool or body["tools"][0]["function"]["name"]
    arguments = '{"a": {a}, "b": {b}}' if "calc" in pieces else options.args
    if planned:
        _, name, arguments = planned[turn].split(":", 2)
    arguments = expand(arguments, body["messages"], turn)
    if turn == 0 and "badjson" in pieces:
        arguments = arguments[:-1]
    if turn == 0 and "doubled" in pieces:
        arguments += '""'
    if turn == 0 and "extra-arg" in pieces:
        arguments = json.dumps({**json.loads(arguments), "extra": 1})
    return "no_such_tool" if turn == 0 and "unknown-tool" in pieces else name, arguments


def final_of(messages: list[Any], pieces: list[str], options: argparse.Namespace, turn: int) -> str | None:
    if "null" in pieces:
        return None
    text = "{last}" if {"echo", "calc"} & set(pieces) else next((p[4:] for p in pieces if p.startswith("say:")), options.final)
    text = expand(text, messages, turn)
    return ("<think>hm</think>" if "think" in pieces else "") + text + ("\ud800" if "surrogate" in pieces else "")


def ids_of(message: Any) -> list[int]:
    """A toy tokenizer, prefix-exact: role, bytes, end. What an assistant message costs as history is what it cost when sampled."""
    content, calls = message.get("content"), message.get("tool_calls") or []
    parts = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
    ids = [HEADS[message["role"]]]
    for part in parts:
        ids += [7] * 16 if part["type"] == "image_url" else [10 + b for b in part["text"].encode("utf-8", "surrogatepass")]
    ids += [10 + b for call in calls for b in f"{call['function']['name']}{call['function']['arguments']}".encode()]
    return [*ids, END]


async def main(options: argparse.Namespace) -> None:
    server = Server(options)
    app = web.Application(client_max_size=1 << 28)
    app.router.add_post("/v1/chat/completions", server.chat)
    app.router.add_get("/v1/models", server.list_models)
    app.router.add_get("/stats", server.stats)
    app.router.add_get("/last", server.show_last)
    app.router.add_get("/log", server.show_log)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", options.port)
    await site.start()
    sys.stdout.write(f"{runner.addresses[0][1]}\n")
    sys.stdout.flush()
    loop, end = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, end.set)
    if options.with_stdin:  # ends with the process that started it, even where that is killed
        loop.add_reader(0, lambda: None if os.read(0, 1) else end.set())
    await end.wait()
    await runner.cleanup()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default="")
    parser.add_argument("--models", default="")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--tool", default="")
    parser.add_argument("--args", default="{}")
    parser.add_argument("--final", default="{last}")
    parser.add_argument("--latency-ms", type=int, default=0)
    parser.add_argument("--strict-args", action="store_true")
    parser.add_argument("--with-stdin", action="store_true")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(parser.parse_args()))
