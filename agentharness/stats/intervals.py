"""Means and 95% intervals, as pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z95 = 1.959963984540054
"""The normal quantile at 0.975."""


def mean(values: Sequence[float]) -> float | None:
    """sum(x) / n, exact to the last bit whatever the order; None for no values."""
    return math.fsum(values) / len(values) if values else None


def standard_error(values: Sequence[float]) -> float | None:
    """sqrt(sum((x - mean)^2) / (n - 1) / n); None for fewer than two values."""
    n = len(values)
    if n < 2:
        return None
    middle = math.fsum(values) / n
    return math.sqrt(math.fsum((x - middle) ** 2 for x in values) / (n - 1) / n)


def normal(values: Sequence[float], z: float = Z95) -> tuple[float, float] | None:
    """mean ± z * standard error; None for fewer than two values."""
    error = standard_error(values)
    if error is None:
        return None
    middle = math.fsum(values) / len(values)
    return middle - z * error, middle + z * error


def wilson(successes: int, n: int, z: float = Z95) -> tuple[float, float] | None:
    """Wilson's score interval for a share p = successes / n; None for fewer than two trials.

    (p + z^2/2n ± z * sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)
    """
    if n < 2:
        return None
    p, square = successes / n, z * z
    centre, scale = p + square / (2 * n), 1 + square / n
    half = z * math.sqrt(p * (1 - p) / n + square / (4 * n * n))
    # At the ends the exact bound is 0 or 1, which rounding would miss by a bit.
    return (centre - half) / scale if successes else 0.0, (centre + half) / scale if successes < n else 1.0


def interval(values: Sequence[float]) -> tuple[tuple[float, float] | None, str]:
    """The 95% interval and its method: `wilson` where every value is 0 or 1, else `normal`; (None, "") for fewer than two values.

    Where every value lies in [0, 1] so does the interval: no mean of such values lies outside.
    """
    if len(values) < 2:
        return None, ""
    if all(x in (0, 1) for x in values):
        return wilson(sum(x == 1 for x in values), len(values)), "wilson"
    found = normal(values)
    if found is not None and all(0 <= x <= 1 for x in values):
        found = max(0.0, found[0]), min(1.0, found[1])
    return found, "normal"
