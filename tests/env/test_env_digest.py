"""The version: what moves the world, what moves the scoring, what moves neither; and the lock."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentharness.corpus.project import tree
from agentharness.env import lock
from agentharness.env.digest import _levels
from agentharness.env.world import World, build
from agentharness.errors import UserError

GOLDEN = {
    "pages": (
        "v1:56dd3330f369cf99c8e6d25f7a3183eb72f2deced90001a05cf249e3d06b1759",
        "v1:95db7e040c619d09be90e77061b659bf3ed98907bf2e9830450be1ebcdc9366c",
    ),
    "graph": (
        "v1:5265da47c10e245f02854bcd932ee48a73806957749349553a9fe1a5c80adb6c",
        "v1:9687a2e51aafe5d8e4b6a87808fd1670599d8efed67a04c2540886a6289b0e00",
    ),
}


def test_golden(pages: World) -> None:
    """A digest that moves here moves every user's lock: raise a semantics version instead, or say so in the release."""
    assert (pages.world, pages.scoring) == GOLDEN["pages"]


def test_golden_graph(graph: World) -> None:
    assert (graph.world, graph.scoring) == GOLDEN["graph"]


NEITHER = [
    ("licence: CC0-1.0", "licence: MIT"),
    ("licence: CC0-1.0", "licence: CC0-1.0\ndescription: other words"),
    ("each: row.facts", "each: row.facts | reverse"),
    ("observe:", "# a comment\nobserve:"),
    ("limits: {turns: 12}", "limits:\n  turns: 12"),
    ("episode: {each: rows}\n", ""),
    ("args: {title: string}", "args: {title: {type: string}}"),
    ("- reveal: sentences", "- reveal: {field: sentences}"),
    ("slices: [level]", "slices: [level, id]"),
    ("level: hidden}", "level: hidden, context: hidden}"),
    ("level: hidden}", "}"),
    ("source: {file: rows.jsonl}", "source: {file: rows.json}"),
    ("    args: {text: string}\n    when: at\n", "    when: at\n    args: {text: string}\n"),
]
WORLD = [
    ("when: at", "when: at and t < 9"),
    ("limits: {turns: 12}", "limits: {turns: 13}"),
    ("limits: {turns: 12}", "limits: {turns: 12, time: 60}"),
    ("limits: {turns: 12}", "limits: {turns: 12}\nprose: answer"),
    ("description: Read a page.", "description: Read it."),
    ("join(', ')", "sort | join(', ')"),
    ("do:\n      - end: args.text", "do:\n      - end: args.text\n      - reveal: {field: question, of: row}"),
    ("suggest: {title: \"pages | map('title')\"}", "suggest: {title: labels}"),
    ("question: public, answer: gold", "question: public, context: public, answer: gold"),
    ("derive: {labels: {distinct: answer}}", "derive: {labels: {distinct: answer}, words: {distinct: facts}}"),
    ("each: rows}", "each: rows, where: row.level == 'easy'}"),
]
SCORING = [
    ("{scorer: exact, against: row.answer}", "{scorer: exact, against: row.answer, weight: 2}"),
    ("{scorer: exact, against: row.answer}", "{scorer: f1, against: row.answer}"),
    ("{scorer: exact, against: row.answer}", "{scorer: exact, against: row.facts | first}"),
    ("{scorer: exact, against: row.answer}", "{scorer: exact, against: row.answer, options: {case: true}}"),
]


def both(world: World) -> tuple[str, str]:
    return world.world, world.scoring


@pytest.mark.parametrize(("old", "new"), NEITHER)
def test_neither_moves(make_world: Any, texts: Any, old: str, new: str) -> None:
    text, rows = texts[0], texts[2]
    assert old in text
    changed = text.replace(old, new) if new or old == "level: hidden}" else text.replace(old, "") + old
    before = make_world(text, {"rows.jsonl": rows})
    folder: Path = before.folder
    (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    assert both(make_world(changed, {"rows.jsonl": rows})) == both(before)


@pytest.mark.parametrize(("old", "new"), WORLD)
def test_world_moves_alone(make_world: Any, texts: Any, old: str, new: str) -> None:
    text, rows = texts[0], texts[2]
    assert old in text
    before, after = make_world(text, {"rows.jsonl": rows}), make_world(text.replace(old, new), {"rows.jsonl": rows})
    assert before.world != after.world
    assert before.scoring == after.scoring


@pytest.mark.parametrize(("old", "new"), SCORING)
def test_scoring_moves_alone(make_world: Any, texts: Any, old: str, new: str) -> None:
    text, rows = texts[0], texts[2]
    assert old in text
    before, after = make_world(text, {"rows.jsonl": rows}), make_world(text.replace(old, new), {"rows.jsonl": rows})
    assert before.world == after.world
    assert before.scoring != after.scoring


def test_scorer_versions_count(make_world: Any, texts: Any) -> None:
    files = {"rows.jsonl": texts[2]}
    one, same, two = (make_world(texts[0], files, scorer_versions=v) for v in (None, {"exact": 1, "f1": 7}, {"exact": 2}))
    assert both(one) == both(same)
    assert (one.world == two.world, one.scoring == two.scoring) == (True, False)


CELLS = [
    (("question",), "world"),
    (("level",), "world"),
    (("context", "sentences", 0, 0), "world"),
    (("facts", 0), "scoring"),
]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(CELLS), st.integers(0, 1), st.text(min_size=1).filter(lambda s: s.isprintable()))
def test_cells(make_world: Any, texts: Any, cell: tuple[tuple[Any, ...], str], row: int, value: str) -> None:
    path, moved = cell
    rows = copy.deepcopy(texts[2])
    spot: Any = rows[row]
    for key in path[:-1]:
        spot = spot[key]
    before = make_world(texts[0], {"rows.jsonl": texts[2]})
    changed = spot[path[-1]] != value
    spot[path[-1]] = value
    after = make_world(texts[0], {"rows.jsonl": rows})
    assert (before.world != after.world, before.scoring != after.scoring) == (changed and moved == "world", changed and moved == "scoring")


def test_gold_that_is_shown_moves_the_world(make_world: Any, texts: Any) -> None:
    rows = copy.deepcopy(texts[2])
    rows[0]["answer"] = "Jane"
    before, after = make_world(texts[0], {"rows.jsonl": texts[2]}), make_world(texts[0], {"rows.jsonl": rows})
    assert (before.world != after.world, before.scoring != after.scoring) == (True, True)
    plain = texts[0].replace("derive: {labels: {distinct: answer}}\n", "")
    before, after = make_world(plain, {"rows.jsonl": texts[2]}), make_world(plain, {"rows.jsonl": rows})
    assert (before.world != after.world, before.scoring != after.scoring) == (False, True)


def test_row_order_is_part_of_the_world(make_world: Any, texts: Any) -> None:
    before, after = make_world(texts[0], {"rows.jsonl": texts[2]}), make_world(texts[0], {"rows.jsonl": texts[2][::-1]})
    assert before.world != after.world


def test_levels_that_say_nothing_new() -> None:
    assert _levels(tree({"a": "hidden", "b": "public", "b.c": "public"})) == _levels(tree({"b": "public"}))
    assert _levels(tree({"a": "hidden", "a.b": "public"})) == {"a": ["", {"b": ["public", {}]}]}
    assert _levels(tree({"b": "public", "b.c": "gold"})) == {"b": ["public", {"c": ["gold", {}]}]}


def write_lock(world: World, name: str = "own") -> None:
    (world.folder / "env.lock").write_text(tomli_w.dumps({"data": {name: lock.section(world.version)}}), encoding="utf-8")


def test_lock(make_task: Any, texts: Any) -> None:
    files = {"rows.jsonl": texts[2]}
    world = build(make_task(texts[0], files))
    assert world.locked == "unlocked"
    write_lock(world, "demo")
    assert build(make_task(texts[0], files)).locked == "unlocked"
    write_lock(world)
    assert build(make_task(texts[0], files)).locked == "locked:own"
    changed = make_task(texts[0].replace("when: at", "when: at and t < 9"), files)
    with pytest.raises(UserError) as e:
        build(changed)
    assert e.value.what == "[data.own] does not match the task: rule actions.look_up differs"
    assert e.value.hint == "mend what changed, or accept it: python -m agentharness lock task=tiny, or relock=true"
    assert build(changed, relock=True).locked == "unlocked"
    changed.changed.append("when")
    assert build(changed).locked == "unlocked"
    other = texts[2][0].copy()
    rows = make_task(texts[0], {"rows.jsonl": [other]})
    with pytest.raises(
        UserError, match="pages differs in content and gold, 3 rows before, 2 here; table rows differs in content and gold, 2 rows before, 1 here; rule derive"
    ):
        build(rows)
    spare = world.folder / "spare.jsonl"
    spare.write_text(json.dumps(other), encoding="utf-8")
    assert build(rows, source=str(spare)).locked == "unlocked"


@pytest.mark.parametrize("text", ["data = 5", "x = [", "[data]\nown = 5"])
def test_a_broken_lock(make_task: Any, texts: Any, text: str) -> None:
    task = make_task(texts[0], {"rows.jsonl": texts[2]})
    (task.folder / "env.lock").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"env.lock: .*python -m agentharness lock"):
        build(task)
