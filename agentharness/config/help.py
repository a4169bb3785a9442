"""The help text of `run`, made from the keys' own descriptions."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from agentharness.config.args import kind
from agentharness.config.closed import Closed
from agentharness.config.run_config import Ref, RunConfig

_HEAD = """\
agentharness run task=NAME [key=value …]

Plays a task's rows with an agent. The same command again resumes what it left; config=FILE takes the keys from a YAML file, or from a
run's manifest.json, under those of the command line.

  agentharness run task=atlas                        the task's own solution, without a model
  agentharness run task=atlas limit=10 dry=true      what would be played
  agentharness run task=atlas agent=tools model=NAME base_url=http://127.0.0.1:8000/v1
"""


def text(width: int = 100) -> str:
    """The help of `run`: one entry for each key with its type, default and description."""
    lines = [*(line for part in _HEAD.split("\n\n") for line in (*_wrapped(part, width), "")), "Keys"]
    rows = [*_rows(RunConfig), ("config", "FILE", "", "YAML file or manifest.json with these keys")]
    left = max(len(f"{name}={what}") for name, what, _, _ in rows) + 4
    for name, what, default, description in rows:
        tail = f"{description} [{default}]" if default else description
        lines += textwrap.wrap(tail, width, initial_indent=f"  {name}={what}".ljust(left), subsequent_indent=" " * left)
    return "\n".join(lines) + "\n"


def _wrapped(part: str, width: int) -> list[str]:
    return part.rstrip("\n").split("\n") if part.startswith("  ") else textwrap.wrap(part, width)


def _rows(model: type[Closed], prefix: str = "") -> Iterator[tuple[str, str, str, str]]:
    """(key, type, default, description), groups key by key."""
    for name, field in model.model_fields.items():
        bare = kind(field.annotation)
        if isinstance(bare, type) and issubclass(bare, Closed) and bare is not Ref:
            yield from _rows(bare, f"{prefix}{name}.")
            continue
        yield f"{prefix}{name}", _type(bare), _default(field.default) if not field.is_required() else "needed", field.description or ""


def _type(bare: Any) -> str:
    if bare is Ref:
        return "NAME"
    if get_origin(bare) is Literal:
        return "|".join(str(a) for a in get_args(bare))
    if get_origin(bare) is tuple:
        return "NAMES"
    if get_origin(bare) is dict:
        return "{…}"
    return {int: "N", float: "SECONDS", bool: "true", str: "TEXT"}[bare]


def _default(value: Any) -> str:
    if isinstance(value, Ref):
        return ",".join(value.names)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
