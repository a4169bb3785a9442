"""Rows that look the same."""

from __future__ import annotations

from pathlib import Path

from checks import SOUND, checked, colours, finding, letters, task

from agentharness.check.duplicates import across
from agentharness.config.run_config import Ref, RunConfig
from agentharness.run.prepare import make_world


def test_rows_that_contradict_each_other(tmp_path: Path) -> None:
    rows = letters()
    for i in (1, 2, 3):
        rows[i] |= {"hint": "It weighs nothing."}
    yaml = SOUND.replace(", key: id", ", key: row").replace("letter {{ row.id }}", "the letter")
    task(tmp_path, yaml, rows)
    report = checked(tmp_path)
    assert colours(report) == {"duplicates": "yellow"}
    twins = finding(report, "duplicates")
    assert (twins.text, twins.rows) == ("3 of 40 rows look like a row with other gold: no answer fits both", ("1 = 2",))
    task(tmp_path, yaml, [row | {"hint": "It weighs nothing."} for row in rows])
    assert colours(checked(tmp_path)) == {"duplicates": "red"}
    task(tmp_path, yaml, [row | {"hint": "It weighs nothing.", "place": "Avonlea"} for row in rows[:3]] + rows[4:])
    assert finding(checked(tmp_path), "duplicates").text == "no two of 39 rows contradict each other; 2 of 39 rows repeat another one"


def test_rows_on_both_sides_of_a_split(tmp_path: Path) -> None:
    rows = letters()
    rows[30] |= {"hint": rows[3]["hint"]}
    task(tmp_path, SOUND.replace(", key: id", ", key: row").replace("letter {{ row.id }}", "the letter"), rows)
    world = make_world("letters", RunConfig(task=Ref(names=("letters",))), lambda _: None, tmp_path)
    sides = across(world, {"train": [str(i) for i in range(20)], "test": [str(i) for i in range(20, 40)]})
    assert (sides.name, sides.colour) == ("split", "red")
    assert (sides.text, sides.rows) == ("1 of 40 rows stand on both sides of the split (train, test)", ("3 (train) = 30 (test)",))
    clean = across(world, {"train": [str(i) for i in range(10)], "test": [str(i) for i in range(10, 20)]})
    assert (clean.colour, clean.text) == ("green", "no row of 20 stands on both sides of the split (train, test)")
