"""Recorded trajectories: what an action that was recorded does, what one that was not, and what is refused before anything is played."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.env.recorded import Recorded, Step
from agentharness.errors import EpisodeError, UserError
from agentharness.types.move import Action

TEXT = """
corpus:
  rows: {source: {file: rows.jsonl}, key: id}
  steps: {from: rows, explode: steps, scope: row, key: row}
columns: {rows: {id: public}}
episode: {each: rows}
trajectories:
  steps:
    observation: item.seen
    action: item.did
    reward: item.gain
    order: item_order
    diverge: POLICY
    match: {say: {text: {words: 0.75}}}
start:
  - goto: {recorded: steps}
observe: "Begin."
actions:
  go:
    args: {to: string, how: {type: string, optional: true}, bag: {type: array, items: integer, default: []}}
    do: [goto: {recorded: steps}]
  say:
    args: {words: string}
    do: [goto: {recorded: steps}]
    else: "Nobody said that."
  wait: {}
rewards: {followed: {scorer: share, of: state.recorded.matched, against: state.recorded.length}}
oracle: {recorded: steps}
"""


def step(seen: Any, did: Any, gain: Any = None, **more: Any) -> dict[str, Any]:
    return {"seen": seen, "did": did, "gain": gain, **more}


def go(to: str, **more: Any) -> dict[str, Any]:
    return {"name": "go", "args": {"to": to, **more}}


ROWS: list[dict[str, Any]] = [
    {
        "id": "a",
        "steps": [
            step("A hall.", go("yard"), 0),
            step("A yard.", {"name": "say", "args": '{"words": "Hello there"}'}, 0.5),
            step("A voice: hello.", None, 0.25),
            step("It goes on: come in.", go("house", bag=[1, 2]), 1),
            step("A house.", go("cellar"), -1),
        ],
    },
    {"id": "b", "steps": [step("A field.", go("wood"), 2), step("A wood. The end.", None, 3)]},
]


def text(policy: str = "end", **changes: str) -> str:
    out = TEXT.replace("POLICY", policy).replace("    order: item_order\n", "")
    for old, new in changes.items():
        assert old in out
        out = out.replace(old, new)
    return out


async def test_what_was_recorded_leads_on(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(text(), {"rows.jsonl": ROWS}), "a")
    assert play.text == "Begin.\nA hall."
    assert play.state["recorded"] == {"length": 4, "matched": 0, "rewards": []}
    await play.do("go", to="yard")
    assert play.text == "A yard."
    await play.do("say", words="hello   THERE!")
    assert play.text == "A voice: hello.\nIt goes on: come in."  # a step without an action is passed by
    out = await play.do("go", bag=[1.0, 2], to="house", how=None)
    assert (play.text, out.verdict, play.state["over"]) == ("A house.", "ok", False)
    await play.do("go", to="cellar")
    assert (play.text, play.state["over"], play.state["submission"]) == ("The recording ends here.", True, None)
    assert play.state["recorded"] == {"length": 4, "matched": 4, "rewards": [0, 0.5, 0.25, 1, -1]}
    assert play.state["at"] == ["steps", "4"]


async def test_the_last_step_may_show_how_it_ended(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(text(), {"rows.jsonl": ROWS}), "b")
    await play.do("go", to="wood")
    assert (play.text, play.state["over"], play.state["at"]) == ("A wood. The end.", True, ["steps", "1"])
    assert play.state["recorded"] == {"length": 1, "matched": 1, "rewards": [2, 3]}


@pytest.mark.parametrize("row", ["a", "b"])
@pytest.mark.parametrize("policy", ["end", "stay", "force", "snap"])
async def test_the_oracle_plays_the_record(policy: str, row: str, make_world: Any, begin: Any) -> None:
    play = await begin(make_world(text(policy), {"rows.jsonl": ROWS}), row)
    while (move := play.env.oracle()) is not None:
        for action in move.actions:
            await play.env.step(action)
    assert play.state["over"]
    assert play.state["recorded"]["matched"] == play.state["recorded"]["length"] == {"a": 4, "b": 1}[row]


async def test_end_ends_the_episode(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(text("end"), {"rows.jsonl": ROWS}), "a")
    out = await play.do("go", to="moon")
    assert (out.verdict, play.text, play.state["over"]) == ("missing", "That is not what was recorded here: the episode ends.", True)
    assert play.state["recorded"]["matched"] == 0
    assert (await play.do("go", to="yard")).verdict == "not_executed"
    play = await begin(make_world(text("end"), {"rows.jsonl": ROWS}), "a")
    await play.do("say", words="moon")
    assert (play.text, play.state["over"]) == ("Nobody said that.", True)


async def test_stay_changes_nothing(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(text("stay"), {"rows.jsonl": ROWS}), "a")
    before = play.state
    for args in ({"to": "moon"}, {"to": "yard", "how": "fast"}, {"to": "yard", "bag": [1]}):
        out = await play.do("go", **args)
        assert (out.verdict, play.text) == ("missing", "That is not what was recorded here.")
    assert {**play.state, "t": 0} == {**before, "t": 0}
    await play.do("go", to="yard")
    assert (play.text, play.state["recorded"]["matched"], play.state["t"]) == ("A yard.", 1, 4)


async def test_force_takes_the_recorded_action_in_its_place(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(text("force"), {"rows.jsonl": ROWS}), "a")
    out = await play.do("go", to="moon")
    assert (out.verdict, play.text) == ("ok", 'Recorded instead: go {"bag":[],"to":"yard"}\nA yard.')
    await play.do("say", words="Hello there")
    assert play.state["recorded"] == {"length": 4, "matched": 1, "rewards": [0, 0.5, 0.25]}
    await play.do("say", words="moon")
    await play.do("say", words="moon")
    assert play.text == 'Recorded instead: go {"bag":[],"to":"cellar"}\nThe recording ends here.'
    assert (play.state["over"], play.state["recorded"]["matched"]) == (True, 1)


async def test_snap_goes_to_the_nearest_step_that_recorded_it(make_world: Any, begin: Any) -> None:
    again = [{"id": "c", "steps": [step(str(i), go(to)) for i, to in enumerate("xyzxw")]}]
    play = await begin(make_world(text("snap"), {"rows.jsonl": again}), "c")
    await play.do("go", to="z")
    assert (play.text, play.state["recorded"]["matched"]) == ("3", 1)
    await play.do("go", to="y")  # two back
    assert (play.text, play.state["recorded"]["matched"]) == ("2", 2)
    await play.do("go", to="x")  # one on, and two back: the nearer
    assert (play.text, play.state["recorded"]["matched"]) == ("4", 3)
    await play.do("go", to="z")
    await play.do("go", to="y")
    assert play.state["recorded"]["matched"] == 3  # a step counts once
    assert (await play.do("go", to="moon")).verdict == "missing"
    assert play.state["over"] is False


WALKS = [
    {"id": "ada", "steps": [step("Gate", go("n"), 0), step("Well", go("e"), 0), step("Cave", go("dig"), 5)]},
    {"id": "bo", "steps": [step("Mill", go("w"), 0), step("Well", go("s"), 1), step("Sea", None)]},
]
MERGED = {"scope: row, ": "", "    diverge:": "    merged: item.seen\n    diverge:"}


async def test_merged_trajectories_are_one_graph(make_world: Any, begin: Any) -> None:
    world = make_world(text("stay", **MERGED), {"rows.jsonl": WALKS})
    play = await begin(world, "ada")
    await play.do("go", to="n")
    assert play.state["at"] == ["steps", "1"]
    await play.do("go", to="s")  # what bo did at the well
    assert (play.text, play.state["over"], play.state["recorded"]) == ("Sea", True, {"length": 3, "matched": 2, "rewards": [0, 1]})
    play = await begin(world, "bo")
    await play.do("go", to="w")
    assert (await play.do("go", to="n")).verdict == "missing"
    await play.do("go", to="e")
    await play.do("go", to="dig")
    assert play.state["recorded"] == {"length": 2, "matched": 3, "rewards": [0, 0, 5]}


async def test_in_one_state_the_own_trajectory_comes_first(make_world: Any, begin: Any) -> None:
    walks = [{"id": i, "steps": [step("Fork", go("on")), step(f"end of {i}", None)]} for i in ("ada", "bo")]
    world = make_world(text("stay", **MERGED), {"rows.jsonl": walks})
    for row in ("ada", "bo"):
        play = await begin(world, row)
        await play.do("go", to="on")
        assert play.text == f"end of {row}"


POINT = {
    "match: {say: {text: {words: 0.75}}}": "match: {tap: {point: [x, y], HOW}}",
    "  wait: {}": "  tap: {args: {x: number, y: number}, do: [goto: {recorded: steps}]}",
}


def tap(x: float, y: float) -> dict[str, Any]:
    return {"name": "tap", "args": {"x": x, "y": y}}


@pytest.mark.parametrize(
    ("how", "hits", "misses"),
    [
        ("box: item.box", [(10, 20), (30, 40), (12.5, 39)], [(9.9, 20), (31, 30)]),
        ("within: 5", [(20, 30), (23, 34), (20, 25)], [(23, 34.5), (10, 20)]),
        ("box: item.box, within: 14.5", [(30, 20), (20, 44.5)], [(20, 44.6)]),
    ],
)
async def test_points(how: str, hits: list[Any], misses: list[Any], make_world: Any, begin: Any) -> None:
    rows = [{"id": "p", "steps": [step("A screen.", tap(20, 30), box=[30, 20, 10, 40])]}]
    world = make_world(text("stay", **POINT).replace("HOW", how), {"rows.jsonl": rows})
    for point, verdict in [*((p, "ok") for p in hits), *((p, "missing") for p in misses)]:
        play = await begin(world, "p")
        assert (point, (await play.do("tap", x=point[0], y=point[1])).verdict) == (point, verdict)


LOG = """
corpus:
  log: {source: {file: log.jsonl}, key: row}
  games: {from: log, key: game, unique: first}
columns: {games: {game: public}, log: {board: public, move: gold}}
episode: {each: games, where: "row.game != 'void'"}
trajectories: {log: {trajectory: game, order: n, observation: item.board, action: item.move, diverge: end}}
start: [goto: {recorded: log}]
observe: "Game {{ row.game }}."
actions:
  move:
    args: {to: string}
    do: [goto: {recorded: log}]
    say: "now {{ at.board }}"
rewards: {followed: {scorer: share, of: state.recorded.matched, against: state.recorded.length}}
oracle: {recorded: log}
"""


def log(*rows: tuple[Any, Any, Any, Any]) -> list[dict[str, Any]]:
    return [{"game": game, "n": n, "board": board, "move": move} for game, n, board, move in rows]


GAMES = log(("g", 1, "empty", "e4"), ("h", 0, "bare", "d4"), ("g", 2, "e4", "e5"), ("h", 1, "d4", None), ("void", 9, "?", 7))


async def test_a_flat_log_is_played_game_by_game(make_world: Any, begin: Any) -> None:
    world = make_world(LOG, {"log.jsonl": GAMES})
    assert list(world.keys()) == ["g", "h"]
    play = await begin(world, "g")
    assert play.text == "Game g.\nempty"
    await play.do("move", to="e4")
    assert play.text == "now e4"  # `say` decides what is shown
    await play.do("move", to="e5")
    assert (play.text, play.state["over"]) == ("The recording ends here.", True)
    play = await begin(world, "h")
    await play.do("move", to="d4")
    assert (play.text, play.state["over"]) == ("now d4", True)


def test_prose_may_be_the_recorded_answer(make_world: Any) -> None:
    world = make_world(text("stay", **{"rewards:": "prose: answer\nrewards:"}), {"rows.jsonl": ROWS})
    assert world.answering == ("say", "words")


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (log(("g", 1, "", "a"), ("g", 3, "", "b")), "log: step '1' of trajectory 'g': step 2 is missing, 3 comes after 1 (mend the data: n counts up by one"),
        (log(("g", 1, "", "a"), ("g", 2, "", "b"), ("g", 2, "", "c")), "step '2' of trajectory 'g': step 2 is there twice"),
        (log(("g", 1, "", "a"), ("g", 2, "", "b"), ("g", 1, "", "c")), "step '2' of trajectory 'g': out of order, step 1 comes after 2"),
        (log(("g", 4, "", "a")), "step '0' of trajectory 'g': it begins with step 4, those before are missing"),
        (log(("g", "one", "", "a")), "step '0' of trajectory 'g': 'n' is 'one', no whole number"),
        (log(("g", 1, "", None)), "trajectory 'g' of log has steps, and no action (mend the row, or leave it out by episode.where)"),
        (log(("g", 1, "", {"name": "mvoe"})), "it plays 'mvoe', and no action of that name follows the recording (did you mean 'move'?)"),
        (log(("g", 1, "", {"name": "move", "args": "{oops"})), "the arguments of move are no JSON: '{oops'"),
        (log(("g", 1, "", {"name": "move", "args": {"to": 3}})), "no agent can play it, move: to must be a string (widen actions.move.args"),
        (log(("g", 1, "", 5)), "the action is 5"),
        (log(("g", 1, "", {"move": "a"})), 'the action is {"move":"a"}'),
    ],
)
def test_data_that_is_no_trajectory(rows: list[dict[str, Any]], line: str, make_world: Any) -> None:
    with pytest.raises(UserError) as e:
        make_world(LOG, {"log.jsonl": rows})
    assert line in e.value.line()
    assert e.value.where.startswith("task.yaml:7:")
    assert "\n" not in e.value.line()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("trajectory: game, ", "", "the steps of log do not say which trajectory they belong to"),
        ("trajectory: game", "trajectory: gmae", "log has no column 'gmae' (did you mean 'game'?)"),
        ("trajectory: game", "trajectory: board", "no step of log belongs to row 'g' of games"),
        ("order: n", "order: nn", "log has no column 'nn'"),
        ("item.board", "item.bord", "item has no field 'bord' (did you mean 'board'?)"),
        ("action: item.move", "action: item.board", "no agent can play it"),
        ("diverge: end", "reward: item.board, diverge: end", "the reward is 'empty', no number"),
        ("diverge: end", "match: {mvoe: {}}, diverge: end", "'mvoe' is no action that follows log (did you mean 'move'?)"),
        ("diverge: end", "match: {move: {text: {too: 0.5}}}, diverge: end", "move has no argument 'too' (did you mean 'to'?)"),
        ("diverge: end", "match: {move: {text: {to: 2.0}}}, diverge: end", "the least likeness of 'to' is 2.0 (a number from 0 to 1)"),
        ("diverge: end", "match: {move: {any: [to], text: {to: 0.5}}}, diverge: end", "'to' is compared in two ways"),
        ("diverge: end", "match: {move: {box: item.board}}, diverge: end", "`box` needs the point that it is about"),
        ("diverge: end", "match: {move: {point: [to, to], within: 3.0}}, diverge: end", "'to' of move is string, integer or number is wanted"),
        ("diverge: end", "match: {move: {box: item.bax}}, diverge: end", "item has no field 'bax'"),
        ("do: [goto: {recorded: log}]", "do: [goto: {recorded: lag}]", "no action follows the recording 'log'"),
        ("start: [goto: {recorded: log}]", "start: [goto: {recorded: lag}]", "'lag' is no recording of `trajectories` (did you mean 'log'?)"),
        ("oracle: {recorded: log}", "oracle: {recorded: lag}", "'lag' is no recording of `trajectories` (did you mean 'log'?)"),
        ("oracle: {recorded: log}", "oracle: {recorded: log, play: row.game}", "an oracle has `path`, `each`, `play` or `recorded`"),
        ("trajectories: {log:", "trajectories: {lag:", "there is no table 'lag' (did you mean 'log'?)"),
        ("  games: {from", "  recorded: {from: log, key: row}\n  games: {from", "the table 'recorded' has the name of a verb key"),
        ("now {{ at.board }}", "now {{ at.move }}", "at.move is gold and cannot be shown to the agent"),
    ],
)
def test_a_task_that_says_it_wrongly(old: str, new: str, line: str, make_world: Any) -> None:
    assert old in LOG
    rows = [dict(row) for row in GAMES if row["move"] != 7]
    if "item.board, diverge" not in new and new != "action: item.board":
        rows = GAMES
    elif new == "action: item.board":
        rows = [{**row, "board": {"name": "move"}} for row in rows]
    with pytest.raises(UserError) as e:
        make_world(LOG.replace(old, new), {"log.jsonl": rows})
    assert line in e.value.line()
    assert e.value.where.startswith("task.yaml:")


def test_steps_of_rows_are_whole(make_world: Any) -> None:
    with pytest.raises(UserError, match="trajectory 'c' of steps is empty"):
        make_world(text(), {"rows.jsonl": [*ROWS, {"id": "c", "steps": []}]})
    make_world(text().replace("episode: {each: rows}", "episode: {each: rows, where: row.steps}"), {"rows.jsonl": [*ROWS, {"id": "c", "steps": []}]})
    twice = {"id": "c", "steps": [step("A hall.", go("yard"))] * 2}
    with pytest.raises(UserError, match=r"steps has identical steps, and they were merged \(key: row keeps each step\)"):
        make_world(text().replace("scope: row, key: row", "scope: row"), {"rows.jsonl": [twice]})
    with pytest.raises(UserError, match=r"are their row's own \(scope: row\), and need no `trajectory`"):
        make_world(text().replace("    diverge", "    trajectory: seen\n    diverge"), {"rows.jsonl": ROWS})
    boxed = text("stay", **POINT).replace("HOW", "box: item.box")
    with pytest.raises(UserError, match=r"the box is \[1,2\] \(\[x0, y0, x1, y1\], or null where there is none\)"):
        make_world(boxed, {"rows.jsonl": [{"id": "p", "steps": [step("A screen.", tap(20, 30), box=[1, 2])]}]})


async def test_an_observation_that_fails_is_the_tasks_fault(make_world: Any, begin: Any) -> None:
    world = make_world(text().replace("observation: item.seen", "observation: item.seen / 1"), {"rows.jsonl": ROWS})
    with pytest.raises(EpisodeError, match="start"):
        await begin(world, "a")


async def test_an_oracle_that_is_refused_gives_up(make_world: Any, begin: Any) -> None:
    world = make_world(
        text().replace("args: {to: string, how", "when: vars.open\n    args: {to: string, how").replace("start:", "vars: {open: false}\nstart:"),
        {"rows.jsonl": ROWS},
    )
    play = await begin(world, "a")
    move = play.env.oracle()
    assert move is not None
    assert (await play.do("go", to="yard")).verdict == "refused"
    assert play.env.oracle() is None


def test_the_version_holds_what_is_played(make_world: Any) -> None:
    def digests(policy: str = "end", seen: str = "A hall.", **changes: str) -> tuple[str, str]:
        rows = [{**ROWS[0], "steps": [step(seen, go("yard"), 0), *ROWS[0]["steps"][1:]]}]
        world = make_world(text(policy, **changes), {"rows.jsonl": rows})
        return world.world, world.scoring

    was = digests()
    assert digests() == was
    for other in (digests("force"), digests(seen="A barn."), digests(**{"0.75": "0.8"})):
        assert other[0] != was[0]
        assert other[1] == was[1]
    gold = {"columns: {rows: {id: public}}": "columns: {rows: {id: public}, steps: {did: gold, seen: gold}}"}
    assert digests(**gold)[0] != digests(seen="A barn.", **gold)[0]  # gold that a recording shows


STEPS = st.lists(st.sampled_from([None, "x", "y", "z"]), min_size=1, max_size=12)


@given(STEPS, st.integers(0, 11), st.sampled_from(["x", "y", "z"]))
def test_nearest_is_nearest(names: list[str | None], at: int, name: str) -> None:
    run = [Step(str(i), one, {}, None, {}) for i, one in enumerate(names)]
    same = dict.fromkeys(["x", "y", "z"], lambda args, step: True)
    found = Recorded("t", False, "snap", None, False, same, {"r": run}).nearest(("r", at % len(run)), name, {})
    others = [i for i, one in enumerate(names) if one == name and i != at % len(run)]
    if found is None:
        assert others == []
    else:
        assert found[1] in others
        assert abs(found[1] - at % len(run)) == min(abs(i - at % len(run)) for i in others)
        assert found[1] == max(i for i in others if abs(i - at % len(run)) == abs(found[1] - at % len(run)))


@given(st.lists(st.sampled_from(["n", "e", "s", "w"]), min_size=1, max_size=8), st.lists(st.sampled_from(["n", "e", "s", "w"]), max_size=12))
def test_any_play_is_the_same_twice_and_leaves_its_states_alone(recorded: list[str], played: list[str]) -> None:
    import copy

    from agentharness.env.advance import advance, start
    from agentharness.types.env import Outcome

    rules = _rules(recorded)
    for _ in range(2):
        scene = rules.scene("a", 1)
        out = start(rules, scene)
        states = []
        for name in played:
            assert isinstance(out, Outcome)
            before = copy.deepcopy(out.state)
            after = advance(rules, scene, out.state, Action("go", {"to": name}))
            assert out.state == before
            out = after
            states.append(out.state)  # type: ignore[union-attr]
    lead = next((i for i, (a, b) in enumerate(zip(recorded, played, strict=False)) if a != b), min(len(recorded), len(played)))
    if states:
        assert states[-1]["recorded"]["matched"] == lead


def _rules(recorded: list[str]) -> Any:
    import json
    import tempfile
    from pathlib import Path

    from agentharness.config.yaml import parse
    from agentharness.env.spec import TaskSpec
    from agentharness.env.task import Places, Task
    from agentharness.env.world import build

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "rows.jsonl").write_text(json.dumps({"id": "a", "steps": [step(str(i), go(to)) for i, to in enumerate(recorded)]}), encoding="utf-8")
        document = parse(text("end"), "task.yaml")
        return build(Task("tiny", Path(folder), TaskSpec.model_validate(document.data), Places("task.yaml", document.places), True)).compiled
