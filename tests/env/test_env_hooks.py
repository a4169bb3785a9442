"""Hooks: effects, needs (one, two, in two hooks of one action), faults, trust."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.env.world import World
from agentharness.errors import EpisodeError, UserError
from agentharness.types.move import Action, Need

TEXT = """
corpus: {rows: {source: {file: rows.jsonl}, key: id}}
columns: {rows: {id: public, word: public, secret: gold}}
episode: {each: rows}
vars: {mood: "'calm'"}
observe: "{{ row.word }} {{ vars.mood }}"
actions:
  ask:
    args: {text: string}
    heavy: true
    do:
      - hook: {name: patient, args: {said: args.text}}
      - hook: {name: nurse, args: {}}
  do:
    args: {what: string}
    do:
      - hook: act
  spoil:
    do:
      - hook: spoil
"""
HOOKS = """
from agentharness.types.move import Need
from dataclasses import dataclass

@dataclass
class Local:
    x: "int"

def patient(view, answers):
    if len(answers) < 2:
        return Need("patient", {"said": view["args"]["said"], "n": len(answers)})
    return [{"show": " and ".join(answers)}, {"set": {"mood": answers[-1]}}]

def nurse(view, answers):
    if not answers:
        return Need("nurse", view["vars"]["mood"])
    return [{"show": answers[0]}]

def act(view, answers):
    if view["args"]["what"] == "exit":
        raise SystemExit(3)
    effects = {
        "go": [{"goto": ["rows", "b"]}], "lost": [{"goto": ["rows", "zzz"]}], "end": [{"end": {"x": 1}}], "miss": [{"missing": "no luck"}],
        "bad": [{"fly": 1}], "var": [{"set": {"other": 1}}], "none": None, "set": [{"set": {"mood": {1, 2}}}], "table": [{"goto": ["wrong", "b"]}],
        "half": [{"show": "x"}, {"missing": "then nothing"}],
    }
    return effects[view["args"]["what"]]

def spoil(view, answers):
    assert "secret" not in view["row"], view
    view["row"]["word"] = "spoilt"
    view["vars"]["mood"] = "spoilt"
    return []
"""
ROWS = [{"id": "a", "word": "one", "secret": "s"}, {"id": "b", "word": "two", "secret": "t"}]


@pytest.fixture
def clinic(make_world: Any) -> World:
    return make_world(TEXT, {"rows.jsonl": ROWS}, hooks=HOOKS)  # type: ignore[no-any-return]


class Voice:
    """Answers needs in order, and keeps them."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.needs = list(answers), list[Need]()

    async def __call__(self, need: Need) -> Any:
        self.needs.append(need)
        return self.answers[len(self.needs) - 1]


async def test_needs_are_asked_in_order(clinic: World, begin: Any) -> None:
    voice = Voice("fever", "cough", "noted")
    play = await begin(clinic, "a", ask=voice)
    out = await play.do("ask", text="How are you?")
    assert voice.needs == [
        Need("patient", {"said": "How are you?", "n": 0}),
        Need("patient", {"said": "How are you?", "n": 1}),
        Need("nurse", "cough"),
    ]
    assert play.text == "fever and cough\nnoted"
    assert out.answers == ["fever", "cough", "noted"]
    assert play.state["vars"] == {"mood": "cough"}
    assert play.state["t"] == 1
    assert clinic.compiled.actions["ask"].heavy
    assert not clinic.compiled.actions["do"].heavy


async def test_needs_at_reset(make_world: Any, begin: Any) -> None:
    world = make_world(TEXT + "start: [{hook: nurse}]\n", {"rows.jsonl": ROWS}, hooks=HOOKS)
    voice = Voice("hello", "hello")
    play = await begin(world, "a", ask=voice)
    assert play.text == "one calm\nhello"
    assert play.last.answers == ["hello"]
    await play.env.reset()
    assert voice.needs == [Need("nurse", "calm")] * 2


@pytest.mark.parametrize(
    ("what", "verdict", "text", "at"),
    [
        ("go", "ok", "Done.", ["rows", "b"]),
        ("lost", "missing", "Nothing found.", None),
        ("end", "ok", "Done.", None),
        ("miss", "missing", "no luck", None),
        ("half", "missing", "then nothing", None),
    ],
)
async def test_effects(clinic: World, begin: Any, what: str, verdict: str, text: str, at: Any) -> None:
    play = await begin(clinic, "a")
    out = await play.do("do", what=what)
    assert (out.verdict, play.text, play.state["at"]) == (verdict, text, at)
    assert play.state.get("submission") == ({"x": 1} if what == "end" else None)


@pytest.mark.parametrize(
    ("what", "part"),
    [
        ("bad", 'hook act: no effect: {"fly":1}'),
        ("var", "hook act: no effect"),
        ("table", "hook act: no effect"),
        ("none", "hook act: gave NoneType"),
        ("set", "hook act: its effects are not JSON"),
        ("unheard", "hook act: KeyError: 'unheard'"),
        ("exit", "hook act: SystemExit: 3"),
    ],
)
async def test_faults_name_the_hook(clinic: World, begin: Any, what: str, part: str) -> None:
    play = await begin(clinic, "a")
    with pytest.raises(EpisodeError) as e:
        await play.env.step(Action("do", {"what": what}))
    assert e.value.cause == "env"
    assert e.value.message.startswith(f"actions.do: {part}")


async def test_hooks_cannot_spoil_what_is_shared(clinic: World, begin: Any) -> None:
    play = await begin(clinic, "a")
    await play.do("spoil")
    assert play.state["vars"] == {"mood": "calm"}
    assert (await begin(clinic, "a")).text == "one calm"


def test_trust(make_world: Any) -> None:
    with pytest.raises(UserError, match="trust=true"):
        make_world(TEXT, {"rows.jsonl": ROWS}, hooks=HOOKS, trusted=False)


@pytest.mark.parametrize(
    ("hooks", "part"),
    [
        (HOOKS.replace("def nurse", "def nurze"), r"task.yaml:\d+:\d+: hooks.py has no function 'nurse' \(did you mean 'nurze'\?\)"),
        ("def patient(:\n", r"hooks.py:1:\d+: does not run: SyntaxError"),
        ("import math\n\nmath.nothing\n", r"hooks.py:3:1: does not run: AttributeError"),
    ],
)
def test_mistakes(make_world: Any, hooks: str, part: str) -> None:
    with pytest.raises(UserError, match=part):
        make_world(TEXT, {"rows.jsonl": ROWS}, hooks=hooks)


def test_a_hook_without_a_file(make_world: Any) -> None:
    with pytest.raises(UserError, match=r"hooks.py has no function 'patient'"):
        make_world(TEXT, {"rows.jsonl": ROWS})


def test_hooks_are_part_of_the_world_where_used(make_world: Any) -> None:
    files = {"rows.jsonl": ROWS}
    one = make_world(TEXT, files, hooks=HOOKS)
    other = make_world(TEXT, files, hooks=HOOKS + "\n# changed\n")
    assert one.world != other.world
    assert one.scoring == other.scoring
    assert {k for k in one.rules if one.rules[k] != other.rules.get(k)} == {"hooks"}


def test_a_hooks_file_that_exits_is_told_by_its_line(make_world: Any, texts: Any) -> None:
    text = texts[0].replace("  answer:\n", "  shout: {do: [{hook: shout}]}\n  answer:\n", 1)
    with pytest.raises(UserError) as e:
        make_world(text, {"rows.jsonl": texts[2]}, hooks="import sys\n\nsys.exit('no')\n")
    assert e.value.line().endswith("hooks.py:3:1: does not run: SystemExit: no")


KNOWING = TEXT.replace("secret: gold}", "secret: gold, mood: hidden, deep: hidden, deep.gold: gold}").replace("hook: spoil", "hook: {name: tell, hidden: true}")
TELL = """
import json

def tell(view, answers):
    seen = json.dumps(view["row"], sort_keys=True)
    view["row"]["mood"] = "spoilt"
    return [{"show": seen}]
"""


async def test_a_hook_may_know_what_is_hidden_and_never_gold(make_world: Any) -> None:
    rows = [{**row, "mood": "low", "deep": {"gold": 1, "not": 2}} for row in ROWS]
    world = make_world(KNOWING, {"rows.jsonl": rows}, hooks=HOOKS + TELL)
    for _ in range(2):
        env = world.open("a", 0, Voice())
        await env.reset()
        shown = await env.step(Action("spoil", {}))
        assert shown.parts[0]["text"] == '{"deep": {"not": 2}, "id": "a", "mood": "low", "word": "one"}'


def test_hidden_is_true_or_left_out(make_world: Any) -> None:
    with pytest.raises(UserError, match="hidden is true, or left out"):
        make_world(TEXT.replace("hook: spoil", "hook: {name: spoil, hidden: 1}"), {"rows.jsonl": ROWS}, hooks=HOOKS)
