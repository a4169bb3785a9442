"""Filters on numbers, lists and objects: functions of (value, run, arguments), each charged by size."""

from __future__ import annotations

import re
from typing import Any

from agentharness.env.expr.budget import ExprError, Run, kind_of
from agentharness.env.expr.calc import calc
from agentharness.env.expr.filter_base import Keys, folded, identity, in_order, listed, reach, string, whole
from agentharness.env.expr.ops import NUMBERS, bounded

# Numbers


def do_abs(value: Any, run: Run) -> Any:
    if type(value) not in NUMBERS:
        raise ExprError(f"abs takes a number, not {kind_of(value)}")
    return bounded(abs(value))


def do_round(value: Any, run: Run, precision: Any, method: Any) -> Any:
    if type(value) not in NUMBERS or not -20 <= whole(precision) <= 20:
        raise ExprError(f"round takes a number and -20 to 20 digits, not {kind_of(value)} and {precision}")
    if method == "common":
        return bounded(round(value, precision))
    if method not in ("ceil", "floor"):
        raise ExprError("round's method is common, ceil or floor")
    scale = 10**precision
    scaled = value * scale
    return bounded((scaled // 1 if method == "floor" else -(-scaled // 1)) / scale)


def do_int(value: Any, run: Run, default: Any) -> Any:
    try:
        if type(value) is str:
            run.charge(1 + len(value))
            if len(value) > 400:
                return default
            return bounded(int(value) if re.fullmatch(r"\s*[-+]?[0-9]+\s*", value) else int(float(value)))
        return bounded(int(value)) if type(value) in NUMBERS else default
    except (ValueError, OverflowError, ExprError):
        return default


def do_float(value: Any, run: Run, default: Any) -> Any:
    try:
        if type(value) is str:
            run.charge(1 + len(value))
        return bounded(float(value)) if type(value) in NUMBERS or type(value) is str else default
    except (ValueError, OverflowError, ExprError):
        return default


def do_calc(value: Any, run: Run) -> Any:
    run.charge(1 + min(len(value), 1000) if type(value) is str else 1)
    return calc(value)


# Lists and objects


def do_length(value: Any, run: Run) -> int:
    if value is None:
        return 0
    if type(value) not in (str, list, dict):
        raise ExprError(f"{kind_of(value)} has no length")
    return len(value)


def do_first(value: Any, run: Run) -> Any:
    return value[:1] or None if type(value) is str else next(iter(listed(value, run)), None)


def do_last(value: Any, run: Run) -> Any:
    return value[-1:] or None if type(value) is str else next(iter(listed(value, run)[-1:]), None)


def do_min(value: Any, run: Run, case_sensitive: Any, attribute: Keys) -> Any:
    found = in_order(listed(value, run), run, attribute, case_sensitive)
    return found[0][1] if found else None


def do_max(value: Any, run: Run, case_sensitive: Any, attribute: Keys) -> Any:
    found = in_order(listed(value, run), run, attribute, case_sensitive, True)
    return found[0][1] if found else None


def do_sum(value: Any, run: Run, attribute: Keys, start: Any) -> Any:
    total = start
    if type(total) not in NUMBERS:
        raise ExprError(f"sum starts from a number, not {kind_of(total)}")
    for row in listed(value, run):
        number = reach(row, attribute)
        if type(number) not in NUMBERS:
            raise ExprError(f"sum takes numbers, not {kind_of(number)}")
        total = bounded(total + number)
    return total


def do_sort(value: Any, run: Run, reverse: Any, case_sensitive: Any, attribute: Keys) -> list[Any]:
    return [row for _, row in in_order(listed(value, run), run, attribute, case_sensitive, reverse)]


def do_reverse(value: Any, run: Run) -> Any:
    return string(value, run)[::-1] if type(value) is str else listed(value, run)[::-1]


def do_unique(value: Any, run: Run, case_sensitive: Any, attribute: Keys) -> list[Any]:
    seen: dict[Any, Any] = {}
    for row in listed(value, run):
        seen.setdefault(identity(folded(reach(row, attribute), case_sensitive), run), row)
    return list(seen.values())


def do_groupby(value: Any, run: Run, attribute: Keys, default: Any, case_sensitive: Any) -> list[Any]:
    pairs = [[default if (key := reach(row, attribute)) is None else key, row] for row in listed(value, run)]
    groups: list[list[Any]] = []
    last: Any = groups  # no key equals it
    for key_folded, (key, row) in in_order(pairs, run, (0,), case_sensitive):
        if key_folded != last:
            groups.append([key, []])
            last = key_folded
        groups[-1][1].append(row)
    return groups


def do_batch(value: Any, run: Run, size: Any) -> list[Any]:
    rows = listed(value, run)
    if whole(size) < 1:
        raise ExprError("batch takes a size of 1 or more")
    return [rows[i : i + size] for i in range(0, len(rows), size)]


def do_list(value: Any, run: Run) -> list[Any]:
    if type(value) is str:
        run.charge(len(value))
        return list(value)
    return list(listed(value, run))


def do_flatten(value: Any, run: Run) -> list[Any]:
    out: list[Any] = []
    for one in listed(value, run):
        if type(one) is list:
            out += listed(one, run)
        else:
            out.append(one)
    return out


def _object(value: Any, run: Run) -> dict[str, Any]:
    if value is None:
        return {}
    if type(value) is not dict:
        raise ExprError(f"takes an object, not {kind_of(value)}")
    run.charge(1 + len(value))
    return value


def do_keys(value: Any, run: Run) -> list[Any]:
    return list(_object(value, run))


def do_values(value: Any, run: Run) -> list[Any]:
    return list(_object(value, run).values())


def do_items(value: Any, run: Run) -> list[Any]:
    return [[key, inner] for key, inner in _object(value, run).items()]


def do_merge(value: Any, run: Run, other: Any) -> dict[str, Any]:
    return {**_object(value, run), **_object(other, run)}


def do_without(value: Any, run: Run, keys: Any) -> dict[str, Any]:
    gone = keys if type(keys) is list else [keys]
    run.charge(1 + len(gone))
    if not all(type(key) is str for key in gone):
        raise ExprError("without takes a key, or a list of keys")
    names = set(gone)
    return {key: inner for key, inner in _object(value, run).items() if key not in names}


def do_default(value: Any, run: Run, default_value: Any, boolean: Any) -> Any:
    return default_value if value is None or (boolean and not value) else value
