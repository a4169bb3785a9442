"""Small worlds written as users write them: the long form in YAML, rows as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from agentharness.config.yaml import parse
from agentharness.env.base import BaseEnv
from agentharness.env.spec import TaskSpec
from agentharness.env.task import Places, Task
from agentharness.env.world import World, build
from agentharness.types.env import Outcome
from agentharness.types.move import Action, Need

PAGES = """
corpus:
  rows:
    source: {file: rows.jsonl}
    key: id
  pages:
    from: rows
    explode: context
    scope: row
    key: title
columns:
  rows: {id: public, question: public, answer: gold, facts: gold, level: hidden}
  pages: {title: public, sentences: public}
episode: {each: rows}
derive: {labels: {distinct: answer}}
observe: "{{ row.question }}\\nPages: {{ pages | map('title') | join(', ') }}"
actions:
  open:
    description: Read a page.
    args: {title: string}
    suggest: {title: "pages | map('title')"}
    do:
      - goto: {pages: args.title}
      - reveal: sentences
    else: "No such page."
  look_up:
    args: {text: string}
    when: at
    do:
      - query: {span: args.text, in: sentences}
    say: "{{ results | join(' … ') }}"
    else: "Open a page first."
  answer:
    args: {text: string}
    do:
      - end: args.text
limits: {turns: 12}
rewards:
  exact: {scorer: exact, against: row.answer}
slices: [level]
oracle:
  each: row.facts
  move: {open: {title: each}}
  then: {answer: {text: row.answer}}
licence: CC0-1.0
"""

PAGE_ROWS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "question": "Who wrote Emma?",
        "answer": "Austen",
        "facts": ["Emma"],
        "level": "easy",
        "context": {"title": ["Emma", "Bath"], "sentences": [["Emma is a novel. ", "It was written by Austen."], ["Bath is a city."]]},
    },
    {
        "id": "q2",
        "question": "Where is Bath?",
        "answer": "England",
        "facts": ["Bath"],
        "level": "hard",
        "context": {"title": ["Bath"], "sentences": [["Bath lies in Somerset, England. ", "BATH has hot springs."]]},
    },
]

GRAPH = """
corpus:
  rows:
    source: {file: rows.jsonl}
    key: id
  places:
    source: {file: places.jsonl}
    key: name
columns:
  rows: {from: public, goal: gold}
  places: {name: public, borders: public, secret: gold}
episode: {each: rows}
edges: {borders: {to: places}}
start:
  - goto: {places: row.from}
observe: "You are in {{ at.name }}. Go to the goal."
actions:
  travel:
    args:
      to: {type: string, enum: at.borders}
    do:
      - goto: {borders: args.to}
    say: "You are in {{ at.name }}: {{ at.borders | join(', ') }}"
  stop:
    args: {}
    do:
      - end: at.name
oracle:
  path: {edge: borders, to: row.goal}
  move: {travel: {to: each}}
  then: {stop: {}}
rewards:
  there: {scorer: exact, against: row.goal}
"""
GRAPH_ROWS: list[dict[str, Any]] = [{"id": 1, "from": "a", "goal": "d"}, {"id": 2, "from": "island", "goal": "a"}]
PLACES: list[dict[str, Any]] = [
    {"name": "a", "borders": ["b", "c"], "secret": "s1"},
    {"name": "b", "borders": ["a", "d", "gone"], "secret": "s2"},
    {"name": "c", "borders": ["a"], "secret": "s3"},
    {"name": "d", "borders": ["b"], "secret": "s4"},
    {"name": "island", "borders": [], "secret": "s5"},
]


class MakeTask(Protocol):
    def __call__(self, text: str, files: dict[str, list[dict[str, Any]]], *, trusted: bool = True, hooks: str | None = None) -> Task: ...


class MakeWorld(Protocol):
    def __call__(self, text: str, files: dict[str, list[dict[str, Any]]], *, trusted: bool = True, hooks: str | None = None, **kw: Any) -> World: ...


@pytest.fixture
def make_task(tmp_path: Path) -> MakeTask:
    """Writes a task's folder and reads it."""

    def make(text: str, files: dict[str, list[dict[str, Any]]], *, trusted: bool = True, hooks: str | None = None) -> Task:
        folder = tmp_path / "tiny"
        folder.mkdir(exist_ok=True)
        for name, rows in files.items():
            (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        if hooks is not None:
            (folder / "hooks.py").write_text(hooks, encoding="utf-8")
        document = parse(text, "task.yaml")
        return Task("tiny", folder, TaskSpec.model_validate(document.data), Places("task.yaml", document.places), trusted)

    return make


@pytest.fixture
def make_world(make_task: MakeTask) -> MakeWorld:
    """Writes, reads and builds a task."""

    def make(text: str, files: dict[str, list[dict[str, Any]]], *, trusted: bool = True, hooks: str | None = None, **kw: Any) -> World:
        return build(make_task(text, files, trusted=trusted, hooks=hooks), **kw)

    return make


@pytest.fixture
def pages(make_world: MakeWorld) -> World:
    """A world in which each row carries its own documents."""
    return make_world(PAGES, {"rows.jsonl": PAGE_ROWS})


@pytest.fixture
def graph(make_world: MakeWorld) -> World:
    """A small graph: a-b, a-c, b-d, and an island."""
    return make_world(GRAPH, {"rows.jsonl": GRAPH_ROWS, "places.jsonl": PLACES})


@pytest.fixture
def texts() -> tuple[str, str, list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """PAGES, GRAPH and their rows, to be changed by a test."""
    return PAGES, GRAPH, PAGE_ROWS, GRAPH_ROWS, PLACES


async def nobody(need: Need) -> Any:
    """An ask that nothing should reach."""
    raise AssertionError(f"asked {need}")


class Played:
    """An env under play, with the last outcome at hand."""

    def __init__(self, env: BaseEnv) -> None:
        self.env = env

    async def do(self, name: str, /, **args: Any) -> Outcome:
        """One step; its outcome."""
        await self.env.step(Action(name, args))
        return self.last

    @property
    def last(self) -> Outcome:
        return self.env.log[-1][1]

    @property
    def text(self) -> str:
        """The texts of the last outcome, joined by |."""
        return "|".join(p["text"] for p in self.last.parts if p["type"] == "text")

    @property
    def state(self) -> dict[str, Any]:
        return self.env.state


@pytest.fixture
def begin() -> Callable[..., Any]:
    """Opens and resets an env."""

    async def begin(world: World, row: str, seed: int = 0, ask: Any = nobody) -> Played:
        env = world.open(row, seed, ask)
        await env.reset()
        return Played(env)

    return begin
