"""Places: what the long form holds points at what the user wrote. Overrides: what the command line changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentharness.config.yaml import Place, load
from agentharness.env.expand import expand
from agentharness.env.mistakes import key_place
from agentharness.env.reading import read_task
from agentharness.env.task import Places, Task
from agentharness.errors import UserError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "task_language"
Read = Callable[[str], Task]
Write = Callable[[str], Path]


def at(places: Places, dotted: str) -> tuple[int, int]:
    place = places.at(*(int(k) if k.isdigit() else k for k in dotted.split(".")))
    return place.line, place.column


@pytest.mark.parametrize(
    ("key", "line", "column"),
    [
        ("corpus.rows.source.hub", 1, 14),
        ("corpus.rows.source.split", 1, 61),
        ("corpus.pages.explode", 4, 19),
        ("corpus.pages.key", 4, 35),
        ("columns.rows.question", 3, 6),
        ("columns.rows.answer", 5, 9),
        ("columns.rows.supporting_facts", 6, 8),
        ("columns.rows.level", 8, 16),
        ("columns.pages.sentences", 2, 9),
        ("observe", 3, 6),
        ("actions.open.do.1.reveal", 4, 48),
        ("actions.open.else", 2, 9),
        ("rewards.hotpot_f1.scorer", 7, 9),
        ("rewards.hotpot_f1.against", 5, 9),
        ("slices.1", 8, 16),
        ("oracle.each", 6, 8),
        ("oracle.then.answer.text", 5, 9),
        ("limits.turns", 9, 8),
        ("licence", 10, 10),
    ],
)
def test_places_of_the_first_block(key: str, line: int, column: int) -> None:
    _, places = expand(load(FIXTURES / "hotpotqa_short.yaml"))
    assert at(places, key) == (line, column)


def test_places_of_what_the_user_lays_over_a_preset(read: Read) -> None:
    text = (
        "data: {from: x.csv, types: {n: int}}\npreset: look\nask: q\nanswer: a\n"
        "start:\n  - reveal: image\nreward:\n  exact: {weight: 2, options: {deep: [1]}}\n"
        "actions:\n  zoom: {else: No.}\n"
    )
    places = read(text).places
    assert at(places, "start.0.reveal") == (6, 13)
    assert at(places, "start.0.reveal.image") == (6, 13)
    assert at(places, "corpus.rows.source.types.n") == (1, 32)
    assert at(places, "rewards.exact.weight") == (8, 19)
    assert at(places, "rewards.exact.options.deep.0") == (8, 39)
    assert at(places, "rewards.exact.against") == (4, 9)
    assert at(places, "actions.zoom.else") == (10, 16)
    assert at(places, "actions.zoom.do") == (2, 9)
    assert at(places, "actions.answer") == (2, 9)


def test_places_of_the_long_form(write: Write) -> None:
    folder = write((FIXTURES / "hotpotqa_long.yaml").read_text(encoding="utf-8"))
    places = read_task(folder).places
    assert places.at("actions", "look_up", "when") == Place(str(folder / "task.yaml"), 27, 11)
    assert at(places, "actions.look_up.cost") == (25, 5)


def test_where_a_key_stands(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text("# open:\na: {open: 1, 'x y': 2}\nopen:\n  # a remark, open: it\n\n  b: 1\n", encoding="utf-8")
    assert key_place(Place(str(file), 2, 11), "open") == Place(str(file), 2, 5)
    assert key_place(Place(str(file), 2, 21), "x y") == Place(str(file), 2, 14)
    assert key_place(Place(str(file), 6, 3), "open") == Place(str(file), 3, 1)
    assert key_place(Place(str(file), 6, 6), "c") == Place(str(file), 6, 6)
    assert key_place(Place("nowhere", 1, 2), "c") == Place("nowhere", 1, 2)


TEXT = "data: x.csv\npreset: qa\nask: q\nanswer: a\nreward: exact\nturns: 5\n"


def test_overrides(write: Write) -> None:
    folder = write(TEXT)
    given: dict[str, Any] = {"limits": {"turns": 8}, "actions": {"answer": {"cost": 2}}, "slices": ["kind"], "rewards": {"exact": {"options": {"case": True}}}}
    task = read_task(folder, overrides=given)
    assert task.changed == ["limits.turns", "actions.answer.cost", "slices", "rewards.exact.options.case"]
    assert (task.spec.limits.turns, task.spec.actions["answer"].cost, task.spec.slices) == (8, 2, ["kind"])
    assert task.spec.rewards["exact"].options == {"case": True}
    assert task.spec.actions["answer"].do == [{"end": "args.text"}]
    assert str(task.places.at("limits", "turns")) == "task.limits.turns"
    assert given["limits"] == {"turns": 8}
    assert read_task(folder, overrides={}).changed == []


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"limits": {"trns": 8}}, "task.limits.trns: unknown key (did you mean 'turns'?)"),
        ({"limit": {"turns": 8}}, "task.limit: unknown key (did you mean 'limits'?)"),
        ({"turns": 8}, "task.turns: unknown key (the long key is limits.turns)"),
        ({"actions": {"anser": {"cost": 1}}}, "task.actions.anser: unknown key (did you mean 'answer'?)"),
        ({"rewards": {"exact": {"wieght": 1}}}, "task.rewards.exact.wieght: unknown key (did you mean 'weight'?)"),
        ({"limits": {"turns": 0}}, "task.limits.turns: limits.turns must be at least 1, is 0 (change the number)"),
        ({"limits": 3}, "task.limits: limits must be a mapping, is 3 (its keys: turns, time, wall, tokens, state)"),
        ({"prose": "no"}, "task.prose: prose must be one of nudge, answer, invalid, is 'no' (known: answer, invalid, nudge)"),
    ],
)
def test_bad_overrides(write: Write, given: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as e:
        read_task(write(TEXT), overrides=given)
    assert e.value.line() == line


def test_a_mistake_in_the_file_comes_before_one_on_the_command_line(write: Write) -> None:
    with pytest.raises(UserError, match=r"task\.yaml:7:8: prose must"):
        read_task(write(TEXT + "prose: x\n"), overrides={"limits": {"trns": 1}})
