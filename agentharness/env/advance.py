"""The pure transition: (rules, scene, state, action, answers so far) -> what came of it, or the question to the outside that it waits for."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

from agentharness import canon
from agentharness.env.expr import Compiled, ExprError
from agentharness.env.rules import Rule, Rules
from agentharness.env.schema import Invalid
from agentharness.env.verbs_image import picture
from agentharness.env.views import Move, Scene
from agentharness.env.work import Work, with_mark
from agentharness.errors import EpisodeError, closest
from agentharness.types.env import Outcome, Verdict
from agentharness.types.move import Action, Need
from agentharness.types.part import JsonDict, Part, text

NOT_NOW = "Not possible now."
NOT_FOUND = "Nothing found."
DONE = "Done."
ENDED = "not executed: the episode has ended"


def start(rules: Rules, scene: Scene, answers: Sequence[Any] = ()) -> Outcome | Need:
    """The opening of an episode. Raises EpisodeError where a rule fails or `start` finds nothing."""
    try:
        return _start(rules, scene, answers)
    except ExprError as e:
        raise EpisodeError("env", f"start: {e}") from e
    except EpisodeError as e:
        raise EpisodeError(e.cause, f"start: {e.message}", fatal=e.fatal) from e


def _start(rules: Rules, scene: Scene, answers: Sequence[Any]) -> Outcome | Need:
    opening = rules.opening
    state: JsonDict = {"at": None, "vars": {}, "results": [], "seen": [], "over": False, "t": 0, "cost": 0, "draws": 0}
    env = scene.environment(state, None, {}, opening.tables, opening.results)
    env["vars"] = state["vars"] = {name: value(env) if isinstance(value, Compiled) else value for name, value in opening.vars.items()}
    work = Work(scene, state, None, env, opening.results, True, answers)
    for i, verb in enumerate(opening.verbs):
        stop = verb(work)
        if stop is None:
            continue
        if isinstance(stop, Need):
            return stop
        raise EpisodeError("env", f"verb {i + 1} found nothing ({stop.text or 'the corpus lacks what the row names'})")
    shown: list[str | Part] = [opening.observe(env)]
    for name, pick in opening.images:
        part = picture(rules.assets, pick(work.scene.node.view))
        if part is None:
            raise EpisodeError("env", f"row {scene.row!r} has no picture in {name!r}")
        work.see(f"{scene.node.id}/{name}")
        shown.append(part)
    return Outcome(_after(work, state, 0, 0), _parts([*shown, *work.shown]), "ok", "start", work.drawn, work.taken())


def advance(rules: Rules, scene: Scene, state: JsonDict, action: Action, answers: Sequence[Any] = ()) -> Outcome | Need:
    """Applies one action; `state` is never changed. Raises EpisodeError where a rule fails."""
    if state["over"]:
        return _refuse(state, "not_executed", "", ENDED, 0)
    if action.error is not None:
        return _refuse(state, "malformed", "", action.error, 0)
    if (edits := state.get("edits")) is not None:
        scene = scene.of(edits)
    legal = rules.legals.of(scene, state)
    check = legal.checks.get(action.name)
    if check is None:
        return _unknown(rules, state, action.name, list(legal.checks))
    rule = rules.actions[action.name]
    try:
        args = check(action.args)
    except Invalid as e:
        return _refuse(state, "invalid", f"{rule.place}.args", str(e), 0)
    try:
        return _apply(rule, scene, state, args, answers)
    except ExprError as e:
        raise EpisodeError("env", f"{rule.place}: {e}") from e
    except EpisodeError as e:
        raise EpisodeError(e.cause, f"{rule.place}: {e.message}", fatal=e.fatal) from e


def _apply(rule: Rule, scene: Scene, state: JsonDict, args: JsonDict, answers: Sequence[Any]) -> Outcome | Need:
    at = state["at"]
    node = None if at is None else scene.here(at)
    mark = (rule.name, *args.values()) if rule.still else ()
    if node is not None and (known := node.moves.get(mark)) is not None:
        return _again(known, rule, scene, state)
    env = scene.environment(state, node, args, rule.tables, rule.results)
    cost = rule.price if rule.cost is None else _number(rule.cost(env))
    if rule.when is not None and not rule.when(env):
        return _refuse(state, "refused", rule.place + ".when", NOT_NOW if rule.else_ is None else rule.else_(env), cost)
    work = Work(scene, state, node, env, rule.results, rule.say is None, answers)
    for i, verb in enumerate(rule.verbs):
        stop = verb(work)
        if work.stopped:
            break
        if stop is None:
            continue
        if isinstance(stop, Need):
            return stop
        said = stop.text
        if said is None:
            # over the state as it stays, not as the verbs before left it
            said = NOT_FOUND if rule.else_ is None else rule.else_(scene.environment(state, node, args, rule.tables, rule.results))
        out = _refuse(state, "missing", f"{rule.place}.do.{i}", said, cost)
        out.draws, out.answers = work.drawn, work.taken()
        if stop.ends:
            out.state |= {"over": True, "submission": None}
        return out
    shown = [_said(rule, rule.say, work), *work.shown] if rule.say is not None and not work.stopped else work.shown or [DONE]
    parts = _parts(shown)
    if mark and node is not None and work.node is not None and all(scene.rows.keeps(p.get("text", "")) for p in parts):
        node.moves[mark] = Move(work.node, tuple(work.marks), tuple(p.copy() for p in parts))
    return Outcome(_after(work, state, 1, cost), parts, "ok", rule.place, work.drawn, work.taken())


def _again(move: Move, rule: Rule, scene: Scene, state: JsonDict) -> Outcome:
    """What `_apply` gives, from what it gave before."""
    seen = state["seen"]
    for mark in move.marks:
        seen = with_mark(seen, mark)
    scene.last = move.to
    after = {
        "at": move.to.ref,
        "vars": state["vars"],
        "results": state["results"],
        "seen": seen,
        "over": False,
        "t": state["t"] + 1,
        "cost": state["cost"] + rule.price,
        "draws": state["draws"],
    }
    if "said" in state:
        after["said"] = state["said"]
    if "edits" in state:
        after["edits"] = state["edits"]
    if "sights" in state:
        after["sights"] = state["sights"]
    if "recorded" in state:
        after["recorded"] = state["recorded"]
    return Outcome(after, [p.copy() for p in move.parts], "ok", rule.place, [], [])


def _said(rule: Rule, say: Compiled, work: Work) -> str:
    node = work.node if rule.by_place else None
    if rule.by_found and len(work.results) == 1 and type(work.results[0]) is list:
        node = work.scene.rows.at(work.results[0], work.scene.row)
    if node is None:
        return say(work.env)  # type: ignore[no-any-return]
    found = node.said.get(rule.name)
    if found is None:
        found = say(work.env)
        if work.scene.rows.keeps(found):
            node.said[rule.name] = found
    return found


def _after(work: Work, state: JsonDict, steps: int, cost: float) -> JsonDict:
    node = work.node
    if node is not None:
        work.scene.last = node
    out = {
        "at": None if node is None else node.ref,
        "vars": work.vars,
        "results": work.results,
        "seen": work.seen,
        "over": work.over,
        "t": state["t"] + steps,
        "cost": state["cost"] + cost,
        "draws": work.draws,
    }
    if work.said:
        out["said"] = work.said
    if work.edits is not None:
        out["edits"] = work.edits
    if work.sights:
        out["sights"] = work.sights
    if work.recorded is not None:
        out["recorded"] = work.recorded
    if work.over:
        out["submission"] = work.submission
    return out


def _refuse(state: JsonDict, verdict: Verdict, rule: str, message: str, cost: float) -> Outcome:
    after = {**state, "t": state["t"] + 1, "cost": state["cost"] + cost}
    return Outcome(after, [text(message)], verdict, rule, [], [], message)


def _unknown(rules: Rules, state: JsonDict, name: str, legal: list[str]) -> Outcome:
    if name in rules.actions:
        return _refuse(state, "invalid", f"actions.{name}.args", f"{name} is not possible here: it has no legal argument", 0)
    known = f"legal: {', '.join(legal)}" if legal else "none is legal now"
    near = closest(name, legal)
    hint = f"{near}; {known}" if near.startswith("did you mean") else known
    return _refuse(state, "unknown", "", f"there is no action {name!r} ({hint})", 0)


def _parts(shown: Sequence[str | Part]) -> list[Part]:
    """Texts that stand together become one part: a message can then hold just what was shown."""
    if len(shown) == 1 and isinstance(shown[0], str):
        return [{"type": "text", "text": shown[0]}]
    out: list[Part] = []
    for piece in shown:
        if not isinstance(piece, str):
            out.append(piece)
        elif out and out[-1]["type"] == "text":
            out[-1] = text(f"{out[-1]['text']}\n{piece}")
        else:
            out.append({"type": "text", "text": piece})
    return out


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ExprError(f"cost is {value!r}, a number is wanted")
    return value  # type: ignore[no-any-return]


def unchanged(before: JsonDict, after: JsonDict) -> bool:
    """Whether two states surely have one hash: verbs copy what they change, so what is the same object is the same value."""
    return (
        after["at"] is before["at"]
        and after["seen"] is before["seen"]
        and after["results"] is before["results"]
        and after["vars"] is before["vars"]
        and after["draws"] == before["draws"]
        and after.get("said") is before.get("said")
        and after.get("edits") is before.get("edits")
        and after.get("sights") is before.get("sights")
        and after.get("recorded") is before.get("recorded")
        and not after["over"]
    )


def state_hash(state: JsonDict, limit: int) -> str:
    """First 16 hex digits over the state without `t` and `cost`. Raises EpisodeError where it is larger than `limit` bytes."""
    seen = state.copy()
    del seen["t"], seen["cost"]
    data = canon.dumps(seen, finite=True)  # in a hash NaN may look like null: nothing is read back from it
    if len(data) > limit:
        raise EpisodeError("env", f"the state has {len(data)} bytes, more than limits.state ({limit})")
    return hashlib.sha256(data).hexdigest()[:16]
