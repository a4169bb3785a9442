"""Actions that data gives: lists of {name, args}, as the gold of a row, the plan of an oracle or a setup has them."""

from __future__ import annotations

from typing import Any

from agentharness import canon
from agentharness.types.move import Action

_ARGS = ("args", "kwargs", "arguments")
"""How data sets call the arguments of an action."""


def actions(value: Any, where: str) -> list[Action]:
    """A list of {name, args} as actions; `kwargs` and `arguments` are other words for args. Raises ValueError that names the item which is none."""
    if not isinstance(value, list):
        raise ValueError(f"{where} is {canon.dumps(value).decode()[:80]}, a list of {{name, args}} is wanted")
    out: list[Action] = []
    for i, one in enumerate(value):
        name, args = (one.get("name"), [one[key] for key in _ARGS if key in one]) if isinstance(one, dict) else (None, [])
        if not isinstance(name, str) or len(args) != len(one) - 1 or len(args) > 1 or not all(isinstance(given, dict) for given in args):
            raise ValueError(f"{where}: action {i + 1} is {canon.dumps(one).decode()[:80]}, not {{name, args}}")
        out.append(Action(name, dict(args[0]) if args else {}))
    return out
