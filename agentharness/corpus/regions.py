"""Views of a picture as plain numbers: which box of its source pixels is shown, how it is turned, and at what size. No pixel is touched.

Source pixels are those of the upright picture: what EXIF says of its orientation is applied before anything is counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

MAX_PIXELS = 100_000_000
Box: TypeAlias = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels: the left and upper edge belong to it, the right and lower one do not."""


class Region(NamedTuple):
    """What a view shows."""

    box: Box
    """In source pixels, within the picture."""
    turn: int
    """Quarter turns clockwise, 0 to 3."""
    size: tuple[int, int]
    """Width and height that it is shown at, once turned."""


def region(size: Sequence[int], view: Sequence[Mapping[str, Any]]) -> Region:
    """What a view of a picture of `size` shows. Raises ValueError for an empty box or an unknown operation.

    A crop is in source pixels wherever it stands, and starts the size anew; `rotate` is clockwise, in degrees; `scale` and `fit` are sizes as they are shown.
    """
    width, height = size
    now = Region((0, 0, width, height), 0, (width, height))
    for operation in view:
        ((name, value),) = operation.items()
        if name == "crop":
            x0, y0, x1, y1 = value
            box = (max(0, math.floor(x0)), max(0, math.floor(y0)), min(width, math.ceil(x1)), min(height, math.ceil(y1)))
            if box[2] <= box[0] or box[3] <= box[1]:
                raise ValueError(f"the box {list(value)} holds no pixel of a picture of {width} x {height}")
            now = Region(box, now.turn, natural(box, now.turn))
        elif name == "rotate":
            now = turned(now, value)
        elif name == "fit":
            now = now._replace(size=shrink(now.size, value[0], value[1]))
        elif name == "scale":
            now = now._replace(size=bounded(value[0], value[1]))
        else:
            raise ValueError(f"no view operation {name!r}: crop, rotate, scale, fit")
    return now


def turned(now: Region, degrees: Any) -> Region:
    """Turned clockwise by so many degrees more. Raises ValueError where they are no quarter turns."""
    if isinstance(degrees, bool) or not isinstance(degrees, int | float) or degrees % 90:  # NaN and infinity leave a rest that is not 0
        raise ValueError(f"a picture is turned by 90, 180 or 270 degrees, not by {degrees}")
    quarters = int(degrees // 90) % 4
    return Region(now.box, (now.turn + quarters) % 4, now.size[::-1] if quarters % 2 else now.size)


def bounded(width: float, height: float) -> tuple[int, int]:
    """A size to show at, from 1 x 1. Raises ValueError above 100 megapixels."""
    out = (max(1, int(width)), max(1, int(height)))
    if out[0] * out[1] > MAX_PIXELS:
        raise ValueError(f"a scale to {out[0]} x {out[1]} pixels is above {MAX_PIXELS // 1_000_000} megapixels")
    return out


def natural(box: Box, turn: int) -> tuple[int, int]:
    """The size at which each source pixel of `box` is one pixel shown."""
    size = (box[2] - box[0], box[3] - box[1])
    return size[::-1] if turn % 2 else size


def shrink(size: tuple[int, int], width: float, height: float) -> tuple[int, int]:
    """The size that fits into width x height with the sides' ratio kept; never larger than it was."""
    share = min(1.0, width / max(1, size[0]), height / max(1, size[1]))
    return max(1, round(size[0] * share)), max(1, round(size[1] * share))


def to_source(now: Region, x: float, y: float) -> tuple[float, float]:
    """The point of the source that is shown at (x, y), counted from the upper left corner of what is shown; points beside it are moved to its edge."""
    (x0, y0, x1, y1), (width, height) = now.box, now.size
    across, down = x1 - x0, y1 - y0
    x, y = min(max(x, 0), width), min(max(y, 0), height)
    # Multiplied before it is divided: a whole number stays whole.
    if now.turn == 0:
        return x0 + x * across / width, y0 + y * down / height
    if now.turn == 1:
        return x0 + y * across / height, y0 + (width - x) * down / width
    if now.turn == 2:
        return x0 + (width - x) * across / width, y0 + (height - y) * down / height
    return x0 + (height - y) * across / height, y0 + x * down / width


def part_of(now: Region, box: Sequence[float]) -> list[int]:
    """A box of what is shown (corners in any order) as whole source pixels, those that it touches included. May be empty."""
    ax, ay = to_source(now, box[0], box[1])
    bx, by = to_source(now, box[2], box[3])
    return [math.floor(min(ax, bx)), math.floor(min(ay, by)), math.ceil(max(ax, bx)), math.ceil(max(ay, by))]


def compose(size: Sequence[int], view: Sequence[Mapping[str, Any]], more: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The one view that shows what `more` shows of what `view` shows: boxes of `more` are in the pixels that `view` shows, all else follows in order.

    It is at most one crop, one turn and one scale, so that two ways to one sight have one recipe. Raises ValueError as `region` does.
    """
    now = region(size, view)
    for operation in more:
        ((name, value),) = operation.items()
        turn: list[dict[str, Any]] = [{"rotate": now.turn * 90}]
        if name == "crop":
            now = region(size, [*turn, {"crop": part_of(now, value)}])
        else:
            now = region(size, [*turn, {"crop": list(now.box)}, {"scale": list(now.size)}, operation])
    return recipe(size, now)


def recipe(size: Sequence[int], now: Region) -> list[dict[str, Any]]:
    """The shortest view that shows just this."""
    out: list[dict[str, Any]] = []
    if now.box != (0, 0, size[0], size[1]):
        out.append({"crop": list(now.box)})
    if now.turn:
        out.append({"rotate": now.turn * 90})
    if now.size != natural(now.box, now.turn):
        out.append({"scale": list(now.size)})
    return out
