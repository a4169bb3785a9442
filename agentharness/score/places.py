"""Scorers of places: a point on the earth, a point or a box in a picture."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentharness.score.extract import answer_text
from agentharness.score.words import no_answer
from agentharness.types.score import Score

EARTH_KM = 6371.0
"""Mean radius."""
_NUMBERS = re.compile(r"[-+]?\d+(?:\.\d+)?")
_KEYS = (("lat", "lon"), ("latitude", "longitude"), ("lat", "lng"), ("x", "y"), ("x0", "y0", "x1", "y1"))


def geo_distance(subject: Any, reference: Any, *, scale_km: float = 2000.0) -> Score:
    """How near a place on the earth is: 1 at the spot, falling with the distance.

    Places are [latitude, longitude] in degrees, {lat, lon}, or a text with two numbers. Formula: exp(-d / scale_km), d the great-circle distance in km by the
    haversine formula on a sphere of 6371 km. Source: Sinnott 1984; the decay is this project's, of the kind that geolocation games use. A reference that is
    no place is unscored; a subject that is none scores 0.
    """
    return _compare(subject, reference, 2, lambda a, b: math.exp(-haversine(a, b) / scale_km), "geo_distance", _on_earth)


def point_in_box(subject: Any, reference: Any) -> Score:
    """1 where a point lies in the reference box, its edges included, else 0. A box as subject counts by its centre.

    Points are [x, y], boxes [x0, y0, x1, y1] with corners in any order, both in one frame; a text gives its numbers.
    Formula: [x0 <= x <= x1 and y0 <= y <= y1]. Source: this project; the usual click accuracy of screen grounding.
    """
    box = _numbers(reference, 4)
    point = _numbers(subject, 4) or _numbers(subject, 2)
    early = _early(subject, reference, box is not None)
    if early is not None or box is None:
        return early or Score(None, reason="the reference is no box")
    if point is None:
        return Score(0.0, "no point")
    x, y = point if len(point) == 2 else ((point[0] + point[2]) / 2, (point[1] + point[3]) / 2)
    x0, y0, x1, y1 = _corners(box)
    return Score(float(x0 <= x <= x1 and y0 <= y <= y1), "point_in_box", f"{x:g}, {y:g}")


def iou(subject: Any, reference: Any) -> Score:
    """Intersection over union of two boxes [x0, y0, x1, y1], corners in any order, in [0, 1]; 0 where both are empty.

    Formula: area(A and B) / area(A or B). Source: Jaccard 1912, as in Everingham et al. 2010 (PASCAL VOC).
    """
    return _compare(subject, reference, 4, overlap, "iou", lambda _: True)


def haversine(a: Sequence[float], b: Sequence[float]) -> float:
    """Kilometres between two places (latitude, longitude in degrees)."""
    lat_a, lon_a, lat_b, lon_b = (math.radians(v) for v in (*a, *b))
    h = math.sin((lat_b - lat_a) / 2) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_b - lon_a) / 2) ** 2
    return 2 * EARTH_KM * math.asin(math.sqrt(min(1.0, h)))


def overlap(a: Sequence[float], b: Sequence[float]) -> float:
    """Intersection over union."""
    ax0, ay0, ax1, ay1 = _corners(a)
    bx0, by0, bx1, by1 = _corners(b)
    both = max(0.0, min(ax1, bx1) - max(ax0, bx0)) * max(0.0, min(ay1, by1) - max(ay0, by0))
    either = (ax1 - ax0) * (ay1 - ay0) + (bx1 - bx0) * (by1 - by0) - both
    return both / either if either > 0 else 0.0


def _compare(subject: Any, reference: Any, n: int, score: Any, rule: str, sound: Any) -> Score:
    target, found = _numbers(reference, n), _numbers(subject, n)
    early = _early(subject, reference, target is not None and sound(target))
    if early is not None:
        return early
    if found is None or not sound(found):
        return Score(0.0, f"no {rule}")
    return Score(score(found, target), rule, ", ".join(f"{v:g}" for v in found))


def _early(subject: Any, reference: Any, sound: bool) -> Score | None:
    early = no_answer(subject, reference if sound or reference is None else "x")
    if early is not None:
        return early
    return None if sound else Score(None, reason="the reference is no such place")


def _numbers(value: Any, n: int) -> list[float] | None:
    """The n numbers of a list, a mapping or a text; None where there are not just n."""
    if isinstance(value, Mapping):
        keys = next((k for k in _KEYS if len(k) == n and all(name in value for name in k)), None)
        value = [value[k] for k in keys] if keys else []
    if isinstance(value, str):
        value = [float(v) for v in _NUMBERS.findall(answer_text(value) or "")]
    if not isinstance(value, list | tuple) or len(value) != n or any(isinstance(v, bool) or not isinstance(v, int | float) for v in value):
        return None
    return [float(v) for v in value] if all(math.isfinite(v) for v in value) else None


def _on_earth(place: Sequence[float]) -> bool:
    return -90 <= place[0] <= 90 and -180 <= place[1] <= 180


def _corners(box: Sequence[float]) -> tuple[float, float, float, float]:
    return min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])
