"""Recorded conversations as worlds whose other side is the record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import episodes, play, table, write

from agentharness.score.words import turns_f1

TASK = "data: {from: rows.jsonl, key: id}\npreset: chat\nask: You sell lamps.\nlicence: MIT\n"
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "stock", "arguments": "{}"}}]}
TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Have you a lamp?"},
    CALL,
    {"role": "tool", "content": "3 lamps", "tool_call_id": "1"},
    {"role": "assistant", "content": "We have three."},
    {"role": "user", "content": "Good."},
    {"role": "assistant", "content": "Good bye."},
]
SAYER = """\
from agentharness.types.move import Move


class Sayer:
    name, version, needs_model, privileged = "sayer", 1, False, False

    def __init__(self, options, folder):
        pass

    def identity(self):
        return {"name": "sayer"}

    def sit(self, seat):
        return self

    async def act(self, observation):
        return Move([], "We have a lamp.")
"""


def shop(cwd: Path) -> None:
    write(cwd / "tasks/shop", {"task.yaml": TASK, "rows.jsonl": json.dumps({"id": "a", "messages": TALK}) + "\n"})


def test_the_record_is_the_other_side(tmp_path: Path) -> None:
    shop(tmp_path)
    rows = table(play(tmp_path, "task=shop", "agent=oracle,noop", "out=r"))
    assert [r["mean"] for r in rows] == ["1.000", "0.000"]
    (line,) = episodes(tmp_path / "r/shop-oracle")
    shown = [[p["text"] for p in step["parts"]] for step in line["steps"]]
    assert shown[0][0].startswith("You sell lamps.\nBe kind.\nHave you a lamp?\n")
    assert '"name":"stock"' in shown[0][0].replace(" ", "")
    assert shown[0][0].endswith("3 lamps")
    assert shown[1] == ["Good."]
    assert line["final_state"]["vars"]["said"] == ["We have three.", "Good bye."]


def test_prose_is_said_and_compared_turn_by_turn(tmp_path: Path) -> None:
    shop(tmp_path)
    write(tmp_path / "agents", {"sayer.py": SAYER})
    play(tmp_path, "task=shop", "agent=agents/sayer.py:Sayer", "out=s")
    (line,) = episodes(tmp_path / "s")
    assert line["final_state"]["vars"]["said"] == ["We have a lamp."] * 2
    assert line["rewards"]["alike"] == pytest.approx((2 * 2 / 6) / 2)  # "we have lamp" against "we have three": 2 of 3 words; then none


@pytest.mark.parametrize(
    ("said", "recorded", "value"),
    [
        (["a b", "c"], ["a b", "d"], 0.5),
        (["x"], ["x", "y"], 0.5),
        (["x", "y"], ["x"], 0.5),
        ([], ["x"], 0.0),
        (None, ["x"], 0.0),
        (["x"], [], None),
        (["x"], None, None),
    ],
)
def test_turns_f1(said: Any, recorded: Any, value: float | None) -> None:
    assert turns_f1(said, recorded).value == value
