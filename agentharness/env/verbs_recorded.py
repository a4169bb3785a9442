"""goto: {recorded: TABLE}: the next step of a recording, if the agent's action is the recorded one."""

from __future__ import annotations

from typing import Any

from agentharness import canon
from agentharness.corpus.assets import Assets
from agentharness.env.maker import Maker
from agentharness.env.recorded import Recorded, Spot, Step
from agentharness.env.verbs_show import as_text, picture
from agentharness.env.work import NOTHING, Missing, Verb, Work
from agentharness.errors import closest

OTHER = "That is not what was recorded here."
OTHER_ENDS = "That is not what was recorded here: the episode ends."
LAST = "The recording ends here."


def recorded(make: Maker, body: Any, *path: str | int) -> Verb:
    """{recorded: table of `trajectories`}

    In `start`: to the first action of the episode's own trajectory. In an action: to the step after the one that this action matches.
    """
    table = body["recorded"]
    found = make.recorded.get(table) if isinstance(table, str) else None
    if found is None:
        raise make.fail(f"{table!r} is no recording of `trajectories`", (*path, "recorded"), closest(str(table), make.recorded))
    if path[0] != "actions":
        return _first(found, make.corpus.assets)
    name = str(path[1])
    return _next(found, make.corpus.assets, name, None if make.spec.actions[name].else_ is not None else OTHER_ENDS if found.diverge == "end" else OTHER)


def _first(found: Recorded, assets: Assets) -> Verb:
    def verb(work: Work) -> Missing | None:
        if work.scene.row not in found.runs:
            return NOTHING
        _begin(found, work, work.scene.row)
        _come(found, assets, work, (work.scene.row, 0))
        return None

    return verb


def _next(found: Recorded, assets: Assets, name: str, other: str | None) -> Verb:
    nothing = Missing(other, found.diverge == "end")

    def verb(work: Work) -> Missing | None:
        here = None if work.node is None else found.spot(work.node.table, work.node.key, work.scene.row)
        if here is None:
            return NOTHING
        if work.recorded is None:
            _begin(found, work, here[0])
        args = work.env["args"]
        spot = found.find(here, name, args)
        if spot is None and found.diverge == "snap":
            spot = found.nearest(here, name, args)
        if spot is None and found.diverge != "force":
            return nothing
        _play(found, assets, work, spot or here, matched=spot is not None)
        return None

    return verb


def _begin(found: Recorded, work: Work, run: str) -> None:
    work.recorded = {"length": found.lengths[run], "matched": 0, **({"rewards": []} if found.rewarded else {})}


def _play(found: Recorded, assets: Assets, work: Work, spot: Spot, *, matched: bool) -> None:
    """The step was played, by the agent or in its place: it counts once, however often play comes by."""
    assert work.recorded is not None
    run, at = spot
    step = found.runs[run][at]
    mark = f"{found.table}/{step.key}/action"
    if matched and mark not in work.seen:
        work.recorded = {**work.recorded, "matched": work.recorded["matched"] + 1}
    work.see(mark)
    _earn(work, step)
    if not matched and step.name is not None:
        args = {arg: value for arg, value in step.args.items() if value is not None}
        work.shown.append(f"Recorded instead: {step.name} {canon.dumps(args).decode()}")
    _come(found, assets, work, (run, at + 1))


def _come(found: Recorded, assets: Assets, work: Work, spot: Spot) -> None:
    """Goes to the next step that has an action, and shows all that is seen on the way; past the last one the episode is over."""
    run, at = spot
    steps = found.runs[run]
    for i in range(at, len(steps)):
        step = steps[i]
        _see(found, assets, work, step)
        if step.name is not None or i == len(steps) - 1:
            node = work.scene.rows.node(found.table, step.key, work.scene.row)
            if node is not None:
                work.go(node)
        if step.name is not None:
            return
        _earn(work, step)
    work.over = True
    if at == len(steps):  # nobody stands behind the last step: what is said of it was said before
        work.stopped = True
        work.shown.append(LAST)


def _earn(work: Work, step: Step) -> None:
    if step.reward is not None and work.recorded is not None:
        work.recorded = {**work.recorded, "rewards": [*work.recorded["rewards"], step.reward]}


def _see(found: Recorded, assets: Assets, work: Work, step: Step) -> None:
    if found.observe is None:
        return
    value: Any = found.observe({"item": step.item})
    for one in value if isinstance(value, list) and all(isinstance(v, str | dict) for v in value) else [value]:
        if _is_picture(one):
            part = picture(assets, one)
            if part is not None:
                work.shown.append(part)
        elif one is not None and one != "" and work.texts:
            work.shown.append(as_text(one))


def _is_picture(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "image" and "asset" in value
