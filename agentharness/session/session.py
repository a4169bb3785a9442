"""One episode from its first observation to its line: whatever happens inside becomes that episode's status, and no other's."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any

import anyio

from agentharness import canon
from agentharness.errors import BrokenOff, Bug, EpisodeError, StoreFull, Truncated
from agentharness.score.total import total
from agentharness.session import record
from agentharness.session.clock import Clock
from agentharness.session.outside import Outside, asker
from agentharness.session.play import Play
from agentharness.session.ports import Cast, Job, Played, error_of
from agentharness.session.seat import SessionSeat
from agentharness.types.agent import Player
from agentharness.types.episode import Facts
from agentharness.types.move import Move, Observation
from agentharness.types.part import JsonDict
from agentharness.types.score import Score


@dataclass(slots=True)
class End:
    """How an episode ended."""

    status: str = "completed"
    message: str = ""
    fatal: bool = False


async def play_episode(cast: Cast, job: Job) -> Played:
    """Plays one episode. Raises StoreFull, and cancellation; everything else becomes its status."""
    world, key = cast.world, job.key
    clock = Clock(world.limits.time, world.limits.wall)
    env_seed = cast.env_seed(key)
    outside = Outside(key.id, job.attempt, job.replay, cast.journal)
    play: Play | None = None
    seat = SessionSeat(
        cast.model if cast.agent.needs_model else None,
        outside,
        clock,
        seed=cast.agent_seed(env_seed, key),
        tokens=world.limits.tokens,
        plan=(lambda: play.oracle() if play is not None else None) if cast.agent.privileged else None,
    )
    end = End()
    try:
        with clock.limits():
            play = Play(world, key.row, env_seed, asker(outside, cast.respond, clock), cast.layers)
            await _turns(play, cast, seat, clock)
    except Truncated as t:
        end = End(f"truncated:{t.by}")
    except EpisodeError as e:
        end = End(f"error:{e.cause}", e.message, e.fatal)
    finally:
        closed = await play.close() if play is not None else ""
    if closed and not end.status.startswith("error:"):
        end = End("error:layer", closed)
    if play is not None and world.compares_goal and not end.status.startswith("error:"):
        await play.settle()
    return _finish(cast, job, play, seat, outside, clock, end)


async def _turns(play: Play, cast: Cast, seat: SessionSeat, clock: Clock) -> None:
    observation = await play.reset()
    player = _sit(cast, seat)
    while not play.over:
        clock.check()
        seat.turn, seat.legal = play.turn, observation.actions
        observation = await play.step(await _act(player, observation))


def _sit(cast: Cast, seat: SessionSeat) -> Player:
    try:
        return cast.agent.sit(seat)
    except Exception as e:
        raise EpisodeError("agent", _trace(e)) from e


async def _act(player: Player, observation: Observation) -> Move:
    try:
        acting: Any = player.act(observation)
        if not hasattr(acting, "__await__"):
            raise EpisodeError("agent", "act must be async: `async def act(self, observation)`")
        move = await acting
    except (EpisodeError, Truncated, StoreFull, Bug, BrokenOff):
        raise
    except (Exception, SystemExit, KeyboardInterrupt) as e:  # Ctrl-C comes as a signal, so that this one was raised by hand
        raise EpisodeError("agent", _trace(e)) from e
    except anyio.get_cancelled_exc_class() as e:
        if anyio.current_effective_deadline() == float("-inf"):
            raise  # the session is cancelled; else the agent let a cancellation of its own escape
        raise EpisodeError("agent", _trace(e)) from e
    if not isinstance(move, Move):
        raise EpisodeError("agent", f"act gave a {type(move).__name__}, not a Move")
    return move


def _trace(e: BaseException) -> str:
    where = traceback.extract_tb(e.__traceback__)[-1]
    return f"{type(e).__name__}: {e} ({where.filename.rsplit('/', 1)[-1]}:{where.lineno})"


def _finish(cast: Cast, job: Job, play: Play | None, seat: SessionSeat, outside: Outside, clock: Clock, end: End) -> Played:
    scores: dict[str, Score] = {}
    if play is not None and (end.status == "completed" or end.status.startswith("truncated:")):
        try:
            scores = play.scores()
        except EpisodeError as e:
            end = End(f"error:{e.cause}", e.message)
    result: JsonDict = {"status": end.status, "reward": total(scores, cast.weights) if scores else None}
    if end.status == "error:agent" and cast.agent_errors == "zero":
        result["reward"] = 0.0
    if end.status.startswith("error:"):
        result["error"] = error_of(end.status, end.message)
    if outside.orphaned:
        seat.count("orphaned", outside.orphaned)
    times: JsonDict = {"seconds": round(clock.seconds, 4)}
    if job.attempt > 1:
        times["attempt"] = job.attempt
    if clock.waited:
        times["waited_s"] = round(clock.waited, 4)
    if outside.replayed:
        times["replayed"] = outside.replayed
    line = record.episode(cast, job, play, seat, result, scores, times)
    facts = Facts.from_line(line, job.key)
    record.keep_once(cast, play, seat, line)
    try:
        written = canon.dumps(line, newline=True, finite=record.finite(play, line))
    except TypeError as e:
        if end.status == "error:agent" or play is None:
            raise
        # Only an agent in Python can do this: what models say was JSON.
        record.without_objects(play)
        return _finish(cast, job, play, seat, outside, clock, End("error:agent", f"a move or a count holds what is no JSON: {e}"))
    return Played(written, facts, record.pictures(play), end.message if end.fatal else "")
