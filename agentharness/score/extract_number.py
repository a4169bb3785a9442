"""A number out of a text."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from agentharness.score.extract import Extracted, Place, answer_text, last_line, place, plain_form

_DIGITS = r"(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})(?![0-9])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+"
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?P<date>[0-9]+(?:/[0-9]+){2,})"
    r"|(?<![A-Za-z0-9_.])(?:(?<![)\]}])(?P<sign>[-+\u2013]))?(?:[$€£¥₹]\s?(?P<inner>[-+])?)?"
    rf"(?:\\[dt]?frac\{{(?P<top>[0-9]+)\}}\{{(?P<under>[0-9]+)\}}|(?P<whole>{_DIGITS})"
    r"(?:[eE](?P<exp>[-+]?[0-9]+)(?![0-9A-Za-z])|\s?(?:×|\*|\\times|\\cdot)\s?10\s?\^\s?\{?(?P<ten>[-+]?[0-9]+)\}?"
    r"|\s?\\[dt]?frac\{(?P<mtop>[0-9]+)\}\{(?P<munder>[0-9]+)\}|\s(?P<ntop>[0-9]+)/(?P<nunder>[0-9]+)(?![0-9/])"
    r"|\s?/\s?(?P<part>[0-9]+)(?![0-9/]|[.,][0-9]))?)"
    r"(?P<percent>\s?(?:%|percent\b|per cent\b))?"
)
_CURRENCY = re.compile(r"\b(?:USD|EUR|GBP|INR|Rs\.?|US)\s?(?=[$€£¥₹]?[0-9])")
_GROUP = re.compile(r"(?<=[0-9])(?:\{,\}|\\[,;:! ]|[\u00a0\u2009\u202f])(?=[0-9]{3}(?![0-9]))|(?<=[0-9]) (?=0[0-9]{2}(?![0-9]))")
_TEXT = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}")
_SPACED = re.compile(r"^([\s$*({:]*[-+])\s+(?=[0-9.$\\])")
_WORD = re.compile(r"(?<!\\)\b[A-Za-z]{3,}")
_FRAC2 = re.compile(r"\\([dt]?frac)\s?([0-9])\s?([0-9])(?![0-9])")
MOST_DIGITS = 1000
MOST_EXPONENT = 400


def number(text: Any) -> Extracted:
    r"""The number that a text gives as its answer; `value` is an int where it is whole, else a float.

    Rules, the first that applies decides: `boxed` (the last balanced box), `####`, `answer:`, `answer is` (the first of the strongest marker; the first number
    on its line, or what an equation there comes to), `last line` (its last number), `last number`. A box or marker without a number is no answer; only
    `answer is` may announce what follows below it. Read as one number: 1,000 · 9{,}500 · 1\,000 · \$20 · -$5 · 1/2 · \frac12 · 3\frac12 · 1e3 · 2 × 10^3.
    An int or float is its own value; a bool, inf and nan are no numbers.
    """
    if isinstance(text, bool):
        return Extracted(None, None, "no number")
    if isinstance(text, int | float):
        finite = isinstance(text, int) or text - text == 0
        return Extracted(_simple(Fraction(text)) if finite else None, str(text) if finite else None, "value" if finite else "no number")
    answer = answer_text(text)
    if answer is None:
        return Extracted(None, None, "unclosed think")
    cleaned = _clean(answer)
    marked = place(cleaned)
    if marked is not None:
        return _at_place(marked)
    return _last(cleaned)


def _at_place(marked: Place) -> Extracted:
    for match in _NUMBER.finditer(_SPACED.sub(r"\1", _result(marked.text))):
        if _value(match) is not None:
            return _extracted(match, marked.rule)
    if marked.rule == "answer is" and marked.after.strip():
        return _last(marked.after)
    return Extracted(None, None, f"{marked.rule}, no number")


def _last(text: str) -> Extracted:
    for rule, piece in (("last line", last_line(text)), ("last number", text)):
        for match in reversed(list(_NUMBER.finditer(piece))):
            if _value(match) is not None:
                return _extracted(match, rule)
    return Extracted(None, None, "no number")


def _result(text: str) -> str:
    """What an equation comes to: `3 + 4 = 7` and `x = 7` give ` 7`; a number that an equation only explains (`7 = 3 + 4`) and prose stay."""
    left, equals, _ = text.partition("=")
    if not equals or _WORD.search(left) or _NUMBER.fullmatch(left.strip(" $*")):
        return text
    return text.rpartition("=")[2]


def _clean(text: str) -> str:
    text = _GROUP.sub("", plain_form(text))
    text = text.replace("{,}", ",").replace("\\$", "$").replace("\\%", "%").replace("\\!", "")
    if "\\" in text:
        text = _FRAC2.sub(r"\\\1{\2}{\3}", _TEXT.sub(r" \1 ", text))
    return _CURRENCY.sub("", text)


def _extracted(match: re.Match[str], rule: str) -> Extracted:
    percent = match["percent"] is not None
    value = _value(match)
    return Extracted(None if value is None else _simple(value), match.group().strip(), f"{rule}, percent" if percent else rule, percent)


def _value(match: re.Match[str]) -> Fraction | None:
    """The exact value; None for a date, a division by zero, and what is too long to be a number that anybody meant."""
    if match["date"] is not None or len(match.group()) > MOST_DIGITS:
        return None
    sign = -1 if (match["sign"] or match["inner"] or "+") in "-\u2013" else 1
    if match["top"] is not None:
        return _share(sign, match["top"], match["under"])
    exponent = int(match["exp"] or match["ten"] or 0)
    if abs(exponent) > MOST_EXPONENT:
        return None
    value = Fraction(match["whole"].replace(",", "")) * Fraction(10) ** exponent
    if match["part"] is not None:
        return sign * value / int(match["part"]) if int(match["part"]) else None
    top, under = (match["mtop"], match["munder"]) if match["mtop"] is not None else (match["ntop"], match["nunder"])
    if top is None:
        return sign * value
    rest = _share(1, top, under)
    return None if rest is None else sign * (value + rest)


def _share(sign: int, top: str, under: str) -> Fraction | None:
    return sign * Fraction(int(top), int(under)) if int(under) else None


def _simple(value: Fraction) -> int | float | None:
    if value.denominator == 1:
        return value.numerator
    try:
        return float(value)
    except OverflowError:
        return None
