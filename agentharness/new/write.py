"""The task's files: task.yaml on the short level, a README that opens with a real row."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from agentharness.config.yaml import scalar
from agentharness.new.guess import Plan
from agentharness.types.part import JsonDict

_PLAIN = re.compile(r"[A-Za-z_./][\w ./-]*[\w/]\Z|[A-Za-z_]\Z")


def task_yaml(plan: Plan, data: dict[str, str], licence: str) -> str:
    """The text of task.yaml, under 15 lines."""
    source = {**data, **({"key": plan.key} if plan.key else {})}
    where = _text(next(iter(source.values()))) if list(source) == ["from"] else _flow(source)
    lines = [f"data: {where}", f"preset: {plan.preset}", *([f"ask: {_text(plan.ask)}"] if plan.ask else [])]
    lines += [f"{key}: {_flow(value)}" for key, value in plan.extra.items()]
    if plan.answer:
        lines.append(f"answer: {_text(plan.answer)}")
    scorer: JsonDict = {**({"against": plan.against} if plan.against else {}), **({"options": plan.options} if plan.options else {})}
    if plan.reward:
        lines.append(f"reward: {{{plan.reward}: {_flow(scorer)}}}" if scorer else f"reward: {plan.reward}")
    if plan.where:
        lines.append(f"episode: {{where: {_text(plan.where)}}}")
    if plan.slices:
        lines.append(f"slices: [{', '.join(map(_text, plan.slices))}]")
    lines.append(f"licence: {_text(licence)}" if licence else "licence: ''")
    return "\n".join(lines) + "\n"


def readme(name: str, shown: str, answer: Any, said: Sequence[str], data: dict[str, str], licence: str) -> str:
    """The text of README.md. `shown`, `answer`: a real row, as the agent sees it, and its right answer."""
    row = "\n".join(f"    {line}" for line in _short(shown, 1200).splitlines())
    right = _short(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False), 200)
    return "\n".join(
        [
            f"# {name}",
            "",
            row,
            "",
            *([f"Right: {right}", ""] if answer is not None else []),
            *(f"- {line}" for line in said),
            "",
            f"Data: `{next(iter(data.values()))}`. Licence: {licence or 'not said: look it up and write it into task.yaml'}.",
            "",
            f"    python -m agentharness run task={name} agent=oracle,random,noop",
            f"    python -m agentharness run task={name} agent=tools model=NAME base_url=http://127.0.0.1:8000/v1",
            "",
        ]
    )


def _flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(map(_flow, value)) + "]" if isinstance(value, list) else _text(value)


def _text(value: Any) -> str:
    """A scalar as YAML: plain where that reads back as the same text, else in double quotes."""
    if not isinstance(value, str):
        return json.dumps(value)
    return value if _PLAIN.match(value) and scalar(value) == value else json.dumps(value, ensure_ascii=False)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
