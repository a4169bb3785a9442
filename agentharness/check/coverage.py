"""Which rules ever fired: one that never does is a guard that never holds, or a verb that never finds anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentharness.check.finding import Finding, found
from agentharness.check.plays import Played
from agentharness.env.spec import ActionRule
from agentharness.env.world import World


def coverage(world: World, plays: Sequence[Played]) -> Finding:
    """The actions that no play ever made do anything, and the written `else` texts that nobody was shown."""
    fired: Counter[tuple[str, str]] = sum((p.fired for p in plays), Counter())
    dead = [f"{name} ({_why(name, fired)})" for name in world.spec.actions if not fired[f"actions.{name}", "ok"]]
    unseen = [name for name, rule in world.spec.actions.items() if _own_else(world, name, rule) and not _refused(name, fired)]
    beside = f"; never shown: the `else` of {', '.join(unseen)}" if unseen else ""
    if dead:
        return found(
            "coverage",
            "yellow",
            f"{len(dead)} of {len(world.spec.actions)} actions never did anything: {', '.join(dead)}{beside}",
            todo="loosen its guard or its arguments, give it `suggest:`, or remove it",
        )
    return found("coverage", "green", f"every action fired ({', '.join(world.spec.actions)}){beside}")


def _why(name: str, fired: Counter[tuple[str, str]]) -> str:
    """What became of the tries, commonest first."""
    said = {"refused": "its `when` was false", "missing": "it found nothing", "invalid": "its arguments were refused"}
    tries = Counter[str]()
    for (rule, verdict), n in fired.items():
        if rule.startswith(f"actions.{name}."):
            tries[said.get(verdict, verdict)] += n
    return ", ".join(f"{why} {n} time{'s' if n > 1 else ''}" for why, n in tries.most_common()) or "never tried"


def _own_else(world: World, name: str, rule: ActionRule) -> bool:
    """Whether the user wrote an `else` here: a preset's are not his affair."""
    return rule.else_ is not None and ("actions", name, "else") in world.task.places.known


def _refused(name: str, fired: Counter[tuple[str, str]]) -> bool:
    return any(n and verdict in ("refused", "missing") and rule.startswith(f"actions.{name}.") for (rule, verdict), n in fired.items())
