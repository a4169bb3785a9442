"""Whether an agent's action is the recorded one: argument by argument, exactly, by likeness of texts, or by where a point lies."""

from __future__ import annotations

import math
from collections.abc import Iterable

from agentharness import canon
from agentharness.corpus.alike import likeness
from agentharness.env.maker import Maker
from agentharness.env.recorded import Matcher, Step
from agentharness.env.spec import MatchSpec
from agentharness.errors import closest
from agentharness.types.part import JsonDict


def matcher(make: Maker, written: MatchSpec, schemas: dict[str, JsonDict], action: str, *path: str | int) -> Matcher:
    """Compiles the matcher of one action. Raises UserError for an argument that the action lacks, or whose type does not fit."""
    point = _point(make, written, schemas, action, *path)
    for arg, least in written.text.items():
        _argument(make, arg, ("string",), schemas, action, *path, "text", arg)
        if not 0 <= least <= 1:
            raise make.fail(f"the least likeness of {arg!r} is {least}", (*path, "text", arg), "a number from 0 to 1")
        likeness("", "", "`match: {text: …}`", str(make.place((*path, "text"))))
    for i, arg in enumerate(written.any):
        _argument(make, arg, (), schemas, action, *path, "any", i)
    said = [*written.text, *written.any, *(point or ())]
    twice = next((arg for arg in said if said.count(arg) > 1), None)
    if twice is not None:
        raise make.fail(f"{twice!r} is compared in two ways", path, "name each argument once")
    exact = sorted(schemas.keys() - set(said))
    texts, within = sorted(written.text.items()), written.within

    def match(args: JsonDict, step: Step) -> bool:
        return (
            all(canon.same(args.get(arg), step.args.get(arg)) for arg in exact)
            and (point is None or _near(args, step, point, within))
            and all(alike(args.get(arg), step.args.get(arg)) >= least for arg, least in texts)
        )

    return match


def alike(said: object, recorded: object) -> float:
    """How alike two texts are, white space and case folded; 0 where one is no text and the other is, 1 where neither is."""
    if not isinstance(said, str) or not isinstance(recorded, str):
        return float(not isinstance(said, str) and not isinstance(recorded, str))
    return likeness(_fold(said), _fold(recorded), "`match: {text: …}`")


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def _near(args: JsonDict, step: Step, point: tuple[str, str], within: float | None) -> bool:
    (x, y), (a, b) = ((args.get(name) for name in point), (step.args.get(name) for name in point))
    if x is None or y is None:
        return a is None and b is None
    if step.box is not None and step.box[0] <= x <= step.box[2] and step.box[1] <= y <= step.box[3]:
        return True
    return within is not None and a is not None and b is not None and math.dist((x, y), (a, b)) <= within


def _point(make: Maker, written: MatchSpec, schemas: dict[str, JsonDict], action: str, *path: str | int) -> tuple[str, str] | None:
    if written.point is None:
        for key in ("box", "within"):
            if getattr(written, key) is not None:
                raise make.fail(f"`{key}` needs the point that it is about", (*path, key), "point: [x, y], the names of two arguments")
        return None
    for i, arg in enumerate(written.point):
        _argument(make, arg, ("integer", "number"), schemas, action, *path, "point", i)
    if written.box is None and written.within is None:
        raise make.fail("`point` does not say what is near enough", (*path, "point"), "box: item.COLUMN, or within: 40")
    return written.point[0], written.point[1]


def _argument(make: Maker, arg: str, types: Iterable[str], schemas: dict[str, JsonDict], action: str, *path: str | int) -> None:
    if arg not in schemas:
        raise make.fail(f"{action} has no argument {arg!r}", path, closest(arg, schemas))
    if types and schemas[arg]["type"] not in types:
        raise make.fail(f"{arg!r} of {action} is {schemas[arg]['type']}, {' or '.join(types)} is wanted", path, f"args: {{{arg}: {next(iter(types))}}}")
