"""Which actions are legal in a state, and the checks of their arguments: made once for each state that differs in what the enums read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentharness import canon
from agentharness.env import schema
from agentharness.env.expr import Compiled, ExprError
from agentharness.env.schema import ArgsCheck, Hole
from agentharness.env.views import Node, Scene
from agentharness.errors import EpisodeError
from agentharness.types.move import ActionSet, ActionSpec
from agentharness.types.part import JsonDict

_KEPT = 8192
"""Action sets kept before the cache is emptied."""
_SCALARS = (str, int, float)
NO_ACTIONS = ActionSet(())
"""What is legal once an episode is over."""


class Offer:
    """One action as written, ready to be filled with the values of a state."""

    __slots__ = ("args", "description", "enums", "fixed", "name", "prose", "suggest")

    def __init__(
        self, name: str, description: str, args: dict[str, JsonDict], enums: dict[Hole, Compiled], suggest: dict[str, Compiled], prose: str | None
    ) -> None:
        self.name, self.description, self.args, self.enums, self.suggest, self.prose = name, description, args, enums, suggest, prose
        self.fixed = None if enums or suggest else self.fill({}, {})

    def fill(self, values: Mapping[Hole, list[Any]], suggest: JsonDict) -> tuple[ActionSpec, ArgsCheck] | None:
        """What a model is shown and how its arguments are checked; None where an argument has no legal value."""
        if any(not found and len(hole) == 1 and schema.required(self.args[hole[0]]) for hole, found in values.items()):
            return None
        args = schema.fill(self.args, values)
        return ActionSpec(self.name, self.description, schema.parameters(args), suggest, self.prose), schema.checker(args)


class Legal:
    """The legal actions of one state, and their checks by name."""

    __slots__ = ("actions", "checks")

    def __init__(self, found: list[tuple[ActionSpec, ArgsCheck]]) -> None:
        self.actions = ActionSet(tuple(spec for spec, _ in found))
        self.checks: dict[str, ArgsCheck] = {spec.name: check for spec, check in found}


class Legals:
    """State -> Legal, behind caches; equal values share one object, so that a change is seen by identity."""

    def __init__(self, offers: list[Offer], wanted: frozenset[str], tables: tuple[str, ...], row: bool) -> None:
        """`wanted`: all names that enums and suggestions read. `row`: whether the episode's row decides too (read by name, or tables are scoped)."""
        self._offers, self._tables = offers, tables
        self._results = "results" in wanted
        self._by_place = not wanted & {"vars", "results", "t", "cost"}
        self._row = row
        self._by_state: dict[Any, Legal] = {}
        self._by_values: dict[bytes, Legal] = {}
        self._only = None if any(o.fixed is None for o in offers) else Legal([o.fixed for o in offers if o.fixed])

    def of(self, scene: Scene, state: JsonDict) -> Legal:
        """What is legal in `state`. Raises EpisodeError where an enum is no list of texts and numbers."""
        if self._only is not None:
            return self._only
        if (edits := state.get("edits")) is not None:
            scene = scene.of(edits)
        at = state["at"]
        node = None if at is None else scene.here(at)
        if not self._by_place:
            return self._make(scene, state, node)
        if node is not None and not self._row:
            if node.legal is None:
                node.legal = self._make(scene, state, node)
            legal: Legal = node.legal
            return legal
        if scene is not scene.root:  # this episode's rows are its own
            return self._make(scene, state, node)
        key = (node and node.id, scene.row if self._row else None)
        found = self._by_state.get(key)
        if found is None:
            if len(self._by_state) >= _KEPT:
                self._by_state.clear()
            found = self._by_state[key] = self._make(scene, state, node)
        return found

    def _make(self, scene: Scene, state: JsonDict, node: Node | None) -> Legal:
        env = scene.environment(state, node, {}, self._tables, self._results)
        filled: list[tuple[Offer, dict[Hole, list[Any]], JsonDict]] = []
        for offer in self._offers:
            try:
                values = {hole: _listed(run(env), offer.name, hole[0]) for hole, run in offer.enums.items()}
                suggest = {arg: _listed(run(env), offer.name, arg) for arg, run in offer.suggest.items()}
            except ExprError as e:
                raise EpisodeError("env", f"actions.{offer.name}: {e}") from e
            filled.append((offer, values, suggest))
        mark = canon.dumps([[list(values.values()), suggest] for _, values, suggest in filled])
        found = self._by_values.get(mark)
        if found is None:
            if len(self._by_values) >= _KEPT:
                self._by_values.clear()
            done = (offer.fixed or offer.fill(values, suggest) for offer, values, suggest in filled)
            found = self._by_values[mark] = Legal([one for one in done if one])
        return found


def _listed(value: Any, action: str, arg: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise EpisodeError("env", f"actions.{action}.args.{arg}: the legal values are {type(value).__name__}, a list is wanted")
    out = list(dict.fromkeys(v for v in value if v is not None and isinstance(v, _SCALARS)))
    if len(out) < len({canon.dumps(v) for v in value if v is not None}):
        raise EpisodeError("env", f"actions.{action}.args.{arg}: legal values are texts and numbers")
    return out
