"""A person as an agent: shown what a model is shown, in words, and asked for one action a turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from anyio import to_thread

from agentharness.errors import BrokenOff
from agentharness.types.agent import Player, Seat
from agentharness.types.move import Action, ActionSet, ActionSpec, Move, Observation
from agentharness.types.part import JsonDict, Part

Ask = Callable[[], str]
"""Waits for a line; blocks, and raises EOFError where there is none to come."""
Show = Callable[[list[Part], str], None]
"""Shows parts, then words of ours."""


NAME = "human"


class Human:
    """One person at one terminal. The end of the input stops the run, which goes on from there another time."""

    name = NAME
    needs_model = False
    privileged = False

    def __init__(self, ask: Ask, show: Show) -> None:
        self._ask, self._show = ask, show

    def identity(self) -> JsonDict:
        return {"name": self.name, "version": 1}

    def sit(self, seat: Seat) -> Player:
        return _Player(self._ask, self._show)


class _Player:
    def __init__(self, ask: Ask, show: Show) -> None:
        self._ask, self._show = ask, show
        self._told: ActionSet | None = None

    async def act(self, observation: Observation) -> Move:
        news = "" if observation.actions is self._told else menu(observation.actions)
        self._told = observation.actions
        self._show(observation.parts, news)
        while True:
            try:
                line = await to_thread.run_sync(self._ask, abandon_on_cancel=True)
            except EOFError:
                raise BrokenOff from None
            if not line.strip():
                self._show([], menu(observation.actions))
                continue
            return Move([read(line, observation.actions)])


def menu(actions: ActionSet) -> str:
    """What may be done, a line each."""
    return "\n".join(f"  {spec.name}{_shape(spec)}{'  – ' + spec.description if spec.description else ''}" for spec in actions.specs)


def read(line: str, actions: ActionSet) -> Action:
    """An action out of a line: `travel Peru`, `travel to=Peru`, `zoom x0=1 y0=2 x1=3 y1=4`, `travel {"to": "Peru"}`. What cannot be read is an action with
    `error`. A text without `=` is the value of the first argument that is needed, else of the first."""
    name, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    spec = actions.by_name.get(name)
    if spec is None:
        return Action(name, {})
    properties: Mapping[str, Any] = spec.parameters.get("properties") or {}
    if rest.startswith("{"):
        try:
            args = json.loads(rest)
        except ValueError as e:
            return Action(name, {}, None, f"arguments are not JSON: {e}", line)
        return Action(name, args) if isinstance(args, dict) else Action(name, {}, None, "arguments must be a JSON object", line)
    pairs = _pairs(rest, properties)
    if pairs is None:
        needed = [*(spec.parameters.get("required") or ()), *properties]
        pairs = {needed[0]: rest} if needed and rest else {}
    return Action(name, {key: _value(text, properties[key]) for key, text in pairs.items()})


def _pairs(text: str, properties: Mapping[str, Any]) -> dict[str, str] | None:
    """`a=1 b=two words` -> its parts, by the arguments' names; None where it begins with no argument's name."""
    out: dict[str, list[str]] = {}
    key = None
    for word in text.split():
        name, equals, value = word.partition("=")
        if equals and name in properties and name not in out:
            key, word = name, value
            out[key] = []
        if key is None:
            return None
        out[key].append(word)
    return {name: " ".join(words) for name, words in out.items()} if out else None


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    """The value that a text is by its schema; the text itself where it is none, for the env to answer."""
    if schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _shape(spec: ActionSpec) -> str:
    needed = spec.parameters.get("required") or ()
    out = ""
    for name, schema in (spec.parameters.get("properties") or {}).items():
        said = "|".join(map(str, schema["enum"])) if schema.get("enum") else str(schema.get("type", ""))
        out += f" {name}=<{said}>" if name in needed else f" [{name}=<{said}>]"
    return out
