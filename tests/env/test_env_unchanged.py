"""A hash that is taken over from the state before is the hash of the state."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

from agentharness.env.advance import state_hash, unchanged
from agentharness.env.world import World
from agentharness.types.move import Action


@pytest.mark.parametrize("name", ["graph", "pages"])
async def test_every_hash_of_random_play_is_that_of_its_state(name: str, request: pytest.FixtureRequest, begin: Callable[..., Any]) -> None:
    world: World = request.getfixturevalue(name)
    taken = 0
    for seed in range(12):
        rng = random.Random(seed)
        keys = list(world.keys())
        played = await begin(world, rng.choice(keys), seed)
        for _ in range(12):
            observation = await played.env.observe()
            specs = list(observation.actions) or list(world.compiled.actions.values())
            spec: Any = rng.choice(specs)
            args = {}
            for arg, schema in (spec.parameters["properties"] if hasattr(spec, "parameters") else {}).items():
                args[arg] = rng.choice(schema.get("enum") or ["a", "b", "Andorra", "nothing"])
            await played.env.step(Action(spec.name, args, error="unreadable" if rng.random() < 0.1 else None))
        states = [outcome.state for _, outcome, _ in played.env.log]
        assert [mark for _, _, mark in played.env.log] == [state_hash(state, 1 << 20) for state in states]
        taken += sum(unchanged(a, b) for a, b in itertools.pairwise(states))
    assert taken > 0


def test_what_makes_a_state_another() -> None:
    state: dict[str, Any] = {"at": ["t", "k"], "vars": {}, "results": [], "seen": [], "over": False, "t": 0, "cost": 0, "draws": 0}
    assert unchanged(state, {**state, "t": 1, "cost": 2.5})
    for other in ({"at": None}, {"vars": {"x": 1}}, {"results": ["x"]}, {"seen": ["t/k/f"]}, {"draws": 1}, {"over": True, "submission": 1}):
        assert not unchanged(state, {**state, **other})
