"""A task compiled over its corpus: opens base envs, and knows its own version."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Literal

from agentharness.corpus.load import Corpus, load
from agentharness.corpus.merkle import TableDigest
from agentharness.corpus.paths import LIST, parse, values
from agentharness.env import lock
from agentharness.env.base import BaseEnv
from agentharness.env.compile import compile_task
from agentharness.env.conditions import condition
from agentharness.env.digest import Version, version
from agentharness.env.distance import along
from agentharness.env.expr import FILTERS, ExprError
from agentharness.env.goal import reach
from agentharness.env.rules import RewardRule, Rules, Setup
from agentharness.env.setup import given
from agentharness.env.spec import Limits, TaskSpec
from agentharness.env.task import Task
from agentharness.errors import EpisodeError, UserError, closest
from agentharness.types.env import Ask
from agentharness.types.move import Action
from agentharness.types.part import JsonDict

UNLOCKED = "unlocked"
_GOALS_KEPT = 4096
"""Goal states kept before they are worked out anew."""


class World:
    """types.env.World. Shared by all sessions of a process; nothing in it changes while they play."""

    def __init__(self, task: Task, corpus: Corpus, rules: Rules, version: Version, locked: str) -> None:
        self.name, self.spec, self.folder, self.corpus = task.name, task.spec, task.folder, corpus
        self.task, self.version, self.locked = task, version, locked
        self.world, self.scoring = version.world, version.scoring
        self.rules: dict[str, str] = version.rules
        """Digest of each rule, by its dotted place in the task."""
        self.tables: dict[str, TableDigest] = version.tables
        """Row count and digests of each table."""
        self.limits: Limits = task.spec.limits
        self.compiled = rules
        self._table = corpus.tables[rules.table]
        self._count: int | None = None
        self._sides: dict[str, list[str]] = {}
        self.compares_goal = any(rule.wants_goal for rule in rules.rewards.values())
        """Whether a reward compares with the state that gold actions reach."""
        self._goals: dict[tuple[str, int], JsonDict | EpisodeError] = {}
        columns = self._table.columns
        self._slices = {path: parse(path, columns) for path in task.spec.slices}

    @property
    def prose(self) -> str:
        """What a reply without an action is: nudge, answer or invalid."""
        return self.spec.prose

    @property
    def rewards(self) -> dict[str, RewardRule]:
        """Rewards by name: scorer, weight, options, and `resolve(full row, final state)`."""
        return self.compiled.rewards

    @property
    def setup(self) -> Setup | None:
        """Actions that are played before the agent starts; None where the task has none."""
        return self.compiled.setup

    def given(self, row: str) -> list[Action]:
        """The actions of the row's setup. Raises EpisodeError where the row gives none."""
        return given(self.compiled, row)

    @property
    def answering(self) -> tuple[str, str] | None:
        """The action that takes a prose reply, and its argument."""
        return self.compiled.answering

    @property
    def voices(self) -> dict[str, bool]:
        """Roles that answer inside the world -> whether a question to them needs a model."""
        return self.compiled.voices

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in self.keys()) if self.compiled.where else len(self._table)
        return self._count

    @property
    def is_split(self) -> bool:
        """Whether the task keeps rows apart for tests."""
        return self.compiled.split is not None

    def split_of(self, row: str) -> Literal["train", "test"] | None:
        """The side of the test split on which a row stands; None where the task has no split. Raises EpisodeError where there is no such row."""
        split = self.compiled.split
        return None if split is None else split(row, self.full(row))

    def side(self, name: str) -> Sequence[str]:
        """Keys of the rows of a split (`train`, `test`, or `all`), in the corpus's order. Worked out once."""
        if name not in self._sides:
            self._sides[name] = [key for key in self.keys() if name == "all" or self.split_of(key) == name]
        return self._sides[name]

    def keys(self) -> Iterator[str]:
        """Keys of the rows that are episodes, in the corpus's order. Raises UserError where `episode.where` fails on a row."""
        where = self.compiled.where
        for key in iter(self._table.keys()):
            if where is None or self._holds(key):
                yield key

    def _holds(self, key: str) -> bool:
        assert self.compiled.where is not None
        try:
            return bool(self.compiled.where({"row": self._table.full(key)}))
        except ExprError as e:
            raise UserError(f"fails on row {key!r}: {e.message}", where=str(self.task.places.at("episode", "where"))) from None

    def open(self, row: str, seed: int, ask: Ask) -> BaseEnv:
        """A base env for one row. `seed`: the env seed, all that draws depend on. Raises UserError where there is no such row."""
        if self._table.view(row) is None:
            near = closest(row, list(islice(self._table.keys(), 5000)))
            raise UserError(f"{self._table.name} of {self.name} has no row {row!r}", hint=near)
        return BaseEnv(self.compiled, row, seed, ask)

    def full(self, row: str) -> JsonDict:
        """The whole row, gold included: for scorers. Raises EpisodeError where there is no such row."""
        found = self._table.full(row)
        if found is None:
            raise EpisodeError("env", f"the corpus has no row {row!r}")
        return found

    def goal(self, row: str, seed: int) -> JsonDict | None:
        """The state that the row's gold actions reach; None where no reward asks for it. Worked out once, in any thread. Raises EpisodeError("scorer")."""
        if not self.compares_goal:
            return None
        found = self._goals.get((row, seed))
        if found is None:
            try:
                found = reach(self.compiled, row, seed)
            except EpisodeError as e:
                found = e
            if len(self._goals) >= _GOALS_KEPT:
                self._goals.clear()
            self._goals[(row, seed)] = found
        if isinstance(found, EpisodeError):
            raise EpisodeError(found.cause, found.message)
        return found

    def distances(self, row: str, seed: int, states: Sequence[JsonDict]) -> dict[str, list[int | None]]:
        """Name -> hops from each state's place to the goal, None where there is no way; empty where the task names no distance. Raises EpisodeError."""
        rules = self.compiled.distances
        return along(rules, self.compiled.scene(row, seed), self.full(row), states) if rules else {}

    def slices(self, row: str) -> JsonDict:
        """What reports group by: field path -> value of the row (a list where the path goes into lists)."""
        if not self._slices:
            return {}
        full = self.full(row)
        return {path: list(values(full, tokens)) if LIST in tokens else next(values(full, tokens), None) for path, tokens in self._slices.items()}


def build(
    task: Task,
    *,
    data: str | None = None,
    source: str | None = None,
    rename: Mapping[str, str] | None = None,
    note: Callable[[str], None] = lambda _: None,
    relock: bool = False,
    scorer_versions: Mapping[str, int] | None = None,
    voiced: frozenset[str] = frozenset(),
) -> World:
    """Loads a task's corpus, compiles the task over it, digests both and compares env.lock.

    data: one of the named data (`demo`). source, rename: another file in place of the task's own. note: gets each guess in one line. relock: a
    lock that does not match is let through, marked unlocked. scorer_versions: scorer -> semantics version, 1 where it is not named. voiced: roles
    inside the world that a model plays. Raises UserError.
    """
    spec = task.spec
    corpus = load(
        spec.corpus,
        spec.columns,
        task.folder,
        data=data,
        source=source,
        root=spec.episode.each,
        rename=rename,
        trusted=task.trusted,
        note=note,
        place=task.places.at,
        condition=partial(condition, task.places.at),
    )
    rules, make = compile_task(task, corpus, voiced)
    found = version(make, rules.derived, corpus.digests(), {name: info.version for name, info in FILTERS.items()}, scorer_versions or {})
    return World(task, corpus, rules, found, _locked(task, found, data, bool(source or rename), relock))


def _locked(task: Task, found: Version, data: str | None, replaced: bool, relock: bool) -> str:
    if replaced or task.changed:
        return UNLOCKED
    name = data_name(task.spec, data)
    section = lock.read(task.folder).get(name)
    if section is None or (relock and (section.get("world"), section.get("scoring")) != (found.world, found.scoring)):
        return UNLOCKED
    lock.check(section, found, task=task.name, data=name, where=str(task.folder / lock.FILE))
    return f"locked:{name}"


def data_name(spec: TaskSpec, data: str | None) -> str:
    """What env.lock calls the data: the given name, else `hub` where a table comes from the hub, else `own`."""
    return data or ("hub" if any(table.source and table.source.hub for table in spec.corpus.values()) else "own")
