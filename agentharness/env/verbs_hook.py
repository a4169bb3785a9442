"""hook: a function of the task's own hooks.py, where the language cannot say it."""

from __future__ import annotations

from typing import Any

from agentharness import canon
from agentharness.env.expr import Compiled
from agentharness.env.hooks import Hook
from agentharness.env.maker import Maker
from agentharness.env.verbs_move import one_of
from agentharness.env.work import NOTHING, Missing, Verb, Work
from agentharness.errors import BrokenOff, EpisodeError, closest
from agentharness.types.move import Need


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
    return _run(name, known[name], runs, frozenset(make.spec.vars))


def _run(name: str, call: Hook, runs: dict[str, Compiled], variables: frozenset[str]) -> Verb:
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
            effects = _call(name, call, canon.loads(frozen), answers)
            if not isinstance(effects, Need):
                work.used += taken
                return _apply(name, work, effects, variables)
            if work.used + taken >= len(work.answers):
                return effects
            taken += 1

    return verb


def _call(name: str, call: Hook, view: Any, answers: list[Any]) -> Any:
    try:
        return call(view, answers)
    except BrokenOff:
        raise
    except (Exception, SystemExit, KeyboardInterrupt) as e:
        raise EpisodeError("env", f"hook {name}: {type(e).__name__}: {e}") from e


def _apply(name: str, work: Work, effects: Any, variables: frozenset[str]) -> Missing | None:
    if not isinstance(effects, list):
        raise EpisodeError("env", f"hook {name}: gave {type(effects).__name__}, a list of effects or a Need is wanted")
    try:
        effects = canon.loads(canon.dumps(effects))
    except (TypeError, ValueError) as e:
        raise EpisodeError("env", f"hook {name}: its effects are not JSON: {e}") from None
    for effect in effects:
        stop = _one(name, work, effect, variables)
        if stop is not None:
            return stop
    return None


def _one(name: str, work: Work, effect: Any, variables: frozenset[str]) -> Missing | None:
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
        case _:
            raise EpisodeError(
                "env", f"hook {name}: no effect: {canon.dumps(effect).decode()[:200]} (goto: [table, key], set: {{declared variable}}, show, end, missing)"
            )
    return None
