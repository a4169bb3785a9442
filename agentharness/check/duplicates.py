"""Rows that look the same: with different gold no answer fits both; on both sides of a split the test is no test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agentharness import canon
from agentharness.check.finding import Colour, Finding, found, share
from agentharness.check.subject import Subject
from agentharness.env.world import World

MOST_ROWS = 100_000
"""Rows up to which all are compared, however few are played."""
MANY = 0.1
"""Share of contradicting rows from which on the public row does not settle the answer."""
TOLD = ("respond", "hook")
"""Verbs that tell an agent what no public row holds."""


def duplicates(subject: Subject) -> Finding:
    """Groups of rows whose public parts are the same, and whose gold is not."""
    world = subject.world
    keys = list(world.keys()) if len(world) <= MOST_ROWS else subject.rows
    groups: dict[str, list[str]] = {}
    for key in keys:
        if _says_something(world, key):
            groups.setdefault(public_digest(world, key), []).append(key)
    twins = [group for group in groups.values() if len(group) > 1]
    against = [group for group in twins if len({_gold(world, key) for key in group}) > 1]
    rows = sum(map(len, against))
    alike = sum(len(group) - 1 for group in twins) - sum(len(group) - 1 for group in against)
    beside = f"; {share(alike, len(keys))} repeat another one" if alike else ""
    if against and _told(world):
        return found("duplicates", "green", f"{share(rows, len(keys))} begin like a row with other gold, and the world tells them apart{beside}")
    if against:
        named = [" = ".join(group[:2]) for group in against]
        colour: Colour = "red" if rows > MANY * len(keys) else "yellow"
        text = f"{share(rows, len(keys))} look like a row with other gold: no answer fits both{beside}"
        return found("duplicates", colour, text, named, todo="show what tells them apart, or leave one out (`episode.where`)")
    return found("duplicates", "green", f"no two of {len(keys):,} rows contradict each other{beside}")


def across(world: World, groups: Mapping[str, Iterable[str]]) -> Finding:
    """Rows of one group (a split: name -> row keys) whose public part stands in another group as well."""
    first: dict[str, tuple[str, str]] = {}
    both: list[str] = []
    n = 0
    for name, keys in groups.items():
        for key in keys:
            n += 1
            there, other = first.setdefault(public_digest(world, key), (name, key))
            if there != name:
                both.append(f"{other} ({there}) = {key} ({name})")
    if both:
        text = f"{share(len(both), n)} stand on both sides of the split ({', '.join(groups)})"
        return found("split", "red", text, both, todo="keep such rows together: split by a column that they share, or leave one out")
    return found("split", "green", f"no row of {n:,} stands on both sides of the split ({', '.join(groups)})")


def public_digest(world: World, row: str) -> str:
    """Digest of all that the public row says, the tables under it (`scope: row`) included."""
    tables = world.corpus.tables
    under = {name: [table.view(key, row) for key in table.keys(row)] for name, table in tables.items() if table.scope}
    return canon.digest([tables[world.compiled.table].view(row), under])


def _says_something(world: World, row: str) -> bool:
    """Whether a row has a public part: where all of it is secret, rows are told apart by what the world answers."""
    return any(value not in (None, "", [], {}) for value in (world.corpus.tables[world.compiled.table].view(row) or {}).values())


def _gold(world: World, row: str) -> str:
    return canon.digest(world.corpus.tables[world.compiled.table].projections.gold(world.full(row)))


def _told(world: World) -> bool:
    verbs: Sequence[dict[str, object]] = [*world.spec.start, *(verb for rule in world.spec.actions.values() for verb in rule.do)]
    return any(name in TOLD for verb in verbs for name in verb)
