"""The ceiling and the floor: the oracle solves every row, doing nothing solves none, chance stays below."""

from __future__ import annotations

from agentharness.check.finding import Finding, count, some
from agentharness.check.played import Played
from agentharness.stats.intervals import interval

NEARLY = 0.999
"""A reward from here on is a solved row."""


def solvable(played: Played) -> Finding:
    """Whether the task's own solution scores on every row."""
    world = played.world
    if not world.rewards:
        return Finding("solvable", "yellow", "the task has no reward", hint="add `answer:` and `reward:`")
    if world.spec.oracle is None:
        return Finding("solvable", "yellow", "unknown: the task has no oracle", hint="add `oracle:`, so that each row is known to have a solution")
    failed = [key for key, line in played.lines["oracle"].items() if line["status"].startswith("error:")]
    if failed:
        message = played.lines["oracle"][failed[0]]["error"]["message"]
        return Finding("solvable", "red", f"{count(len(failed), 'row')} ended in an error: {message}"[:200], some(failed), "mend the rule that it names")
    lost = [key for key, reward in played.rewards("oracle").items() if reward < NEARLY]
    if lost:
        cut = sum(played.lines["oracle"][key]["status"] == "truncated:turns" for key in lost)
        hint = "raise limits.turns (fix=true does)" if cut == len(lost) else "look at these rows' answers, or at the oracle"
        return Finding("solvable", "red", f"the oracle does not solve {len(lost):,} of {count(len(played.keys), 'row')}", some(lost), hint)
    return Finding("solvable", "green", f"the oracle solves {count(len(played.keys), 'row')}")


def floor(played: Played) -> list[Finding]:
    """Whether doing nothing scores 0, and chance less than the oracle."""
    noop, random, oracle = (played.rewards(agent) for agent in ("noop", "random", "oracle"))
    won = [key for key, reward in noop.items() if reward > 0]
    out = [Finding("noop", "green", "doing nothing scores 0")]
    if won:
        out = [Finding("noop", "red", f"doing nothing scores on {count(len(won), 'row')}", some(won), "a reward must need an action")]
    values = list(random.values())
    mean = sum(values) / len(values) if values else 0.0
    found, _ = interval(values)
    span = f" ({found[0]:.3f} – {found[1]:.3f})" if found else ""
    best = sum(oracle.values()) / len(oracle) if oracle else 0.0
    said = f"random play scores {mean:.3f}{span}, the oracle {best:.3f}"
    if played.world.spec.oracle is None:
        return [*out, Finding("random", "yellow", f"random play scores {mean:.3f}{span}; there is no oracle to compare with")]
    return [*out, Finding("random", "green", said) if mean < best else Finding("random", "red", said, hint="chance must lose against the solution")]
