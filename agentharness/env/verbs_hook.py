"""hook: a function of the task's own hooks.py, where the language cannot say it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentharness import canon
from agentharness.corpus.keys import key_columns
from agentharness.corpus.table import key_of
from agentharness.env.edits import NotEditable, Said, editable, key_of_row
from agentharness.env.expr import Compiled
from agentharness.env.hooks import Hook
from agentharness.env.maker import Maker
from agentharness.env.verbs_edit import add_row, edit_row, remove_row
from agentharness.env.verbs_move import one_of
from agentharness.env.work import NOTHING, Missing, Verb, Work
from agentharness.errors import BrokenOff, EpisodeError, closest
from agentharness.types.move import Need
from agentharness.types.part import JsonDict


def hook(make: Maker, body: Any, *path: str | int) -> Verb:
    """NAME | {name, args: {…expressions}}"""
    if isinstance(body, str):
        body = {"name": body}
    _, body = one_of(make, body, ("name",), ("args",), *path)
    name, given = body["name"], body.get("args", {})
    known = make.hooks()
    if name not in known:
        raise make.fail(f"hooks.py has no function {name!r}", path, closest(str(name), known))
    if not isinstance(given, dict):
        raise make.fail("args takes expressions", (*path, "args"), "args: {NAME: expression}")
    runs = {k: make.expression(v, *path, "args", k) for k, v in given.items()}
    make.wanted.add("results")
    keys = {table: key_columns(spec) for table, spec in make.spec.corpus.items()}
    return _run(name, known[name], runs, frozenset(make.spec.vars), keys)


def _run(name: str, call: Hook, runs: dict[str, Compiled], variables: frozenset[str], keys: dict[str, list[str]]) -> Verb:
    def verb(work: Work) -> Need | Missing | None:
        env = work.env
        args = {k: run(env) for k, run in runs.items()} if runs else env["args"]
        seen = {"row": env["row"], "at": env["at"], "args": args, "vars": env["vars"], "results": env["results"], "t": env["t"]}
        # A copy: the views are shared by all sessions, and hooks may change what they are given.
        frozen = canon.dumps(seen)
        taken = 0
        while True:
            # Its own answers only: a hook before it in this action has had the first ones.
            answers = list(work.answers[work.used : work.used + taken])
            effects = _call(name, call, {**canon.loads(frozen), "look": _looker(name, work)}, answers)
            if not isinstance(effects, Need):
                work.used += taken
                return _apply(name, work, effects, variables, keys)
            if work.used + taken >= len(work.answers):
                return effects
            taken += 1

    return verb


def _looker(name: str, work: Work) -> Callable[[str, Any], JsonDict | None]:
    """What a hook calls to read rows: public views as this episode has edited them, each a copy."""

    def look(table: str, key: Any) -> JsonDict | None:
        if table not in work.scene.rows.tables:
            raise EpisodeError("env", f"hook {name}: there is no table {table!r} ({closest(str(table), work.scene.rows.tables)})")
        found = key_of(key)
        view = None if found is None else work.scene.rows.look(table, found, work.scene.row)
        copy: JsonDict | None = None if view is None else canon.loads(canon.dumps(view))
        return copy

    return look


def _call(name: str, call: Hook, view: Any, answers: list[Any]) -> Any:
    try:
        return call(view, answers)
    except (EpisodeError, BrokenOff):
        raise
    except (Exception, SystemExit, KeyboardInterrupt) as e:
        raise EpisodeError("env", f"hook {name}: {type(e).__name__}: {e}") from e


def _apply(name: str, work: Work, effects: Any, variables: frozenset[str], keys: dict[str, list[str]]) -> Missing | None:
    if not isinstance(effects, list):
        raise EpisodeError("env", f"hook {name}: gave {type(effects).__name__}, a list of effects or a Need is wanted")
    try:
        effects = canon.loads(canon.dumps(effects))
    except (TypeError, ValueError) as e:
        raise EpisodeError("env", f"hook {name}: its effects are not JSON: {e}") from None
    for effect in effects:
        stop = _one(name, work, effect, variables, keys)
        if stop is not None:
            return stop
    return None


def _one(name: str, work: Work, effect: Any, variables: frozenset[str], keys: dict[str, list[str]]) -> Missing | None:
    match effect:
        case {"goto": [str(table), str(key)], **rest} if not rest and table in work.scene.rows.tables:
            node = work.scene.rows.node(table, key, work.scene.row)
            if node is None:
                return NOTHING
            work.go(node)
        case {"set": dict(values), **rest} if not rest and variables >= set(values):
            work.put(values)
        case {"show": str(text), **rest} if not rest:
            work.shown.append(text)
        case {"end": value, **rest} if not rest:
            work.submission, work.over = value, True
        case {"missing": str(text), **rest} if not rest:
            return Missing(text)
        case {"edit": [str(table), key, dict(values)], **rest} if not rest and table in keys:
            return edit_row(work, table, key_of_row(keys[table], key)[0], _said(name, work, table, keys[table], values))
        case {"add": [str(table), key, dict(values)], **rest} if not rest and table in keys:
            return add_row(work, table, *key_of_row(keys[table], key), _said(name, work, table, keys[table], values))
        case {"remove": [str(table), key], **rest} if not rest and table in keys:
            return remove_row(work, table, key_of_row(keys[table], key)[0])
        case _:
            raise EpisodeError(
                "env",
                f"hook {name}: no effect: {canon.dumps(effect).decode()[:200]} (goto: [table, key], set: {{declared variable}}, show, end, missing, "
                "edit or add: [table, key, {field: value}], remove: [table, key])",
            )
    return None


def _said(name: str, work: Work, table: str, key: list[str], values: JsonDict) -> list[Said]:
    try:
        return [(editable(work.scene.rows.tables[table], key, field), value) for field, value in values.items()]
    except NotEditable as e:
        raise EpisodeError("env", f"hook {name}: {e.what} ({e.hint})") from None
