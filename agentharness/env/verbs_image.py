"""reveal of a picture, or of a part of it: cut, turned, magnified. What is shown is a recipe in source pixels; no pixel is touched here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agentharness.corpus import regions
from agentharness.corpus.assets import Assets
from agentharness.env.expr import Compiled
from agentharness.env.fields import picker
from agentharness.env.maker import Maker
from agentharness.env.views import Node
from agentharness.env.work import NOTHING, Missing, Verb, Work
from agentharness.types.part import JsonDict, Part

FRAMES = ("source", "shown")
_MOST = 1 << 24
"""Pixels of a picture that an action may scale up to."""


@dataclass(slots=True, frozen=True)
class Sight:
    """How a picture is to be shown, compiled."""

    crop: Compiled | None = None
    rotate: Compiled | None = None
    scale: Compiled | None = None
    fit: list[int] | None = None
    shown: bool = False
    """Whether boxes and turns are of what the agent sees now, not of the source."""


def sight(make: Maker, body: JsonDict, field: str, *path: str | int) -> Sight:
    """Compiles {crop, rotate, scale, fit, frame}. Raises UserError, also where two verbs show one field in two frames."""
    fit, frame = body.get("fit"), body.get("frame", "source")
    if fit is not None and (not isinstance(fit, list) or [type(x) for x in fit] != [int, int] or min(fit) < 1):
        raise make.fail("fit takes width and height in pixels", (*path, "fit"), "fit: [512, 512]")
    if frame not in FRAMES:
        raise make.fail(f"there is no frame {frame!r}", (*path, "frame"), "source (its own pixels), or shown (those of what the agent sees now)")
    if make.frames.setdefault(field, frame) != frame:
        what = f"pictures of {field!r} are shown in the frame {make.frames[field]!r} elsewhere"
        raise make.fail(
            what, (*path, "frame") if "frame" in body else path, f"one field has one frame: write `frame: {make.frames[field]}` here too, or nowhere"
        )
    crop, rotate, scale = (make.expression(body[key], *path, key) if key in body else None for key in ("crop", "rotate", "scale"))
    return Sight(crop, rotate, scale, fit, frame == "shown")


def reveal_image(make: Maker, nodes: Callable[[Work], Sequence[Node]], field: str, columns: frozenset[str], how: Sight) -> Verb:
    """Shows the picture at `field` of each node."""
    pick, assets = picker(field, columns), make.corpus.assets

    def verb(work: Work) -> Missing | None:
        nothing = True
        for node in nodes(work):
            part = _look(assets, pick(node.view), how, work)
            if part is not None:
                nothing = False
                work.shown.append(part)
                work.see(f"{node.id}/{field}")
                if how.shown:
                    work.sights = {**work.sights, part["asset"]: part["view"]}
        return NOTHING if nothing else None

    return verb


def picture(assets: Assets, cell: Any) -> Part | None:
    """The picture of a cell, whole. None where the cell holds none."""
    return _look(assets, cell, Sight(), None)


def _look(assets: Assets, cell: Any, how: Sight, work: Work | None) -> Part | None:
    """None where the cell is no picture, or nothing of it is left."""
    if not isinstance(cell, dict) or cell.get("type") != "image":
        return None
    size, env = assets.info(cell["asset"]).header.size, work.env if work is not None else {}
    try:
        if not how.shown or work is None:
            return assets.part(cell["asset"], [*cell["view"], *_source(size, how, env)])
        # With neither box nor turn the picture is shown anew.
        before: list[JsonDict] = cell["view"]
        if how.crop or how.rotate:
            before = work.sights.get(cell["asset"], before)
        part = assets.part(cell["asset"], _shown(size, before, how, env))
    except ValueError:
        return None
    part["frame"] = "shown"
    return part


def _source(size: Sequence[int], how: Sight, env: JsonDict) -> list[JsonDict]:
    """Operations over the whole picture: a box of source pixels (corners in any order, cut to the picture), then turned, scaled, shrunk."""
    view: list[JsonDict] = []
    if how.crop:
        box = _box(how.crop(env), size)
        view.append({"crop": [math.floor(box[0]), math.floor(box[1]), math.ceil(box[2]), math.ceil(box[3])]})
    if how.rotate and (turn := _turn(how.rotate(env))):
        view.append({"rotate": turn})
    if how.scale:
        view += _scaled(regions.region(size, view), how.scale(env))
    return view if how.fit is None else [*view, {"fit": how.fit}]


def _shown(size: Sequence[int], before: Sequence[JsonDict], how: Sight, env: JsonDict) -> list[JsonDict]:
    """The same of what `before` shows, as one recipe in source pixels."""
    view = list(before)
    if how.crop:
        box = _box(how.crop(env), regions.region(size, view).size)
        if box[0] == box[2] or box[1] == box[3]:
            raise ValueError("the box is empty")
        view = regions.compose(size, view, [{"crop": box}])
    if how.rotate and (turn := _turn(how.rotate(env))):
        view = regions.compose(size, view, [{"rotate": turn}])
    if how.scale:
        view = regions.compose(size, view, _scaled(regions.region(size, view), how.scale(env)))
    return regions.compose(size, view, [] if how.fit is None else [{"fit": how.fit}])


def _box(value: Any, size: Sequence[int]) -> list[float]:
    """Left, upper, right and lower edge within `size`. Raises ValueError for what is no box."""
    if not isinstance(value, list) or len(value) != 4 or not all(map(_number, value)):
        raise ValueError("a box is a list of four numbers")
    x0, x1 = (min(max(n, 0), size[0]) for n in sorted((value[0], value[2])))
    y0, y1 = (min(max(n, 0), size[1]) for n in sorted((value[1], value[3])))
    return [x0, y0, x1, y1]


def _turn(value: Any) -> int:
    """Degrees clockwise, 0 to 270; what may be left out turns nothing. Raises ValueError where they are no quarter turns."""
    return 0 if value is None else regions.turned(regions.Region((0, 0, 1, 1), 0, (1, 1)), value).turn * 90


def _scaled(now: regions.Region, factor: Any) -> list[JsonDict]:
    """The operation that shows each source pixel `factor` times as wide and high. Raises ValueError where it is no such number, or too much comes of it."""
    if factor is None:
        return []
    if not _number(factor) or not 0 < factor <= _MOST:
        raise ValueError("a scale is a number above 0")
    width, height = (max(1, round(side * factor)) for side in regions.natural(now.box, now.turn))
    if width * height > _MOST:
        raise ValueError(f"a scale to {width} x {height} pixels is above {_MOST >> 20} megapixels")
    return [{"scale": [width, height]}]


def _number(value: Any) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))
