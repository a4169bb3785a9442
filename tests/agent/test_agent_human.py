"""A person's lines as actions."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.agent.human import Human, menu, read
from agentharness.errors import BrokenOff
from agentharness.types.move import ActionSet, ActionSpec, Observation, Shown


def spec(name: str, required: list[str], **properties: Any) -> ActionSpec:
    return ActionSpec(name, f"Does {name}.", {"type": "object", "properties": properties, "required": required})


ACTIONS = ActionSet(
    (
        spec("say", ["text"], text={"type": "string"}, loud={"type": "boolean"}),
        spec("zoom", ["x", "y"], x={"type": "integer"}, y={"type": "number"}),
        spec("go", ["to"], to={"type": "string", "enum": ["a b", "c"]}),
        spec("stop", []),
    )
)


@pytest.mark.parametrize(
    ("line", "name", "args"),
    [
        ("say hello there", "say", {"text": "hello there"}),
        ("  say   text=two words loud=true ", "say", {"text": "two words", "loud": True}),
        ("say 1 = 1", "say", {"text": "1 = 1"}),
        ("say text=a=b", "say", {"text": "a=b"}),
        ("zoom x=3 y=2.5", "zoom", {"x": 3, "y": 2.5}),
        ("zoom x=three y=1", "zoom", {"x": "three", "y": 1}),
        ('zoom {"x": 1, "y": 2}', "zoom", {"x": 1, "y": 2}),
        ("go a b", "go", {"to": "a b"}),
        ("stop", "stop", {}),
        ("stop now", "stop", {}),
        ("fly away", "fly", {}),
        ("say", "say", {}),
    ],
)
def test_lines(line: str, name: str, args: dict[str, Any]) -> None:
    action = read(line, ACTIONS)
    assert (action.name, action.args, action.error) == (name, args, None)


@pytest.mark.parametrize(("line", "error"), [('say {"text": ', "arguments are not JSON: "), ("say {1}", "arguments are not JSON: ")])
def test_broken_json_is_answered(line: str, error: str) -> None:
    action = read(line, ACTIONS)
    assert (action.args, action.raw) == ({}, line)
    assert action.error is not None
    assert action.error.startswith(error)


def test_the_menu() -> None:
    assert menu(ACTIONS).splitlines() == [
        "  say text=<string> [loud=<boolean>]  – Does say.",
        "  zoom x=<integer> y=<number>  – Does zoom.",
        "  go to=<a b|c>  – Does go.",
        "  stop  – Does stop.",
    ]


async def test_a_turn() -> None:
    lines = ["", "say hi"]
    shown: list[tuple[list[Any], str]] = []

    def ask() -> str:
        if not lines:
            raise EOFError
        return lines.pop(0)

    player = Human(ask, lambda parts, news: shown.append((parts, news))).sit(None)  # type: ignore[arg-type]
    seen = Observation([Shown([{"type": "text", "text": "Well?"}])], ACTIONS)
    move = await player.act(seen)
    assert [(a.name, a.args) for a in move.actions] == [("say", {"text": "hi"})]
    assert shown == [([{"type": "text", "text": "Well?"}], menu(ACTIONS)), ([], menu(ACTIONS))]
    with pytest.raises(BrokenOff):
        await player.act(seen)
    assert shown[-1] == ([{"type": "text", "text": "Well?"}], "")
