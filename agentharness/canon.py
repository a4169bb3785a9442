"""Canonical JSON, digests and seeds: the one way in which anything becomes bytes.

Canonical form: UTF-8, keys sorted, no white space, numbers as orjson writes them. What strict JSON cannot hold is marked, so that a line is always strict JSON
and reads back as the same value:

    NaN, inf, -inf            {"$float": "nan" | "inf" | "-inf"}
    a lone surrogate          {"$text": "…\\ud800…"}     (backslashes doubled, the surrogate as its escape)
    an integer over 64 bits   {"$int": "123…"}
    an object with a key that starts with "$" or holds a lone surrogate     {"$object": [[key, value], …]}
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import orjson

_SORTED = orjson.OPT_SORT_KEYS
_PLAIN = frozenset({str, int, bool, type(None), orjson.Fragment})
_LINE = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


def dumps(value: Any, *, newline: bool = False, finite: bool = False) -> bytes:
    """Canonical JSON of `value` (dicts with text keys, lists, tuples, text, numbers, bools, None, orjson.Fragment of canonical JSON).

    `finite`: the caller knows that every float in it is finite, so that a null in the output is a null. Raises TypeError for what is no JSON.
    """
    option = _LINE if newline else _SORTED
    try:
        out = orjson.dumps(value, option=option)
    except TypeError:
        return orjson.dumps(_mark(value), option=option)
    # orjson writes NaN as null and passes "$" keys through: only then is a second, slower look needed.
    if ((not finite and b"null" in out) or (b"$" in out and b'"$' in out)) and needs_marks(value):
        return orjson.dumps(_mark(value), option=option)
    return out


def loads(data: bytes | str) -> Any:
    """The value whose canonical JSON (or plain JSON) this is. Raises ValueError where it is neither."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        value = json.loads(data, parse_constant=_no_constant)  # lone surrogates and big integers that others wrote
    found = b'"$' in data if isinstance(data, bytes) else '"$' in data
    return _unmark(value) if found else value


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same JSON: numbers by value (1 = 1.0), true is not 1, texts exactly, lists in order, objects by keys; NaN equals nothing."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def digest(value: Any) -> str:
    """sha256 of the canonical JSON, 64 hex digits."""
    return sha256(dumps(value))


def sha256(data: bytes) -> str:
    """sha256 of bytes, 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def derive_seed(*parts: Any) -> int:
    """A seed in [0, 2**63) that depends on `parts` alone (their canonical JSON), the same on every machine."""
    return int.from_bytes(hashlib.sha256(dumps(list(parts))).digest()[:8], "big") >> 1


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _lone(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)


def marked(data: bytes) -> bool:
    """Whether canonical JSON may hold a mark."""
    return b"$" in data and b'"$' in data  # one byte is found many times faster than two


def finite(value: Any) -> bool:
    """Whether every float in JSON is finite: orjson's own look first, for it is far faster than a walk."""
    try:
        return b"null" not in orjson.dumps(value) or not needs_marks(value)
    except TypeError:
        return not needs_marks(value)


def needs_marks(value: Any) -> bool:
    """Whether canonical JSON of `value` holds marks for numbers or keys (lone surrogates and big integers are found by orjson itself)."""
    # Runs for whatever has a null in it: plain loops over the types themselves.
    kind = type(value)
    if kind is dict:
        for key, inner in value.items():  # noqa: SIM110  (a generator costs more than the loop)
            if key[:1] == "$" or (type(inner) not in _PLAIN and needs_marks(inner)):
                return True
        return False
    if kind is list or kind is tuple:
        for inner in value:  # noqa: SIM110  (as above)
            if type(inner) not in _PLAIN and needs_marks(inner):
                return True
        return False
    return isinstance(value, float) and not math.isfinite(value)


def _mark(value: Any) -> Any:
    if isinstance(value, str):
        return {"$text": _escape(value)} if _lone(value) else value
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else {"$int": str(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, dict):
        if any(not isinstance(k, str) for k in value):
            raise TypeError("an object's keys must be text")
        if any(k[:1] == "$" or _lone(k) for k in value):
            return {"$object": [[_mark(k), _mark(v)] for k, v in sorted(value.items())]}
        return {k: _mark(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_mark(v) for v in value]
    if isinstance(value, orjson.Fragment):
        return value
    raise TypeError(f"{type(value).__name__} is not JSON")


def _escape(text: str) -> str:
    return "".join("\\\\" if c == "\\" else f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)


def _unescape(text: str) -> str:
    out, i = [], 0
    while i < len(text):
        if text[i] == "\\" and text[i + 1 : i + 2] == "u":
            out.append(chr(int(text[i + 2 : i + 6], 16)))
            i += 6
        elif text[i] == "\\":
            out.append("\\")
            i += 2
        else:
            out.append(text[i])
            i += 1
    return "".join(out)


def _unmark(value: Any) -> Any:
    if isinstance(value, list):
        return [_unmark(v) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (key, inner), *_ = value.items()
        if key == "$text":
            return _unescape(inner)
        if key == "$float":
            return float(inner)
        if key == "$int":
            return int(inner)
        if key == "$object":
            return {_unmark(k): _unmark(v) for k, v in inner}
    return {k: _unmark(v) for k, v in value.items()}
