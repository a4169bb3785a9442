"""The version of an env: one digest over what decides observations, one over what decides scores (DESIGN section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agentharness import canon
from agentharness.corpus.merkle import TableDigest
from agentharness.corpus.project import Node, tree
from agentharness.env import schema
from agentharness.env.expr import LANGUAGE
from agentharness.env.maker import Maker
from agentharness.env.recorded import RECORDED
from agentharness.env.spec import ActionRule
from agentharness.env.verbs import VERBS, normal
from agentharness.types.episode import MARK
from agentharness.types.part import JsonDict

_CONTENT = {"source", "rename"}
"""Keys of a table that say where its rows come from: what they yield is digested instead."""


@dataclass(slots=True, frozen=True)
class Version:
    """Digests of an env, whole and by part."""

    world: str
    scoring: str
    rules: dict[str, str] = field(default_factory=dict)
    """Dotted place in the task (`actions.open`), or `verbs.goto`, `filters.join`, `hooks` -> digest. `rewards.*` count for scoring, all else for the world."""
    tables: dict[str, TableDigest] = field(default_factory=dict)


def version(make: Maker, derived: JsonDict, tables: Mapping[str, TableDigest], filters: Mapping[str, int], scorers: Mapping[str, int]) -> Version:
    """Digests of a compiled task. `filters`, `scorers`: name -> semantics version; a scorer that is not named counts as 1."""
    world = {name: canon.digest(value) for name, value in _world(make, derived, filters).items()}
    scoring = {f"rewards.{name}": canon.digest(value) for name, value in _rewards(make, scorers).items()}
    return Version(
        MARK + canon.digest({"rules": world, "tables": {n: [t.rows, t.open, *([t.gold] if n in make.heard else [])] for n, t in tables.items()}}),
        MARK + canon.digest({"rules": scoring, "tables": {name: t.gold for name, t in tables.items()}}),
        {**world, **scoring},
        dict(tables),
    )


def _world(make: Maker, derived: JsonDict, filters: Mapping[str, int]) -> JsonDict:
    spec = make.spec
    out: JsonDict = {
        "episode": _set(spec.episode),
        "observe": spec.observe,
        "start": [normal(verb) for verb in spec.start],
        "images": spec.images,
        "vars": spec.vars,
        "prose": spec.prose,
        "modality": spec.modality,
        "limits": spec.limits.model_dump(exclude_none=True),
    }
    out |= {f"corpus.{name}": {k: v for k, v in _set(table).items() if k not in _CONTENT} for name, table in spec.corpus.items()}
    levels = {f"columns.{name}": _levels(tree(declared, make.corpus.tables[name].columns)) for name, declared in spec.columns.items()}
    out |= {name: found for name, found in levels.items() if found}
    if spec.test is not None:
        out["test"] = _set(spec.test)
    out |= {f"edges.{name}": _set(edge) for name, edge in spec.edges.items()}
    # The values, not only the path: gold that an observation may show belongs to the world.
    out |= {f"derive.{name}": [_set(derive), derived[name]] for name, derive in spec.derive.items()}
    out |= {f"trajectories.{name}": [_set(recorded), RECORDED] for name, recorded in spec.trajectories.items()}
    out |= {f"actions.{name}": _action(action, make, name) for name, action in spec.actions.items()}
    out |= {f"sql.{one.name}": str(one) for base in make.databases.values() for one in base.relations.values()}
    out["language"] = LANGUAGE
    out |= {f"verbs.{name}": VERBS[name] for name in make.verbs}
    out |= {f"filters.{name}": filters.get(name, 1) for name in make.filters}
    out |= {f"indexes.{name}": number for name, number in make.indexes.items()}
    if spec.setup is not None:
        out["setup"] = _set(spec.setup)
    if "hook" in make.verbs:
        out["hooks"] = make.hooks.digest
    return out


def _levels(node: Node) -> JsonDict:
    # Only what differs from the path above it: to name a hidden column changes nothing.
    inner = {name: [child.level if child.level != node.level else "", _levels(child)] for name, child in node.children.items()}
    return {name: value for name, value in inner.items() if value != ["", {}]}


def _action(action: ActionRule, make: Maker, name: str) -> JsonDict:
    # `heavy` says where it runs, not what it does
    out = {k: v for k, v in _set(action).items() if k != "heavy"}
    out["args"] = {arg: schema.normal(written, make.place(("actions", name, "args", arg))) for arg, written in action.args.items()}
    out["do"] = [normal(verb) for verb in action.do]
    return out


def _rewards(make: Maker, scorers: Mapping[str, int]) -> JsonDict:
    spec = make.spec
    beside: list[Any] = [] if spec.goal is None else [spec.goal]
    if spec.distances:
        beside.append({name: _set(path) for name, path in spec.distances.items()})
    # a scorer of the task's own has its source in place of a version
    own = {name: make.scorers[file].digest for name in (r.scorer for r in spec.rewards.values()) if (file := name.rpartition(":")[0]) in make.scorers}
    return {name: [_set(reward), reward.weight, own.get(reward.scorer) or scorers.get(reward.scorer, 1), *beside] for name, reward in spec.rewards.items()}


def _set(model: Any) -> JsonDict:
    # A key at its default means what a task without the key means; so a key that a later version adds moves no digest.
    dumped: JsonDict = model.model_dump(by_alias=True, exclude_defaults=True)
    return dumped
