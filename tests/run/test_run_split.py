"""Rows that are kept apart for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import episodes, play, refused, table, write

from agentharness.config.run_config import Ref, RunConfig
from agentharness.env.world import World
from agentharness.run.prepare import make_world

TASK = "data: {from: rows.jsonl, key: id}\npreset: qa\nask: q\nanswer: a\nreward: exact\nlicence: MIT\n"


def rows(n: int = 200) -> list[dict[str, Any]]:
    return [{"id": f"r{i}", "q": f"q{i}?", "a": f"a{i}", "shop": f"s{i % 20}", "split": ("train", "test", "dev")[i % 3]} for i in range(n)]


def task(cwd: Path, test: str = "", n: int = 200) -> None:
    write(cwd / "tasks/t", {"task.yaml": TASK + test, "rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows(n))})


def world(cwd: Path) -> World:
    return make_world("t", RunConfig(task=Ref(names=("t",))), lambda _: None, cwd)


def test_a_share_is_stable_and_what_belongs_together_stays_so(tmp_path: Path) -> None:
    task(tmp_path, "test: {share: 20%}\n", 200)
    first = set(world(tmp_path).side("test"))
    assert 25 <= len(first) <= 55
    assert set(world(tmp_path).side("train")) == {f"r{i}" for i in range(200)} - first
    task(tmp_path, "test: {share: 0.2}\n", 400)
    assert {key for key in world(tmp_path).side("test") if int(key[1:]) < 200} == first
    task(tmp_path, "test: {share: 30%, keep_together: shop}\n")
    made = world(tmp_path)
    sides = {key: made.split_of(key) for key in made.side("all")}
    assert all(len({sides[f"r{i}"] for i in range(shop, 200, 20)}) == 1 for shop in range(20))
    assert set(sides.values()) == {"train", "test"}


def test_a_run_plays_the_test_rows_unless_it_says_otherwise(tmp_path: Path) -> None:
    task(tmp_path, "test: {column: split, is: [test, dev]}\n", 30)
    done = play(tmp_path, "task=t", "out=r")
    assert table(done)[0]["n"] == "20"
    assert {line["key"]["row"] for line in episodes(tmp_path / "r")} == {f"r{i}" for i in range(30) if i % 3}
    assert table(play(tmp_path, "task=t", "split=train", "out=s"))[0]["n"] == "10"
    assert table(play(tmp_path, "task=t", "split=all", "limit=25", "out=u"))[0]["n"] == "25"
    assert table(play(tmp_path, "task=t", "split=test", "limit=3", "samples=2", "out=v"))[0]["n"] == "6"
    assert "split" in refused(tmp_path, "task=t", "split=train", "out=r")
    assert json.loads((tmp_path / "s/manifest.json").read_bytes())["config"]["split"] == "train"


def test_the_split_is_part_of_the_world(tmp_path: Path) -> None:
    found = []
    for test in ("", "test: {share: 20%}\n", "test: {share: 30%}\n"):
        task(tmp_path, test)
        found.append(world(tmp_path).world)
    assert len(set(found)) == 3


@pytest.mark.parametrize(
    ("test", "line"),
    [
        ("test: {share: 120%}", "'120%' is no share of the rows (20%, or 0.2)"),
        ("test: {share: yes}", "'yes' is no share of the rows"),
        ("test: {}", "`test` says a share of the rows, or a column that tells them"),
        ("test: {share: 10%, column: split}", "`test` says a share of the rows, or a column that tells them"),
        ("test: {share: 10%, is: test}", "`is` says which values of `column` are the test"),
        ("test: {share: 10%, keep_together: shpo}", "rows has no column 'shpo' (did you mean 'shop'?)"),
        ("test: {column: spilt}", "rows has no column 'spilt' (did you mean 'split'?)"),
        ("test: {column: split, is: tset}", "no row has 'tset' in 'split' (did you mean 'test'?)"),
        ("test: {column: split, keep_together: shop}", "rows that a column tells apart are not kept together by another"),
        ("test: {share: 0.000001%}", "no row is in the test split (another share, or split=all)"),
        ("test: {sahre: 10%}", "did you mean 'share'?"),
    ],
)
def test_mistakes(tmp_path: Path, test: str, line: str) -> None:
    task(tmp_path, test + "\n")
    told = refused(tmp_path, "task=t")
    assert line in told
    assert "task.yaml:7" in told


def test_a_split_that_no_task_has(tmp_path: Path) -> None:
    task(tmp_path)
    assert refused(tmp_path, "task=t", "split=test") == "split: t has no test split (leave split= out, or add `test:` to the task)"
    assert table(play(tmp_path, "task=t", "limit=2"))[0]["n"] == "2"
