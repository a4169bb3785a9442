"""env.lock: what it holds, what it refuses, and what it lets through."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from harness import episodes, harness, here, play, refused, run, sums, table, write


def lock_of(task: Path) -> dict[str, Any]:
    data: dict[str, Any] = tomllib.loads((task / "env.lock").read_text())
    return data


def version_in_list(cwd: Path, name: str) -> list[str]:
    return next(line.split() for line in here(cwd, "tasks").out.splitlines() if line.startswith(f"{name} "))


def test_lock_writes_what_a_run_then_compares(tmp_path: Path) -> None:
    task = sums(tmp_path, 4)
    told = harness(tmp_path, "lock", "task=sums").out.strip()
    assert re.fullmatch(rf"{re.escape(str(task))}/env\.lock: own: 4 rows, world v1:[0-9a-f]{{12}}, scoring v1:[0-9a-f]{{12}}", told)
    lock = lock_of(task)
    own = lock["data"]["own"]
    assert lock["format"] == 1
    assert (own["rows"], own["licence"], own["tables"]["rows"]["rows"]) == (4, "CC0-1.0", 4)
    assert {"actions.add", "actions.answer", "observe"} <= set(own["rules"])
    assert version_in_list(tmp_path, "sums") == ["sums", "4", "text", "CC0-1.0", own["world"][3:15], "local"]
    done = run(tmp_path, "task=sums", "out=r")
    assert "unlocked" not in done.out
    line = episodes(tmp_path / "r")[0]
    assert (line["env"]["locked"], line["key"]["world"], line["env"]["scoring"]) == ("locked:own", own["world"], own["scoring"])
    before = (task / "env.lock").read_bytes()
    here(tmp_path, "lock", "task=sums")
    assert (task / "env.lock").read_bytes() == before


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("sums.jsonl", '"b": 4', '"b": 5', "table rows differs in content"),
        ("sums.jsonl", '{"id": "r003", "a": 3, "b": 6, "total": 9}\n', "", "table rows differs in content and gold, 4 rows before, 3 here"),
        ("sums.jsonl", '"total": 6', '"total": 7', "table rows differs in gold"),
        ("task.yaml", "args.a + args.b", "args.a - args.b", "rule actions.add differs"),
        ("task.yaml", "turns: 6", "turns: 7", "rule limits differs"),
        ("task.yaml", "reward: exact", "reward: contains", "rules rewards.contains, rewards.exact differ"),
    ],
)
def test_what_does_not_match_is_refused_by_name(file: str, old: str, new: str, told: str, tmp_path: Path) -> None:
    task = sums(tmp_path, 4)
    here(tmp_path, "lock", "task=sums")
    text = (task / file).read_text()
    assert old in text
    (task / file).write_text(text.replace(old, new))
    line = refused(tmp_path, "task=sums")
    assert line.startswith(f"{task}/env.lock: [data.own] does not match the task: {told}"), line
    assert line.endswith("(mend what changed, or accept it: python -m agentharness lock task=sums, or relock=true)")
    assert not (tmp_path / "results").exists()
    before = lock_of(task)["data"]["own"]
    # Gold and rewards are the scoring's, all else the world's.
    here(tmp_path, "lock", "task=sums")
    after = lock_of(task)["data"]["own"]
    world, scoring = "content" in told or "actions" in told or "limits" in told, "gold" in told or "rewards" in told
    assert (before["world"] != after["world"], before["scoring"] != after["scoring"]) == (world, scoring)
    assert table(play(tmp_path, "task=sums", "agent=noop"))[0]["n"] == str(after["rows"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("licence: CC0-1.0", "licence: private"),
        ("turns: 6", "turns: 6\ndescription: Adding."),
        ("turns: 6", "turns: 6\noracle: {then: {answer: {text: \"row.total ~ ''\"}}}"),
        ("data: {from: sums.jsonl, key: id}", "data: {file: other.jsonl, key: id}"),
        ("turns: 6", "turns:    6   # a remark"),
    ],
)
def test_what_decides_nothing_does_not_break_the_lock(old: str, new: str, tmp_path: Path) -> None:
    task = sums(tmp_path, 4)
    here(tmp_path, "lock", "task=sums")
    text = (task / "task.yaml").read_text()
    assert old in text
    write(task, {"task.yaml": text.replace(old, new), "other.jsonl": (task / "sums.jsonl").read_bytes()})
    done = play(tmp_path, "task=sums")
    assert "unlocked" not in done.out
    assert table(done)[0]["mean"] == "1.000"


def test_relock_writes_the_lock_anew_and_plays_locked(tmp_path: Path) -> None:
    task = sums(tmp_path, 3)
    here(tmp_path, "lock", "task=sums")
    before = lock_of(task)
    (task / "sums.jsonl").write_text((task / "sums.jsonl").read_text().replace('"b": 4', '"b": 5').replace('"total": 6', '"total": 7'))
    done = run(tmp_path, "task=sums", "relock=true", "out=r")
    assert "unlocked" not in done.out
    assert lock_of(task)["data"]["own"]["world"] != before["data"]["own"]["world"]
    assert episodes(tmp_path / "r")[0]["key"]["world"] == lock_of(task)["data"]["own"]["world"]
    assert "unlocked" not in play(tmp_path, "task=sums", "out=r").out


def test_each_named_data_has_its_own_section(tmp_path: Path) -> None:
    task = sums(tmp_path, 4)
    text = (task / "task.yaml").read_text().replace("{from: sums.jsonl, key: id}", "{from: sums.jsonl, key: id, demo: demo.jsonl}")
    write(task, {"task.yaml": text, "demo.jsonl": '{"id": "d", "a": 1, "b": 1, "total": 2}\n'})
    assert "unlocked" in play(tmp_path, "task=sums", "data=demo", "out=a").out
    here(tmp_path, "lock", "task=sums", "data=demo")
    assert version_in_list(tmp_path, "sums")[1] == "1"
    here(tmp_path, "lock", "task=sums")
    assert {name: section["rows"] for name, section in lock_of(task)["data"].items()} == {"demo": 1, "own": 4}
    # The list shows the task's own data, whatever was locked first.
    assert version_in_list(tmp_path, "sums")[1] == "4"
    for name, rows in (("demo", "1"), ("own", "4")):
        done = play(tmp_path, "task=sums", *(["data=demo"] if name == "demo" else []), f"out={name}")
        assert "unlocked" not in done.out
        assert table(done)[0]["n"] == rows
        assert episodes(tmp_path / name)[0]["env"]["locked"] == f"locked:{name}"
    (task / "demo.jsonl").write_text('{"id": "d", "a": 1, "b": 2, "total": 3}\n')
    assert "[data.demo] does not match the task: table rows differs in content" in refused(tmp_path, "task=sums", "data=demo")
    assert "unlocked" not in play(tmp_path, "task=sums", "out=own").out


def test_a_replaced_source_and_an_override_play_unlocked(tmp_path: Path) -> None:
    task = sums(tmp_path, 3)
    here(tmp_path, "lock", "task=sums")
    rows = (task / "sums.jsonl").read_text().replace('"total"', '"sum"')
    write(tmp_path, {"mine.jsonl": rows})
    replaced = play(tmp_path, "task=sums", "source=mine.jsonl", "rename.sum=total", "out=a")
    changed = play(tmp_path, "task=sums", "task.limits.turns=3", "out=b")
    for done, folder in ((replaced, "a"), (changed, "b")):
        assert "! unlocked: this world is in no env.lock" in done.out
        assert (table(done)[0]["n"], table(done)[0]["mean"]) == ("3", "1.000")
        assert episodes(tmp_path / folder)[0]["env"]["locked"] == "unlocked"
    # The same rows from another file are the same world.
    assert episodes(tmp_path / "a")[0]["key"]["world"] == lock_of(task)["data"]["own"]["world"]
    for words in (["source=mine.jsonl", "rename.sum=total"], ["task.limits.turns=3"]):
        assert here(tmp_path, "lock", "task=sums", *words, code=2).mistake == "lock: locks the task as it stands (leave out source=, rename= and task.…)"


def test_a_lock_that_cannot_be_read_or_written_is_one_line(tmp_path: Path) -> None:
    task = sums(tmp_path, 1)
    (task / "env.lock").write_text("[data.own\n")
    assert refused(tmp_path, "task=sums").startswith(f"{task}/env.lock: cannot be read: ")
    (task / "env.lock").write_text("data = 3\n")
    assert "holds no [data.<name>] sections" in refused(tmp_path, "task=sums")
    (task / "env.lock").unlink()
    (task / "env.lock.tmp").mkdir()
    assert here(tmp_path, "lock", "task=sums", code=2).mistake.startswith(f"{task}/env.lock: cannot be written: ")
