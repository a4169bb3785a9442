"""Agents without a model: the task's own solution, chance, and doing nothing. A task is sound where the oracle scores 1 and the others do not."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from agentharness.errors import UserError, closest
from agentharness.types.agent import Agent, Player, Seat
from agentharness.types.move import Action, ActionSpec, Move, Observation
from agentharness.types.part import JsonDict

OPTIONAL_SHARE = 0.5
"""How often random play gives an argument that may be left out."""
MOST_ITEMS = 3
FREE_INTEGERS = (0, 100)
"""Bounds of an integer or number whose schema gives none."""


class _Baseline:
    """What the three share."""

    name = ""
    version = 1
    needs_model = False
    privileged = False

    def identity(self) -> JsonDict:
        return {"name": self.name, "version": self.version}


class Oracle(_Baseline):
    """Plays the task's own next move; an empty move where the task knows none."""

    name = "oracle"
    privileged = True

    def sit(self, seat: Seat) -> Player:
        return _OraclePlayer(seat)


class _OraclePlayer:
    __slots__ = ("seat",)

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    async def act(self, observation: Observation) -> Move:
        return self.seat.oracle() or Move()


class Noop(_Baseline):
    """Never acts."""

    name = "noop"

    def sit(self, seat: Seat) -> Player:
        return _NoopPlayer()


class _NoopPlayer:
    __slots__ = ()

    async def act(self, observation: Observation) -> Move:
        return Move()


class Random(_Baseline):
    """One action a turn, uniform over the legal ones. A value of an argument comes from the first of: suggestions, enum, type; a text from the
    words and lines that were shown last."""

    name = "random"

    def sit(self, seat: Seat) -> Player:
        return _RandomPlayer(seat.seed)


class _RandomPlayer:
    __slots__ = ("lines", "rng")

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed).random
        self.lines: list[str] = []

    async def act(self, observation: Observation) -> Move:
        specs = observation.actions.specs
        if not specs:
            return Move()
        spec = specs[int(self.rng() * len(specs))]
        properties = spec.parameters.get("properties")
        return Move([Action(spec.name, self._args(spec, properties, observation) if properties else {})])

    def _args(self, spec: ActionSpec, properties: JsonDict, observation: Observation) -> JsonDict:
        needed = spec.parameters.get("required") or ()
        args = {}
        for name, schema in properties.items():
            if name not in needed and self.rng() >= OPTIONAL_SHARE:
                continue
            suggested = spec.suggest.get(name)
            args[name] = self._pick(suggested) if suggested else self._value(schema, observation)
        return args

    def _pick(self, values: Any) -> Any:
        return values[int(self.rng() * len(values))]

    def _value(self, schema: Mapping[str, Any], observation: Observation) -> Any:
        if schema.get("enum"):
            return self._pick(schema["enum"])
        kind = schema.get("type")
        if kind == "string":
            return self._words(observation)
        if kind == "integer":
            low = int(schema.get("minimum", FREE_INTEGERS[0]))
            high = int(schema.get("maximum", max(low, FREE_INTEGERS[1])))
            return low + int(self.rng() * (high - low + 1))
        if kind == "number":
            floor = float(schema.get("minimum", FREE_INTEGERS[0]))
            return floor + self.rng() * (float(schema.get("maximum", max(floor, FREE_INTEGERS[1]))) - floor)
        if kind == "boolean":
            return self.rng() < 0.5
        if kind == "array":
            low = int(schema.get("minItems", 1))
            n = low + int(self.rng() * (int(schema.get("maxItems", max(low, MOST_ITEMS))) - low + 1))
            return [self._value(schema.get("items") or {"type": "string"}, observation) for _ in range(n)]
        if kind == "object":
            return {name: self._value(inner, observation) for name, inner in (schema.get("properties") or {}).items()}
        return self._words(observation)

    def _words(self, observation: Observation) -> str:
        """A line, or a word of one, of what was shown last; of what was shown before where that holds no text."""
        lines = [line for p in observation.parts if p["type"] == "text" for line in p["text"].split("\n") if line.strip()]
        self.lines = lines or self.lines
        if not self.lines:
            return ""
        line: str = self._pick(self.lines).strip()
        return line if self.rng() < 0.5 else str(self._pick(line.split()))


BASELINES: dict[str, Callable[[], Agent]] = {"oracle": Oracle, "random": Random, "noop": Noop}


def make_baseline(name: str, options: Mapping[str, Any]) -> Agent | None:
    """The baseline of this name, None where there is none. Raises UserError for an option: baselines take none."""
    if name not in BASELINES:
        return None
    for option in options:
        raise UserError(f"{name} takes no option {option!r}", where=f"agent.{option}", hint=closest(option, ()))
    return BASELINES[name]()
