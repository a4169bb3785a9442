"""What a model without tools is told."""

from __future__ import annotations

import json
from typing import Any

from agentharness.agent.describe import changes, describe, example, one
from agentharness.agent.parse import protocol
from agentharness.types.model import Reply
from agentharness.types.move import ActionSet, ActionSpec


def spec(name: str, description: str = "", needed: list[str] | None = None, **properties: Any) -> ActionSpec:
    return ActionSpec(name, description, {"type": "object", "properties": properties, "required": list(properties) if needed is None else needed})


def test_an_action_in_words() -> None:
    text = one(
        spec(
            "zoom",
            "Look closer.",
            ["box"],
            box={"type": "array", "items": {"type": "integer"}, "minItems": 4, "maxItems": 4, "description": "x0, y0, x1, y1"},
            factor={"type": "integer", "minimum": 1, "maximum": 8, "default": 2},
            kind={"type": "string", "enum": ["a", "é"]},
        )
    )
    assert text == (
        "- zoom(box, factor?, kind?): Look closer.\n"
        "    box: array of integer, items at least 4, items at most 4: x0, y0, x1, y1\n"
        "    factor: integer, at least 1, at most 8, default 2\n"
        '    kind: string; one of "a", "é"'
    )
    assert one(spec("wait")) == "- wait()"


def test_a_long_enum_is_cut() -> None:
    text = one(spec("go", to={"type": "string", "enum": [f"n{i}" for i in range(250)]}))
    assert text.endswith('"n39", … (210 more)')
    assert "n40" not in text


def test_the_example_is_a_block_that_is_read() -> None:
    actions = ActionSet(
        (
            spec("wait"),
            spec(
                "go",
                to={"type": "string", "enum": ['a"b', "c"]},
                n={"type": "integer", "minimum": 3},
                xs={"type": "array", "items": {"type": "number"}, "minItems": 2},
            ),
        )
    )
    text = example(actions)
    assert json.loads(text) == {"action": "go", "args": {"to": 'a"b', "n": 3, "xs": [1, 1]}}
    move = protocol(Reply({"content": f"```json\n{text}\n```"}, "stop")).move
    assert move.actions[0].error is None
    assert json.loads(example(ActionSet((spec("wait"),)))) == {"action": "wait", "args": {}}
    assert "action" in json.loads(example(ActionSet(())))


def test_changes_name_what_differs() -> None:
    go = {"type": "string", "enum": ["a"]}
    before = ActionSet((spec("go", to=go), spec("wait"), spec("stop")))
    after = ActionSet((spec("go", to={"type": "string", "enum": ["b"]}), spec("wait"), spec("new")))
    assert changes(before, after) == 'Actions that are different now:\n- go(to)\n    to: string; one of "b"\n- new()\nNo longer possible: stop'
    assert changes(before, before) == ""
    assert changes(before, ActionSet((spec("go", to=go), spec("wait"), spec("stop")))) == ""
    assert changes(before, ActionSet((spec("wait"), spec("stop")))) == "No longer possible: go"
    assert describe(ActionSet(())) == "(no action is possible)"
    assert describe(before).count("\n- ") == 2
