"""Worlds that the shape of the data tells: each is written, plays, and is what was meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import Done, episodes, here, play, table, write
from PIL import Image, ImageDraw

from agentharness.config.yaml import load
from agentharness.new.profile import profile
from agentharness.new.worlds import graph, steps
from agentharness.new.worlds import table as named_rows


def new(cwd: Path, *words: str, code: int = 0) -> Done:
    return here(cwd, "new", "task", *words, code=code)


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def written(cwd: Path, name: str) -> dict[str, Any]:
    data: dict[str, Any] = load(cwd / "tasks" / name / "task.yaml").data
    return data


def sound(cwd: Path, name: str) -> None:
    means = [r["mean"] for r in table(play(cwd, f"task={name}", "agent=oracle,noop"))]
    assert means == ["1.000", "0.000"]
    here(cwd, "check", f"task={name}", "quiet=true")


def test_recorded_steps_are_played_again(tmp_path: Path) -> None:
    walk = [
        {"observation": "a hall", "action": {"name": "go", "args": {"to": "desk"}}},
        {"observation": "a desk", "action": {"name": "take", "args": {"n": 2}}},
    ]
    write(tmp_path, {"d.jsonl": lines([{"goal": f"Fetch key {i}.", "steps": walk} for i in range(6)])})
    new(tmp_path, "walk", "from=d.jsonl", "licence=MIT")
    said = written(tmp_path, "walk")
    assert (said["preset"], said["ask"], said["steps"]) == ("replay", "goal", {"from": "steps", "observation": "observation", "action": "action"})
    assert said["tools"] == {"go": {"args": {"to": "string"}}, "take": {"args": {"n": "integer"}}}
    sound(tmp_path, "walk")


ROADS = [[f"t{(i + 1) % 8}", f"t{(i - 1) % 8}", *(["nowhere"] if i == 3 else [])] for i in range(8)]
RING: list[dict[str, Any]] = [{"town": f"t{i}", "coast": i % 2 == 0, "people": 100 * i, "roads": roads} for i, roads in enumerate(ROADS)]


def test_rows_that_list_each_other_are_a_graph(tmp_path: Path) -> None:
    write(tmp_path, {"towns.json": json.dumps(RING)})
    done = new(tmp_path, "towns", "from=towns.json")
    assert "'roads' lists other rows by 'town': a graph of 8 nodes" in done.out
    said = written(tmp_path, "towns")
    assert said["nodes"] == {"from": "data/towns.json", "key": "town", "edge": "roads", "start": "start", "show": ["coast", "people"]}
    trips = [json.loads(line) for line in (tmp_path / "tasks/towns/data/trips.jsonl").read_text().splitlines()]
    assert {trip["hops"] for trip in trips} <= {1, 2, 3, 4}
    assert all(trip["start"] != trip["goal"] for trip in trips)
    assert all(len(_shortest(RING, trip["start"], trip["goal"])) == trip["hops"] for trip in trips)
    sound(tmp_path, "towns")


def _shortest(rows: list[dict[str, Any]], start: str, goal: str) -> list[str]:
    roads = {row["town"]: row["roads"] for row in rows}
    ways = [[start]]
    while True:
        way = ways.pop(0)
        if way[-1] == goal:
            return way[1:]
        ways += [[*way, n] for n in roads[way[-1]] if n in roads and n not in way]


def test_a_list_of_anything_is_no_graph() -> None:
    rows = [{"name": f"n{i}", "size": i % 3, "tags": ["red", "blue"]} for i in range(9)]
    assert graph(rows, profile(rows)) is None
    assert steps([{"steps": [{"text": "x"}]}] * 3, profile([{"steps": [{"text": "x"}]}] * 3)) is None


def test_options_are_letters_and_a_record_has_sections(tmp_path: Path) -> None:
    quiz = [{"question": f"Which {i}?", "options": ["red", f"blue {i}"], "answer": f"blue {i}"} for i in range(6)]
    cases = [
        {"question": f"Case {i}: what is it?", "record": {"history": f"long ago {i}", "skin": "pale", "pulse": "fast"}, "answer": ("flu", "cold")[i % 2]}
        for i in range(8)
    ]
    write(tmp_path, {"quiz.jsonl": lines(quiz), "cases.jsonl": lines(cases)})
    new(tmp_path, "quiz", "from=quiz.jsonl")
    said = written(tmp_path, "quiz")
    assert (said["preset"], said["ask"], said["options"], said["reward"]) == ("choice", "question", "options", "choice")
    new(tmp_path, "cases", "from=cases.jsonl")
    assert (written(tmp_path, "cases")["preset"], written(tmp_path, "cases")["sections"]) == ("reveal", "record")
    for name in ("quiz", "cases"):
        means = [r["mean"] for r in table(play(tmp_path, f"task={name}", "agent=oracle,noop"))]
        assert means == ["1.000", "0.000"]
    new(tmp_path, "plain", "from=cases.jsonl", "preset=qa")
    assert written(tmp_path, "plain")["preset"] == "qa"
    assert new(tmp_path, "no", "from=cases.jsonl", "preset=graph", code=2).mistake.startswith("preset: the rows have not the shape of a graph world")


def test_named_rows_are_found_by_their_facts(tmp_path: Path) -> None:
    rows = [{"name": f"beast {i}", "legs": i % 5, "flies": i % 2 == 0, "home": ("sea", "land", "air")[i % 3], "weight": i * 10} for i in range(12)]
    write(tmp_path, {"zoo.jsonl": lines(rows)})
    new(tmp_path, "zoo", "from=zoo.jsonl")
    said = written(tmp_path, "zoo")
    assert (said["preset"], said["facts"], said["answer"]) == ("table", ["legs", "flies", "home", "weight"], "name")
    sound(tmp_path, "zoo")
    assert named_rows([{**row, "answer": "x"} for row in rows], profile([{**row, "answer": "x"} for row in rows])) is None


def test_pictures_and_questions_on_both_sides_of_a_split_are_counted(tmp_path: Path) -> None:
    for side, names in (("train", "abc"), ("test", "cd")):
        for letter in names:
            image = Image.new("RGB", (40, 30), "white")
            ImageDraw.Draw(image).rectangle((3 * ord(letter) % 30, 4, 3 * ord(letter) % 30 + 8, 20), fill="black")
            path = tmp_path / f"photos/{side}/{letter}.{'png' if side == 'train' else 'bmp'}"
            path.parent.mkdir(parents=True, exist_ok=True)
            image.save(path)
    assert "! 1 pictures stand, alike or nearly, on both sides of test/train" in new(tmp_path, "p", "from=photos").out
    rows = [{"question": q, "split": s, "answer": f"a{i}"} for i, (q, s) in enumerate([("What is it?", "train"), ("what is it", "test"), ("Who?", "test")] * 4)]
    write(tmp_path, {"d.jsonl": lines(rows)})
    assert "! 1 questions stand, alike or nearly, on both sides of test/train" in new(tmp_path, "q", "from=d.jsonl").out


def test_pages_of_pdfs_ask_for_their_document(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra `pdf` is not installed")
    (tmp_path / "papers").mkdir()
    for name in ("ann", "bob"):
        page = Image.new("RGB", (100, 80), "white")
        ImageDraw.Draw(page).text((10, 10), name, fill="black")
        page.save(tmp_path / f"papers/{name}.pdf")
    done = new(tmp_path, "papers", "from=papers")
    assert "2 pages, 2 documents" in done.out
    assert written(tmp_path, "papers")["ask"] == "Which document is this a page of? One of: {{ labels | join(', ') }}."
    assert {line["steps"][0]["parts"][1]["type"] for line in _played(tmp_path)} == {"image"}


def _played(cwd: Path) -> list[dict[str, Any]]:
    play(cwd, "task=papers", "out=r")
    return episodes(cwd / "r")


def test_conversations_are_played_again(tmp_path: Path) -> None:
    talk = [{"from": "human", "value": "Name a river."}, {"from": "gpt", "value": "The Rhone flows through Lyon."}, {"from": "human", "value": "Thanks!"}]
    rows = [{"source": f"s{i}", "conversations": talk if i else talk[:1]} for i in range(6)]
    write(tmp_path, {"d.jsonl": lines(rows)})
    done = new(tmp_path, "talk", "from=d.jsonl", "licence=MIT")
    assert "conversations of up to 1 turns" in done.out
    said = written(tmp_path, "talk")
    assert (said["preset"], "ask" in said, "answer" in said) == ("chat", False, False)
    sound(tmp_path, "talk")
