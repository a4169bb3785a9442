"""How far each place that an episode stood on is from a goal, in hops along an edge: for rewards and for shaping. Pure; no agent is shown it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentharness.corpus.lru import Lru
from agentharness.corpus.table import key_of
from agentharness.env.expr import Compiled, ExprError
from agentharness.env.views import Node, Scene
from agentharness.errors import EpisodeError
from agentharness.types.part import JsonDict

_KEPT = 1 << 22
"""Bytes of distances that a world keeps."""
_FARTHEST = 200_000
"""Rows that a search for the shortest path looks at before it gives up."""


@dataclass(slots=True)
class DistanceRule:
    """A named distance, compiled."""

    edge: str
    to: Compiled
    """Over the row with its gold: the key of the goal."""
    kept: Lru[int]


def distance_rule(edge: str, to: Compiled) -> DistanceRule:
    """A rule with nothing worked out yet."""
    return DistanceRule(edge, to, Lru(_KEPT))


def along(rules: Mapping[str, DistanceRule], scene: Scene, row: JsonDict, states: Sequence[JsonDict]) -> dict[str, list[int | None]]:
    """Distance -> hops from where each state stands to the goal; None where a state stands nowhere or no way is found. `row`: with its gold. Raises
    EpisodeError("scorer") where the goal's expression fails."""
    out: dict[str, list[int | None]] = {}
    for name, rule in rules.items():
        try:
            goal = key_of(rule.to({"row": row}))
        except ExprError as e:
            raise EpisodeError("scorer", f"distances.{name}: {e.message}") from e
        out[name] = [_hops(rule, scene.of(state.get("edits")), state, goal) for state in states]
    return out


def _hops(rule: DistanceRule, scene: Scene, state: JsonDict, goal: str | None) -> int | None:
    if state["at"] is None or goal is None:
        return None
    # Of a table that rows do not share, or that the episode edited, a distance is this state's alone.
    shared = not scene.rows.scoped and not state.get("edits")
    mark = (*state["at"], goal)
    found = rule.kept.get(mark) if shared else None
    if found is None:
        way = shortest(scene, scene.here(state["at"]), rule.edge, goal)
        found = -1 if way is None else len(way)
        if shared:
            rule.kept.put(mark, found, 200)
    return None if found < 0 else found


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
