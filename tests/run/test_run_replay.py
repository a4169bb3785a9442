"""Recorded trajectories through a whole run: pictures seen, taps, chats, one world whatever the concurrency."""

from __future__ import annotations

import json
from pathlib import Path

from harness import episodes, play, table, timeless, write

SCREENS = """
from PIL import Image

def rows():
    def screen(colour):
        return Image.new("RGB", (120, 200), colour)

    def tap(x, y):
        return {"name": "tap", "args": {"x": x, "y": y}}

    buy = [
        {"screen": screen("red"), "did": tap(20, 30), "target": [10, 20, 40, 40]},
        {"screen": screen("blue"), "did": tap(60, 60), "target": None},
    ]
    leave = [
        {"screen": screen("green"), "did": tap(5, 5), "target": [0, 0, 10, 10]},
        {"screen": screen("white"), "did": None, "target": None},
    ]
    return [{"goal": "Buy it.", "steps": buy}, {"goal": "Leave.", "steps": leave}]
"""
SCREENS_TASK = """
data: {from: rows.py:rows}
preset: replay
ask: goal
steps: {observation: screen, action: did, diverge: force}
tools: {tap: {args: {x: {type: integer, minimum: 0, maximum: 119}, y: {type: integer, minimum: 0, maximum: 199}}}}
match: {tap: {point: [x, y], box: item.target, within: 17.0}}
modality: image
licence: private
"""


def test_screens_and_taps(tmp_path: Path) -> None:
    write(tmp_path / "tasks/phone", {"task.yaml": SCREENS_TASK, "rows.py": SCREENS})
    rows = {row["agent"]: row for row in table(play(tmp_path, "task=phone", "agent=oracle,noop,random", "samples=20", "out=r"))}
    assert (rows["oracle"]["mean"], rows["noop"]["mean"]) == ("1.000", "0.000")
    assert 0 < float(rows["random"]["mean"]) < 0.5  # 4 % of the screen, more or less
    line = next(e for e in episodes(tmp_path / "r/phone-oracle") if len(e["steps"]) == 3)
    seen = [[part["type"] for part in step["parts"]] for step in line["steps"]]
    assert seen == [["text", "image"], ["image"], ["text"]]
    assert [step["parts"][-1]["size"] for step in line["steps"][:2]] == [[120, 200], [120, 200]]
    assert line["final_state"]["recorded"] == {"length": 2, "matched": 2}


CHAT = [
    {
        "id": i,
        "messages": [
            {"role": "user", "content": f"My number is {i}. What is it doubled?"},
            {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "double", "arguments": json.dumps({"n": i})}}]},
            {"role": "tool", "content": str(2 * i)},
            {"role": "assistant", "content": f"It is {2 * i}."},
            {"role": "user", "content": "Thanks."},
        ],
    }
    for i in range(40)
]
CHAT_TASK = """
data: {from: rows.jsonl, key: id}
preset: replay
ask: Answer the user.
steps:
  from: messages
  observation: item.content if item.role != 'assistant' else none
  action: >-
    none if item.role != 'assistant' else {'name': item.tool_calls[0].function.name, 'args': item.tool_calls[0].function.arguments} if item.tool_calls
    else {'name': 'answer', 'args': {'text': item.content}}
  diverge: stay
tools: {answer: {args: {text: string}}, double: {args: {n: integer}}}
match: {answer: {text: {text: 0.9}}}
prose: answer
licence: private
"""


def test_recorded_chats_play_alike_at_any_concurrency(tmp_path: Path) -> None:
    write(tmp_path / "tasks/chat", {"task.yaml": CHAT_TASK, "rows.jsonl": "".join(json.dumps(row) + "\n" for row in CHAT)})
    lines = []
    for n in (1, 40):
        rows = table(play(tmp_path, "task=chat", "agent=oracle,random", f"concurrency={n}", f"out=c{n}"))
        assert rows[0]["mean"] == "1.000"
        assert float(rows[1]["mean"]) < 0.1
        lines.append([sorted(timeless(episodes(tmp_path / f"c{n}/chat-{agent}"))) for agent in ("oracle", "random")])
    assert lines[0] == lines[1]
    line = next(e for e in episodes(tmp_path / "c1/chat-oracle") if e["key"]["row"] == "7")
    texts = [step["parts"][0]["text"] for step in line["steps"]]
    assert texts == ["Answer the user.\nMy number is 7. What is it doubled?", "14", "Thanks."]
    assert line["final_state"]["recorded"] == {"length": 2, "matched": 2}
