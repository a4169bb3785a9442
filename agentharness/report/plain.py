"""Tables as plain text: columns that wrap until the whole fits."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

GAP = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and how its cells stand."""

    title: str
    right: bool = False
    least: int = 0
    """Narrowest width to which it may wrap; 0: it never wraps."""


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int = 100) -> str:
    """A heading, a rule and the rows, each line at most `width` columns wide where wrapping can do that. Cells may hold newlines."""
    cells = [[column.title for column in columns], *(list(row) for row in rows)]
    widths = [max(max(map(_width, row[i].split("\n"))) for row in cells) for i in range(len(columns))]
    spare = sum(widths) + len(GAP) * (len(widths) - 1) - width
    while spare > 0:
        wide = [i for i, column in enumerate(columns) if column.least and widths[i] > column.least]
        if not wide:
            break
        widths[max(wide, key=lambda i: widths[i])] -= 1
        spare -= 1
    lines = [line for row in cells for line in _lines(row, columns, widths)]
    heading = max(len(_wrap(column.title, w)) for column, w in zip(columns, widths, strict=True))
    lines.insert(heading, GAP.join("-" * w for w in widths))
    return "\n".join(line.rstrip() for line in lines)


def _lines(row: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> list[str]:
    wrapped = [_wrap(text, width) for text, width in zip(row, widths, strict=True)]
    height = max(map(len, wrapped))
    return [
        GAP.join(_pad(w[i] if i < len(w) else "", width, column.right) for w, width, column in zip(wrapped, widths, columns, strict=True))
        for i in range(height)
    ]


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def _width(text: str) -> int:
    return len(text) if text.isascii() else sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width`: broken after a space, `-`, `_`, `/` or `,` where there is one, else anywhere. Nothing but spaces is lost."""
    out: list[str] = []
    for part in text.split("\n"):
        rest = part
        while _width(rest) > width:
            fit = next((i for i in range(len(rest), 1, -1) if _width(rest[:i]) <= width), 1)
            soft = max((i + 1 for i in range(fit) if rest[i] in " -_/,"), default=fit)
            out.append(rest[:soft].rstrip())
            rest = rest[soft:].lstrip()
        out.append(rest)
    return out
