"""Gold is never shown: random moves over a world whose gold and hidden cells hold a canary."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentharness import canon
from agentharness.env.base import BaseEnv
from agentharness.env.world import World
from agentharness.types.move import Action

CANARY = "CANARY"
TEXT = """
corpus:
  rows: {source: {file: rows.jsonl}, key: id}
  docs: {from: rows, explode: docs, scope: row, key: name}
columns:
  rows: {id: public, ask: public, "docs[].name": public, "docs[].body": public, answer: gold, note: hidden}
  docs: {name: public, body: public, mark: hidden, label: gold}
episode: {each: rows}
vars: {bag: "[]"}
observe: "{{ row.ask }} {{ row }} {{ docs }}"
actions:
  open: {args: {name: {type: string, enum: "docs | map('name')"}}, do: [{goto: {docs: args.name}}, {reveal: body}], say: "{{ at }}"}
  find: {args: {text: string}, do: [{query: {filter: "args.text in item.body", in: docs}}, {reveal: {field: body, of: results}}]}
  show: {do: [{reveal: {field: docs, of: row}}], else: "{{ row }}"}
  list: {do: [{query: {filter: "true", in: docs}}], say: "{{ results }}"}
  keep: {args: {text: string}, do: [{set: {bag: "vars.bag + [args.text, row.ask]"}}], say: "{{ vars }} {{ args }}"}
  look: {args: {text: string}, when: at, do: [{reveal: {span: args.text, in: body}}], else: "{{ at }} {{ results }}"}
  end: {args: {text: string}, do: [{end: "[args.text, row, at, vars]"}]}
rewards: {exact: {scorer: exact, against: row.answer}}
oracle: {then: {end: {text: row.answer}}}
"""
ROWS: list[dict[str, Any]] = [
    {
        "id": f"r{i}",
        "ask": "What?",
        "answer": f"{CANARY}-answer",
        "note": f"{CANARY}-note",
        "other": f"{CANARY}-undeclared",
        "docs": [{"name": f"d{j}", "body": f"Body {j}. More.", "mark": f"{CANARY}-mark", "label": f"{CANARY}-label"} for j in range(3)],
    }
    for i in range(2)
]


def seen_of(env: BaseEnv) -> bytes:
    """All that leaves the env but rewards and oracle."""
    return canon.dumps([[out.state, out.parts, out.message, out.draws] for _, out, _ in env.log])


def fill(rng: random.Random, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        name: rng.choice(one["enum"]) if "enum" in one else rng.choice(["Body", "docs", "answer", "{{ row.answer }}", "row.answer", ""])
        for name, one in schema["properties"].items()
    }


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
async def test_no_canary(make_world: Any, seed: int) -> None:
    world: World = _built(make_world)
    rng = random.Random(seed)
    env = world.open(rng.choice(["r0", "r1"]), seed, None)  # type: ignore[arg-type]
    observation = await env.reset()
    specs: list[Any] = []
    while not observation.over and len(env.log) < 25:
        specs.append(observation.actions.tools)
        specs.append([a.suggest for a in observation.actions])
        spec = rng.choice(list(observation.actions))
        observation = await env.step(Action(spec.name, fill(rng, spec.parameters)))
    assert CANARY.encode() not in seen_of(env) + canon.dumps(specs)
    assert env.oracle().actions[0].args == {"text": f"{CANARY}-answer"}  # type: ignore[union-attr]


_WORLDS: list[World] = []


def _built(make_world: Any) -> World:
    if not _WORLDS:
        _WORLDS.append(make_world(TEXT, {"rows.jsonl": ROWS}))
    return _WORLDS[0]
