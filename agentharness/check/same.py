"""Whether an episode is a function of row, seed and moves: played again, in another order and side by side, it must be the same to the byte."""

from __future__ import annotations

import anyio

from agentharness import canon
from agentharness.agent.baselines import Random
from agentharness.check.finding import Finding, count, some
from agentharness.check.played import Played
from agentharness.env.world import World
from agentharness.session.ports import Cast, Job
from agentharness.session.session import play_episode
from agentharness.types.episode import Key

ROWS = 20


def same(played: Played, seed: int) -> Finding:
    """Plays the first rows by chance once forwards one by one, once backwards all at once."""
    keys = played.keys[:ROWS]
    first = anyio.run(_one_by_one, played.world, keys, seed)
    second = anyio.run(_at_once, played.world, keys[::-1], seed)
    other = [key for key in keys if first[key] != second[key]]
    if other:
        what = f"{count(len(other), 'row')} played differently in another order"
        return Finding("same", "red", what, some(other), "hooks must depend on their view alone: no clock, no global, no random")
    return Finding("same", "green", f"{count(len(keys), 'row')} played alike twice, in two orders")


async def _one_by_one(world: World, keys: list[str], seed: int) -> dict[str, bytes]:
    return {key: await _line(world, key, seed) for key in keys}


async def _at_once(world: World, keys: list[str], seed: int) -> dict[str, bytes]:
    out: dict[str, bytes] = {}

    async def one(key: str) -> None:
        out[key] = await _line(world, key, seed)

    async with anyio.create_task_group() as group:
        for key in keys:
            group.start_soon(one, key)
    return out


async def _line(world: World, row: str, seed: int) -> bytes:
    cast = Cast(world, Random(), None, "check", text=lambda _sha, _value: None)
    played = await play_episode(cast, Job(Key(world.world, row, seed, 0, "check")))
    line = canon.loads(played.line)
    del line["clock"]
    return canon.dumps(line)
