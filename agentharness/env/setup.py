"""The setup: actions that are played before the agent starts, charged to nobody. Compiled here; played by the layer `setup`, and before the gold actions."""

from __future__ import annotations

from typing import Any

from agentharness.corpus.spec import Level
from agentharness.env import schema
from agentharness.env.expr import ExprError, Names, Record
from agentharness.env.given import actions
from agentharness.env.maker import Maker
from agentharness.env.rules import Rules, Setup
from agentharness.errors import EpisodeError, closest
from agentharness.types.env import SETUP, Outcome
from agentharness.types.move import Action
from agentharness.types.part import JsonDict


def compile_setup(make: Maker, args: dict[str, dict[str, JsonDict]]) -> Setup | None:
    """The task's setup; None where it has none. Actions that the task lists itself are checked here. Raises UserError."""
    written = make.spec.setup
    if written is None:
        return None
    place, path = str(make.place(("setup", "play"))), ("setup", "play")
    view = make.corpus.tables[make.each].projections.non_gold
    if isinstance(written.play, str):
        return Setup(make.expression(written.play, *path, only=_names(make)), [], view, written.show, place)
    try:
        fixed = actions(written.play, "setup")
    except ValueError as e:
        raise make.fail(str(e), path, "- {name: ACTION, args: {…}}") from None
    for i, action in enumerate(fixed):
        _check(make, action, args, i)
    return Setup(None, fixed, view, written.show, place)


def _names(make: Maker) -> Names:
    """The row without its gold: what is played may come from hidden columns, but the agent may see what it does."""
    table = make.corpus.tables[make.each]
    levels: dict[str, Level] = dict.fromkeys(sorted(table.columns), "public")
    levels |= {path: "gold" if level == "gold" else "public" for path, level in table.levels.items()}
    return {"row": Record(make.each, levels, table.columns, next((row for _, _, row in table), None))}


def _check(make: Maker, action: Action, args: dict[str, dict[str, JsonDict]], i: int) -> None:
    path = ("setup", "play", i)
    if action.name not in args:
        raise make.fail(f"the setup plays {action.name!r}, and there is no such action", path, closest(action.name, args))
    # which values are legal may follow the state: those are checked when it is played
    plain = {name: {k: v for k, v in one.items() if k != "enum" or not isinstance(v, str)} for name, one in args[action.name].items()}
    for one in plain.values():
        if isinstance(one.get("items", {}).get("enum"), str):
            one["items"] = {k: v for k, v in one["items"].items() if k != "enum"}
    try:
        schema.checker(plain)(action.args)
    except schema.Invalid as e:
        raise make.fail(f"action {i + 1} of the setup ({action.name}): {e}", path, "its arguments are values, not expressions") from None


def given(rules: Rules, row: str) -> list[Action]:
    """The actions of a row's setup, marked as such. Raises EpisodeError("env") where the row gives none."""
    setup = rules.setup
    if setup is None:
        return []
    listed = setup.fixed
    if setup.listed is not None:
        full: Any = rules.rows.full(rules.table, row, row)
        try:
            listed = actions(setup.listed({"row": setup.view(full)}), "setup")
        except ExprError as e:
            raise EpisodeError("env", f"setup: {e}") from e
        except ValueError as e:
            raise EpisodeError("env", f"{setup.place}: {e}") from None
    return [Action(action.name, dict(action.args), actor=SETUP) for action in listed]


def uncharged(before: JsonDict, out: Outcome) -> None:
    """Takes back what a step of the setup was charged: `t` and `cost` stay as they were."""
    out.state = {**out.state, "t": before["t"], "cost": before["cost"]}


def fault(setup: Setup, n: int, action: Action, out: Outcome) -> EpisodeError | None:
    """What is wrong with the n-th action of a setup (from 1), once it is played: it must do something, and must not end the episode."""
    if out.verdict != "ok":
        return EpisodeError("env", f"{setup.place}: setup: action {n} ({action.name}) is {out.verdict}: {out.message}")
    if out.state["over"]:
        return EpisodeError("env", f"{setup.place}: setup: action {n} ({action.name}) ends the episode before the agent starts")
    return None
