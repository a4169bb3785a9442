"""A compiled task: what `advance` and `start` run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from agentharness.corpus.assets import Assets
from agentharness.env.distance import DistanceRule
from agentharness.env.expr import Compiled
from agentharness.env.legal import Legals
from agentharness.env.recorded import Recorded
from agentharness.env.views import Rows, Scene
from agentharness.env.work import Verb
from agentharness.types.move import Action
from agentharness.types.part import JsonDict


@dataclass(slots=True)
class Rule:
    """One action, compiled."""

    name: str
    when: Compiled | None
    verbs: tuple[Verb, ...]
    say: Compiled | None
    else_: Compiled | None
    cost: Compiled | None
    """None: always `price`."""
    price: float
    heavy: bool
    """May take long: runs in a thread of the pool, never in the loop."""
    tables: tuple[str, ...]
    """Tables that its expressions list."""
    results: bool
    """Whether its expressions read `results`."""
    by_place: bool
    """Whether `say` depends on nothing but where one stands: it is then worked out once for each place."""
    by_found: bool
    """Whether `say` depends on nothing but what a query found: where that is one row, it is worked out once for each row."""
    still: bool
    """Whether where one stands and the arguments, of which there are finitely many, decide all it does: it is then worked out once for each."""
    place: str
    """`actions.<name>`"""


@dataclass(slots=True)
class Opening:
    """What reset does."""

    vars: dict[str, Compiled | Any]
    verbs: tuple[Verb, ...]
    observe: Compiled
    images: list[tuple[str, Callable[[JsonDict], Any]]]
    """(field path, its picker)"""
    tables: tuple[str, ...]
    results: bool
    heavy: bool


@dataclass(slots=True)
class RewardRule:
    """One reward: a scorer by name, and what it compares."""

    scorer: str
    weight: float
    options: JsonDict
    of: Compiled | None
    against: Compiled | None
    name: str = ""
    fn: Callable[..., Any] | None = None
    """The scorer where it is the task's own; its scorers are the engine's else."""

    @property
    def wants_goal(self) -> bool:
        """Whether it compares with the state that the gold actions reach."""
        return any(run is not None and "goal" in run.names for run in (self.of, self.against))

    def resolve(self, row: JsonDict, state: JsonDict, goal: JsonDict | None = None, distance: JsonDict | None = None) -> tuple[Any, Any]:
        """(subject, reference) over the row with its gold, the final state, the state that the gold actions reach, and the distances of all places stood on.
        Raises ExprError."""
        submission = state.get("submission")
        env = {"row": row, "state": state, "submission": submission, "goal": goal, "distance": distance}
        return (self.of(env) if self.of else submission), (self.against(env) if self.against else None)


OracleMove: TypeAlias = tuple[str, dict[str, Callable[[JsonDict], Any]], frozenset[str]]
"""An action, its arguments over the environment, and which of them it needs."""


@dataclass(slots=True)
class OraclePlan:
    """The task's own solution, compiled."""

    each: Compiled | None
    edge: str | None
    to: Compiled | None
    move: list[OracleMove]
    then: list[OracleMove]
    play: Compiled | None
    recorded: Recorded | None
    tables: tuple[str, ...]
    results: bool


@dataclass(slots=True)
class Setup:
    """Actions that are played before the agent starts."""

    listed: Compiled | None
    """The list, over the row without its gold; None where the task itself lists them."""
    fixed: list[Action]
    view: Callable[[JsonDict], JsonDict]
    """A whole row -> the row without its gold."""
    show: bool
    place: str
    """Where the user wrote it."""


@dataclass(slots=True)
class Rules:
    """All of a task, compiled over its corpus. Shared by all sessions; changed by none."""

    name: str
    table: str
    """The episode's table."""
    rows: Rows
    derived: JsonDict
    opening: Opening
    actions: dict[str, Rule]
    legals: Legals
    rewards: dict[str, RewardRule]
    goal: Compiled | None
    distances: dict[str, DistanceRule]
    split: Callable[[str, JsonDict], Literal["train", "test"]] | None
    """(row key, whole row) -> its side of the test split; None where the task has none."""
    """The gold actions."""
    setup: Setup | None
    oracle: OraclePlan | None
    where: Compiled | None
    answering: tuple[str, str] | None
    state_limit: int
    assets: Assets
    heavy: frozenset[str]
    """Actions that run in a thread of the pool."""
    voices: dict[str, bool]
    """Roles that answer inside the world -> whether a question to them needs a model."""

    def scene(self, row: str, seed: int) -> Scene:
        """The rules' world bound to an episode's row and env seed. Raises EpisodeError where there is no such row."""
        return Scene(self.rows, self.table, row, seed, self.derived)
