"""What the baselines reach: the oracle everything, the others little; and whether anything breaks on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from agentharness.check.finding import Colour, Finding, Fix, found, rate, share
from agentharness.check.plays import Played
from agentharness.check.subject import Copy, Subject
from agentharness.run.main import cast_of
from agentharness.session.ports import Job, NoJournal
from agentharness.session.session import play_episode
from agentharness.stats.intervals import mean
from agentharness.types.episode import Key

SOLVED = 0.999
"""Reward of a solved row: 1, but for what a mean of weights rounds."""
FEW = 0.01
"""Share of rows that the oracle may miss before it is no oracle: real data has rows that no answer fits."""
IDLE, IDLE_MOST = 0.02, 0.5
"""Mean reward of doing nothing: up to the first it is nothing; above the second it is right more often than not. Between them lie worlds in which to refuse is
sometimes right."""
MORE_TURNS = 8
"""Times the limit that the oracle is given, to see how many turns it needs."""


def solvable(subject: Subject, oracle: Played | None) -> Finding:
    """Whether the task's own solution is right on every row."""
    if not subject.world.rewards:
        return found("solvable", "yellow", "unknown: the task has no reward", todo="add `reward:` (short) or `rewards:`")
    if oracle is None:
        return found("solvable", "yellow", "unknown: the task has no oracle", todo="add `answer:` (short) or `oracle:`, so that its ceiling is known")
    missed = [f"{g.row} ({_came_to(g.reward, g.status)})" for g in oracle.games if g.reward is None or g.reward < SOLVED]
    n = len(oracle.games)
    if not missed:
        return found("solvable", "green", f"the oracle scores 1 on all {n:,} rows" if n > 1 else "the oracle scores 1 on the one row")
    colour: Colour = "yellow" if len(missed) <= FEW * n else "red"
    return found(
        "solvable",
        colour,
        f"the oracle does not solve {share(len(missed), n)}; its mean is {rate(oracle.mean, oracle.interval)}",
        missed,
        todo="mend `oracle:`, the reward, or the gold of these rows; `episode.where` leaves rows out",
    )


def _came_to(reward: float | None, status: str) -> str:
    if status != "completed":
        return status
    return "unscored" if reward is None else f"{reward:.3g}"


def floor(subject: Subject, oracle: Played | None, random: Played, noop: Played) -> list[Finding]:
    """Doing nothing is worth nothing, and chance is worth less than the solution."""
    if not subject.world.rewards:
        return []
    idle = noop.mean or 0.0
    won = [g.row for g in noop.games if (g.reward or 0.0) > 0]
    out = [
        found(
            "noop",
            "green" if idle <= IDLE else "yellow" if idle <= IDLE_MOST else "red",
            f"doing nothing scores {rate(idle, noop.interval)}",
            won if idle > IDLE else (),
            todo="" if idle <= IDLE else "a reward that the first state has already is given away: compare with what an answer or an action changes",
        )
    ]
    if oracle is None or oracle.mean is None:
        return [*out, found("random", "green", f"random play scores {rate(random.mean, random.interval)}; there is no oracle to compare with")]
    chance, top = random.mean or 0.0, oracle.mean
    high = random.interval[1] if random.interval is not None else 1.0
    text = f"random play scores {rate(chance, random.interval)}, the oracle {top:.3f}"
    if chance == top == 0:
        return [*out, found("random", "green", text)]  # what is wrong is the oracle
    if chance >= top:
        return [*out, found("random", "red", text, todo="chance does as well as the solution: the reward measures nothing")]
    return [
        *out,
        found("random", "green" if high < top else "yellow", text, todo="" if high < top else "too close to tell apart: more rows, or a stricter reward"),
    ]


def errors(plays: Sequence[Played]) -> Finding:
    """Episodes that the task's own rules or scorers broke, whoever played."""
    said: Counter[str] = Counter()
    rows: list[str] = []
    for played in plays:
        for game in played.games:
            if game.status.startswith("error:"):
                said[f"{game.status}: {game.error}"] += 1
                rows.append(f"{game.row} ({played.cell.agent.name})")
    if not rows:
        return found("errors", "green", f"no error in {sum(len(p.games) for p in plays):,} episodes")
    (message, _), more = said.most_common(1)[0], len(said) - 1
    beside = f", and {more} other message{'s' if more > 1 else ''}" if more else ""
    return found("errors", "red", f"{len(rows):,} episodes end in an error, most by {_short(message)}{beside}", rows, todo="mend the rule that is named")


def _short(text: str, most: int = 160) -> str:
    words = " ".join(text.split())
    return words if len(words) <= most else words[: most - 1] + "…"


async def turns(subject: Subject, oracle: Played | None) -> Finding | None:
    """Whether the solution fits into the turns that an episode has."""
    limit = subject.world.limits.turns
    if oracle is None:
        return None
    cut = [g.row for g in oracle.games if g.status == "truncated:turns"]
    taken = sorted(g.turns for g in oracle.games)
    if not cut:
        middle, most = taken[len(taken) // 2], taken[-1]
        return found("turns", "green", f"the oracle takes {middle} (at most {most}) of {limit} turns")
    needed = [n for row in cut if (n := await _needs(subject, oracle, row, limit * MORE_TURNS)) is not None]
    if not needed:
        text = f"{limit} turns end {share(len(cut), len(taken))} before the oracle does, and {limit * MORE_TURNS} turns would too"
        return found("turns", "red", text, cut, todo="the oracle does not end: close it with a move that does `end`")
    text = f"{limit} turns end {share(len(cut), len(taken))} before the oracle does; it needs up to {max(needed)} (mean {mean(needed):.1f})"
    return found("turns", "red", text, cut, todo=f"turns: {max(needed)} (limits.turns)", fix=Fix(("limits", "turns"), max(needed)))


async def _needs(subject: Subject, oracle: Played, row: str, limit: int) -> int | None:
    """Turns that the oracle takes where it has `limit`; None where that is not enough."""
    cell = oracle.cell
    world = Copy(subject.world)
    world.limits = world.limits.model_copy(update={"turns": limit})
    cast = replace(cast_of(cell, NoJournal()), world=world)
    key = Key(world.world, row, cell.config.seed, 0, cell.agent_digest, cell.config.round)
    facts = (await play_episode(cast, Job(key))).facts
    return int(facts.metrics["turns"]) if facts.status == "completed" else None
