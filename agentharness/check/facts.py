"""What stands in the task's folder: sizes, licence, lock, the room that a state has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentharness.check.finding import Finding, Fix, found
from agentharness.check.plays import Played
from agentharness.check.subject import Subject
from agentharness.env import lock
from agentharness.env.world import data_name

ROOMY = 0.5
"""Share of limits.state from which on a longer episode may meet the limit."""
PRIVATE = Fix(("licence",), "private")


def size(subject: Subject) -> Finding:
    """How much there is."""
    world = subject.world
    looked = f" ({len(subject.rows):,} looked at)" if len(subject.rows) < len(world) else ""
    tables = ", ".join(f"{name} {len(table):,}" for name, table in world.corpus.tables.items())
    levels = Counter(level for table in world.spec.columns.values() for level in table.values())
    declared = ", ".join(f"{levels[level]} {level}" for level in ("public", "hidden", "gold") if levels[level])
    return found("size", "green", f"{len(world):,} rows{looked}; tables: {tables}; columns declared: {declared or 'none'}; {world.spec.modality}")


def licence(subject: Subject) -> Finding:
    """Whether the data's licence is said."""
    said = subject.world.spec.licence
    if said:
        return found("licence", "green", said)
    return found("licence", "yellow", "the task does not say under which licence its data is", todo="licence: an SPDX id, or `private`", fix=PRIVATE)


def locked(subject: Subject) -> Finding:
    """Whether env.lock is there, and says the same as what was built."""
    world, config = subject.world, subject.config
    sections = lock.read(world.folder)
    write = f"python -m agentharness lock task={subject.ref}{f' data={config.data}' if config.data else ''}"
    digests = {name: (section.get("world"), section.get("scoring")) for name, section in sections.items()}
    if config.source or config.rename or world.task.changed:
        same = next((name for name, pair in digests.items() if pair == (world.world, world.scoring)), None)
        if same is not None:
            return found("lock", "green", f"the same as [data.{same}] of env.lock")
        what = f"it locks {', '.join(sections)}" if sections else "there is none"
        return found("lock", "green" if sections else "yellow", f"not compared: the command replaces the data or a key; {what}", todo="" if sections else write)
    name = data_name(world.spec, config.data)
    if name not in sections:
        return found("lock", "yellow", f"env.lock has no [data.{name}]: what is played today cannot be told from what is played tomorrow", todo=write)
    if digests[name] == (world.world, world.scoring):
        return found("lock", "green", f"[data.{name}] of env.lock matches")
    parts = lock.differences(sections[name], lock.section(world.version))
    return found("lock", "red", f"[data.{name}] of env.lock is of another version: {'; '.join(parts)}", todo=f"mend what changed, or accept it: {write}")


def state(subject: Subject, plays: Sequence[Played], along: int) -> Finding:
    """How large states grow. `along`: the largest one seen on the way in the episodes that were watched."""
    limit = subject.world.limits.state
    over = [g.row for p in plays for g in p.games if "more than limits.state" in g.error]
    largest = max([along, *(g.state for p in plays for g in p.games)], default=0)
    todo = "keep keys and counts in `vars`, not texts; or raise limits.state"
    if over:
        return found("state", "red", f"the state outgrows limits.state ({limit:,} bytes) in {len(over):,} episodes", over, todo=todo)
    text = f"the largest state has {largest:,} bytes of {limit:,}"
    return found("state", "green" if largest <= ROOMY * limit else "yellow", text, todo="" if largest <= ROOMY * limit else todo)
