"""What stands in the data and beside it: rows that are asked twice, the licence, the lock."""

from __future__ import annotations

from agentharness import canon
from agentharness.check.finding import Finding, count, some
from agentharness.env.world import UNLOCKED, World


def duplicates(world: World) -> Finding:
    """Rows that say the same openly, and whether they have one answer."""
    table = world.corpus.tables[world.spec.episode.each]
    groups: dict[bytes, list[str]] = {}
    for scope, key in table.ids:
        groups.setdefault(canon.dumps(table.view(key, scope)), []).append(key)
    same = [keys for keys in groups.values() if len(keys) > 1]
    gold = table.projections.gold
    torn = [keys for keys in same if len({canon.dumps(gold(full)) for key in keys if (full := table.full(key)) is not None}) > 1]
    if torn and len(groups) > 1:
        what = f"{count(len(torn), 'question')} with two different answers, each in a row of its own"
        return Finding("duplicates", "yellow", what, some(key for keys in torn for key in keys), "such rows cannot all be answered right: mend or drop them")
    if same and len(groups) > 1:
        what = f"{count(sum(len(keys) - 1 for keys in same), 'row')} with the question of another row"
        return Finding("duplicates", "yellow", what, some(key for keys in same for key in keys), "they count more than once in the mean")
    return Finding("duplicates", "green", f"{count(len(table), 'row')}, each asked once")


def papers(world: World) -> list[Finding]:
    """Licence and lock."""
    licence = world.spec.licence
    out = [
        Finding("licence", "green", licence)
        if licence
        else Finding("licence", "yellow", "none", hint="`licence: SPDX-ID`, or `private` (fix=true writes that)")
    ]
    if world.locked == UNLOCKED:
        return [*out, Finding("lock", "yellow", "this world is in no env.lock", hint=f"python -m agentharness lock task={world.name}")]
    return [*out, Finding("lock", "green", world.locked)]


def facts(world: World) -> Finding:
    """What there is."""
    tables = ", ".join(f"{name} {len(table):,}" for name, table in world.corpus.tables.items())
    levels = [level for columns in world.spec.columns.values() for level in columns.values()]
    said = ", ".join(f"{levels.count(level)} {level}" for level in ("public", "hidden", "gold") if level in levels)
    return Finding("facts", "green", f"{world.spec.modality}; rows: {tables}; columns: {said}")
