"""Plays of a check: ordinary run folders, so that a check that was killed goes on, and the second one only reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agentharness import __version__, canon
from agentharness.check.subject import Subject
from agentharness.config.run_config import Ref
from agentharness.errors import UserError
from agentharness.run.cell import Cell
from agentharness.run.main import play_cell
from agentharness.run.prepare import make_agent, make_cell
from agentharness.stats import intervals
from agentharness.store.folder import default_path
from agentharness.store.reader import read_episodes
from agentharness.types.episode import final
from agentharness.types.face import Face, Progress
from agentharness.types.part import JsonDict


@dataclass(slots=True, frozen=True)
class Game:
    """What a check needs of one episode."""

    row: str
    status: str
    reward: float | None
    rewards: dict[str, float | None]
    turns: int
    error: str
    submission: Any
    extracted: str
    """What a scorer took from the submission; "" where it compares the whole."""
    state: int
    """Bytes of the final state."""


@dataclass
class Played:
    """The episodes of one agent, over the rows that are looked at."""

    cell: Cell
    games: list[Game] = field(default_factory=list)
    fired: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(dotted rule, verdict) -> steps."""

    def lines(self) -> Iterator[JsonDict]:
        """Episode lines of the rows that are looked at; where an episode has several attempts, the final or the last one."""
        assert self.cell.rows is not None
        wanted, done, last = set(self.cell.rows), set[tuple[str, int]](), dict[tuple[str, int], JsonDict]()
        for line in read_episodes(self.cell.folder, attempts=True):
            row, sample = line["key"]["row"], line["key"]["sample"]
            if row not in wanted or sample >= self.cell.config.samples or (row, sample) in done:
                continue
            if final(line["status"]):
                done.add((row, sample))
                yield line
            else:
                last[row, sample] = line
        # An error of the env is no final episode, and a check is about errors of the env.
        yield from last.values()

    @cached_property
    def values(self) -> list[float]:
        """Rewards of the episodes; one without a reward counts as 0."""
        return [game.reward or 0.0 for game in self.games]

    @property
    def mean(self) -> float | None:
        return intervals.mean(self.values)

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean, over episodes."""
        return intervals.interval(self.values)[0]


class _Hushed:
    """The caller's live line without the folders' names: a check has many runs, and one table."""

    def __init__(self, face: Face) -> None:
        self._face = face

    def say(self, text: str) -> None:
        """Nothing."""

    def live(self, total: int) -> AbstractContextManager[Progress]:
        return self._face.live(total)

    def table(self, cells: Any) -> None:
        """Nothing."""


async def play(subject: Subject, agent: str, *, samples: int = 1, options: JsonDict | None = None) -> Played:
    """Plays an agent over the rows, or reads what was played before. `agent`: a baseline, or module:Name with `options`. Raises UserError."""
    cell = _cell(subject, agent, samples, options or {})
    _, _, progress = await play_cell(cell, [], _Hushed(subject.face))
    if progress.interrupted:
        raise KeyboardInterrupt
    if progress.trouble:
        raise UserError(progress.trouble, hint="all that was played is kept: the same check goes on")
    out = Played(cell)
    for line in out.lines():
        out.games.append(_game(line))
        for step in line.get("steps") or ():
            rule = step.get("rule") or (f"actions.{step['action']}" if "action" in step else "start")
            out.fired[rule, step.get("verdict", "ok")] += 1
    return out


def _cell(subject: Subject, agent: str, samples: int, options: JsonDict) -> Cell:
    world = subject.world
    config = subject.config.model_copy(update={"agent": Ref(names=(agent,), options=options), "samples": samples, "limit": None})
    made, said = make_agent(agent, config, subject.cwd)
    cell = make_cell(config, world.name, agent, None, world, made, said, None, subject.cwd)
    cell.rows = subject.rows
    # An ordinary run's name says world and agent; what else decides what these plays are worth are the rewards, the oracle and the engine.
    oracle = world.spec.oracle.model_dump(by_alias=True) if world.spec.oracle is not None and agent == "oracle" else None
    cell.folder = default_path(subject.root, world.name, made.name, None, {**cell.identity, "check": [world.scoring, oracle, __version__]})
    return cell


def _game(line: JsonDict) -> Game:
    state = line.get("final_state") or {}
    kept = {name: value for name, value in state.items() if name not in ("t", "cost")}
    return Game(
        row=line["key"]["row"],
        status=line["status"],
        reward=line.get("reward"),
        rewards=line.get("rewards") or {},
        turns=int((line.get("metrics") or {}).get("turns", 0)),
        error=str((line.get("error") or {}).get("message", "")),
        submission=state.get("submission"),
        extracted=next((str(note["extracted"]) for note in (line.get("scores") or {}).values() if "extracted" in note), ""),
        state=len(canon.dumps(kept)) if kept else 0,
    )
