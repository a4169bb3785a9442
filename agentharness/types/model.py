"""Requests and replies: what crosses between an agent and a model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Protocol

from agentharness import canon
from agentharness.types.move import ActionSet
from agentharness.types.part import JsonDict


class Message:
    """One chat message in the chat-completions form, with its canonical JSON made once: for the wire, the digest and the record alike.

    `data` is `{"role", "content", "tool_calls"?, "tool_call_id"?}`. `content` is text or a list of parts as in `types.part` (images by asset, never bytes).
    A Message is never changed after it is made.
    """

    __slots__ = ("data", "has_images", "plain", "wire")

    def __init__(self, data: JsonDict) -> None:
        self.data = data
        wire = canon.dumps(data, finite=True)
        self.wire: bytes = wire
        """Canonical JSON of `data`. Chat messages hold no floats of their own, so that none of them is not finite."""
        content = data.get("content")
        listed = isinstance(content, list)
        self.has_images = listed and any(p.get("type") == "image" for p in data["content"])
        self.plain = not listed and (content is not None or "tool_calls" in data) and (b"$" not in wire or not canon.marked(wire))
        """Whether any server takes `wire` as it stands: no list of parts, none of `canon`'s marks, and something said or called."""


@dataclass(slots=True)
class Request:
    """One call to a model. `sampling` holds temperature, top_p, max_tokens, stop, seed … as the API names them."""

    messages: list[Message]
    tools: ActionSet | None = None
    sampling: JsonDict = field(default_factory=dict)

    def digest(self) -> str:
        """sha256 over messages, tools and sampling: what a journalled reply is matched by. Images count by asset; URL, key and timeouts do not."""
        hashed = hashlib.sha256()
        for message in self.messages:
            hashed.update(message.wire + b"\n")
        return request_digest(hashed, self.tools, self.sampling)


def request_digest(hashed: Any, tools: ActionSet | None, sampling: JsonDict) -> str:
    """`Request.digest` from a sha256 that has taken in each message's wire and a newline; changes it. A growing history is so hashed once."""
    rest = tools.digest.encode() if tools is not None else b""
    hashed.update(rest + b"\n" + canon.dumps(sampling) if sampling else rest)
    digest: str = hashed.hexdigest()
    return digest


@dataclass(slots=True)
class Reply:
    """What a model answered."""

    message: JsonDict
    """{"role": "assistant", "content": str | None, "tool_calls"?: [{"id", "type": "function", "function": {"name", "arguments": text}}]}"""
    finish: str
    """stop, tool_calls, length, content_filter … as the server says it; "" where it says nothing."""
    usage: dict[str, int] = field(default_factory=dict)
    """prompt_tokens, completion_tokens; cached_tokens, reasoning_tokens where known. Empty where the server says nothing."""
    reasoning: str | None = None
    prompt_ids: list[int] | None = None
    completion_ids: list[int] | None = None
    logprobs: list[float] | None = None
    """One per completion id."""
    clock: JsonDict = field(default_factory=dict)
    """Wall-clock facts, never part of equality: latency_s, waited_s, attempts, sent (unix seconds), server (its id for the reply), served (model name)."""

    def to_json(self) -> JsonDict:
        """The reply without `clock`, defaults left out."""
        out: JsonDict = {"message": self.message, "finish": self.finish}
        if self.usage:
            out["usage"] = self.usage
        if self.reasoning is not None:
            out["reasoning"] = self.reasoning
        if self.prompt_ids is not None:
            out["prompt_ids"] = self.prompt_ids
        if self.completion_ids is not None:
            out["completion_ids"] = self.completion_ids
        if self.logprobs is not None:
            out["logprobs"] = self.logprobs
        return out

    @classmethod
    def from_json(cls, data: JsonDict, clock: JsonDict | None = None) -> Reply:
        """The inverse of `to_json`; unknown fields are passed over."""
        known = {k: data[k] for k in ("message", "finish", "usage", "reasoning", "prompt_ids", "completion_ids", "logprobs") if k in data}
        return cls(**known, clock=clock or {})


class Model(Protocol):
    """Turns a request into a reply. Shared by all sessions of a run."""

    name: str

    def identity(self) -> JsonDict:
        """What of it belongs in the agent digest: model name and revision; never a URL, a key, a timeout."""
        ...

    async def complete(self, request: Request, *, limit_s: float | None = None, waiting: Any = None) -> Reply:
        """One reply, after retries.

        `limit_s`: seconds of working time the caller still has: no attempt runs longer. `waiting`: a context manager factory entered while the client waits
        (Retry-After, backoff, limiter): that time is not the session's.
        Raises EpisodeError("model", …), `fatal=True` where no other request can succeed; Truncated("context") where the server says that the prompt is too
        long; Truncated("time") where `limit_s` ran out.
        """
        ...

    async def close(self) -> None: ...
