"""Bytes of text files as text: gzip, byte order marks, UTF-8, and a printed guess for all else."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from typing import Any

import orjson

from agentharness.corpus.batch import Note
from agentharness.corpus.encoding import first_word, guess
from agentharness.errors import UserError

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks and what they say."""


def unpack(data: bytes, name: str) -> bytes:
    """The content of a gzip file."""
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as e:
        raise UserError(f"is not a whole gzip file: {e}", where=name, hint="fetch it again, or drop .gz from its name") from None


def decode(data: bytes, name: str, encoding: str | None, note: Note) -> str:
    """Text of a file. A declared encoding is taken at its word; else byte order mark, UTF-8, or a guess that is noted. Raises UserError with file:line."""
    if encoding is not None:
        return _declared(data, name, encoding)
    for mark, kind in MARKS:
        if data.startswith(mark):
            return _declared(data[len(mark) :], name, kind)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as e:
        return _guess(data, name, e, note)


def parse_json(data: bytes | str) -> Any:
    """A JSON value as it is. NaN and Infinity, which Python writes, are read as floats. Raises ValueError (a JSONDecodeError where the place is known)."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    else:
        if not _vast(value):
            return value
    try:
        return json.loads(data)  # lone surrogates, NaN, integers over 64 bits; else it says where the fault is
    except RecursionError:
        raise ValueError("nested too deep") from None


def _vast(value: Any) -> bool:
    """Whether a float stands in it that was perhaps written as an integer: beyond 64 bits orjson reads those as floats, which lose digits."""
    if isinstance(value, float):
        return not -(2.0**63) < value < 2.0**63
    if isinstance(value, dict):
        return any(_vast(item) for item in value.values() if not isinstance(item, str))
    return isinstance(value, list) and any(_vast(item) for item in value if not isinstance(item, str))


def _declared(data: bytes, name: str, encoding: str) -> str:
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        raise UserError(f"no encoding {encoding!r}", where=name, hint="for example utf-8, cp1252, utf-16") from None
    except UnicodeDecodeError as e:
        line = data[: e.start].count(b"\n") + 1
        raise UserError(
            f"is not {encoding} at byte {e.start}", where=f"{name}:{line}", hint="give another encoding:, or leave it out and it is sniffed"
        ) from None


def _guess(data: bytes, name: str, fault: UnicodeDecodeError, note: Note) -> str:
    loose = data.decode("utf-8", errors="replace")
    bad = loose.count("\ufffd")
    good = sum(1 for c in loose if c > "\x7f") - bad
    if good > 20 * bad:
        line = data[: fault.start].count(b"\n") + 1
        what = f"is UTF-8 but for {bad} damaged {'place' if bad == 1 else 'places'}, the first at byte {fault.start}"
        raise UserError(what, where=f"{name}:{line}", hint="mend it there, or say encoding:")
    encoding = guess(data)
    text = data.decode(encoding)
    note(f"{name}: is not UTF-8, read as {encoding}: {first_word(text)!r} (change with encoding:)")
    return text
