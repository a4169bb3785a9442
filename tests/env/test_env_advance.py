"""Transitions: a value for each verdict, and what a step costs."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness import canon
from agentharness.env.advance import ENDED, advance, start
from agentharness.env.world import World
from agentharness.errors import EpisodeError
from agentharness.types.move import Action
from agentharness.types.part import text

ONE = """
corpus: {rows: {source: {file: rows.jsonl}, key: id}}
columns: {rows: {id: public, word: public, n: public}}
episode: {each: rows}
vars: {left: 3, words: "[row.word]"}
observe: "Say {{ row.word }}. Left: {{ vars.left }}"
actions:
  say:
    args: {word: string}
    when: vars.left > 0
    cost: "args.word | length"
    do:
      - set: {left: vars.left - 1, words: "vars.words + [args.word]"}
    say: "{{ vars.words | join(' ') }} ({{ vars.left }}, t={{ t }}, cost={{ cost }})"
    else: "No words left after {{ t }} steps."
  quiet:
    do:
      - set: {left: vars.left}
  find:
    args: {key: string}
    cost: 2
    do:
      - set: {left: 0}
      - goto: {rows: args.key}
  stop:
    do:
      - end: "{'words': vars.words, 'n': row.n}"
limits: {state: 600}
"""
ROWS: list[dict[str, Any]] = [{"id": "x", "word": "hey", "n": 7}, {"id": "y", "word": "ho", "n": None}]


@pytest.fixture
def one(make_world: Any) -> World:
    return make_world(ONE, {"rows.jsonl": ROWS})  # type: ignore[no-any-return]


async def test_opening(one: World, begin: Any) -> None:
    play = await begin(one, "x")
    assert play.state == {"at": None, "vars": {"left": 3, "words": ["hey"]}, "results": [], "seen": [], "over": False, "t": 0, "cost": 0, "draws": 0}
    assert play.last.parts == [text("Say hey. Left: 3")]
    assert (play.last.verdict, play.last.rule) == ("ok", "start")


async def test_ok_runs_all_verbs_and_charges(one: World, begin: Any) -> None:
    play = await begin(one, "x")
    before = play.state
    kept = canon.dumps(before)
    out = await play.do("say", word="you")
    # what expressions see as t and cost is what was before the step
    assert play.text == "hey you (2, t=0, cost=0)"
    assert (out.verdict, out.rule, out.message) == ("ok", "actions.say", "")
    assert play.state == {**before, "vars": {"left": 2, "words": ["hey", "you"]}, "t": 1, "cost": 3}
    assert canon.dumps(before) == kept


async def test_nothing_to_show_is_done(one: World, begin: Any) -> None:
    play = await begin(one, "x")
    await play.do("quiet")
    assert play.text == "Done."
    assert play.state["t"] == 1


async def test_refused(one: World, begin: Any) -> None:
    play = await begin(one, "x")
    for word in "abc":
        await play.do("say", word=word)
    out = await play.do("say", word="more")
    assert (out.verdict, out.rule, play.text, out.message) == ("refused", "actions.say.when", "No words left after 3 steps.", "No words left after 3 steps.")
    assert play.state["vars"]["words"] == ["hey", "a", "b", "c"]
    assert (play.state["t"], play.state["cost"]) == (4, 7)


async def test_missing_leaves_the_state(one: World, begin: Any) -> None:
    play = await begin(one, "x")
    out = await play.do("find", key="zzz")
    assert (out.verdict, out.rule, play.text) == ("missing", "actions.find.do.1", "Nothing found.")
    assert play.state["vars"]["left"] == 3
    assert (play.state["t"], play.state["cost"], play.state["at"]) == (1, 2, None)
    await play.do("find", key="y")
    assert play.state["at"] == ["rows", "y"]
    assert (play.state["vars"]["left"], play.state["cost"]) == (0, 4)


@pytest.mark.parametrize(
    ("action", "verdict", "rule", "message"),
    [
        (Action("say", {"word": 5}), "invalid", "actions.say.args", "word must be a string"),
        (Action("say", {}), "invalid", "actions.say.args", "the argument 'word' is missing"),
        (Action("say", {"word": "x", "loud": True}), "invalid", "actions.say.args", "there is no argument 'loud' (known: word)"),
        (Action("sya", {"word": "x"}), "unknown", "", "there is no action 'sya' (did you mean 'say'?; legal: find, quiet, say, stop)"),
        (Action("", {}), "unknown", "", "there is no action '' (legal: find, quiet, say, stop)"),
        (Action("say", {}, error="the arguments are not JSON"), "malformed", "", "the arguments are not JSON"),
    ],
)
async def test_what_is_no_action(one: World, begin: Any, action: Action, verdict: str, rule: str, message: str) -> None:
    play = await begin(one, "x")
    before = play.state
    await play.env.step(action)
    assert (play.last.verdict, play.last.rule, play.last.message, play.text) == (verdict, rule, message, message)
    assert play.state == {**before, "t": 1}
    assert play.env.log[-1][2] == play.env.log[-2][2]


async def test_end_and_after(one: World, begin: Any) -> None:
    play = await begin(one, "x")
    await play.do("say", word="you")
    seen = await play.env.step(Action("stop", {}))
    assert seen.over
    assert list(seen.actions) == []
    assert play.state["submission"] == {"words": ["hey", "you"], "n": 7}
    assert play.state["over"] is True
    out = await play.do("say", word="late")
    assert (out.verdict, play.text) == ("not_executed", ENDED)
    assert play.state["t"] == 3
    assert play.state["submission"] == {"words": ["hey", "you"], "n": 7}


async def test_a_fault_of_a_rule_names_it(one: World, begin: Any, make_world: Any) -> None:
    play = await begin(one, "x")
    for word in ("a" * 200, "b" * 200):
        await play.do("say", word=word)
    with pytest.raises(EpisodeError, match=r"the state has \d+ bytes, more than limits.state \(600\)") as e:
        await play.do("say", word="c" * 200)
    assert e.value.cause == "env"
    broken = make_world(ONE.replace("cost: 2", "cost: row.word"), {"rows.jsonl": ROWS})
    play = await begin(broken, "x")
    with pytest.raises(EpisodeError, match=r"env: actions.find: .*cost is 'hey', a number is wanted"):
        await play.do("find", key="y")
    broken = make_world(ONE.replace("vars.left - 1", "row.n - 1"), {"rows.jsonl": ROWS})
    play = await begin(broken, "y")
    with pytest.raises(EpisodeError, match=r"env: actions.say: "):
        await play.do("say", word="y")


def test_pure(one: World) -> None:
    rules = one.compiled
    scene = rules.scene("x", 1)
    first, again = start(rules, scene), start(rules, scene)
    assert first == again
    state = first.state  # type: ignore[union-attr]
    frozen = canon.dumps(state)
    outs = [advance(rules, scene, state, Action("say", {"word": "you"})) for _ in range(2)]
    assert outs[0] == outs[1]
    assert canon.dumps(state) == frozen


async def test_start_that_finds_nothing(make_world: Any, begin: Any) -> None:
    world = make_world(ONE + "start: [{goto: {rows: row.word}}]\n", {"rows.jsonl": ROWS})
    with pytest.raises(EpisodeError, match=r"env: start: verb 1 found nothing"):
        await begin(world, "x")


async def test_reset_twice_is_the_same(one: World, begin: Any) -> None:
    play = await begin(one, "x", 3)
    first = [(s.parts, mark) for _, s, mark in play.env.log]
    await play.do("say", word="you")
    again = await play.env.reset()
    assert [(s.parts, mark) for _, s, mark in play.env.log] == first
    assert again.parts == first[0][0]
    assert (await play.env.observe()).parts == again.parts


async def test_observe_changes_nothing(one: World, begin: Any) -> None:
    play = await begin(one, "x")
    await play.do("say", word="you")
    seen = await play.env.observe()
    assert seen.parts == play.last.parts
    assert len(play.env.log) == 2
    fresh = one.open("x", 0, None)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="reset"):
        await fresh.step(Action("say", {}))
    with pytest.raises(RuntimeError, match="reset"):
        await fresh.observe()


async def test_hash_is_of_the_state_alone(graph: World, begin: Any) -> None:
    play = await begin(graph, "1")
    await play.do("travel", to="b")
    await play.do("travel", to="a")
    await play.do("travel", to="b")
    marks = [mark for _, _, mark in play.env.log]
    assert marks[0] == marks[2]
    assert marks[1] == marks[3]
    assert marks[0] != marks[1]
    state = {k: v for k, v in play.state.items() if k not in ("t", "cost")}
    assert marks[3] == canon.sha256(canon.dumps(state))[:16]


async def test_text_that_is_no_unicode(one: World, begin: Any) -> None:
    play = await begin(one, "x")
    out = await play.do("say", word="a\ud800")
    assert out.verdict == "ok"
    assert canon.loads(canon.dumps(play.state)) == play.state
    assert len(play.env.log[-1][2]) == 16


async def test_a_fault_at_the_start(make_world: Any, begin: Any) -> None:
    world = make_world(ONE.replace("left: 3", "left: row.word - 1"), {"rows.jsonl": ROWS})
    with pytest.raises(EpisodeError, match=r"env: start: task.yaml:\d+:\d+: "):
        await begin(world, "x")


async def test_again_is_the_same(graph: World, begin: Any) -> None:
    """What was worked out once for a place is what working it out gives."""
    warm, cold = await begin(graph, "1"), await begin(graph, "1")
    for to in ("b", "a", "b", "a", "c", "a", "b"):
        await warm.do("travel", to=to)
    await warm.env.reset()
    for to in ("b", "a", "b", "d", "b"):
        graph.compiled.rows._nodes["places"].clear()
        assert (await cold.do("travel", to=to)) == (await warm.do("travel", to=to))
    assert [mark for _, _, mark in cold.env.log] == [mark for _, _, mark in warm.env.log]
    assert warm.last.parts == [text("You are in b: a, d, gone")]
    warm.last.parts[0]["text"] = "spoilt"
    await warm.do("travel", to="a")
    await warm.do("travel", to="b")
    assert warm.last.parts == [text("You are in b: a, d, gone")]
