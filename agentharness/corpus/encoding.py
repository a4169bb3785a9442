"""Which encoding a text file has that is neither UTF-8 nor marked: a guess that errs on the plain side."""

from __future__ import annotations

import re

SAMPLE = 1 << 20
"""Bytes that a guess looks at."""

_MANY_BYTES = re.compile(r"shift_|cp932|euc_|iso2022|gb|hz|big5|cp950|cp949|johab|utf_(?:16|32)")
_OTHER_SCRIPTS = re.compile(
    r"cp1251|koi8_[rtu]|kz1048|ptcp154|iso8859_5|cp855|cp866|cp1125|mac_cyrillic"  # Cyrillic
    r"|cp1253|iso8859_7|cp737|cp869|mac_greek"
    r"|cp1255|iso8859_8|cp862|cp856"  # Hebrew
    r"|cp1256|iso8859_6|cp864|cp720|mac_arabic|mac_farsi"
    r"|tis_620|iso8859_11|cp874"  # Thai
)
_RUN = re.compile(r"[A-Za-z]?[^\x00-\x7f]+[A-Za-z]?")


def guess(data: bytes) -> str:
    """The encoding of bytes that are not UTF-8.

    Statistics tell other scripts and encodings of many bytes well, and the Latin ones not at all: whatever Latin it is, it is read as cp1252 (latin-1 where
    that leaves a byte undefined), which most such files are.
    """
    from charset_normalizer import from_bytes

    best = from_bytes(data[:SAMPLE]).best()
    if best is not None and _trusted(best.encoding, data):
        return best.encoding
    return "cp1252" if _reads(data, "cp1252") else "latin-1"


def first_word(text: str) -> str:
    """The first word with a letter beyond ASCII, 40 characters of it at most."""
    found = re.search(r"[^\s,;|\"]*[^\x00-\x7f][^\s,;|\"]*", text)
    return found[0][:40] if found else ""


def _trusted(encoding: str, data: bytes) -> bool:
    if not (_MANY_BYTES.match(encoding) or _OTHER_SCRIPTS.fullmatch(encoding)):
        return False
    if encoding.startswith("utf") and b"\0" not in data:
        return False  # a comma, a line's end or a space would have one
    if not _reads(data, encoding):
        return False
    # `A誽o` and `cafщ` are no words of any script, but Latin ones misread. Letters of two kinds seldom stand side by side; in a text of many bytes a sign a
    # letter they do, where a Latin name goes over into a sentence.
    runs, most = _RUN.findall(data.decode(encoding)), 3 if _MANY_BYTES.match(encoding) else 1 << 30
    mixed = sum((run[0].isascii() or run[-1].isascii()) and len(run) <= most for run in runs)
    return encoding.startswith("utf") or 3 * mixed <= len(runs)


def _reads(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
