"""The episode line: each fact once, canonical, wall-clock values apart."""

from __future__ import annotations

import orjson

from agentharness import canon
from agentharness.session.play import Play, Step
from agentharness.session.ports import Cast, Job
from agentharness.session.seat import SessionSeat
from agentharness.types.episode import SCHEMA_VERSION
from agentharness.types.model import Message
from agentharness.types.part import JsonDict
from agentharness.types.score import Score


def episode(cast: Cast, job: Job, play: Play | None, seat: SessionSeat, result: JsonDict, scores: dict[str, Score], clock: JsonDict) -> JsonDict:
    """The line as JSON. `result`: status, error, reward, weights."""
    world, key = cast.world, job.key
    line: JsonDict = {
        "schema_version": SCHEMA_VERSION,
        "key": key.to_json(),
        "group": key.group,
        "env": {"name": world.name, "scoring": world.scoring, "locked": world.locked, **({"layers": list(cast.layer_names)} if cast.layer_names else {})},
        "agent": {"name": cast.agent.name},
        **result,
        "rewards": {name: s.value for name, s in scores.items()},
        "usage": dict(seat.usage),
        "clock": clock,
    }
    if cast.model is not None and cast.agent.needs_model:
        line["model"] = {"name": cast.model.name}
    if notes := {name: note for name, s in scores.items() if (note := _score_note(s, world.rewards[name].scorer))}:
        line["scores"] = notes
    if slices := world.slices(key.row):
        line["slices"] = slices
    if play is not None:
        line["final_state"] = play.state
        if play.state["cost"]:
            line["cost"] = play.state["cost"]
        line["metrics"] = {"turns": play.turn, "steps": len(play.steps) - 1, **play.metrics, **seat.metrics}
        line["steps"] = _steps(play.steps, seat.transcript.messages)
    if seat.calls:
        line["messages"] = [orjson.Fragment(m.wire) for m in seat.transcript.messages]
        line["calls"] = seat.calls
        clock["calls"] = _columns(seat.clocks, cast.model.name if cast.model is not None else "")
    return line


def finite(play: Play | None, line: JsonDict) -> bool:
    """Whether every float that came from the world or the agent is finite; all others are by construction. Far fewer values than the whole line has."""
    loose = [line.get("final_state"), line.get("metrics"), line.get("slices")]
    for step in play.steps if play is not None else ():
        if step.action is not None:
            loose.append(step.action.args)
        loose += step.outcome.draws
        loose += step.outcome.answers
        if step.outcome.parts and step.outcome.parts[0]["type"] != "text":
            loose += step.outcome.parts
    return not any(map(canon.needs_marks, loose))


def keep_once(cast: Cast, play: Play | None, seat: SessionSeat, line: JsonDict) -> None:
    """Moves what many episodes share into the run's assets: action sets, the system prompt."""
    if cast.text is None:
        return
    for digest, tools in seat.tools.items():
        cast.text(digest, tools.tools)
    for step in play.steps if play is not None else ():
        if step.actions is not None and step.actions.specs and step.actions.digest not in seat.tools:
            cast.text(step.actions.digest, step.actions.tools)
    messages = seat.transcript.messages
    if "messages" in line and messages and messages[0].data["role"] == "system":
        line["messages"][0] = {"sha256": cast.once(messages[0])}


def pictures(play: Play | None) -> list[str]:
    """sha256 of every picture shown, each once."""
    if play is None or play.world.spec.modality != "image":
        return []
    shown = (s.shown.parts if s.shown is not None else s.outcome.parts for s in play.steps)
    return list(dict.fromkeys(p["asset"] for parts in shown for p in parts if p["type"] == "image"))


def _score_note(score: Score, scorer: str) -> JsonDict:
    """What stands beside a value: the rule that fired, where it is not the scorer itself, the extracted text, the reason of None."""
    note = {"rule": score.rule if score.rule != scorer else "", "extracted": score.extracted, "reason": score.reason}
    return {k: v for k, v in note.items() if v}


def _columns(clocks: list[JsonDict], model: str) -> JsonDict:
    """Field -> one value a call: wall-clock values are read by column, and a line is shorter so. A field that says the same of every call stands as one value;
    `served` is left out where the server served the model that was asked for."""
    out: JsonDict = {}
    for name in sorted({name for clock in clocks for name in clock}):
        values = [clock.get(name) for clock in clocks]
        if name == "served" and all(v == model for v in values):
            continue
        out[name] = values[0] if all(v == values[0] for v in values) else values
    return out


def _steps(steps: list[Step], messages: list[Message]) -> list[JsonDict]:
    out: list[JsonDict] = []
    before = ""
    for step in steps:
        line = _step(step, messages)
        if step.state_hash != before:
            before = line["state"] = step.state_hash
        out.append(line)
    return out


def _step(step: Step, messages: list[Message]) -> JsonDict:
    """What follows from the rest of the line is left out: `rule` where it is `start` or the action's own, `state` where it is the step's before, `id` where the
    message that is pointed at carries it, `actions` where they did not change or none is left."""
    outcome, action, shown = step.outcome, step.action, step.shown
    out: JsonDict = {"turn": step.turn}
    message = shown.message if shown is not None else None
    if action is not None:
        out["action"] = action.name
        out["args"] = action.args
        if action.actor != "agent":
            out["actor"] = action.actor
        if action.id is not None and (message is None or messages[message].data.get("tool_call_id") != action.id):
            out["id"] = action.id
        if action.error is not None:
            out["error"] = action.error
        if action.raw is not None:
            out["raw"] = action.raw
    if outcome.rule != ("start" if action is None else f"actions.{action.name}"):
        out["rule"] = outcome.rule
    if outcome.verdict != "ok":
        out["verdict"] = outcome.verdict
    if message is not None:
        out["message"] = message
    else:
        out["parts"] = shown.parts if shown is not None else outcome.parts
    if outcome.draws:
        out["draws"] = outcome.draws
    if outcome.answers:
        out["answers"] = outcome.answers
    if step.actions is not None and step.actions.specs:
        out["actions"] = step.actions.digest
    if outcome.state["over"]:
        out["terminated"] = True
    return out
