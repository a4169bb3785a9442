"""`check`: all checks over one task, as findings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentharness.check import data, rules
from agentharness.check.baselines import floor, solvable
from agentharness.check.finding import Finding
from agentharness.check.fix import fix
from agentharness.check.hackable import hackable
from agentharness.check.leaks import leaks
from agentharness.check.played import Played, played
from agentharness.check.same import same
from agentharness.config.run_config import RunConfig

ROWS = 200
"""Rows that are played where no limit is given."""

Say = Callable[[str], None]


def check(config: RunConfig, name: str, *, whole: bool, mend: bool, say: Say, cwd: Path) -> tuple[Played, list[Finding]]:
    """Checks one task: the first `config.limit` rows (200 where it is not said), all of them where `whole`. `mend`: fixes what is mechanical, and checks again.
    Raises UserError."""
    limit = None if whole else config.limit or ROWS
    found = played(config, name, limit, say, cwd)
    findings = look(found, config.seed)
    if mend and (diff := fix(found, findings)):
        say(diff.rstrip("\n"))
        found = played(config, name, limit, say, cwd)
        findings = look(found, config.seed)
    return found, findings


def look(found: Played, seed: int) -> list[Finding]:
    """Every check, in the order of the table."""
    world = found.world
    return [
        data.facts(world),
        solvable(found),
        *floor(found),
        same(found, seed),
        leaks(found),
        hackable(found),
        rules.coverage(found),
        rules.turns(found),
        rules.states(found),
        data.duplicates(world),
        *data.papers(world),
    ]
