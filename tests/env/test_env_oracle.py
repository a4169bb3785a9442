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
        ("move: {open:", "move: {opn:", "there is no action 'opn' (did you mean 'open'?)"),
        ("{open: {title: each}}", "{open: {tite: each}}", "open has no argument 'tite' (did you mean 'title'?)"),
        ("{open: {title: each}}", "{open: {}}", "open needs 'title'"),
        ("each: row.facts\n", "each: row.facts\n  path: {edge: x, to: row.id}\n", "`path` or `each`"),
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
