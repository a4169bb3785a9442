"""Worlds: rows that are episodes, opening, slices, rewards, legal actions, static mistakes."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.env.world import World, data_name
from agentharness.errors import EpisodeError, UserError
from agentharness.types.env import World as WorldProtocol


def test_what_a_world_tells(pages: World) -> None:
    protocol: WorldProtocol = pages
    assert (protocol.name, len(pages), list(pages.keys())) == ("tiny", 2, ["q1", "q2"])
    assert pages.world.startswith("v1:")
    assert len(pages.world) == 67
    assert pages.locked == "unlocked"
    assert (pages.limits.turns, pages.prose, pages.answering) == (12, "nudge", ("answer", "text"))
    assert pages.slices("q1") == {"level": "easy"}
    assert pages.full("q2")["answer"] == "England"
    assert {name: t.rows for name, t in pages.tables.items()} == {"rows": 2, "pages": 3}
    assert {"actions.open", "rewards.exact", "verbs.goto", "filters.map", "columns.rows", "derive.labels", "language"} <= set(pages.rules)
    assert data_name(pages.spec, None) == "own"
    assert data_name(pages.spec, "demo") == "demo"


def test_where(make_world: Any, texts: Any) -> None:
    world = make_world(texts[0].replace("each: rows}", "each: rows, where: row.level == 'hard'}"), {"rows.jsonl": texts[2]})
    assert (len(world), list(world.keys())) == (1, ["q2"])
    world = make_world(texts[0].replace("each: rows}", "each: rows, where: row.level + 1}"), {"rows.jsonl": texts[2]})
    with pytest.raises(UserError, match=r"task.yaml:\d+:\d+: fails on row 'q1'"):
        len(world)


def test_rows_that_are_not_there(pages: World) -> None:
    with pytest.raises(UserError, match=r"rows of tiny has no row 'q3' \(known: q1, q2\)"):
        pages.open("q3", 0, None)  # type: ignore[arg-type]
    with pytest.raises(EpisodeError, match="no row 'q3'"):
        pages.full("q3")


def test_rewards(make_world: Any, texts: Any) -> None:
    text = texts[0].replace("against: row.answer", 'against: "row.answer ~ state.t", of: "submission | upper", weight: 2, options: {case: true}')
    rule = make_world(text, {"rows.jsonl": texts[2]}).rewards["exact"]
    assert (rule.scorer, rule.weight, rule.options) == ("exact", 2.0, {"case": True})
    assert rule.resolve(texts[2][0], {"t": 3, "submission": "austen"}) == ("AUSTEN", "Austen3")
    plain = make_world(texts[0].replace(", against: row.answer", ""), {"rows.jsonl": texts[2]}).rewards["exact"]
    assert plain.resolve(texts[2][0], {"submission": "x"}) == ("x", None)
    assert plain.resolve(texts[2][0], {}) == (None, None)


def test_answering(make_world: Any, texts: Any) -> None:
    files = {"rows.jsonl": texts[2]}
    prose = make_world(texts[0] + "prose: answer\n", files)
    assert prose.compiled.actions["answer"].name == "answer"
    two = texts[0].replace("limits:", "  guess:\n    args: {what: string}\n    do: [{end: args.what}]\nlimits:")
    assert make_world(two + "prose: answer\n", files).answering == ("answer", "text")
    renamed = two.replace("  answer:\n", "  finish:\n").replace("{answer: {text", "{finish: {text")
    assert make_world(renamed, files).answering is None
    with pytest.raises(UserError, match=r"one of finish, guess must be named `answer`"):
        make_world(renamed + "prose: answer\n", files)
    numbers = texts[0].replace("args: {text: string}\n    do:\n      - end", "args: {text: integer}\n    do:\n      - end")
    assert make_world(numbers, files).answering is None


async def test_prose_is_on_the_answering_action_only(make_world: Any, texts: Any, begin: Any) -> None:
    play = await begin(make_world(texts[0] + "prose: answer\n", {"rows.jsonl": texts[2]}), "q1")
    assert {a.name: a.prose for a in (await play.env.observe()).actions} == {"answer": "text", "look_up": None, "open": None}
    play = await begin(make_world(texts[0], {"rows.jsonl": texts[2]}), "q1")
    assert {a.prose for a in (await play.env.observe()).actions} == {None}


async def test_legal_actions(pages: World, begin: Any) -> None:
    one, two = await begin(pages, "q1"), await begin(pages, "q2")
    seen = (await one.env.observe()).actions
    assert [a.name for a in seen] == ["answer", "look_up", "open"]
    assert seen.by_name["open"].suggest == {"title": ["Emma", "Bath"]}
    assert (await two.env.observe()).actions.by_name["open"].suggest == {"title": ["Bath"]}
    assert seen.by_name["open"].description == "Read a page."
    await one.do("open", title="Emma")
    # one object while nothing changes, in all sessions
    assert (await one.env.observe()).actions is seen
    assert (await (await begin(pages, "q1")).env.observe()).actions is seen


async def test_enums_follow_the_state(graph: World, begin: Any) -> None:
    play = await begin(graph, "1")
    first = (await play.env.observe()).actions
    assert first.by_name["travel"].parameters == {
        "type": "object",
        "properties": {"to": {"type": "string", "enum": ["b", "c"]}},
        "required": ["to"],
        "additionalProperties": False,
    }
    await play.do("travel", to="b")
    assert (await play.env.observe()).actions.by_name["travel"].parameters["properties"]["to"]["enum"] == ["a", "d", "gone"]
    assert (await play.do("travel", to="gone")).verdict == "missing"
    await play.do("travel", to="a")
    assert (await play.env.observe()).actions is first
    assert play.text == "You are in a: b, c"


async def test_enums_over_variables(make_world: Any, begin: Any) -> None:
    text = """
corpus: {rows: {source: {file: rows.jsonl}, key: id}}
columns: {rows: {id: public, words: public}}
episode: {each: rows}
vars: {left: row.words}
observe: "{{ row.words | join(' ') }}"
actions:
  take:
    args: {word: {type: string, enum: vars.left}}
    do: [{set: {left: "vars.left | reject('eq', args.word) | list"}}]
  pick:
    args: {some: {type: array, items: {type: string, enum: "vars.left"}}}
    do: [{end: args.some}]
"""
    play = await begin(make_world(text, {"rows.jsonl": [{"id": 1, "words": ["x", "y"]}]}), "1")
    await play.do("take", word="x")
    assert (await play.do("take", word="x")).message == "word must be one of the listed values (known: y)"
    await play.do("take", word="y")
    assert [a.name for a in (await play.env.observe()).actions] == ["pick"]
    assert (await play.do("take", word="y")).verdict == "invalid"
    assert (await play.do("pick", some=["y"])).message == "some[0] must be one of the listed values (none are known here)"
    assert (await play.do("pick", some=[])).verdict == "ok"
    assert play.state["submission"] == []


async def test_an_enum_must_be_a_list(make_world: Any, texts: Any, begin: Any) -> None:
    world = make_world(texts[1].replace("enum: at.borders", "enum: at.name"), {"rows.jsonl": texts[3], "places.jsonl": texts[4]})
    with pytest.raises(EpisodeError, match=r"actions.travel.args.to: the legal values are str, a list is wanted"):
        await begin(world, "1")


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("each: rows", "each: rws", "no table 'rws' (did you mean 'rows'?)"),
        ("edges: {borders: {to: places}}", "edges: {borders: {to: place}}", "there is no table 'place' (did you mean 'places'?)"),
        ("edges: {borders: {to: places}}", "edges: {borders: {to: places, by: secret}}", "'secret' of places is gold"),
        ("edges: {borders: {to: places}}", "edges: {border: {to: places}}", "no table has a public column 'border'"),
        ("edges:", "derive: {at: {distinct: goal}}\nedges:", "the derived value 'at' has the name of a name of every world"),
        ("edges:", "derive: {goals: {distinct: gaol}}\nedges:", "rows has no column 'gaol' (did you mean 'goal'?)"),
        ("key: id", "key: goal", "is gold"),
        ("enum: at.borders", "enum: at.secret", "at.secret is gold"),
        ("- end: at.name", "- end: at.secret", "at.secret is gold"),
        ("goto: {places: row.from}", "goto: {places: row.goal}", "row.goal is gold"),
        ("{{ at.name }}. Go", "{{ row.goal }}. Go", "row.goal is gold"),
        ("to: {type: string, enum", "to: {type: strng, enum", "unknown type 'strng' (did you mean 'string'?)"),
        ("- goto: {borders: args.to}", "- set: {x: 1}", "there is no variable 'x' (declare it in `vars`)"),
        ("    do:\n      - end: at.name", "    suggest: {x: at.borders}\n    do:\n      - end: at.name", "stop has no argument 'x'"),
        ("    do:\n      - end: at.name", "    cost: row.goal\n    do:\n      - end: at.name", "row.goal is gold"),
        ("    do:\n      - end: at.name", "    when: at.secret\n    do:\n      - end: at.name", "at.secret is gold"),
        ("rewards:", "slices: [lvl]\nrewards:", "rows has no column 'lvl'"),
        ("key: name", "key: secret", "the key column 'secret' of places is gold"),
        ("name: public, borders", "name: hidden, borders", "the key of places is 'name', which is hidden"),
    ],
)
def test_static_mistakes(make_world: Any, texts: Any, old: str, new: str, part: str) -> None:
    assert old in texts[1]
    with pytest.raises(UserError) as e:
        make_world(texts[1].replace(old, new), {"rows.jsonl": texts[3], "places.jsonl": texts[4]})
    assert part in str(e.value)


def test_a_task_without_actions_is_a_mistake(make_world: Any, texts: Any) -> None:
    head, rest = texts[0].split("actions:\n")
    text = head + "limits:" + rest.split("limits:")[1].split("oracle:")[0]
    with pytest.raises(UserError) as e:
        make_world(text, {"rows.jsonl": texts[2]})
    assert e.value.line() == "task.yaml:2:1: the task has no actions (add `preset:`, or `actions:` of your own)"
    with pytest.raises(UserError) as e:
        make_world(text + "actions: {}\n", {"rows.jsonl": texts[2]})
    assert e.value.line().startswith("task.yaml:21:10: the task has no actions")
