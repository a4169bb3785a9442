"""Arithmetic from an agent's text: numbers, + - * / // % ** and brackets, nothing else. Bad text is null, never an exception."""

from __future__ import annotations

import math
import re
from typing import Any, TypeAlias

LENGTH, DEPTH, LIMIT = 1000, 50, 10**100
Number: TypeAlias = int | float

_TOKEN = re.compile(r"\s*(?:(\d[\d,]*(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|(\*\*|//|[-+*/%()]))", re.ASCII)
_SAME = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "\x00", "$": " "})


class _Bad(Exception):
    """The text is no arithmetic, or its value is out of bounds."""


def calc(text: Any) -> Number | None:
    """The value of arithmetic text: commas between digits, `$`, a trailing `%` (a hundredth), × ÷ − and ^ are understood. Whole quotients of integers are
    integers. None where the text is no arithmetic, is over 1000 characters, divides by zero, or passes 1e100 on the way."""
    if type(text) in (int, float):
        return text if abs(text) < LIMIT else None
    if type(text) is not str or len(text) > LENGTH:
        return None
    try:
        reader = _Reader(_tokens(text.translate(_SAME).replace("\x00", "**")))
        value = reader.sum(0)
        return value if reader.at == len(reader.tokens) else None
    except (_Bad, ArithmeticError, ValueError):
        return None


def _tokens(text: str) -> list[str | Number]:
    out: list[str | Number] = []
    at, text = 0, text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _Bad
        at = found.end()
        digits = found[1]
        if digits is None:
            out.append(found[2])
        else:
            digits = digits.replace(",", "")
            out.append(_checked(int(digits) if digits.isdigit() else float(digits)))
    return out


def _checked(value: Any) -> Number:
    if isinstance(value, complex) or not (math.isfinite(value) and abs(value) < LIMIT):
        raise _Bad
    return value  # type: ignore[no-any-return]


class _Reader:
    """Recursive descent; the depth counts brackets, signs and powers."""

    def __init__(self, tokens: list[str | Number]) -> None:
        self.tokens, self.at = tokens, 0

    def peek(self, ahead: int = 0) -> str | Number | None:
        i = self.at + ahead
        return self.tokens[i] if i < len(self.tokens) else None

    def sum(self, depth: int) -> Number:
        value = self.product(depth)
        while (sign := self.peek()) in ("+", "-"):
            self.at += 1
            right = self.product(depth)
            value = _checked(value + right if sign == "+" else value - right)
        return value

    def product(self, depth: int) -> Number:
        value = self.signed(depth)
        while (sign := self.peek()) in ("*", "/", "//", "%"):
            self.at += 1
            value = _apply(str(sign), value, self.signed(depth))
        return value

    def signed(self, depth: int) -> Number:
        if depth > DEPTH:
            raise _Bad
        sign = self.peek()
        if sign in ("+", "-"):
            self.at += 1
            value = self.signed(depth + 1)
            return -value if sign == "-" else value
        base = self.percent(depth)
        if self.peek() != "**":
            return base
        self.at += 1
        return _apply("**", base, self.signed(depth + 1))

    def percent(self, depth: int) -> Number:
        value = self.atom(depth)
        while self.peek() == "%" and not (isinstance(self.peek(1), int | float) or self.peek(1) == "("):  # before an operand it is the remainder
            self.at += 1
            value = _apply("/", value, 100)
        return value

    def atom(self, depth: int) -> Number:
        token = self.peek()
        self.at += 1
        if isinstance(token, int | float):
            return token
        if token != "(":
            raise _Bad
        value = self.sum(depth + 1)
        if self.peek() != ")":
            raise _Bad
        self.at += 1
        return value


def _apply(sign: str, a: Number, b: Number) -> Number:
    if sign == "*":
        return _checked(a * b)
    if sign == "/":
        return _checked(a // b if isinstance(a, int) and isinstance(b, int) and a % b == 0 else a / b)
    if sign == "//":
        return _checked(a // b)
    if sign == "%":
        return _checked(a % b)
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() > 1 and b * (a.bit_length() - 1) > 340:
        raise _Bad
    return _checked(a**b)
