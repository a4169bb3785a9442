"""What of a reply is its answer: thoughts removed, the marked place found. Extraction is apart from comparison, so that a score can name the rule."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, frozen=True)
class Extracted:
    """An answer found in a text. `value` None: there is none, and `rule` says at which place it was missed."""

    value: Any
    text: str | None
    """The piece of text that holds the value."""
    rule: str
    percent: bool = False
    """The number stood before a percent sign."""


@dataclass(slots=True, frozen=True)
class Place:
    """Where a text says that its answer is."""

    rule: str
    """boxed, ####, answer:, answer is."""
    text: str
    """What stands there: the inside of the box, or the rest of the marker's line."""
    after: str = ""
    """All that follows `text`, for a marker that only announces."""


_OPEN = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSE = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
MOST_BOXES = 8
"""Boxes that never close are passed over, so many at most: a text of boxes costs no quadratic time."""
_BOX = re.compile(r"\\(?:boxed|fbox)\s*")
_MARKERS = (
    ("####", re.compile(r"####(?!#)")),
    ("answer:", re.compile(r"\banswer\b\s{0,4}(?:\*\*|__)?\s{0,4}:", re.IGNORECASE)),
    ("answer is", re.compile(r"\b(?:answer|(?:correct|right) (?:option|choice))\s{1,4}is\b\s{0,4}:?", re.IGNORECASE)),
)
_HEADING = re.compile(r"\s*(?:[A-Za-z]{2,}|[A-Za-z]\s+[A-Za-z]|[0-9]+[.):]\s)")
_EMPTY = re.compile(r"[\s*_`$:#]*\Z")
_ASCII = str.maketrans(
    {"：": ":", "．": ".", "，": ",", "％": "%", "＄": "$", "（": "(", "）": ")", "−": "-", "－": "-", "﹣": "-", "＋": "+", "／": "/", "⁄": "/"}
    | {chr(0xFF21 + i): chr(65 + i) for i in range(26)}
    | {chr(0xFF41 + i): chr(97 + i) for i in range(26)}
)


def answer_text(text: Any) -> str | None:
    """The text without its thoughts (`<think>…</think>`); an end tag alone ends a thought that began in the prompt. None: a thought never ended, so nothing
    was answered. A `text` of None is "". A value that is no text gives its text form."""
    if text is None:
        return ""
    if not isinstance(text, str):
        return str(text)
    if "<" not in text:
        return text
    out, at = [], 0
    while opened := _OPEN.search(text, at):
        out.append(text[at : opened.start()])
        closed = _CLOSE.search(text, opened.end())
        if closed is None:
            return None
        at = closed.end()
    rest = "".join(out) + text[at:]
    *_, last = ["", *_CLOSE.split(rest)]
    return last


def plain_form(text: str) -> str:
    """The text with full-width letters, digits of any script and the signs U+2212 and its like as ASCII, nothing else changed (10² stays 10²)."""
    if text.isascii():
        return text
    text = text.translate(_ASCII)
    return "".join(str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else c for c in text)


def boxed(text: str) -> str | None:
    r"""The inside of the last `\boxed{…}` or `\fbox{…}` with balanced braces, or the word after `\boxed `. None where there is none, or none that closes."""
    ends = [match.end() for match in _BOX.finditer(text)]
    for at in reversed(ends[-MOST_BOXES:]):
        if text[at : at + 1] != "{":
            word = re.match(r"[^\s$]+", text[at:])
            return word.group() if word else None
        depth = 0
        for i in range(at, len(text)):
            if text[i] in "{}" and text[i - 1] != "\\":
                depth += 1 if text[i] == "{" else -1
                if depth == 0:
                    return text[at + 1 : i]
    return None


def place(text: str) -> Place | None:
    """The place that the text itself names: its last box, else its first marker of the strongest kind (#### before `answer:` before `answer is`). The first,
    because what follows a final answer is often a run-on generation. A marker with nothing behind it on its line means the next line with text. A #### that
    opens a heading is no marker, unless it stands on the last line."""
    inside = boxed(text)
    if inside is not None:
        return Place("boxed", inside)
    end = len(text.rstrip()) - len(last_line(text))
    for rule, pattern in _MARKERS:
        for match in pattern.finditer(text):
            if rule == "####" and match.start() < end and _HEADING.match(text, match.end()):
                continue
            head, _, rest = text[match.end() :].partition("\n")
            while rest and _EMPTY.match(head):
                head, _, rest = rest.partition("\n")
            return Place(rule, head, rest)
    return None


def last_line(text: str) -> str:
    """The last line that holds more than white space, or ""."""
    return text.rstrip().rpartition("\n")[2]
