"""The task's own solution: each/move/then, shortest paths, and where it knows none."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.env.world import World
from agentharness.errors import EpisodeError, UserError
from agentharness.types.move import Action, Move


async def solve(play: Any) -> list[Move]:
    """Plays the oracle to its end."""
    out: list[Move] = []
    while (move := play.env.oracle()) is not None:
        out.append(move)
        for action in move.actions:
            await play.env.step(action)
    return out


async def test_each_move_then(pages: World, begin: Any) -> None:
    play = await begin(pages, "q1")
    assert await solve(play) == [Move([Action("open", {"title": "Emma"})]), Move([Action("answer", {"text": "Austen"})])]
    assert play.state["submission"] == "Austen"
    assert [out.verdict for _, out, _ in play.env.log] == ["ok", "ok", "ok"]
    assert play.env.oracle() is None
    await play.env.reset()
    assert play.env.oracle() == Move([Action("open", {"title": "Emma"})])


async def test_shortest_path(graph: World, begin: Any) -> None:
    play = await begin(graph, "1")
    moves = await solve(play)
    assert moves == [Move([Action("travel", {"to": "b"})]), Move([Action("travel", {"to": "d"})]), Move([Action("stop", {})])]
    assert play.state["submission"] == "d"


async def test_no_path(graph: World, begin: Any) -> None:
    play = await begin(graph, "2")
    assert [a.name for a in play.env._actions] == ["stop"]
    assert play.env.oracle() is None


async def test_path_starts_where_one_stands(graph: World, begin: Any) -> None:
    play = await begin(graph, "1")
    await play.do("travel", to="b")
    await play.do("travel", to="d")
    assert play.env.oracle() == Move([Action("stop", {})])
    assert play.env.oracle() is None


async def test_expressions_see_the_state_of_then(make_world: Any, texts: Any, begin: Any) -> None:
    text, rows = texts[0].replace("then: {answer: {text: row.answer}}", 'then: {answer: {text: "at.title ~ t ~ row.level"}}'), texts[2]
    play = await begin(make_world(text, {"rows.jsonl": rows}), "q1")
    assert (await solve(play))[-1] == Move([Action("answer", {"text": "Emma1easy"})])


async def test_none_at_all(make_world: Any, texts: Any, begin: Any) -> None:
    text = texts[0][: texts[0].index("oracle:")]
    play = await begin(make_world(text, {"rows.jsonl": texts[2]}), "q1")
    assert play.env.oracle() is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [(["Austen", "Jane Austen"], "Austen"), ([7, 8], "7"), ([["deep"]], "deep"), (7, "7"), (0.5, "0.5"), (True, "true"), (False, "false"), ([True], "true")],
)
async def test_what_gold_holds_is_said_as_text(make_world: Any, texts: Any, begin: Any, answer: Any, said: str) -> None:
    world = make_world(texts[0].replace("derive: {labels: {distinct: answer}}\n", ""), {"rows.jsonl": [{**texts[2][0], "answer": answer}, texts[2][1]]})
    play = await begin(world, "q1")
    assert (await solve(play))[-1] == Move([Action("answer", {"text": said})])
    assert play.state["submission"] == said


@pytest.mark.parametrize("answer", [None, [], [None]])
async def test_where_gold_is_missing_there_is_no_move(make_world: Any, texts: Any, begin: Any, answer: Any) -> None:
    world = make_world(texts[0].replace("derive: {labels: {distinct: answer}}\n", ""), {"rows.jsonl": [{**texts[2][0], "answer": answer}, texts[2][1]]})
    play = await begin(world, "q1")
    assert await solve(play) == [Move([Action("open", {"title": "Emma"})])]
    assert not play.state["over"]
    world = make_world(texts[0], {"rows.jsonl": [{**texts[2][0], "facts": [None, "Emma"]}, texts[2][1]]})
    assert await solve(await begin(world, "q1")) == []


async def test_faults(make_world: Any, texts: Any, begin: Any) -> None:
    play = await begin(make_world(texts[0].replace("each: row.facts", "each: row.answer"), {"rows.jsonl": texts[2]}), "q1")
    with pytest.raises(EpisodeError, match=r"env: oracle.each is str, a list is wanted"):
        play.env.oracle()
    play = await begin(make_world(texts[0].replace("{text: row.answer}", "{text: row.answer + 1}"), {"rows.jsonl": texts[2]}), "q1")
    await play.env.step(play.env.oracle().actions[0])
    with pytest.raises(EpisodeError, match=r"env: oracle: "):
        play.env.oracle()


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("move: {open:", "move: {opn:", "the oracle plays 'opn', and there is no such action (did you mean 'open'?"),
        ("{open: {title: each}}", "{open: {tite: each}}", "open has no argument 'tite' (did you mean 'title'?)"),
        ("{open: {title: each}}", "{open: {}}", "open needs 'title'"),
        ("each: row.facts\n", "each: row.facts\n  path: {edge: x, to: row.id}\n", "`path`, `each`, `play` or `recorded`"),
        ("  each: row.facts\n", "", "`move` is played for each item"),
        ("each: row.facts", "each: row.fact", "has no field 'fact'"),
    ],
)
def test_mistakes(make_world: Any, texts: Any, old: str, new: str, part: str) -> None:
    assert old in texts[0]
    with pytest.raises(UserError) as e:
        make_world(texts[0].replace(old, new), {"rows.jsonl": texts[2]})
    assert part in str(e.value)
    assert e.value.where.startswith("task.yaml:")


async def test_an_argument_that_may_be_left_out_is_left_out_where_gold_lacks_it(make_world: Any, texts: Any, begin: Any) -> None:
    text = texts[0].replace("args: {text: string}\n    do:\n      - end", "args: {text: string, why: {type: string, optional: true}}\n    do:\n      - end")
    text = text.replace("then: {answer: {text: row.answer}}", "then: {answer: {text: row.answer, why: row.level}}")
    world = make_world(text, {"rows.jsonl": [{**texts[2][0], "level": None}, texts[2][1]]})
    assert (await solve(await begin(world, "q1")))[-1] == Move([Action("answer", {"text": "Austen"})])
    assert (await solve(await begin(world, "q2")))[-1] == Move([Action("answer", {"text": "England", "why": "hard"})])
