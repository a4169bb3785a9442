"""The task's own solution, move by move. Sees gold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from agentharness.corpus.table import key_of
from agentharness.env.distance import shortest
from agentharness.env.expr import Compiled, ExprError
from agentharness.env.given import actions
from agentharness.env.recorded import Recorded
from agentharness.env.rules import OracleMove, OraclePlan, Rules
from agentharness.env.views import Scene
from agentharness.errors import EpisodeError
from agentharness.types.move import Action, Move
from agentharness.types.part import JsonDict


def moves(rules: Rules, scene: Scene, state: Callable[[], JsonDict]) -> Iterator[Move]:
    """The moves in order; expressions are evaluated when their move is asked for, over the state of then. Ends where the task knows none.

    Raises EpisodeError where an expression fails.
    """
    plan = rules.oracle
    if plan is None:
        return
    try:
        env = _environment(plan, rules, scene, state())
        if plan.play is not None and (listed := plan.play(env)) is not None:
            yield from (Move([action]) for action in actions(listed, "play"))
        if plan.recorded is not None:
            yield from _recorded(plan.recorded, scene, state)
        items = _path(plan, plan.to, scene, state(), env) if plan.edge and plan.to else _items(plan.each, env)
        if items is None:
            return
        for item in items:
            move = _move(plan.move, {**_environment(plan, rules, scene, state()), "each": item})
            if move is None:
                return
            yield move
        if plan.then and (move := _move(plan.then, _environment(plan, rules, scene, state()))) is not None:
            yield move
    except (ExprError, ValueError) as e:
        raise EpisodeError("env", f"oracle: {e}") from e


def _recorded(recorded: Recorded, scene: Scene, state: Callable[[], JsonDict]) -> Iterator[Move]:
    """The recorded action of each step that the episode comes to. Ends where one leads nowhere, so that a guard which refuses it is not asked for ever."""
    before = None
    while not (now := state())["over"] and now["at"] is not before:
        before = now["at"]
        step = None if before is None else recorded.step(before[0], before[1], scene.row)
        if step is None or step.name is None:
            return
        yield Move([Action(step.name, {arg: value for arg, value in step.args.items() if value is not None})])


def _environment(plan: OraclePlan, rules: Rules, scene: Scene, state: JsonDict) -> JsonDict:
    at, scene = state["at"], scene.of(state.get("edits"))
    env = scene.environment(state, None, {}, plan.tables, plan.results)
    env["row"] = scene.rows.full(rules.table, scene.row, scene.row)
    env["at"] = None if at is None else scene.rows.full(at[0], at[1], scene.row)
    return env


def _items(each: Compiled | None, env: JsonDict) -> list[Any] | None:
    if each is None:
        return []
    found = each(env)
    if found is None:
        return None
    if not isinstance(found, list):
        raise EpisodeError("env", f"oracle.each is {type(found).__name__}, a list is wanted")
    return found


def _move(plan: list[OracleMove], env: JsonDict) -> Move | None:
    """None where a row lacks what an action needs, its answer say: an empty value is never said for it."""
    actions: list[Action] = []
    for name, args, needed in plan:
        values = {arg: value for arg, run in args.items() if (value := run(env)) is not None}
        if needed - values.keys():
            return None
        actions.append(Action(name, values))
    return Move(actions)


def _path(plan: OraclePlan, to: Compiled, scene: Scene, state: JsonDict, env: JsonDict) -> list[str] | None:
    edge, goal = plan.edge, key_of(to(env))
    if goal is None or edge is None or state["at"] is None:
        return None
    scene = scene.of(state.get("edits"))
    return shortest(scene, scene.here(state["at"]), edge, goal)
