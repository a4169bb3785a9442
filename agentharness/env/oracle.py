"""The task's own solution, move by move. Sees gold."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from agentharness.env.expr import Compiled, ExprError
from agentharness.env.given import actions
from agentharness.env.rules import OracleMove, OraclePlan, Rules
from agentharness.env.verbs_move import key_of
from agentharness.env.views import Node, Scene
from agentharness.errors import EpisodeError
from agentharness.types.move import Action, Move
from agentharness.types.part import JsonDict

_FARTHEST = 200_000
"""Rows that a search for the shortest path looks at before it gives up."""


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


def shortest(scene: Scene, start: Node, edge: str, goal: str) -> list[str] | None:
    """Keys along a shortest path, the start left out; among equal paths the one that the rows list first. None where none is found."""
    rows, table = scene.rows, scene.rows.to[edge]
    if start.table == table and start.key == goal:
        return []
    came: dict[str, Node | None] = {start.id: None}
    queue: deque[Node] = deque([start])
    while queue and len(came) <= _FARTHEST:
        node = queue.popleft()
        for found in rows.neighbours(node, edge, scene.row).values():
            if found.id in came:
                continue
            came[found.id] = node
            if found.key == goal:
                return _back(came, found)
            queue.append(found)
    return None


def _back(came: dict[str, Node | None], node: Node) -> list[str]:
    out: list[str] = []
    while (before := came[node.id]) is not None:
        out.append(node.key)
        node = before
    return out[::-1]
