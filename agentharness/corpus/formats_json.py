"""JSON and JSON Lines.

A JSON file holds a list of objects, or `path:` leads to one. An object whose values are all objects is read as rows, with each one's name in the column
`_name`. A list of plain values gives rows with the one column `value`.
"""

from __future__ import annotations

import json
from typing import Any

from agentharness.corpus.batch import Batch, Note
from agentharness.corpus.text import decode, parse_json
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

NAME = "_name"
VALUE = "value"


def read_jsonl(data: bytes, name: str, encoding: str | None, note: Note) -> Batch:
    """One object a line; empty lines are skipped. Raises UserError with file:line."""
    rows: list[JsonDict] = []
    lines: list[int] = []
    for number, line in enumerate(_utf8(data, name, encoding, note).split(b"\n"), 1):
        if not line.strip():
            continue
        rows.append(parse_line(line, name, number))
        lines.append(number)
    return Batch(rows, name, lines)


def parse_line(line: bytes, name: str, number: int) -> JsonDict:
    """The object that a line holds. Raises UserError with file:line."""
    try:
        row = parse_json(line)
    except ValueError as e:
        raise UserError(f"is not JSON: {_fault(e)}", where=_place(name, e, number), hint=_hint(line, number)) from None
    if not isinstance(row, dict):
        raise UserError(f"a line holds {_kind(row)}, not an object", where=f"{name}:{number}", hint=_hint(line, number))
    return row


def read_json(data: bytes, name: str, path: str | None, encoding: str | None, note: Note, *, soft: bool = False) -> Batch:
    """Rows of a JSON file. `soft`: `path` is followed only where the file holds an object that has it. Raises UserError with file:line:column."""
    text = _utf8(data, name, encoding, note)
    try:
        value = parse_json(text)
    except ValueError as e:
        if _is_lines(text):
            note(f"{name}: holds one object a line, read as JSON Lines (name it .jsonl)")
            return read_jsonl(text, name, None, note)
        raise UserError(f"is not JSON: {_fault(e)}", where=_place(name, e, None), hint="mend it there") from None
    if path and not (soft and not (isinstance(value, dict) and path.split(".")[0] in value)):
        value = _follow(value, path, name)
    return Batch(_rows(value, name, path), name)


def _rows(value: Any, name: str, path: str | None) -> list[JsonDict]:
    if isinstance(value, list):
        if all(isinstance(item, dict) for item in value):
            return value
        if not any(isinstance(item, dict) for item in value):
            return [{VALUE: item} for item in value]
        odd = next(i for i, item in enumerate(value) if not isinstance(item, dict))
        raise UserError(f"holds {_kind(value[odd])} among objects", where=f"{name}, row {odd}", hint="make every item an object")
    if isinstance(value, dict) and value and all(isinstance(item, dict) for item in value.values()):
        if any(NAME in item for item in value.values()):
            raise UserError(f"its objects have a field {NAME!r} of their own, where each object's name would go", where=name, hint="turn it into a list")
        return [{NAME: key, **item} for key, item in value.items()]
    where = f"{name} at {path}" if path else name
    lists = [key for key, item in value.items() if isinstance(item, list | dict)] if isinstance(value, dict) else []
    hint = f"path: {f'{path}.' if path else ''}{lists[0]}" if lists else "a list of objects is wanted"
    raise UserError(f"holds {_kind(value)}, not a list of rows", where=where, hint=hint)


def _follow(value: Any, path: str, name: str) -> Any:
    for i, segment in enumerate(path.split(".")):
        if isinstance(value, list) and segment.isdecimal() and int(segment) < len(value):
            value = value[int(segment)]
        elif isinstance(value, dict) and segment in value:
            value = value[segment]
        else:
            known = list(value) if isinstance(value, dict) else []
            at = ".".join(path.split(".")[:i])
            raise UserError(f"path: {path!r} leads nowhere: no {segment!r}{f' in {at}' if at else ''}", where=name, hint=closest(segment, known))
    return value


def _utf8(data: bytes, name: str, encoding: str | None, note: Note) -> bytes:
    if encoding is None and data.isascii():
        return data
    return decode(data, name, encoding, note).encode("utf-8", "surrogatepass")


def _is_lines(text: bytes) -> bool:
    first, _, rest = text.lstrip().partition(b"\n")
    if not rest.strip() or not first.startswith(b"{"):
        return False
    try:
        return isinstance(parse_json(first), dict)
    except ValueError:
        return False


def _fault(e: ValueError) -> str:
    return e.msg if isinstance(e, json.JSONDecodeError) else str(e)


def _place(name: str, e: ValueError, line: int | None) -> str:
    if isinstance(e, json.JSONDecodeError):
        return f"{name}:{line or e.lineno}:{e.colno}"
    return f"{name}:{line}" if line else name


def _hint(line: bytes, number: int) -> str:
    if number == 1 and line.strip()[:1] == b"[":
        return "a JSON list is named .json"
    return "one JSON object a line; mend or remove this one"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value), "a number")
