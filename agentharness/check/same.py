"""Determinism: the same key gives the same episode, whatever was played before it or beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import anyio

from agentharness import canon
from agentharness.check.finding import Finding, found, share
from agentharness.check.plays import Played
from agentharness.check.subject import Copy, Subject
from agentharness.env.base import BaseEnv
from agentharness.env.compile import compile_task
from agentharness.run.main import cast_of
from agentharness.session.ports import Job, NoJournal
from agentharness.session.session import play_episode
from agentharness.types.agent import Agent, Player, Seat
from agentharness.types.env import Ask
from agentharness.types.episode import Key
from agentharness.types.move import Move, Observation
from agentharness.types.part import JsonDict

MOST = 50
"""Rows that are played again: a rule that depends on the order shows in the first few."""
_APART = ("clock", "env", "agent", "schema_version")
"""What may differ between two plays of one episode: times, and what the run says of itself."""


@dataclass(slots=True)
class Same:
    """What playing again came to."""

    finding: Finding
    largest: int
    """Bytes of the largest state met on the way."""


class _Watched(Copy):
    """A world compiled afresh that keeps the last env it opened."""

    last: BaseEnv | None = None

    def open(self, row: str, seed: int, ask: Ask) -> BaseEnv:
        self.last = super().open(row, seed, ask)
        return self.last


class _Yielding:
    """An agent that lets all other sessions move before each move of its own."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.name, self.needs_model, self.privileged = agent.name, agent.needs_model, agent.privileged

    def identity(self) -> JsonDict:
        return self._agent.identity()

    def sit(self, seat: Seat) -> Player:
        return _YieldingPlayer(self._agent.sit(seat))


class _YieldingPlayer:
    def __init__(self, player: Player) -> None:
        self._player = player

    async def act(self, observation: Observation) -> Move:
        await anyio.lowlevel.checkpoint()
        return await self._player.act(observation)


async def same(subject: Subject, plays: Sequence[Played]) -> Same:
    """Compares what the run folders hold (played in the corpus's order, maybe by another process) with two more plays: in reverse order over rules compiled
    afresh, and all sessions at once, taking turns."""
    differing: list[str] = []
    largest = episodes = 0
    for played in plays:
        before = {line["key"]["row"]: line for line in _first(played)}
        again, seen = await _backwards(subject, played, list(before))
        beside = await _together(played, list(before))
        largest, episodes = max(largest, seen), episodes + len(before)
        for row, line in before.items():
            for other, how in ((again[row], "in another order"), (beside[row], "beside other sessions")):
                if (where := _differs(line, other)) is not None:
                    differing.append(f"{row} ({played.cell.agent.name}, {how}: {where})")
                    break
    if differing:
        return Same(
            found(
                "determinism",
                "red",
                f"{share(len(differing), episodes).replace('row', 'episode')} play differently with the same seed",
                differing,
                todo="only `draw` may be random: hooks must be pure, and keep nothing between calls",
            ),
            largest,
        )
    return Same(found("determinism", "green", f"{episodes:,} episodes are the same in another order, beside others, and again"), largest)


def _first(played: Played) -> Iterator[JsonDict]:
    assert played.cell.rows is not None
    rows = set(played.cell.rows[:MOST])
    return (line for line in played.lines() if line["key"]["row"] in rows and line["key"]["sample"] == 0)


async def _backwards(subject: Subject, played: Played, rows: Sequence[str]) -> tuple[dict[str, JsonDict], int]:
    world = _Watched(subject.world)
    world.compiled = compile_task(world.task, world.corpus)[0]
    out: dict[str, JsonDict] = {}
    largest = 0
    cast = replace(cast_of(played.cell, NoJournal()), world=world)
    for row in reversed(rows):
        out[row] = canon.loads((await play_episode(cast, Job(_key(played, row)))).line)
        if world.last is not None:
            largest = max([largest, *(_size(outcome.state) for _, outcome, _ in world.last.log)])
    return out, largest


async def _together(played: Played, rows: Sequence[str]) -> dict[str, JsonDict]:
    cast = cast_of(played.cell, NoJournal())
    cast = replace(cast, agent=_Yielding(cast.agent))
    out: dict[str, JsonDict] = {}

    async def one(row: str) -> None:
        out[row] = canon.loads((await play_episode(cast, Job(_key(played, row)))).line)

    async with anyio.create_task_group() as group:
        for row in rows:
            group.start_soon(one, row)
    return out


def _key(played: Played, row: str) -> Key:
    cell = played.cell
    return Key(cell.world.world, row, cell.config.seed, 0, cell.agent_digest, cell.config.round)


def _size(state: JsonDict) -> int:
    return len(canon.dumps({name: value for name, value in state.items() if name not in ("t", "cost")}))


def _differs(line: JsonDict, other: JsonDict) -> str | None:
    """The first place where two episodes differ, in words; None where they are the same bytes."""
    a, b = _bare(line), _bare(other)
    if canon.dumps(a) == canon.dumps(b):
        return None
    steps = list(zip(a.pop("steps", []), b.pop("steps", []), strict=False))
    for number, (x, y) in enumerate(steps):
        names = [name for name in sorted({*x, *y}) if canon.dumps(x.get(name)) != canon.dumps(y.get(name))]
        if names:
            return f"step {number} in {', '.join(names)}"
    return ", ".join(name for name in sorted({*a, *b}) if canon.dumps(a.get(name)) != canon.dumps(b.get(name))) or "the number of steps"


def _bare(line: JsonDict) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in _APART}
