"""Constant regular expressions through re2, which ends in linear time."""

from __future__ import annotations

from typing import Any


def compile_pattern(pattern: str) -> Any:
    """The compiled pattern. Raises ValueError with re2's own words where it is none."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 23
    try:
        return re2.compile(pattern, options=options)
    except re2.error as e:
        reason = e.args[0] if e.args else "is no pattern"
        raise ValueError(reason.decode() if isinstance(reason, bytes) else str(reason)) from None
    except UnicodeError:
        raise ValueError("holds half of a surrogate pair") from None
