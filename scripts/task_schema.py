"""Writes docs/task.schema.json, by which an editor completes and checks task.yaml: `python scripts/task_schema.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentharness.env.expand import short_keys
from agentharness.env.presets import BARE, get, names
from agentharness.env.short import KEYS
from agentharness.env.spec import TaskSpec

TYPES: dict[str, list[str]] = {
    "data": ["string", "object"],
    "ask": ["string"],
    "answer": ["string"],
    "gold": ["string", "array"],
    "reward": ["string", "array", "object"],
    "slices": ["string", "array"],
    "turns": ["integer"],
}
"""What each short key may be."""
TARGET = Path(__file__).parents[1] / "docs" / "task.schema.json"


def schema() -> dict[str, Any]:
    """Both levels as one JSON Schema (2020-12). It knows every key and the shape of every long one; what keys mean together only a load can tell."""
    long = TaskSpec.model_json_schema(by_alias=True)
    properties: dict[str, Any] = long["properties"]
    short: dict[str, dict[str, Any]] = {key: {"description": text, **({"type": TYPES[key]} if key in TYPES else {})} for key, text in KEYS.items()}
    for key, presets in short_keys().items():
        if presets:
            short[key] = {"description": f"only with preset {', '.join(presets)}"}
    short["preset"]["enum"] = [name for name in names() if name != BARE]
    short["preset"]["description"] += ": " + "; ".join(f"{name}: {get(name).about}" for name in names() if name != BARE)
    for form in long["$defs"].values():
        form.pop("required", None)  # beside short keys a part of a rule is laid over a preset's
    # A key that both levels have may take either shape.
    merged = {**short, **{key: short.get(key, value) for key, value in properties.items()}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "task.yaml",
        "type": "object",
        "additionalProperties": False,
        "properties": dict(sorted(merged.items())),
        "$defs": long["$defs"],
    }


def text() -> str:
    """The file's text."""
    return json.dumps(schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
