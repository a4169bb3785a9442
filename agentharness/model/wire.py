"""A request -> the body of POST /chat/completions, joined from bytes that exist already: history is never serialised again.

Messages go as their canonical JSON, but for what the wire cannot take as it stands:

- the null of an empty reply becomes the empty text;
- a lone surrogate (which UTF-8 cannot hold) becomes U+FFFD, and `canon`'s marks become plain JSON again;
- lists of parts: a user's image becomes a data URL; a blob or an unknown kind a placeholder in words; in all other roles the parts become one text;
- an image in a message that may hold none (a tool's answer above all) becomes `[image 1]`, and one user message with the images follows, after all tool
  messages of that turn, for each must directly follow its call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from agentharness import canon
from agentharness.errors import UserError
from agentharness.model.pictures import recipe
from agentharness.types.model import Message, Request
from agentharness.types.part import JsonDict, Part

RESERVED = frozenset({"model", "messages", "tools", "stream"})


class Wire:
    """Makes bodies for one model. `defaults`: sampling where a request says nothing; `extra`: further body fields, sent always, below both.

    Raises UserError for a field that is not theirs to set.
    """

    def __init__(self, name: str, defaults: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
        for key in (*defaults, *extra):
            if key in RESERVED:
                raise UserError(
                    f"{key!r} cannot be set as a sampling parameter", where="sampling", hint=f"the harness sets {', '.join(sorted(RESERVED))} itself"
                )
        self._head = b'{"model":' + plain_json(name) + b',"messages":['
        self._fields: JsonDict = {**extra, **defaults}
        self._tail = self._close(self._fields)

    def body(self, request: Request, pictures: Mapping[bytes, bytes], *, mend: bool = False) -> bytes:
        """The body; `pictures` holds each image of the messages by its recipe (`Pictures.gather`). `mend`: broken arguments go as `{}`."""
        tail = self._tail if not request.sampling else self._close({**self._fields, **request.sampling})
        messages = b",".join(_messages([_mended(m) for m in request.messages] if mend else request.messages, pictures))
        tools = request.tools
        if tools is None or not tools.specs:
            return b"%b%b]%b" % (self._head, messages, tail)
        wire = tools.wire
        if b"$" in wire and canon.marked(wire):
            wire = plain_json(tools.tools)
        return b'%b%b],"tools":%b%b' % (self._head, messages, wire, tail)

    def max_tokens(self, request: Request) -> Any:
        """The request's bound on new tokens, None where it has none."""
        fields = {**self._fields, **request.sampling}
        return fields.get("max_completion_tokens") or fields.get("max_tokens")

    @staticmethod
    def _close(fields: JsonDict) -> bytes:
        if not fields:
            return b"}"
        if not RESERVED.isdisjoint(fields):
            raise UserError(f"a request's sampling cannot set {', '.join(sorted(RESERVED & fields.keys()))}")
        return b"," + plain_json(fields)[1:]


def plain_json(value: Any) -> bytes:
    """JSON without marks; what UTF-8 cannot hold is replaced."""
    try:
        return orjson.dumps(value)
    except TypeError:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def broken(messages: list[Message]) -> bool:
    """Whether a tool call among the messages has arguments that are no JSON object: some servers (vLLM) then refuse the chat that holds it."""
    return any(not _object(c["function"]["arguments"]) for m in messages for c in m.data.get("tool_calls") or ())


def _object(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def _mended(message: Message) -> Message:
    if not broken([message]):
        return message
    calls = [c if _object(c["function"]["arguments"]) else {**c, "function": {**c["function"], "arguments": "{}"}} for c in message.data["tool_calls"]]
    return Message({**message.data, "tool_calls": calls})


def _messages(messages: list[Message], pictures: Mapping[bytes, bytes]) -> list[bytes]:
    out = [m.wire for m in messages if m.plain]
    if len(out) == len(messages):
        return out
    out = []
    moved: list[Part] = []
    for message in messages:
        data = message.data
        if moved and data["role"] != "tool":
            out.append(_shown(moved, pictures))
            moved = []
        if isinstance(data.get("content"), list):
            out.append(_user(data, pictures) if data["role"] == "user" else _flat(data, moved))
        else:
            out.append(message.wire if message.plain else plain_json(_said(data)))
    if moved:
        out.append(_shown(moved, pictures))
    return out


def _said(data: JsonDict) -> JsonDict:
    """An empty reply stands in the record as null; servers refuse one that neither says nor calls anything."""
    empty = data["role"] == "assistant" and data.get("content") is None and "tool_calls" not in data
    return {**data, "content": ""} if empty else data


def _user(data: JsonDict, pictures: Mapping[bytes, bytes]) -> bytes:
    parts = [pictures[recipe(p)] if p.get("type") == "image" else plain_json({"type": "text", "text": _words(p)}) for p in data["content"]]
    return b'{"role":"user","content":[' + b",".join(parts) + b"]}"


def _flat(data: JsonDict, moved: list[Part]) -> bytes:
    """The message with its parts as one text; its images go to `moved`."""
    texts: list[str] = []
    for part in data["content"]:
        if part.get("type") == "image":
            moved.append(part)
            texts.append(f"[image {len(moved)}]")
        else:
            texts.append(_words(part))
    return plain_json({**data, "content": "\n".join(texts)})


def _shown(moved: list[Part], pictures: Mapping[bytes, bytes]) -> bytes:
    parts: list[bytes] = []
    for i, part in enumerate(moved, 1):
        parts += [b'{"type":"text","text":"[image %d]"}' % i, pictures[recipe(part)]]
    return b'{"role":"user","content":[' + b",".join(parts) + b"]}"


def _words(part: Part) -> str:
    kind = part.get("type")
    if kind == "text":
        return str(part["text"])
    return f"[{part['mime']}]" if kind == "blob" and part.get("mime") else f"[{kind}]"
