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

    __slots__ = ("_wire", "data", "has_images")

    def __init__(self, data: JsonDict) -> None:
        self.data = data
        content = data.get("content")
        self.has_images = type(content) is list and any(p.get("type") == "image" for p in content)
        self._wire: bytes | None = None

    @property
    def wire(self) -> bytes:
        """Canonical JSON of `data`. Chat messages hold no floats of their own, so that none of them is not finite."""
        if self._wire is None:
            self._wire = canon.dumps(self.data, finite=True)
        return self._wire


@dataclass(slots=True)
class Request:
    """One call to a model. `sampling` holds temperature, top_p, max_tokens, stop, seed … as the API names them."""

    messages: list[Message]
    tools: ActionSet | None = None
    sampling: JsonDict = field(default_factory=dict)

    def digest(self) -> str:
        """sha256 over messages, tools and sampling: what a journalled reply is matched by. Images count by asset; URL, key and timeouts do not."""
        pieces = [m.wire for m in self.messages]
        pieces.append(canon.dumps(self.sampling))
        pieces.append(self.tools.wire if self.tools is not None else b"")
        return hashlib.sha256(b"\n".join(pieces)).hexdigest()


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
        for name in ("reasoning", "prompt_ids", "completion_ids", "logprobs"):
            value = getattr(self, name)
            if value is not None:
                out[name] = value
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
