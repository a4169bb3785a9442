"""Reads a table as recorded trajectories, once, at load: every action is one that an agent can play, every trajectory whole, or it is a UserError."""

from __future__ import annotations

import math
from typing import Any

from agentharness import canon
from agentharness.corpus.table import Table, key_text
from agentharness.env import schema
from agentharness.env.expr import Compiled, ExprError, Names
from agentharness.env.fields import known
from agentharness.env.maker import Maker
from agentharness.env.matchers import matcher
from agentharness.env.recorded import Box, Recorded, Spot, Step
from agentharness.env.spec import MatchSpec, TrajectorySpec
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

Args = dict[str, dict[str, JsonDict]]
"""Action -> its arguments' schemas."""
_LINKS = "explode the steps out of the episode's rows, or name the column: trajectory: COLUMN"


def follows(verb: JsonDict, table: str | None = None) -> bool:
    """Whether a verb is `goto: {recorded: TABLE}`."""
    body = verb.get("goto")
    return isinstance(body, dict) and "recorded" in body and (table is None or body["recorded"] == table)


def record(make: Maker, name: str, args: Args, where: Compiled | None) -> Recorded:
    """The trajectories of one table. `where`: which rows are episodes. Raises UserError with the place in the user's file, and the step that is wrong."""
    return _Reader(make, name, args, where).read()


class _Reader:
    def __init__(self, make: Maker, name: str, args: Args, where: Compiled | None) -> None:
        make.rule()
        self.make, self.path, self.where = make, ("trajectories", name), where
        self.table: Table = make.corpus.tables[make.table(name, *self.path)]
        self.spec: TrajectorySpec = make.spec.trajectories[name]
        self.args = {action: schemas for action, schemas in args.items() if any(follows(verb, name) for verb in make.spec.actions[action].do)}
        if not self.args:
            raise make.fail(f"no action follows the recording {name!r}", self.path, f"do: [{{goto: {{recorded: {name}}}}}]")
        self.checks = {action: schema.checker(_open(schemas)) for action, schemas in self.args.items()}
        self.only: Names = {"item": make.record(name, gold=True)}
        # a recording answers as a responder does, so that gold in it decides observations
        make.heard.add(name)
        self.action = make.expression(self.spec.action, *self.path, "action", only=self.only)
        self.reward, self.merged = self._compiled("reward"), self._compiled("merged")
        self.boxes = {action: make.expression(said.box, *self.path, "match", action, "box", only=self.only) for action, said in self._matches() if said.box}
        for column in ("trajectory", "order"):
            self._column(column)

    def read(self) -> Recorded:
        """The whole table."""
        spec, table = self.spec, self.table
        matchers = {action: matcher(self.make, MatchSpec(), schemas, action) for action, schemas in self.args.items()}
        matchers |= {action: matcher(self.make, said, self.args[action], action, *self.path, "match", action) for action, said in self._matches()}
        out = Recorded(table.name, table.scope, spec.diverge, self._compiled("observation"), spec.reward is not None, matchers)
        groups: dict[bytes, list[Spot]] = {}
        counted: dict[str, int] = {}
        episodes = self._episodes()
        for i, (scope, key, row) in enumerate(table):
            run = self._run(i, scope, key, row)
            if run not in episodes and not spec.merged:
                continue
            steps = out.runs.setdefault(run, [])
            self._ordered(run, key, row, counted)
            spot: Spot = (run, len(steps))
            steps.append(self._step(run, key, row))
            out.spots[(scope, key)] = spot
            if steps[-1].name is not None:
                out.lengths[run] = out.lengths.get(run, 0) + 1
                if self.merged is not None:
                    group = groups.setdefault(canon.dumps(self._value(self.merged, "merged", run, key, row)), [])
                    group.append(spot)
                    out.states[spot] = group
        self._whole(out, episodes)
        return out

    def _episodes(self) -> set[str]:
        each, where = self.make.corpus.tables[self.make.each], self.where
        try:
            return {key for _, key, row in each if where is None or where({"row": row})}
        except ExprError as e:
            raise self.make.fail(f"fails on a row: {e.message}", ("episode", "where")) from None

    def _whole(self, out: Recorded, episodes: set[str]) -> None:
        for _, key, _ in self.make.corpus.tables[self.make.each]:
            if key not in episodes or out.lengths.get(key):
                continue
            if self.spec.trajectory and key not in out.runs:
                hint = f"`trajectory` names the key of an episode's row: {closest(key, list(out.runs)[:1000])}"
                raise self.make.fail(f"no step of {self.table.name} belongs to row {key!r} of {self.make.each}", (*self.path, "trajectory"), hint)
            what = "has steps, and no action" if key in out.runs else "is empty"
            raise self.make.fail(f"trajectory {key!r} of {self.table.name} {what}", (*self.path, "action"), "mend the row, or leave it out by episode.where")

    def _run(self, i: int, scope: str | None, key: str, row: JsonDict) -> str:
        """The trajectory that a row belongs to."""
        if self.table.counts:
            what = f"{self.table.name} has identical steps, and they were merged"
            raise self.make.fail(what, ("corpus", self.table.name), "key: row keeps each step")
        if self.spec.trajectory is not None:
            if self.table.scope:
                what = f"the steps of {self.table.name} are their row's own (scope: row), and need no `trajectory`"
                raise self.make.fail(what, (*self.path, "trajectory"), "leave it out")
            if row.get(self.spec.trajectory) is None:
                what = f"step {key!r} of {self.table.name} has no value in {self.spec.trajectory!r}"
                raise self.make.fail(what, (*self.path, "trajectory"), "mend the row")
            return key_text(row[self.spec.trajectory])
        if scope is not None:
            return scope
        if not self.table.parents:
            raise self.make.fail(f"the steps of {self.table.name} do not say which trajectory they belong to", self.path, _LINKS)
        return self.table.parents[i]

    def _ordered(self, run: str, key: str, row: JsonDict, counted: dict[str, int]) -> None:
        order = self.spec.order
        if order is None:
            return
        n, before = row.get(order), counted.get(run)
        if type(n) is not int:
            hint = f"data: {{types: {{{order}: int}}}}" if isinstance(n, str) else "whole numbers that count up by one"
            raise self._bad("order", run, key, f"{order!r} is {_short(n)}, no whole number", hint)
        if before is None and n not in (0, 1):
            raise self._bad("order", run, key, f"it begins with step {n}, those before are missing", "mend the data: steps count from 0 or 1")
        if before is not None and n != before + 1:
            told = f"step {n} is there twice" if n == before else f"out of order, step {n} comes after {before}"
            told = f"step {before + 1} is missing, {n} comes after {before}" if n > before else told
            raise self._bad("order", run, key, told, f"mend the data: {order} counts up by one; without `order` the rows' own order counts")
        counted[run] = n

    def _step(self, run: str, key: str, row: JsonDict) -> Step:
        said = self._value(self.action, "action", run, key, row)
        reward = None if self.reward is None else self._value(self.reward, "reward", run, key, row)
        if reward is not None and (isinstance(reward, bool) or not isinstance(reward, int | float) or not math.isfinite(reward)):
            raise self._bad("reward", run, key, f"the reward is {_short(reward)}, no number", "mend the data, or write an expression for a number or null")
        if said is None:
            return Step(key, None, {}, reward, row)
        name, args = self._played(run, key, said)
        box = None if name not in self.boxes else self._box(name, run, key, row)
        return Step(key, name, args, reward, row, box)

    def _played(self, run: str, key: str, said: Any) -> tuple[str, JsonDict]:
        """An action, and its arguments as its schema reads them."""
        if isinstance(said, str):
            said = {"name": (sole := self._sole(run, key, said)), "args": {next(iter(self.args[sole])): said}}
        if not isinstance(said, dict) or not isinstance(said.get("name"), str) or not said.keys() <= {"name", "args"}:
            raise self._bad(
                "action", run, key, f"the action is {_short(said)}", "an expression for {'name': …, 'args': {…}}, a text, or null where there is none"
            )
        name, args = said["name"], said.get("args")
        if name not in self.args:
            raise self._bad("action", run, key, f"it plays {name!r}, and no action of that name follows the recording", closest(name, self.args))
        if isinstance(args, str):
            try:
                args = canon.loads(args or "{}")
            except ValueError:
                raise self._bad("action", run, key, f"the arguments of {name} are no JSON: {_short(args)}", "mend the data, or leave the row out") from None
        try:
            return name, self.checks[name]({} if args is None else args)
        except schema.Invalid as e:
            hint = f"widen actions.{name}.args, or leave the row out by episode.where"
            raise self._bad("action", run, key, f"no agent can play it, {name}: {e}", hint) from None

    def _sole(self, run: str, key: str, said: str) -> str:
        one = [a for a, schemas in self.args.items() if [s["type"] for s in schemas.values() if schema.required(s)] == ["string"] and len(schemas) == 1]
        if len(self.args) != 1 or not one:
            what = f"the action is the text {_short(said)}, and {', '.join(self.args)} follow the recording"
            raise self._bad("action", run, key, what, "an expression for {'name': …, 'args': {…}}, or one action with one text argument")
        return one[0]

    def _box(self, name: str, run: str, key: str, row: JsonDict) -> Box | None:
        found = self._value(self.boxes[name], ("match", name, "box"), run, key, row)
        if found is None:
            return None
        if not isinstance(found, list) or len(found) != 4 or any(type(n) not in (int, float) or not math.isfinite(n) for n in found):
            raise self._bad(("match", name, "box"), run, key, f"the box is {_short(found)}", "[x0, y0, x1, y1], or null where there is none")
        return min(found[0], found[2]), min(found[1], found[3]), max(found[0], found[2]), max(found[1], found[3])

    def _matches(self) -> list[tuple[str, MatchSpec]]:
        for action in self.spec.match:
            if action not in self.args:
                what = f"{action!r} is no action that follows {self.table.name}"
                raise self.make.fail(what, (*self.path, "match", action), closest(action, self.args))
        return list(self.spec.match.items())

    def _compiled(self, key: str) -> Compiled | None:
        """None where the recording does not say it."""
        source = getattr(self.spec, key)
        return None if source is None else self.make.expression(source, *self.path, key, only=self.only)

    def _column(self, key: str) -> None:
        column = getattr(self.spec, key)
        if column is not None and not known(self.table, column):
            raise self.make.fail(f"{self.table.name} has no column {column!r}", (*self.path, key), closest(column, self.table.columns))

    def _value(self, compiled: Compiled, at: str | tuple[str, ...], run: str, key: str, row: JsonDict) -> Any:
        try:
            return compiled({"item": row})
        except ExprError as e:
            raise self._bad(at, run, key, e.message, "write it so that it holds for every step") from None

    def _bad(self, at: str | tuple[str, ...], run: str, key: str, what: str, hint: str) -> UserError:
        whose = f"step {key!r} of trajectory {run!r}"
        return self.make.fail(f"{self.table.name}: {whose}: {what}", (*self.path, *([at] if isinstance(at, str) else at)), hint)


def _open(schemas: dict[str, JsonDict]) -> dict[str, JsonDict]:
    """The schemas without enums that follow the state: at load no state is known."""
    out = {}
    for arg, one in schemas.items():
        out[arg] = {k: v for k, v in one.items() if k != "enum" or not isinstance(v, str)}
        if one["type"] == "array" and isinstance(one["items"].get("enum"), str):
            out[arg]["items"] = {k: v for k, v in one["items"].items() if k != "enum"}
    return out


def _short(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else canon.dumps(value).decode()
    return text if len(text) <= 60 else text[:57] + "…"
