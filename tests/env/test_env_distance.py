"""Distances along edges: hops of every place stood on, for rewards and for the record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import episodes, play, refused, table, write

from agentharness.score.values import progress

TASK = """\
data: {from: trips.jsonl, key: id}
preset: graph
nodes: {from: towns.jsonl, key: name, edge: roads, start: start}
ask: "Which town has {{ row.people }} people?"
answer: goal
reward: {exact: 1}
distances: {goal: {edge: roads, to: row.goal}}
rewards: {nearer: {scorer: progress, of: distance.goal, weight: 1}}
licence: CC0-1.0
"""
LINE = [{"name": f"n{i}", "roads": [f"n{j}" for j in (i - 1, i + 1) if 0 <= j < 6]} for i in range(6)]
ISLAND = {"name": "island", "roads": []}
WALK = """\
from agentharness.types.move import Action, Move


class Walk:
    name, version, needs_model, privileged = "walk", 1, False, False

    def __init__(self, options, folder):
        self.steps = list(options.get("steps", []))

    def identity(self):
        return {"name": "walk", "steps": self.steps}

    def sit(self, seat):
        return Walker(list(self.steps))


class Walker:
    def __init__(self, steps):
        self.steps = steps

    async def act(self, observation):
        if not self.steps:
            return Move([Action("answer", {"text": "n0"})])
        return Move([Action("travel", {"to": self.steps.pop(0)})])
"""


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def world(cwd: Path, *trips: tuple[str, str]) -> None:
    rows = [{"id": f"t{i}", "start": start, "goal": goal, "people": i} for i, (start, goal) in enumerate(trips)]
    write(cwd / "tasks/line", {"task.yaml": TASK, "trips.jsonl": lines(rows), "towns.jsonl": lines([*LINE, ISLAND])})
    write(cwd / "agents", {"walk.py": WALK})


def test_each_step_has_its_hops_and_the_reward_their_progress(tmp_path: Path) -> None:
    world(tmp_path, ("n0", "n4"), ("n0", "island"), ("n4", "n4"))
    play(tmp_path, "task=line", "agent=agents/walk.py:Walk", 'agent.steps=["n1", "n2", "n1"]', "out=w", code=1)
    by_row = {line["key"]["row"]: line for line in episodes(tmp_path / "w")}
    assert [step["distances"]["goal"] for step in by_row["t0"]["steps"]] == [4, 3, 2, 3, 3]
    assert by_row["t0"]["rewards"] == {"exact": 0.0, "nearer": 0.25}
    assert by_row["t1"]["rewards"]["nearer"] is None
    assert by_row["t1"]["scores"]["nearer"]["reason"] == "there is no way to the goal from where it began"
    assert by_row["t1"]["steps"][0]["distances"] == {"goal": None}


def test_the_oracle_makes_all_of_the_way(tmp_path: Path) -> None:
    world(tmp_path, ("n0", "n4"), ("n5", "n1"), ("n4", "n4"))
    rows = table(play(tmp_path, "task=line", "agent=oracle,noop", "out=o"))
    assert [r["mean"] for r in rows] == ["1.000", "0.167"]  # one trip begins at its goal
    told = refused(tmp_path, "task=line", "task.distances.goal.edge=road")
    assert "there is no edge 'road' (did you mean 'roads'?)" in told
    assert "distance" in refused(tmp_path, "task=line", "task.observe=Far: {{ distance.goal }}")


@pytest.mark.parametrize(
    ("hops", "value"),
    [
        ([4, 3, 2], 0.5),
        ([4, 6], 0.0),
        ([3, 0], 1.0),
        ([0, 0], 1.0),
        ([0, 1], 0.0),
        ([2, None], 0.0),
        ([None, 1], None),
        ([], None),
        (None, None),
        ([True], None),
    ],
)
def test_progress(hops: Any, value: float | None) -> None:
    assert progress(hops, None).value == value
