"""Edits of rows: copy-on-write in the state, seen by every look of this episode and by no other; one spelling for one world."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness import canon
from agentharness.corpus.table import ListRows, Table
from agentharness.env.edits import added, changed, removed
from agentharness.env.views import Overlay, Rows
from agentharness.env.world import World
from agentharness.errors import EpisodeError, UserError

TEXT = """
corpus:
  rows: {source: {file: rows.jsonl}, key: id}
  flights: {source: {file: flights.jsonl}, key: code}
columns:
  rows: {id: public, wish: public, actions: gold, from: public}
  flights: {code: public, seats: public, to: public, price.public: public, price.secret: gold, margin: hidden}
edges: {to: {to: flights}}
episode: {each: rows}
start:
  - goto: {flights: row.from}
observe: "{{ row.wish }}"
actions:
  take:
    args: {code: string, n: integer}
    do:
      - set: {in: flights, key: args.code, values: {seats: args.n}}
      - query: {key: args.code, in: flights}
    say: "{{ results[0].code }} has {{ results[0].seats }} seats"
    else: "No such flight."
  charge:
    args: {code: string, n: number}
    do:
      - set: {in: flights, key: args.code, values: {price.public: args.n}}
  open:
    args: {code: string, to: {type: array, items: string}}
    do:
      - set: {in: flights, key: args.code, values: {to: args.to}, add: true}
    say: "Opened. Now {{ flights | map('code') | join(' ') }}"
    else: "There is one."
  close:
    args: {code: string}
    do:
      - set: {in: flights, key: args.code, remove: true}
    say: "Closed. At {{ at.code if at else 'nowhere' }}, found {{ results | map('code') | join(' ') }}"
    else: "There is none."
  shut:
    args: {id: string}
    do:
      - set: {in: rows, key: args.id, remove: true}
  wish:
    args: {text: string}
    do:
      - set: {in: rows, key: row.id, values: {wish: args.text}}
    say: "{{ row.wish }}"
  here:
    say: "{{ at.code }}: {{ at.seats }} {{ at.price.public }}"
  find:
    args: {n: integer}
    do:
      - query: {filter: item.seats == args.n, in: flights}
    say: "{{ results | map('code') | join(' ') }}"
    else: "None."
  next:
    do:
      - query: {neighbours: to}
    say: "{{ results | map('code') | join(' ') }}"
    else: "None."
  fly:
    args: {to: {type: string, enum: at.to}}
    do:
      - goto: {to: args.to}
      - reveal: seats
  done:
    do:
      - end: "true"
goal: row.actions
rewards:
  state: {scorer: equal, of: state.edits, against: goal.edits}
oracle:
  play: row.actions
  then: {done: {}}
"""
ROWS: list[dict[str, Any]] = [
    {"id": "a", "wish": "Take two seats of X.", "from": "X", "actions": [{"name": "take", "args": {"code": "X", "n": 1}}]},
    {"id": "b", "wish": "Nothing.", "from": "X", "actions": [{"name": "take", "kwargs": {"code": "X", "n": 3}}, {"name": "here", "arguments": {}}]},
    {"id": "c", "wish": "Impossible.", "from": "X", "actions": [{"name": "here"}, {"name": "take", "args": {"code": "Q", "n": 1}}]},
    {"id": "d", "wish": "Malformed.", "from": "X", "actions": [{"name": "here"}, {"do": "this"}]},
]
FLIGHTS: list[dict[str, Any]] = [
    {"code": "X", "seats": 3, "to": ["Y", "Z"], "price": {"public": 10, "secret": 7}, "margin": 1},
    {"code": "Y", "seats": 3, "to": ["X"], "price": {"public": 20, "secret": 8}, "margin": 2},
    {"code": "Z", "seats": 5, "to": [], "price": {"public": 30, "secret": 9}, "margin": 3},
]
FILES = {"rows.jsonl": ROWS, "flights.jsonl": FLIGHTS}


@pytest.fixture
def airline(make_world: Any) -> World:
    return make_world(TEXT, FILES)  # type: ignore[no-any-return]


async def test_every_look_sees_the_edit_and_no_other_session_does(airline: World, begin: Any) -> None:
    one, other = await begin(airline, "a"), await begin(airline, "b")
    for play in (one, other):  # fills what is kept about the place
        await play.do("here")
        assert play.text == "X: 3 10"
    await one.do("take", code="X", n=1)
    assert one.text == "X has 1 seats"
    assert one.state["edits"] == {"flights": {"X": {"seats": 1}}}
    await one.do("charge", code="X", n=12.5)
    assert one.state["edits"] == {"flights": {"X": {"seats": 1, "price": {"public": 12.5}}}}
    await one.do("here")
    assert one.text == "X: 1 12.5"
    await one.do("find", n=3)
    assert one.text == "Y"
    await one.do("find", n=1)
    assert one.text == "X"
    await one.do("fly", to="Y")
    assert one.text == "3"
    await one.do("fly", to="X")
    assert one.text == "1"
    await other.do("here")
    assert other.text == "X: 3 10"
    await other.do("find", n=3)
    assert other.text == "X Y"
    assert "edits" not in other.state
    assert airline.full("a") == ROWS[0]
    assert airline.corpus.tables["flights"].full("X") == FLIGHTS[0]


async def test_rows_are_added_and_removed(airline: World, begin: Any) -> None:
    play = await begin(airline, "a")
    await play.do("open", code="N", to=["X"])
    assert play.text == "Opened. Now X Y Z N"
    assert play.state["edits"] == {"flights": {"N": {"code": "N", "to": ["X"]}}}
    out = await play.do("open", code="N", to=[])
    assert (out.verdict, play.text) == ("missing", "There is one.")
    await play.do("take", code="N", n=4)
    assert play.text == "N has 4 seats"
    await play.do("close", code="X")
    assert play.text == "Closed. At nowhere, found N"
    assert play.state["at"] is None
    assert play.state["edits"]["flights"]["X"] is None
    out = await play.do("take", code="X", n=1)
    assert (out.verdict, play.text) == ("missing", "No such flight.")
    await play.do("close", code="N")
    assert play.text == "Closed. At nowhere, found "
    assert play.state["edits"] == {"flights": {"X": None}}
    assert (await play.do("close", code="X")).verdict == "missing"
    await play.do("open", code="X", to=["Y", "Z"])  # the corpus's row again, but for what is not said
    assert play.state["edits"] == {"flights": {"X": {"seats": None, "price": None}}}
    assert (await play.do("shut", id="a")).message == "The row of the task itself cannot be removed."
    assert (await play.do("shut", id="b")).verdict == "ok"


async def test_what_equals_the_corpus_is_no_edit(airline: World, begin: Any) -> None:
    play = await begin(airline, "a")
    before = play.env.log[-1][2]
    await play.do("wish", text="Another.")
    assert play.text == "Another."
    assert play.env.log[-1][2] != before
    await play.do("wish", text="Take two seats of X.")
    assert "edits" not in play.state
    assert play.env.log[-1][2] == before


async def test_edges_enums_and_the_oracle_follow_the_edit(airline: World, begin: Any) -> None:
    play = await begin(airline, "a")
    await play.do("next")
    assert play.text == "Y Z"
    await play.do("close", code="Y")
    await play.do("next")
    assert play.text == "Z"
    out = await play.do("fly", to="Y")  # listed still, but gone
    assert (out.verdict, play.state["at"]) == ("missing", ["flights", "X"])


async def test_the_goal_is_the_state_that_gold_actions_reach(airline: World, begin: Any) -> None:
    assert airline.compares_goal
    assert airline.goal("a", 5) == {**airline.goal("a", 5), "edits": {"flights": {"X": {"seats": 1}}}}  # type: ignore[dict-item]
    assert "edits" not in (airline.goal("b", 5) or {})
    rule = airline.rewards["state"]
    play = await begin(airline, "a", 5)
    assert rule.resolve(airline.full("a"), play.state, airline.goal("a", 5)) == (None, {"flights": {"X": {"seats": 1}}})
    while (move := play.env.oracle()) is not None:
        for action in move.actions:
            await play.env.step(action)
    assert play.state["over"]
    subject, reference = rule.resolve(airline.full("a"), play.state, airline.goal("a", 5))
    assert subject == reference == {"flights": {"X": {"seats": 1}}}


def test_a_gold_action_that_fails_names_its_number(airline: World) -> None:
    for _ in range(2):  # the second time from what was kept
        with pytest.raises(EpisodeError, match=r"goal: action 2 \(take\) is missing: No such flight\.") as caught:
            airline.goal("c", 1)
        assert caught.value.cause == "scorer"
    with pytest.raises(EpisodeError, match=r"goal: action 2 is \{\"do\":\"this\"\}, not \{name, args\}"):
        airline.goal("d", 1)


def test_the_goal_counts_for_scoring_alone(airline: World, make_world: Any) -> None:
    other = make_world(TEXT.replace("goal: row.actions", "goal: row.actions | list"), FILES)
    assert other.world == airline.world
    assert other.scoring != airline.scoring


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("values: {seats: args.n}", "values: {margin: args.n}", "'margin' of flights is hidden: edits change public fields only"),
        ("values: {seats: args.n}", "values: {price: args.n}", "'price' of flights is hidden: edits change public fields only"),
        ("values: {seats: args.n}", "values: {price.secret: args.n}", "'price.secret' of flights is gold"),
        ("values: {seats: args.n}", "values: {code: args.n}", "'code' is the key of flights"),
        ("values: {seats: args.n}", "values: {seets: args.n}", "flights has no column 'seets' (did you mean 'seats'?)"),
        ("values: {seats: args.n}", "values: {'to[]': args.n}", "'to[]' goes into a list"),
        ("values: {seats: args.n}", "values: {seats: args.n}, add: false", "add is true, or left out"),
        ("values: {seats: args.n}", "values: {seats: args.n}, remove: true", "`remove: true`"),
        ("values: {seats: args.n}", "valus: {seats: args.n}", "set in a table knows no 'valus' (did you mean 'values'?)"),
        ("values: {seats: args.n}", "values: {seats: row.actions}", "row.actions is gold"),
        ("in: flights, key: args.code, values: {seats: args.n}", "in: flight, key: args.code, values: {seats: args.n}", "there is no table 'flight'"),
        ("play: row.actions\n", "play: row.actions\n  each: row.actions\n", "an oracle has `path`, `each`, `play` or `recorded`"),
    ],
)
def test_mistakes_are_found_at_load(make_world: Any, old: str, new: str, told: str) -> None:
    with pytest.raises(UserError) as caught:
        make_world(TEXT.replace(old, new, 1), FILES)
    assert told in str(caught.value)
    assert "task.yaml:" in str(caught.value)


async def test_a_variable_may_be_called_in(make_world: Any, begin: Any) -> None:
    text = TEXT.replace("start:\n", 'vars: {in: "1", key: "2"}\nstart:\n').replace(
        "  done:\n", "  both:\n    do:\n      - set: {in: vars.in + 1, key: \"'x'\"}\n  done:\n"
    )
    text = text.replace("key: args.code, remove: true", "key: args.code, values: {seats: none}").replace(
        "key: args.id, remove: true", "key: args.id, values: {wish: none}"
    )
    play = await begin(make_world(text, FILES), "a")
    await play.do("both")
    assert play.state["vars"] == {"in": 2, "key": "x"}
    await play.do("take", code="X", n=1)  # its values are a mapping: an edit
    assert play.state["edits"] == {"flights": {"X": {"seats": 1}}}


HOOKS = """
def act(view, answers):
    what = view["args"]["what"]
    row = view["look"]("flights", "X")
    if what == "look":
        return [{"show": str(row)}, {"show": str(view["look"]("flights", "none"))}]
    if what == "table":
        view["look"]("nowhere", "X")
    row["to"].append("spoilt")
    return {
        "edit": [{"edit": ["flights", "X", {"seats": row["seats"] - 1}]}], "add": [{"add": ["flights", "N", {"to": ["X"]}]}],
        "remove": [{"remove": ["flights", "X"]}], "miss": [{"edit": ["flights", "Q", {"seats": 1}]}], "gold": [{"edit": ["flights", "X", {"price.secret": 1}]}],
    }[what]
"""


async def test_hooks_read_and_edit_rows(make_world: Any, begin: Any) -> None:
    text = TEXT.replace("  done:\n", "  act:\n    args: {what: string}\n    do:\n      - hook: act\n  done:\n")
    world = make_world(text, FILES, hooks=HOOKS)
    play = await begin(world, "a")
    await play.do("act", what="look")
    assert play.text == "{'code': 'X', 'price': {'public': 10}, 'seats': 3, 'to': ['Y', 'Z']}\nNone"
    await play.do("act", what="edit")
    await play.do("act", what="edit")
    assert play.state["edits"] == {"flights": {"X": {"seats": 1}}}
    await play.do("act", what="add")
    assert play.state["edits"]["flights"]["N"] == {"code": "N", "to": ["X"]}
    assert (await play.do("act", what="miss")).verdict == "missing"
    with pytest.raises(EpisodeError, match=r"'price\.secret' of flights is gold"):
        await play.do("act", what="gold")
    with pytest.raises(EpisodeError, match="there is no table 'nowhere'"):
        await play.do("act", what="table")
    await play.do("act", what="remove")
    assert play.state["edits"]["flights"]["X"] is None
    assert FLIGHTS[0]["to"] == ["Y", "Z"]


KEYS = ["p", "q", "r", "s"]
BASE = {"p": {"k": "p", "n": 1, "m": None}, "q": {"k": "q", "n": 2, "m": {"x": 1}}}
VALUES = st.sampled_from([None, 1, 2, "t", {"x": 1}])
STEPS = st.lists(st.tuples(st.sampled_from(["edit", "add", "remove"]), st.sampled_from(KEYS), st.sampled_from(["n", "m"]), VALUES), max_size=12)


@given(STEPS)
def test_edits_are_a_table_that_is_changed_in_place(steps: list[tuple[str, str, str, Any]]) -> None:
    table = Table("t", ListRows(list(BASE.values())), list(BASE), {"k": "public", "n": "public", "m": "public"}, columns=("k", "n", "m"))
    rows = Rows.__new__(Rows)
    rows.tables, rows.scoped, rows.to, rows._edges, rows._nodes, rows._lists, rows._room = {"t": table}, set(), {}, {}, {"t": {}}, {}, 0
    model: dict[str, dict[str, Any]] = copy.deepcopy(BASE)
    edits: dict[str, Any] = {}
    for kind, key, field, value in steps:
        now, base, before = Overlay(rows, edits).look("t", key, ""), rows.look("t", key, ""), canon.dumps(edits)
        assert now == model.get(key)
        if kind == "edit" and now is not None:
            after = changed(edits, "t", key, base, now, [((field,), value)])
            model[key][field] = value
        elif kind == "add" and now is None:
            after = added(edits, "t", key, base, {"k": key}, [((field,), value)])
            model[key] = {"k": key, "n": None, "m": None, field: value}
        elif kind == "remove" and now is not None:
            after = removed(edits, "t", key, base)
            del model[key]
        else:
            continue
        assert canon.dumps(edits) == before
        edits = after
    overlay = Overlay(rows, edits)
    assert list(overlay.keys("t", "")) == [k for k in BASE if k in model] + sorted(k for k in model if k not in BASE)
    assert overlay.views("t", "") == [model[k] for k in overlay.keys("t", "")]
    assert {k: overlay.find("t", "k", k, "") for k in KEYS} == {k: k if k in model else None for k in KEYS}
    assert (edits == {}) == (model == BASE)
    for key, patch in edits.get("t", {}).items():
        assert patch is None or key not in BASE or any(BASE[key][f] != v for f, v in patch.items())
