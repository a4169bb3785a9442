"""The layer `setup`: given actions before the agent starts, charged to nobody, recorded, part of the world."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentharness.env.reading import read_task
from agentharness.env.world import World, build
from agentharness.errors import EpisodeError, UserError
from agentharness.layer.stack import Layer
from agentharness.session.play import Play
from agentharness.types.move import Action, Move, Need, Observation

TASK = """
corpus:
  rows: {source: {file: rows.jsonl}, key: id}
  shelf: {source: {file: shelf.jsonl}, key: name}
columns:
  rows: {id: public, before: hidden, actions: gold}
  shelf: {name: public, holds: public}
episode: {each: rows}
vars: {moves: "0", dice: "0"}
observe: "Shelf {{ row.id }}."
actions:
  put:
    args: {name: string, what: {type: string, enum: "['cup', 'jug'] if t == 0 else ['cup', 'jug', 'pot']"}}
    do:
      - draw: {dice: {int: [1, 1000000]}}
      - set: {in: shelf, key: args.name, values: {holds: args.what}}
      - set: {moves: vars.moves + 1}
    say: "{{ args.name }} holds {{ args.what }}, {{ vars.moves }} so far"
    else: "No such place."
    cost: 2
  stop:
    do:
      - end: vars.moves
setup: {play: row.before}
limits: {turns: 3}
goal: row.actions
rewards: {shelf: {scorer: equal, of: state.edits, against: goal.edits}}
oracle: {play: row.actions, then: {stop: {}}}
licence: CC0-1.0
"""
PUT: dict[str, Any] = {"name": "put", "args": {"name": "left", "what": "cup"}}
ROWS: list[dict[str, Any]] = [
    {
        "id": "a",
        "before": [PUT, {"name": "put", "kwargs": {"name": "right", "what": "jug"}}],
        "actions": [{"name": "put", "args": {"name": "left", "what": "jug"}}],
    },
    {"id": "b", "before": [], "actions": [PUT]},
    {"id": "c", "before": [PUT, {"name": "put", "args": {"name": "attic", "what": "cup"}}], "actions": []},
    {"id": "d", "before": [{"name": "stop", "args": {}}], "actions": []},
    {"id": "e", "before": [{"put": 1}], "actions": []},
    {"id": "f", "before": [{"name": "throw", "args": {}}], "actions": []},
]
SHELF = [{"name": "left", "holds": None}, {"name": "right", "holds": "jar"}]


def world(folder: Path, text: str = TASK) -> World:
    task = folder / "store"
    task.mkdir(exist_ok=True)
    (task / "task.yaml").write_text(text, encoding="utf-8")
    for name, rows in (("rows", ROWS), ("shelf", SHELF)):
        (task / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return build(read_task(task))


async def nobody(need: Need) -> Any:
    raise AssertionError(f"asked {need}")


def said(seen: Observation) -> list[str]:
    return [str(p["text"]) for p in seen.parts]


async def test_the_agent_starts_where_the_setup_ends_and_pays_nothing_for_it(tmp_path: Path) -> None:
    play = Play(world(tmp_path), "a", 7, nobody)
    seen = await play.reset()
    assert said(seen) == ["Shelf a."]
    assert said(await play.observe()) == ["Shelf a."]
    state = play.state
    assert state["edits"] == {"shelf": {"left": {"holds": "cup"}, "right": {"holds": "jug"}}}
    assert (state["t"], state["cost"], state["draws"], state["vars"]["moves"], play.turn, play.metrics) == (0, 0, 2, 2, 0, {})
    assert [(s.turn, s.action and (s.action.name, s.action.actor)) for s in play.steps] == [(0, None), (0, ("put", "setup")), (0, ("put", "setup"))]
    assert [s.shown is not None for s in play.steps] == [True, False, False]
    assert str(play.steps[2].outcome.parts[0]["text"]) == "right holds jug, 2 so far"
    # what is legal is what the state after the setup says; three turns are left
    schema = seen.actions.by_name["put"].parameters["properties"]["what"]
    assert schema["enum"] == ["cup", "jug"]
    await play.step(Move([Action("put", {"name": "left", "what": "jug"})]))
    assert (play.state["t"], play.state["cost"], play.turn) == (1, 2, 1)
    assert said(await play.observe()) == ["left holds jug, 3 so far"]
    # the goal is reached from the same start
    assert play.scores()["shelf"].value == 1.0


async def test_a_row_without_actions_starts_as_ever(tmp_path: Path) -> None:
    play = Play(world(tmp_path), "b", 7, nobody)
    assert said(await play.reset()) == ["Shelf b."]
    assert len(play.steps) == 1
    assert play.steps[0].shown is not None
    assert "edits" not in play.state


async def test_with_show_the_agent_sees_what_was_done(tmp_path: Path) -> None:
    play = Play(world(tmp_path, TASK.replace("{play: row.before}", "{play: row.before, show: true}")), "a", 7, nobody)
    (text,) = said(await play.reset())
    assert text.splitlines() == [
        "Shelf a.",
        'put {"name":"left","what":"cup"}',
        "left holds cup, 1 so far",
        'put {"name":"right","what":"jug"}',
        "right holds jug, 2 so far",
    ]
    assert play.steps[0].shown is not None
    assert play.steps[0].shown.parts == [{"type": "text", "text": text}]


async def test_the_same_actions_as_a_fixed_list(tmp_path: Path) -> None:
    listed = TASK.replace("{play: row.before}", "{play: [{name: put, args: {name: left, what: cup}}, {name: put, args: {name: right, what: jug}}]}")
    one, other = Play(world(tmp_path), "a", 7, nobody), Play(world(tmp_path, listed), "a", 7, nobody)
    assert said(await one.reset()) == said(await other.reset())
    assert one.state == other.state
    assert [s.state_hash for s in one.steps] == [s.state_hash for s in other.steps]


async def test_a_setup_is_the_same_each_time(tmp_path: Path) -> None:
    play = Play(world(tmp_path), "a", 7, nobody)
    await play.reset()
    first = play.state
    again = Play(play.world, "a", 7, nobody)
    await again.reset()
    assert again.state == first


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("c", "task.yaml:24:15: setup: action 2 (put) is missing: No such place."),
        ("d", "task.yaml:24:15: setup: action 1 (stop) ends the episode before the agent starts"),
        ("e", 'task.yaml:24:15: setup: action 1 is {"put":1}, not {name, args}'),
        ("f", "task.yaml:24:15: setup: action 1 (throw) is unknown: there is no action 'throw' (legal: put, stop)"),
    ],
)
async def test_what_is_wrong_with_a_rows_setup_is_the_tasks_mistake(row: str, line: str, tmp_path: Path) -> None:
    play = Play(world(tmp_path), row, 7, nobody)
    with pytest.raises(EpisodeError) as caught:
        await play.reset()
    assert caught.value.cause == "env"
    assert caught.value.message.endswith(line)


@pytest.mark.parametrize(
    ("setup", "line"),
    [
        ("{play: row.actions}", "row.actions is gold and cannot"),
        ("{play: row.befor}", "row has no field 'befor' (did you mean 'before'?)"),
        ("{play: [{name: putt, args: {}}]}", "the setup plays 'putt', and there is no such action (did you mean 'put'?)"),
        ("{play: [{name: put, args: {name: left}}]}", "action 1 of the setup (put): the argument 'what' is missing"),
        ("{play: [{name: put, args: {name: 3, what: pan}}]}", "action 1 of the setup (put): name must be a string"),
        ("{play: [{name: stop}, {do: put}]}", 'setup: action 2 is {"do":"put"}, not {name, args}'),
        ("{plays: row.before}", "unknown key"),
        ("{show: true}", "setup.play is missing"),
    ],
)
def test_what_is_wrong_with_a_listed_setup_is_found_at_load(setup: str, line: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        world(tmp_path, TASK.replace("{play: row.before}", setup))
    assert line in caught.value.line()
    assert "task.yaml:24:" in caught.value.line()


def test_a_setup_is_part_of_the_world_and_its_gold_stays_out(tmp_path: Path) -> None:
    plain, one = world(tmp_path, TASK.replace("setup: {play: row.before}\n", "")), world(tmp_path)
    other = world(tmp_path, TASK.replace("{play: row.before}", "{play: 'row.before[:1]'}"))
    assert len({plain.world, one.world, other.world}) == 3
    assert plain.scoring == one.scoring == other.scoring
    assert "setup" in one.version.rules
    assert "setup" not in plain.version.rules


async def test_an_agent_cannot_call_its_actions_a_setup(tmp_path: Path) -> None:
    play = Play(world(tmp_path), "b", 7, nobody)
    await play.reset()
    with pytest.raises(EpisodeError, match="what the agent does is charged to it") as caught:
        await play.step(Move([Action("put", dict(PUT["args"]), actor="setup")]))
    assert caught.value.cause == "agent"


async def test_layers_stand_around_the_setup(tmp_path: Path) -> None:
    seen: list[str] = []

    class Listens(Layer):
        async def reset(self) -> Observation:
            out = await self.inner.reset()
            seen.extend(said(out))
            return out

        async def step(self, action: Action) -> Observation:
            seen.append(action.name)
            return await self.inner.step(action)

    play = Play(world(tmp_path), "a", 7, nobody, (Listens,))
    await play.reset()
    await play.step(Move([Action("stop", {})]))
    assert seen == ["Shelf a.", "stop"]
    assert play.state["submission"] == 2
