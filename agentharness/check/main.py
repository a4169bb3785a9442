"""`check`: plays the baselines over a task, and judges what they came to. No model, no network."""

from __future__ import annotations

import math
import time
from importlib.util import find_spec
from pathlib import Path

import anyio

from agentharness.check import facts
from agentharness.check.coverage import coverage
from agentharness.check.duplicates import across, duplicates
from agentharness.check.edges import edges
from agentharness.check.finding import Finding, Report
from agentharness.check.hackable import hackable
from agentharness.check.leaks import leaks
from agentharness.check.plays import Played, play
from agentharness.check.reach import errors, floor, solvable, turns
from agentharness.check.same import same
from agentharness.check.subject import Subject, sample
from agentharness.config.run_config import RunConfig
from agentharness.run.collector import quiet_collector
from agentharness.run.prepare import make_world
from agentharness.types.face import Face

FOLDER = Path("results/check")
EPISODES = 64
"""Episodes of random play at least: where there are few rows, each is played more than once."""
MOST_SAMPLES = 64


def check(ref: str, config: RunConfig, face: Face, *, limit: int | None) -> Report:
    """Checks one task. `config`: seed, data, source, out and the like; `limit`: rows that are played, None: all. Raises UserError where the task does not load;
    KeyboardInterrupt after the first Ctrl-C, once the running episodes are kept."""
    began = time.monotonic()
    config = config.model_copy(update={"relock": True, "limit": None})  # a lock that does not match is a finding here
    world = make_world(ref, config, face.say, Path.cwd())
    groups = {name: world.side(name) for name in ("train", "test")} if world.is_split else {}
    subject = Subject(ref, world, config, sample(world, limit, config.seed), Path(config.out) if config.out else FOLDER, Path.cwd(), face, groups)
    data = f"source={config.source}" if config.source else config.data or ""
    report = Report(world.name, data, world.world, world.spec.licence, len(world), len(subject.rows))
    with quiet_collector():
        anyio.run(_fill, subject, report, backend_options={"use_uvloop": find_spec("uvloop") is not None})
    report.seconds = time.monotonic() - began
    return report


async def _fill(subject: Subject, report: Report) -> None:
    world = subject.world
    oracle = await play(subject, "oracle") if world.compiled.oracle is not None else None
    random = await play(subject, "random", samples=min(MOST_SAMPLES, math.ceil(EPISODES / len(subject.rows))))
    noop = await play(subject, "noop")
    both: list[Played] = [random] if oracle is None else [oracle, random]
    plays = [*both, noop]
    again = await same(subject, both)
    findings: list[Finding | None] = [
        facts.size(subject),
        facts.licence(subject),
        facts.locked(subject),
        solvable(subject, oracle),
        await turns(subject, oracle),
        *floor(subject, oracle, random, noop),
        errors(plays),
        again.finding,
        facts.state(subject, plays, again.largest),
        coverage(world, both),
        edges(subject),
        leaks(subject, both),
        await hackable(subject, oracle, noop),
        duplicates(subject),
        across(world, subject.groups) if subject.groups else None,
    ]
    report.findings = [finding for finding in findings if finding is not None]
    report.means = {played.cell.agent.name: played.mean for played in plays if world.rewards}
