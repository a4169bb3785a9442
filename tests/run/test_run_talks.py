"""Recorded chats in a run: what is shown when, what is scored, real dialogues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import episodes, play, refused, table, write

AIRLINE = Path(__file__).parents[2] / "../shared/data/tau_airline/gpt-4o-trajectories.json"
TALKS: list[dict[str, Any]] = [
    {
        "id": "a",
        "conversations": [
            {"from": "system", "value": "You are terse."},
            {"from": "human", "value": "Name a planet with rings."},
            {"from": "gpt", "value": "Saturn"},
            {"from": "human", "value": "And the largest one?"},
            {"from": "gpt", "value": "Jupiter is it"},
            {"from": "human", "value": "Thanks!"},
        ],
    },
    {
        "id": "b",
        "conversations": [
            {"from": "human", "value": "What is the time in Rome?"},
            {"from": "function_call", "value": ""},
            {"from": "observation", "value": "14:05"},
            {"from": "gpt", "value": "Five past two."},
        ],
    },
]
TASK = "data: {from: rows.jsonl, key: id}\npreset: chat\nlicence: private\n"


def talks(folder: Path, rows: list[dict[str, Any]], task: str = TASK) -> None:
    write(folder / "tasks/talk", {"task.yaml": task, "rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})


def shown(line: dict[str, Any]) -> list[str]:
    return ["".join(part["text"] for part in step["parts"]) for step in line["steps"]]


def test_the_user_goes_on_as_recorded(tmp_path: Path) -> None:
    talks(tmp_path, TALKS)
    done = play(tmp_path, "task=talk", "agent=oracle,noop", "out=r")
    assert [(r["agent"], r["n"], r["mean"]) for r in table(done)] == [("oracle", "2", "1.000"), ("noop", "2", "0.000")]
    a, b = episodes(tmp_path / "r/talk-oracle")
    assert shown(a) == [
        "You are the assistant of this conversation.\nsystem: You are terse.\nuser: Name a planet with rings.",
        "user: And the largest one?",
        "user: Thanks!",
    ]
    assert a["final_state"]["vars"]["said"] == ["Saturn", "Jupiter is it"]
    assert shown(b) == ["You are the assistant of this conversation.\nuser: What is the time in Rome?\ntool: 14:05", "The recording ends here."]
    # nothing of what is said later is shown before
    assert not any("Saturn" in text or "largest" in text for text in shown(a)[:1])


AGENT = """
class Says:
    name, needs_model, privileged = "says", False, False

    def __init__(self, options, folder):
        self.texts = ["Saturn", "It is Jupiter: 11"]

    def identity(self):
        return {"texts": self.texts}

    def sit(self, seat):
        self.left = list(self.texts)
        return self

    async def act(self, observation):
        from agentharness.types.move import Move

        return Move([], prose=self.left.pop(0) if self.left else "more")
"""


def test_what_is_said_is_scored_turn_by_turn_and_the_last_against_the_answer(tmp_path: Path) -> None:
    talks(tmp_path, [{**TALKS[0], "n": 11}], TASK + "answer: n\nreward: numeric\nrewards: {words: {weight: 3}}\n")
    write(tmp_path, {"says.py": AGENT})
    done = play(tmp_path, "task=talk", "agent=says.py:Says", "trust=true", "out=r")
    (line,) = episodes(tmp_path / "r")
    # "it is jupiter 11" and "jupiter is it": 3 common tokens of 4 and 3
    words = (1 + 6 / 7) / 2
    assert line["rewards"] == {"numeric": 1.0, "words": pytest.approx(words)}
    assert line["reward"] == pytest.approx((1 + 3 * words) / 4)
    assert line["metrics"].get("prose") is None
    assert table(done)[0]["truncated"] == "0"


def test_a_conversation_in_which_nobody_answers_is_named(tmp_path: Path) -> None:
    talks(tmp_path, [*TALKS, {"id": "mute", "conversations": [{"from": "human", "value": "Hello?"}]}])
    assert "trajectory 'mute' of messages has steps, and no action" in refused(tmp_path, "task=talk")
    talks(tmp_path, TALKS, TASK.replace("preset: chat", "preset: chat\nchat: {likeness: squad_f9}"))
    assert "by of per_turn cannot be 'squad_f9'" in refused(tmp_path, "task=talk")


def test_real_dialogues(tmp_path: Path) -> None:
    if not AIRLINE.is_file():
        pytest.skip("the recorded dialogues of tau_airline are not here")
    data = f"{{from: {json.dumps(str(AIRLINE.resolve()))}, key: [task_id, trial], chat: traj}}"
    write(tmp_path / "tasks/air", {"task.yaml": f"data: {data}\npreset: chat\nlicence: MIT\n"})
    done = play(tmp_path, "task=air", "agent=oracle,random,noop", "limit=20")
    means = {r["agent"]: float(r["mean"]) for r in table(done)}
    assert (means["oracle"], means["noop"]) == (1.0, 0.0)
    assert means["random"] < 0.3
