"""Filters on texts: functions of (value, run, arguments), each charged by size."""

from __future__ import annotations

import re
from typing import Any

from agentharness.canon import dumps
from agentharness.env.expr.budget import TEXT, ExprError, Run, text, weigh
from agentharness.env.expr.filter_base import Keys, listed, reach, string, whole
from agentharness.env.expr.ops import contains


def do_upper(value: Any, run: Run) -> str:
    return string(value, run).upper()


def do_lower(value: Any, run: Run) -> str:
    return string(value, run).lower()


def do_title(value: Any, run: Run) -> str:
    return re.sub(r"[^\s(\[{<-]+", lambda m: m[0][0].upper() + m[0][1:].lower(), string(value, run))


def do_capitalize(value: Any, run: Run) -> str:
    return string(value, run).capitalize()


def do_trim(value: Any, run: Run, chars: Any) -> str:
    return string(value, run).strip(None if chars is None else text(chars, run))


def do_replace(value: Any, run: Run, old: Any, new: Any, count: Any) -> str:
    out, old, new = string(value, run), text(old, run), text(new, run)
    most = -1 if count is None else whole(count)
    found = out.count(old)
    times = found if most < 0 else min(found, most)
    if len(new) > len(old):
        run.text(len(out) + times * (len(new) - len(old)))
    return out.replace(old, new, most)


def do_truncate(value: Any, run: Run, length: Any, killwords: Any, end: Any) -> str:
    out, end = string(value, run), text(end, run)
    if len(out) <= whole(length):
        return out
    cut = out[: max(length - len(end), 0)]
    if not killwords and " " in cut:
        cut = cut[: cut.rindex(" ")]
    run.text(len(cut) + len(end))
    return f"{cut}{end}"


def do_split(value: Any, run: Run, separator: Any) -> list[str]:
    out = string(value, run)
    if separator is not None and (type(separator) is not str or not separator):
        raise ExprError("split takes a text that is not empty")
    run.charge(len(out) >> 1 if separator is None else out.count(separator))
    return out.split(separator)


def do_lines(value: Any, run: Run) -> list[str]:
    out = string(value, run)
    run.charge(len(out) >> 2)
    return out.splitlines()


def do_join(value: Any, run: Run, d: Any, attribute: Keys) -> str:
    between = text(d, run)
    pieces, size = [], 0
    for row in listed(value, run):
        piece = row if type(row) is str and not attribute else text(reach(row, attribute), run)
        size += len(piece) + len(between)
        if size - len(between) > TEXT:
            raise ExprError(f"would build a text of more than {TEXT} characters")
        pieces.append(piece)
    run.charge(size >> 6)
    return between.join(pieces)


def do_startswith(value: Any, run: Run, start: Any) -> bool:
    return string(value, run).startswith(text(start, run))


def do_endswith(value: Any, run: Run, end: Any) -> bool:
    return string(value, run).endswith(text(end, run))


def do_contains(value: Any, run: Run, what: Any) -> bool:
    return contains(what, value, run)


def do_regex_test(value: Any, run: Run, pattern: Any) -> bool:
    return pattern.search(string(value, run)) is not None


def do_regex_search(value: Any, run: Run, pattern: Any, group: Any) -> str | None:
    found = pattern.search(string(value, run))
    if found is None:
        return None
    if not 0 <= whole(group) <= pattern.groups:
        raise ExprError(f"the pattern has no group {group}")
    return found.group(group)  # type: ignore[no-any-return]


def do_regex_replace(value: Any, run: Run, pattern: Any, replacement: Any) -> str:
    out = string(value, run)
    pieces = re.split(r"\\([0-9])", text(replacement, run))
    if any(int(digit) > pattern.groups for digit in pieces[1::2]):
        raise ExprError("the replacement names a group that the pattern lacks")
    made, size, last = [], 0, 0
    for found in pattern.finditer(out):
        run.charge(1 + (len(out) >> 6))
        new = [piece if i % 2 == 0 else found.group(int(piece)) or "" for i, piece in enumerate(pieces)]
        for piece in (out[last : found.start()], *new):
            size += len(piece)
            if size > max(TEXT, len(out)):
                raise ExprError(f"would build a text of more than {TEXT} characters")
            made.append(piece)
        last = found.end()
    return "".join(made) + out[last:]


def do_tojson(value: Any, run: Run) -> str:
    weigh(value, run)
    return dumps(value).decode()
