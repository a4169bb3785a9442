"""A model's reply as a move. Never raises: what cannot be read is an action with `error`, which the env answers and counts."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

import orjson

from agentharness.types.model import Reply
from agentharness.types.move import Action, Move
from agentharness.types.part import JsonDict

VERSION = 1
"""Raised by a change that reads any reply differently; part of the identity of agents that use this file."""
_OPEN = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSE = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_BLOCK = re.compile(
    r"```[A-Za-z]*\s{0,20}(?=[{\[])|<tool_call>\s{0,20}(?=[{\[])|^\s{0,20}ACTION:?[ \t]{0,20}(?=[{\[])|(?=\{\s{0,20}\"action\"\s{0,20}:)", re.MULTILINE
)
_FLAT = frozenset({str, int, bool, type(None)})
_NAMES = ("action", "name", "tool")
_ARGS = ("args", "arguments", "parameters")


@dataclass(slots=True)
class Parsed:
    """A reply as a move. `unreadable`: the reply tried to act and nothing of it can be read (worth a second call); it says why, "" otherwise."""

    move: Move
    unreadable: str = ""


def native(reply: Reply) -> Parsed:
    """Tool calls in their order, ids kept, prose beside them."""
    calls = reply.message.get("tool_calls")
    actions = [_call(c) for c in calls] if isinstance(calls, list) else []
    move = Move(actions, content(reply))
    bad = [a.error for a in actions if a.error]
    return Parsed(move, bad[0] if bad and len(bad) == len(actions) else "")


def protocol(reply: Reply) -> Parsed:
    """The text protocol: the first block of the reply's text, which holds one action or a list of them; `prose` is what stands before it. What follows the
    block is passed over: a model that goes on often invents the env's answer. Without a block: prose, no actions, unreadable."""
    text = content(reply)
    match = _BLOCK.search(text)
    if match is None:
        return Parsed(Move([], text), "the reply holds no ```json block with an action")
    prose, block = text[: match.start()].strip(), text[match.end() :]
    try:
        value, end = _decoder.raw_decode(block)
    except (ValueError, RecursionError) as e:
        error = f"the block is not JSON: {_why(e)}"
        return Parsed(Move([Action("", {}, None, error, block.partition("```")[0].strip())], prose), error)
    raw = block[:end]
    items = value if isinstance(value, list) else [value]
    actions = [_item(i, raw if len(items) == 1 else json.dumps(i, ensure_ascii=False)) for i in items] or [
        Action("", {}, None, "the block holds no action", raw)
    ]
    bad = [a.error for a in actions if a.error]
    return Parsed(Move(actions, prose), bad[0] if bad and len(bad) == len(actions) else "")


def content(reply: Reply) -> str:
    """The text of a reply without its thoughts; "" where there is none, or where a thought never ends."""
    text = reply.message.get("content")
    if isinstance(text, list):
        text = "\n".join(p["text"] for p in text if isinstance(p, dict) and isinstance(p.get("text"), str))
    return without_thoughts(text).strip() if isinstance(text, str) else ""


def without_thoughts(text: str) -> str:
    """The text without `<think>…</think>`; an end tag alone ends a thought that began in the prompt, one that never ends takes all the rest with it."""
    if "<" not in text:
        return text
    out, at = [], 0
    while opened := _OPEN.search(text, at):
        out.append(text[at : opened.start()])
        closed = _CLOSE.search(text, opened.end())
        if closed is None:
            return _CLOSE.split("".join(out))[-1]
        at = closed.end()
    return _CLOSE.split("".join(out) + text[at:])[-1]


def arguments(raw: Any) -> tuple[JsonDict, str | None]:
    """The arguments of a call, and what is wrong with them. Nothing at all counts as no arguments; some servers send an object instead of its text."""
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}, None
    if isinstance(raw, dict):
        return raw, None
    if not isinstance(raw, str):
        return {}, f"arguments must be a JSON object, not {_kind(raw)}"
    value = _quickly(raw)
    if value is not None:
        return value, None
    try:
        value = _decoder.decode(raw)
    except (ValueError, RecursionError) as e:
        return {}, f"arguments are not JSON: {_why(e)}"
    return (value, None) if isinstance(value, dict) else ({}, f"arguments must be a JSON object, not {_kind(value)}")


def _quickly(raw: str) -> JsonDict | None:
    """What the slow reader surely gives too, else None: a flat object of texts, whole numbers below 64 bits, true, false and null. As many colons as keys: none
    stands in a text, in an inner object, or behind a key that stands twice."""
    try:
        value = orjson.loads(raw)
    except ValueError:
        return None
    if type(value) is not dict or raw.count(":") != len(value):
        return None
    for inner in value.values():
        if type(inner) not in _FLAT:
            return None
    return value


def _call(call: Any) -> Action:
    call = call if isinstance(call, dict) else {}
    called = call.get("function")
    called = called if isinstance(called, dict) else {}
    ident = call.get("id")
    name, raw = called.get("name"), called.get("arguments")
    ident = ident if isinstance(ident, str) else None
    args, error = arguments(raw)
    if not isinstance(name, str) or not name:
        name, error = "", "the call names no action"
    return Action(name, {} if error else args, ident, error, (raw if isinstance(raw, str) else repr(raw)) if error else None)


def _item(item: Any, raw: str) -> Action:
    """One action of the text protocol."""
    if not isinstance(item, dict):
        return Action("", {}, None, f"an action must be an object, not {_kind(item)}", raw)
    name_key = next((k for k in _NAMES if k in item), None)
    args_key = next((k for k in _ARGS if k in item), None)
    name = item[name_key] if name_key else None
    if not isinstance(name, str) or not name:
        return Action("", {}, None, 'the block names no action: {"action": "…", "args": {…}}', raw)
    args = item[args_key] if args_key else None
    extra = [k for k in item if k not in (name_key, args_key, "id", "type")]
    error = f'unknown key {extra[0]!r}: arguments stand inside "args"' if extra else None
    if args is not None and not isinstance(args, dict):
        error = f'"{args_key}" must be an object, not {_kind(args)}'
    return Action(name, {} if error or args is None else args, None, error, raw)


def _pairs(pairs: list[tuple[str, Any]]) -> JsonDict:
    out = dict(pairs)
    if len(out) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {key!r} stands twice")
            seen.add(key)
    return out


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is no finite number")
    return value


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=_finite, parse_constant=_constant)


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} at character {error.pos}"
    return "nested too deep" if isinstance(error, RecursionError) else str(error)


def _kind(value: Any) -> str:
    return {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}.get(type(value), "null")
