"""Preset replay: what its short keys say, and their mistakes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentharness.config.yaml import parse
from agentharness.env.expand import expand
from agentharness.env.reading import read_task
from agentharness.env.task import Task
from agentharness.env.world import build
from agentharness.errors import UserError

Write = Callable[[str], Path]
Read = Callable[[str], Task]
HEAD = "data: rows.jsonl\npreset: replay\nask: goal\n"


def long(text: str) -> dict[str, Any]:
    return expand(parse(HEAD + text, "task.yaml"))[0]


def test_its_defaults() -> None:
    out = long("")
    assert out["corpus"] == {"rows": {"source": {"file": "rows.jsonl"}}, "steps": {"from": "rows", "explode": "steps", "scope": "row", "key": "row"}}
    assert out["trajectories"] == {"steps": {"action": "item.action", "observation": "item.observation", "diverge": "end"}}
    assert out["start"] == [{"goto": {"recorded": "steps"}}]
    assert out["actions"] == {"act": {"description": "Do one thing.", "args": {"action": "string"}, "do": [{"goto": {"recorded": "steps"}}]}}
    assert out["oracle"] == {"recorded": "steps"}
    assert list(out["rewards"]) == ["followed"]


def test_columns_expressions_and_tools() -> None:
    out = long(
        "steps: {from: log, observation: 'what is seen', action: \"item['did'] | lower\", reward: gain.now, order: n, merged: state, diverge: snap}\n"
        "tools: {look: , go: {args: {to: string}, do: [{end: args.to}]}}\nmatch: {go: {any: [to]}}\nactions: {look: {description: Look.}}\n"
    )
    assert out["corpus"]["steps"] == {"from": "rows", "explode": "log", "key": "row"}  # merged: no scope
    assert out["trajectories"]["steps"] == {
        "action": "item['did'] | lower",
        "observation": "item['what is seen']",
        "reward": "item.gain.now",
        "merged": "item.state",
        "order": "n",
        "diverge": "snap",
        "match": {"go": {"any": ["to"]}},
    }
    assert out["actions"] == {
        "look": {"do": [{"goto": {"recorded": "steps"}}], "description": "Look."},
        "go": {"args": {"to": "string"}, "do": [{"end": "args.to"}]},
    }
    assert out["rewards"]["earned"] == {"scorer": "amount", "of": "state.recorded.rewards | sum", "weight": 0}


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("steps: {diverge: frce}\n", "4:18", "trajectories.steps.diverge must be one of end, stay, force, snap, is 'frce' (did you mean 'force'?)"),
        ("steps: {form: log}\n", "4:9", "`steps` has no key 'form' (did you mean 'from'?)"),
        ("steps: {action: [a]}\n", "4:17", "`steps.action` must be text"),
        ("tools: [go]\n", "4:8", "`tools` must be a mapping of actions, is a list (tools: {look_up: {args: {city: string}}})"),
        ("tools: {go: string}\n", "4:13", "`tools.go` must be a mapping, is 'string'"),
        ("tools: {go: {arg: {to: string}}}\n", "4:14", "actions.go.arg: unknown key (did you mean 'args'?)"),
        ("match: act\n", "4:8", "`match` must be a mapping of actions, is 'act'"),
        ("match: {act: {txt: {action: 0.5}}}\n", "4:15", "trajectories.steps.match.act.txt: unknown key (did you mean 'text'?)"),
        ("match: {act: {text: {action: high}}}\n", "4:30", "trajectories.steps.match.act.text.action must be a number, is 'high'"),
    ],
)
def test_mistakes_of_shape(text: str, place: str, says: str, read: Read, write: Write) -> None:
    with pytest.raises(UserError) as e:
        read(HEAD + text)
    assert e.value.line().partition("task.yaml:")[2].startswith(f"{place}: {says}")


ROWS = '{"goal": "Out!", "steps": [{"observation": "A door.", "action": "open it"}]}\n'


@pytest.mark.parametrize(
    ("text", "rows", "place", "says"),
    [
        ("steps: turns\n", ROWS, "4:8", "rows has no column 'turns' (known: goal, steps)"),
        ("steps: {observation: seen}\n", ROWS, "4:22", "item has no field 'seen'"),
        ("steps: {order: n}\n", ROWS, "4:16", "steps has no column 'n'"),
        ("match: {act: {point: [x, y], box: item.target}}\n", ROWS, "4:35", "item has no field 'target'"),
        ("match: {ac: {any: [action]}}\n", ROWS, "4:13", "'ac' is no action that follows steps (did you mean 'act'?)"),
        ("", ROWS.replace('"open it"', "null"), "1:1", "has steps, and no action"),
        ("", ROWS.replace('"open it"', "7"), "1:1", "the action is 7"),
        ("", '{"goal": "Out!", "steps": []}\n' + ROWS, "1:1", "of steps is empty"),
    ],
)
def test_mistakes_that_the_data_shows(text: str, rows: str, place: str, says: str, read: Read, write: Write) -> None:
    folder = write(HEAD + text)
    (folder / "rows.jsonl").write_text(rows, encoding="utf-8")
    with pytest.raises(UserError) as e:
        build(read_task(folder))
    line = e.value.line()
    assert says in line
    assert "\n" not in line
    assert line.partition("task.yaml")[2].startswith(f":{place}: ")
