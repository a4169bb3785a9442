"""goto: {recorded: TABLE}: the next step of a recording, if the agent's action is the recorded one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentharness import canon
from agentharness.corpus.assets import Assets
from agentharness.env.maker import Maker
from agentharness.env.recorded import Recorded, Spot, Step, Way
from agentharness.env.verbs_image import picture
from agentharness.env.verbs_show import as_text
from agentharness.env.work import NOTHING, Missing, Verb, Work
from agentharness.errors import closest
from agentharness.types.part import Part

OTHER = "That is not what was recorded here."
OTHER_ENDS = "That is not what was recorded here: the episode ends."
LAST = "The recording ends here."
_KEPT = 65536
"""Ways that are kept before they are worked out anew."""


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
    if step.reward is not None:
        _earn(work, [step.reward])
    if not matched and step.name is not None:
        args = {arg: value for arg, value in step.args.items() if value is not None}
        work.shown.append(f"Recorded instead: {step.name} {canon.dumps(args).decode()}")
    _come(found, assets, work, (run, at + 1))


def _come(found: Recorded, assets: Assets, work: Work, spot: Spot) -> None:
    """Goes to the next step that has an action, and shows all that is seen on the way; past the last one the episode is over."""
    way = found.ways.get(spot)
    if way is None:
        if len(found.ways) >= _KEPT:
            found.ways.clear()
        way = found.ways[spot] = _way(found, assets, spot)
    if way.to is not None:
        node = work.scene.rows.node(found.table, way.to, work.scene.row)
        if node is not None:
            work.go(node)
    work.shown += (one if isinstance(one, str) else one.copy() for one in way.seen if work.texts or not isinstance(one, str))
    if way.rewards:
        _earn(work, way.rewards)
    if way.over:
        work.over = True
        if way.to is None:  # nobody stands behind the last step: what is said of it was said before
            work.stopped = True
            work.shown.append(LAST)


def _earn(work: Work, rewards: Sequence[float]) -> None:
    if work.recorded is not None:
        work.recorded = {**work.recorded, "rewards": [*work.recorded["rewards"], *rewards]}


def _way(found: Recorded, assets: Assets, spot: Spot) -> Way:
    run, at = spot
    steps = found.runs[run][at:]
    end = next((i for i, step in enumerate(steps) if step.name is not None), None)
    passed = steps if end is None else steps[: end + 1]
    seen = [part for step in passed for part in _seen(found, assets, step)]
    rewards = [step.reward for step in passed if step.name is None and step.reward is not None]
    return Way(passed[-1].key if passed else None, seen, rewards, end is None)


def _seen(found: Recorded, assets: Assets, step: Step) -> Iterator[str | Part]:
    if found.observe is None:
        return
    value: Any = found.observe({"item": step.item})
    for one in value if isinstance(value, list) and all(isinstance(v, str | dict) for v in value) else [value]:
        if isinstance(one, dict) and one.get("type") == "image" and "asset" in one:
            part = picture(assets, one)
            if part is not None:
                yield part
        elif one is not None and one != "":
            yield as_text(one)
