"""The long form of task.yaml: a closed list of keys. Only this form is compiled and hashed; the short level expands to it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from agentharness.config.closed import Closed
from agentharness.corpus.spec import Level, TableSpec


class EpisodeSpec(Closed):
    """Which rows are episodes."""

    each: str = Field(description="the table whose rows are episodes")
    where: str | None = Field(None, description="expression: only rows for which it is true")


class SplitSpec(Closed):
    """Which rows are the test split. All others are the train split."""

    share: float | str | None = Field(None, description="share of the rows, 0.2 or 20%: by a digest of each row's key, so that new rows move no old one")
    column: str | None = Field(None, description="column that tells the splits apart")
    is_: Any = Field(None, alias="is", description="value of `column`, or a list of values, that are the test; `test` where absent")
    keep_together: str | list[str] | None = Field(None, description="with `share`: column or columns whose equal values stand on one side")


class EdgeSpec(Closed):
    """Edges of a graph: the column of this name in the table one stands in lists the keys of the neighbours."""

    to: str = Field(description="table of the neighbours")
    by: str | None = Field(None, description="column of `to` that the listed values name; its key where absent")


class DeriveSpec(Closed):
    """A public value taken from the whole corpus; gold that it shows counts into the world digest."""

    distinct: str | None = Field(None, description="field path of the episode table, gold allowed: its sorted distinct values")
    sql: list[str] | None = Field(
        None, description="tables: what `query: {sql: …}` sees of each, a line as `movies(title VARCHAR, year BIGINT)`; [] for all but the episode's"
    )


class ActionRule(Closed):
    """One action: a guard, then verbs in order, then what is shown."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    description: str = Field("", description="what the model is told")
    args: dict[str, Any] = Field(
        default_factory=dict,
        description="argument -> type name, or JSON schema; `enum` may be an expression over the state; `optional: true` where it may be left out",
    )
    suggest: dict[str, str] = Field(default_factory=dict, description="argument -> expression for a list of public values that random play draws from")
    when: str | None = Field(None, description="expression: false answers `else`")
    do: list[dict[str, Any]] = Field(default_factory=list, description="verbs: goto, query, reveal, set, end, draw, respond, hook")
    say: str | None = Field(None, description="template; without it, what was revealed is shown")
    else_: str | None = Field(None, alias="else", description="template that answers a false `when` or a verb that finds nothing")
    cost: str | float = Field(0.0, description="number or expression, added to the episode's cost")
    prose: bool = Field(False, description="under `prose: answer`, this action takes a reply without an action: its one argument is then the text")
    heavy: bool = Field(False, description="runs in a thread of a bounded pool: for hooks that take long; SQL always does, and a search of a large table")


class Limits(Closed):
    """Limits of the world: an episode that meets one is truncated, and scored."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    turns: int = Field(20, ge=1, le=1_000_000, description="turns, invalid ones too")
    time: float | None = Field(None, gt=0, description="seconds of working time: waits for rate limits and backoff do not count")
    wall: float | None = Field(None, gt=0, description="seconds, waits included")
    tokens: int | None = Field(None, ge=1, lt=2**53, description="prompt and completion tokens of all calls")
    state: int = Field(65536, ge=256, lt=2**53, description="bytes of state; more is error:env")


class RewardSpec(Closed):
    """One named reward."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    scorer: str = Field(description="a scorer's name, or FILE.py:NAME for one in the task's folder")
    against: str | None = Field(None, description="expression over row (gold included), state and goal: the reference")
    of: str | None = Field(None, description="expression over row, state, goal and submission: what is scored; the submission where absent")
    weight: float = Field(1.0, description="share in the weighted mean")
    options: dict[str, Any] = Field(default_factory=dict, description="the scorer's own options")


class MatchSpec(Closed):
    """When an action is the recorded one: argument by argument, each exactly unless it is named here."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    text: dict[str, float] = Field(
        default_factory=dict, description="text argument -> least likeness from 0 to 1: normalised edit similarity, white space and case folded"
    )
    any: list[str] = Field(default_factory=list, description="arguments that may be anything")
    point: list[str] | None = Field(None, min_length=2, max_length=2, description="the two arguments that are a point, x and y: by `box` or `within`")
    box: str | None = Field(None, description="expression over item: [x0, y0, x1, y1] that the point must lie in, edges included")
    within: float | None = Field(None, ge=0, description="how far the point may lie from the recorded one; beside `box`, either will do")


class TrajectorySpec(Closed):
    """Makes a table a recording that `goto: {recorded: TABLE}` plays: one row for each step. Its expressions read `item`, the step, gold included."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    action: str = Field(description="expression over item: the recorded action as {name, args}, or a text; null where a step is only seen")
    observation: str | None = Field(None, description="expression over item: what is seen on coming to the step, before its action: a text, a picture, a list")
    reward: str | None = Field(None, description="expression over item: a number, or null; `state.recorded.rewards` lists those of the steps that were played")
    trajectory: str | None = Field(
        None, description="column that tells the steps' trajectories apart, its values are keys of the episode's rows; not needed where the table explodes them"
    )
    order: str | None = Field(None, description="column that counts the steps of a trajectory, from 0 or 1; checked")
    match: dict[str, MatchSpec] = Field(
        default_factory=dict, description="action -> when it is the recorded one; every argument exactly, where an action is not named"
    )
    diverge: Literal["end", "stay", "force", "snap"] = Field(
        "end",
        description="what an action that is not the recorded one does: ends the episode, nothing, gives way to the recorded one, "
        "or goes to the nearest step that recorded it",
    )
    merged: str | None = Field(
        None, description="expression over item: steps with the same value are one state, and play may go on in any trajectory that was in it"
    )


class PathSpec(Closed):
    """The shortest path along an edge from where an episode stands to a goal."""

    edge: str = Field(description="edge that the shortest path follows, from where the episode stands")
    to: str = Field(description="expression, gold allowed: key of the goal")


class SetupSpec(Closed):
    """Actions that are played before the agent starts, charged to nobody."""

    play: str | list[dict[str, Any]] = Field(description="a list of {name, args}, or an expression over row (hidden allowed, gold not) for one")
    show: bool = Field(False, description="whether the agent is shown these actions and what they gave, after the opening")


class OracleSpec(Closed):
    """The task's own solution: one `move` for `each` item, then one last move. Sees gold."""

    path: PathSpec | None = Field(None, description="`each` is the shortest path's keys, start left out")
    each: str | None = Field(None, description="expression for a list")
    play: str | None = Field(None, description="expression for a list of {name, args}: the actions themselves, one a move; then `then`")
    recorded: str | None = Field(None, description="table of `trajectories`: the recorded actions, as long as there are; then `then`")
    move: dict[str, dict[str, str]] = Field(default_factory=dict, description="action -> argument -> expression (`each` is the item)")
    then: dict[str, dict[str, str]] = Field(default_factory=dict, description="action -> argument -> expression")


class TaskSpec(Closed):
    """A task in its long form."""

    description: str = Field("", description="one line for `agentharness tasks`")
    modality: Literal["text", "image"] = Field("text", description="what observations hold")
    corpus: dict[str, TableSpec] = Field(description="table -> where its rows come from")
    columns: dict[str, dict[str, Level]] = Field(description="table -> field path -> public | hidden | gold; what is not named is hidden")
    episode: EpisodeSpec
    test: SplitSpec | None = Field(None, description="the rows that are kept apart for tests")
    edges: dict[str, EdgeSpec] = Field(default_factory=dict, description="edge -> neighbours")
    trajectories: dict[str, TrajectorySpec] = Field(default_factory=dict, description="table -> how its rows are the steps of recorded trajectories")
    derive: dict[str, DeriveSpec] = Field(default_factory=dict, description="name -> a public value over the whole corpus")
    vars: dict[str, Any] = Field(default_factory=dict, description="variable -> expression for its first value")
    start: list[dict[str, Any]] = Field(default_factory=list, description="verbs that run at reset")
    observe: str = Field(description="template: the opening observation")
    images: list[str] = Field(default_factory=list, description="image fields of the row that the opening shows")
    setup: SetupSpec | None = None
    prose: Literal["nudge", "answer", "invalid"] = Field("nudge", description="what a reply without an action is")
    actions: dict[str, ActionRule] = Field(default_factory=dict, description="action -> a guard, verbs in order, then what is shown")
    limits: Limits = Field(default_factory=Limits)
    rewards: dict[str, RewardSpec] = Field(default_factory=dict, description="reward -> how it is scored; the total is their weighted mean")
    distances: dict[str, PathSpec] = Field(
        default_factory=dict, description="name -> how far a place is from a goal along an edge; rewards read distance.NAME, and each step of the record has it"
    )
    goal: str | None = Field(
        None, description="expression over row, gold allowed: the gold actions, a list of {name, args}; rewards may compare with `goal`, the state they reach"
    )
    slices: list[str] = Field(default_factory=list, description="field paths of the row by which reports group")
    oracle: OracleSpec | None = None
    licence: str = Field("", description="SPDX id, or `private`")
