"""What the task's rules did while the baselines played: which ran, how large states grew, how many turns a solution takes."""

from __future__ import annotations

from agentharness import canon
from agentharness.check.finding import Finding, some
from agentharness.check.played import Played


def coverage(played: Played) -> Finding:
    """Whether every action was carried out at least once."""
    ran: set[str] = set()
    for lines in played.lines.values():
        for line in lines.values():
            ran |= {step["action"] for step in line.get("steps") or () if "action" in step and "verdict" not in step}
    idle = sorted(set(played.world.spec.actions) - ran)
    if idle:
        return Finding(
            "rules", "yellow", f"never carried out: {', '.join(idle)}", hint="a `suggest:` lets random play try its arguments; or the action cannot happen"
        )
    return Finding("rules", "green", f"all {len(ran)} actions were carried out")


def states(played: Played) -> Finding:
    """How large states grow, of what they may."""
    most, limit = 0, played.world.limits.state
    where = ""
    for lines in played.lines.values():
        for key, line in lines.items():
            size = len(canon.dumps(line.get("final_state")))
            if size > most:
                most, where = size, key
    said = f"the largest state has {most:,} bytes of {limit:,}"
    return Finding("state", "green", said) if most * 2 < limit else Finding("state", "yellow", said, (where,), "raise limits.state, or keep less in vars")


def turns(played: Played) -> Finding:
    """How many turns the solution takes, of what an agent has."""
    if played.world.spec.oracle is None:
        return Finding("turns", "yellow", "unknown: the task has no oracle")
    taken = {key: int(line["metrics"]["turns"]) for key, line in played.lines["oracle"].items() if "metrics" in line}
    limit, most = played.world.limits.turns, max(taken.values(), default=0)
    middle = sorted(taken.values())[len(taken) // 2] if taken else 0
    said = f"the oracle takes {middle} turns at the median, {most} at most, of {limit}"
    tight = [key for key, n in taken.items() if n >= limit]
    if tight:
        return Finding("turns", "yellow", said, some(tight), "a model needs more turns than the solution: raise limits.turns (fix=true does)")
    return Finding("turns", "green", said)
