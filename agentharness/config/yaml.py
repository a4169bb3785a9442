"""YAML by the 1.2 core schema, with the place of every value: `no` is a word, `00123` stays text, duplicate keys are errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml as pyyaml

from agentharness.errors import UserError

KeyPath: TypeAlias = tuple[str | int, ...]

MAX_DEPTH = 60
MAX_VALUES = 200_000
"""Values in one file, an aliased one counted each time it stands: what a file of a few lines can blow up to ends there."""

# https://yaml.org/spec/1.2.2/#103-core-schema, but that a number with a leading zero stays text: `00123` is an article number more often than 123.
_NULL = re.compile(r"(?:null|Null|NULL|~|)\Z")
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_BASED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_INF = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z")
_NAN = re.compile(r"\.(?:nan|NaN|NAN)\Z")
_QUOTED = ("'", '"', "|", ">")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file, lines and columns from 1; line 0: the file as a whole."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(slots=True)
class Document:
    """A read file: its data, and where each value stands."""

    data: Any
    file: str
    places: dict[KeyPath, Place] = field(default_factory=dict)

    def place(self, path: KeyPath) -> Place:
        """Place of the value at `path`, or of its nearest ancestor."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, Place(self.file))


def load(path: Path, shown: str | None = None) -> Document:
    """Reads a file. `shown`: how messages name it. Raises UserError with file, line and column."""
    name = shown or str(path)
    try:
        return parse(path.read_text(encoding="utf-8"), name)
    except OSError as e:
        raise UserError(f"cannot be read: {e.strerror}", where=name, hint="check the path") from None
    except UnicodeDecodeError as e:
        raise UserError(f"is not UTF-8 (byte {e.start})", where=name, hint="save it as UTF-8") from None


def parse(text: str, name: str = "<text>") -> Document:
    """Parses YAML text (JSON is YAML). Raises UserError with line and column."""
    document = Document(None, name)
    loader = pyyaml.CSafeLoader if hasattr(pyyaml, "CSafeLoader") else pyyaml.SafeLoader
    try:
        _check(pyyaml.parse(text, Loader=loader), name)
        node = pyyaml.compose(text, Loader=loader)
    except pyyaml.MarkedYAMLError as e:
        mark = e.problem_mark or e.context_mark
        place = Place(name, mark.line + 1, mark.column + 1) if mark else Place(name)
        raise UserError(f"is not YAML: {e.problem or e.context}", where=str(place), hint="check indentation, quotes and colons there") from None
    except (pyyaml.YAMLError, UnicodeEncodeError) as e:
        raise UserError(f"is not YAML: {e}", where=name, hint="only printable text is YAML") from None
    if node is not None:
        document.data = _build(node, (), document, 0)
    return document


def scalar(text: str) -> Any:
    """The value of a plain scalar by the core schema."""
    if _NULL.match(text):
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.match(text):
        return int(text) if len(text) < 4000 else text
    if _BASED.match(text):
        return int(text, 0)
    if _FLOAT.match(text) or _INF.match(text) or _NAN.match(text):
        return float(text.replace(".", "", 1) if text[-1].isalpha() else text)
    return text


def _check(events: Iterator[pyyaml.Event], name: str) -> None:
    """Refuses what the composer would recurse into without end, and tags, which plain data has no use for."""
    depth = 0
    for event in events:
        mark = event.start_mark
        place = Place(name, mark.line + 1, mark.column + 1) if mark else Place(name)
        if isinstance(event, pyyaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _too_deep(place)
        elif isinstance(event, pyyaml.CollectionEndEvent):
            depth -= 1
        if tag := getattr(event, "tag", None):
            raise UserError(f"has a tag, {tag!r}", where=str(place), hint="write the bare value; quotes make it text")


def _too_deep(place: Place) -> UserError:
    return UserError(f"is nested deeper than {MAX_DEPTH} levels", where=str(place), hint="flatten it, or break the alias that holds itself")


def _build(node: pyyaml.Node, path: KeyPath, document: Document, depth: int) -> Any:
    place = Place(document.file, node.start_mark.line + 1, node.start_mark.column + 1)
    document.places[path] = place
    if depth >= MAX_DEPTH and not isinstance(node, pyyaml.ScalarNode):
        raise _too_deep(place)
    if len(document.places) > MAX_VALUES:
        raise UserError(f"holds more than {MAX_VALUES} values", where=str(place), hint="data belongs in a data file; an alias counts each time it stands")
    if isinstance(node, pyyaml.SequenceNode):
        return [_build(item, (*path, i), document, depth + 1) for i, item in enumerate(node.value)]
    if isinstance(node, pyyaml.MappingNode):
        out: dict[str, Any] = {}
        for key_node, value_node in node.value:
            at = str(Place(document.file, key_node.start_mark.line + 1, key_node.start_mark.column + 1))
            if not isinstance(key_node, pyyaml.ScalarNode):
                raise UserError("a key must be a word", where=at, hint="quote text that holds { } or [ ]")
            if key_node.value in out:
                raise UserError(f"the key {key_node.value!r} stands twice", where=at, hint="remove one")
            out[key_node.value] = _build(value_node, (*path, key_node.value), document, depth + 1)
        return out
    if not isinstance(node, pyyaml.ScalarNode):
        raise UserError("is no value", where=str(place))
    return node.value if node.style in _QUOTED else scalar(node.value)
