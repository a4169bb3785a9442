"""The episode line: each fact once, canonical, wall-clock values apart."""

from __future__ import annotations

import orjson

from agentharness import canon
from agentharness.session.play import Play, Step
from agentharness.session.ports import Cast, Job
from agentharness.session.seat import SessionSeat
from agentharness.types.episode import SCHEMA_VERSION
from agentharness.types.model import Message
from agentharness.types.move import Action
from agentharness.types.part import JsonDict
from agentharness.types.score import Score


def episode(cast: Cast, job: Job, play: Play | None, seat: SessionSeat, result: JsonDict, scores: dict[str, Score], clock: JsonDict) -> JsonDict:
    """The line as JSON. `result`: status, error, reward."""
    key = job.key
    line: JsonDict = {
        "schema_version": SCHEMA_VERSION,
        "key": key.to_json(),
        "group": key.group,
        **cast.common,
        **result,
        "rewards": {name: s.value for name, s in scores.items()},
        "usage": seat.usage,
        "clock": clock,
    }
    rewards = cast.world.rewards
    if notes := {name: note for name, s in scores.items() if (note := _score_note(s, rewards[name].scorer))}:
        line["scores"] = notes
    if slices := cast.world.slices(key.row):
        line["slices"] = slices
    if play is not None:
        line["final_state"] = play.state
        if play.state.get("cost"):  # a reset that failed left no state
            line["cost"] = play.state["cost"]
        line["metrics"] = {"turns": play.turn, **play.metrics, **seat.metrics}
        line["steps"] = _steps(play.steps, seat.transcript.messages)
        if others := _others(play.steps):
            line["usage_others"] = others
    if seat.calls:
        line["messages"] = [orjson.Fragment(m.wire) for m in seat.transcript.messages]
        line["calls"] = seat.calls
        clock["calls"] = _columns(seat.clocks, cast.model.name if cast.model is not None else "")
    return line


def _others(steps: list[Step]) -> JsonDict:
    """Tokens of the models that played roles inside the world, by role; the agent's own are `usage`."""
    out: dict[str, dict[str, int]] = {}
    for step in steps:
        for answer in step.outcome.answers:
            if isinstance(answer, dict) and isinstance(answer.get("usage"), dict):
                mine = out.setdefault(str(answer.get("role")), {})
                for name, n in answer["usage"].items():
                    mine[name] = mine.get(name, 0) + n
    return out


def finite(play: Play | None, line: JsonDict) -> bool:
    """Whether every float that came from the world or the agent is finite; all others are by construction. Far fewer values than the whole line has."""
    loose = [line.get("metrics", 0), line.get("slices", 0)]
    if play is not None:
        # a place and an answer may well be null: only what may hold a float
        loose += [value for name, value in play.state.items() if name != "at" and value is not None]
    for step in play.steps if play is not None else ():
        if step.action is not None:
            loose.append(step.action.args)
        loose += step.outcome.draws
        loose += step.outcome.answers
        if step.outcome.parts and step.outcome.parts[0]["type"] != "text":
            loose += step.outcome.parts
    return canon.finite(loose)


def without_objects(play: Play) -> None:
    """Puts words in place of arguments that are no JSON, so that the rest of the episode can be written."""
    for step in play.steps:
        if step.action is not None:
            try:
                canon.dumps(step.action.args)
            except TypeError:
                step.action = Action(step.action.name, {}, step.action.id, "arguments are no JSON", repr(step.action.args)[:2000])


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
    out: JsonDict = {}
    if score.rule and score.rule != scorer:
        out["rule"] = score.rule
    if score.extracted:
        out["extracted"] = score.extracted
    if score.reason:
        out["reason"] = score.reason
    return out


def _columns(clocks: list[JsonDict], model: str) -> JsonDict:
    """Field -> one value a call: wall-clock values are read by column, and a line is shorter so. A field that says the same of every call stands as one value;
    `served` is left out where the server served the model that was asked for."""
    out: JsonDict = {}
    for name in set().union(*clocks):
        values = [clock.get(name) for clock in clocks]
        same = values.count(values[0]) == len(values)
        if not (same and name == "served" and values[0] == model):
            out[name] = values[0] if same else values
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
    if step.distances:
        out["distances"] = step.distances
    return out
