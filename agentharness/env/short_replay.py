"""The short keys of preset replay: steps, tools, match."""

from __future__ import annotations

import re
from typing import Any

from agentharness.config.yaml import Document
from agentharness.env.mistakes import shown, wrong
from agentharness.env.presets import Hole, access

KEYS = ("tools", "match")
"""Short keys that are mappings of names that the user gives: `holes` leaves them to this file."""
TABLE = "steps"
_EXPRESSION = re.compile(r"(?<![\w.])item\s*[.\[]")
_ACT = {"act": {"description": "Do one thing.", "args": {"action": "string"}}}


def steps(document: Document, said: dict[str, Any], out: dict[str, Hole]) -> None:
    """Fills the holes steps.spec and steps.actions. Raises UserError for a `tools` or `match` of the wrong shape."""
    written = document.data.get("steps")
    given = written if isinstance(written, dict) else {}
    spec: dict[str, Any] = {}
    hole = Hole(spec, {(): ("steps",)})
    for key in ("action", "observation", "reward", "merged"):
        if said[key] is not None:
            spec[key] = said[key] if _EXPRESSION.search(said[key]) else f"item{access(said[key])}"
    for key in ("order", "diverge"):
        if said[key] is not None:
            spec[key] = said[key]
    hole.origins |= {(key,): ("steps", key) for key in spec if key in given}
    match = _mapping(document, "match")
    if match is not None:
        spec["match"] = match
        hole.origins[("match",)] = ("match",)
    out["steps.spec"] = hole
    out["steps.actions"] = _actions(document)


def _actions(document: Document) -> Hole:
    """The tools as actions that follow the recording; one text, where the task names none."""
    tools = _mapping(document, "tools")
    hole = Hole({}, {(): ("tools",)} if tools else {})
    for name, said in (tools or _ACT).items():
        if said is not None and not isinstance(said, dict):
            raise wrong(document, ("tools", name), f"`tools.{name}` must be a mapping, is {shown(said)}", hint=f"{name}: {{args: {{city: string}}}}")
        hole.value[name] = {**(said or {})}
        hole.value[name].setdefault("do", [{"goto": {"recorded": TABLE}}])
        if tools:
            hole.origins[(name,)] = ("tools", name)
    return hole


def _mapping(document: Document, key: str) -> dict[str, Any] | None:
    value = document.data.get(key)
    if key not in document.data:
        return None
    if not isinstance(value, dict) or not value:
        example = "tools: {look_up: {args: {city: string}}}" if key == "tools" else "match: {answer: {text: {content: 0.6}}}"
        raise wrong(document, (key,), f"`{key}` must be a mapping of actions, is {shown(value)}", hint=example)
    return value
