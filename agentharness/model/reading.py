"""The body of a 200 answer -> Reply, whoever wrote it.

| body | becomes |
|---|---|
| lone surrogates, integers over 64 bits | read by the slower parser, kept as they are |
| no JSON (HTML of a proxy, a cut answer), no object | Transient `not_json` |
| an `error` object, in the body or in the choice | as the status in its code says: `Transient`, `Truncated("context")` or EpisodeError("model", …) |
| no choices, or an empty list | Transient `no_choices` |
| a choice without a message, or a content that is neither text, parts nor null | Transient `no_message` |
| content null or missing | None: an empty reply is a reply |
| content as a list of parts | the texts joined; thinking parts are reasoning |
| `refusal` beside an empty content | the content |
| `reasoning`, `reasoning_content` | Reply.reasoning; `<think>` in the content stays there |
| arguments | the text as it was written, well-formed or not; missing: `{}`; an object: its JSON |
| a tool call without an id, or with another call's | `call_0`, `call_1` … by its place |
| logprobs that are not one per completion id | left out |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from agentharness import canon
from agentharness.errors import EpisodeError
from agentharness.model.faults import AGAIN, Transient, error_text, of_context
from agentharness.types.model import Reply
from agentharness.types.part import JsonDict


def _unbounded() -> Any:
    return None


def read(body: bytes, max_tokens: Callable[[], Any] = _unbounded) -> Reply:
    """The reply in `body`, with `clock` holding `server` and `served`; `max_tokens`: asked where an error says that there are too many. Raises as the table
    above says."""
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        data = _slowly(body)
    if not isinstance(data, dict):
        raise Transient("not_json", f"the answer is no JSON object: {error_text(body)[0]}")
    choices = data.get("choices")
    if not choices or not isinstance(choices, list):
        if data.get("error") or data.get("object") == "error":
            raise _of_error(data, max_tokens())
        raise Transient("no_choices", "the answer holds no choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        if isinstance(choice, dict) and choice.get("error"):
            raise _of_error(choice, max_tokens())
        raise Transient("no_message", "the answer holds no message")
    if choice.get("error"):
        raise _of_error(choice, max_tokens())
    content, reasoning = _content(message)
    out: JsonDict = {"role": "assistant", "content": content}
    if calls := message.get("tool_calls"):
        out["tool_calls"] = _calls(calls)
    clock = {"server": data.get("id"), "served": data.get("model")}
    reply = Reply(out, str(choice.get("finish_reason") or ""), _usage(data.get("usage")), reasoning, clock=clock)
    _tokens(reply, data.get("prompt_token_ids"), choice.get("token_ids"), choice.get("logprobs"))
    return reply


def _slowly(body: bytes) -> Any:
    try:
        return canon.loads(body)
    except ValueError:
        raise Transient("not_json", f"the answer is not JSON: {error_text(body)[0]}") from None


def _of_error(holder: JsonDict, max_tokens: Any) -> Exception:
    body = canon.dumps(holder)
    message, code = error_text(body)
    if trouble := of_context(f"{code} {message}", max_tokens):
        return trouble
    status = int(code) if code.isdecimal() and len(code) == 3 else 0
    if status and status < 500 and status not in AGAIN:
        return EpisodeError("model", f"the server refuses the request ({status}, inside a 200): {message}")
    return Transient(str(status) if status else "error_body", message)


def _content(message: JsonDict) -> tuple[str | None, str | None]:
    content = message.get("content")
    reasoning = message.get("reasoning_content") or message.get("reasoning") or None
    if isinstance(content, list):
        parts = [p for p in content if isinstance(p, dict)]
        thoughts = "".join(_text(p.get("thinking")) for p in parts if p.get("type") == "thinking")
        reasoning = reasoning or thoughts or None
        content = "".join(_text(p.get("text")) for p in parts if p.get("type") in ("text", "output_text"))
    elif content is not None and not isinstance(content, str):
        raise Transient("no_message", "the message's content is neither text nor parts")
    if not content and isinstance(refusal := message.get("refusal"), str):
        content = refusal or content
    return content, reasoning if reasoning is None or isinstance(reasoning, str) else canon.dumps(reasoning).decode()


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(_text(v.get("text")) for v in value if isinstance(v, dict))
    return value if isinstance(value, str) else ""


def _calls(calls: Any) -> list[JsonDict]:
    out: list[JsonDict] = []
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            function = {}
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = "{}" if arguments is None else canon.dumps(arguments).decode()
        name, identity = function.get("name"), call.get("id") if isinstance(call, dict) else None
        if not isinstance(identity, str) or not identity or (out and any(identity == c["id"] for c in out)):
            identity = f"call_{len(out)}"
        out.append({"id": identity, "type": "function", "function": {"name": name if isinstance(name, str) else "", "arguments": arguments}})
    return out


def _usage(usage: Any) -> dict[str, int]:
    out: dict[str, int] = {}
    if not isinstance(usage, dict):
        return out
    for name in ("prompt_tokens", "completion_tokens"):
        if type(n := usage.get(name)) is int and n >= 0:
            out[name] = n
    if len(usage) > len(out) + ("total_tokens" in usage):
        for group, name in (("prompt_tokens_details", "cached_tokens"), ("completion_tokens_details", "reasoning_tokens")):
            if isinstance(details := usage.get(group), dict) and type(n := details.get(name)) is int and n >= 0:
                out[name] = n
    return out


def _tokens(reply: Reply, prompt_ids: Any, ids: Any, logprobs: Any) -> None:
    if isinstance(prompt_ids, list):
        reply.prompt_ids = prompt_ids
    if isinstance(ids, list):
        reply.completion_ids = ids
    if logprobs:
        reply.logprobs = _logprobs(logprobs, reply.completion_ids)


def _logprobs(logprobs: Any, ids: list[int] | None) -> list[float] | None:
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list):
        return None
    values = [float(item["logprob"]) for item in content if isinstance(item, dict) and isinstance(item.get("logprob"), int | float)]
    return values if len(values) == len(content) and (ids is None or len(ids) == len(values)) else None
