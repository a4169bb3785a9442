"""What is known of a value before any row is read: which fields of which table it may be. Naming one that is not public is refused here.

A list is as secret as its items: `At` stands for a value in a record and also for the items of a list there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from agentharness.corpus.spec import Level
from agentharness.env.expr.budget import ExprError, short, text
from agentharness.env.expr.ops import item
from agentharness.errors import closest

Path: TypeAlias = tuple[str, ...]


class Shape:
    """What is known of a value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Value(Shape):
    """Any plain public JSON, unknown inside."""

    number: bool = False


@dataclass(frozen=True, slots=True)
class ListOf(Shape):
    """A list of one shape, or, with `mapping`, an object whose values have it."""

    shape: Shape
    mapping: bool = False


@dataclass(frozen=True, slots=True)
class OneOf(Shape):
    """One of several shapes: rows of several tables, or what a condition leaves open."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Const(Shape):
    """A value that is known at load."""

    value: Any


@dataclass(frozen=True, eq=False)
class Record(Shape):
    """The view of a row of `table`.

    levels: field path -> public | hidden | gold; the deepest declared path decides, what is undeclared is hidden. columns: names of all columns, None where
    they are unknown. sample: a full row, to tell what would have shown. gold_ok: for rewards and the oracle, nothing is refused."""

    table: str
    levels: Mapping[str, Level]
    columns: Collection[str] | None = None
    sample: Mapping[str, Any] | None = None
    gold_ok: bool = False
    declared: dict[Path, Level] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        declared: dict[Path, Level] = {(name,): level for name, level in self.levels.items()}
        declared |= {tuple(name.replace("[]", "").split(".")): level for name, level in self.levels.items()}
        object.__setattr__(self, "declared", declared)

    def level(self, path: Path) -> Level | None:
        """Level of the deepest declared path at or above `path`, None where nothing there is declared."""
        return next((self.declared[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.declared), None)

    def below(self, path: Path) -> set[Level]:
        """Levels declared deeper than `path`."""
        return {level for name, level in self.declared.items() if len(name) > len(path) and name[: len(path)] == path}

    def readable(self, path: Path) -> bool:
        """Whether the public view has something there."""
        return self.gold_ok or not path or self.level(path) == "public" or "public" in self.below(path)

    def closed(self, path: Path) -> bool:
        """Whether everything there is public."""
        if self.gold_ok:
            return True
        if path:
            return self.level(path) == "public" and self.below(path) <= {"public"}
        return self.columns is not None and all(self.closed((name,)) for name in self.columns) and self.below(()) <= {"public"}

    def children(self, path: Path) -> list[str] | None:
        """Names of the fields at `path`, None where they are unknown."""
        if not path and self.columns is not None:
            return list(self.columns)
        if self.sample is None:
            return None
        found = [value for value in _reach(self.sample, path) if isinstance(value, Mapping)]
        return list(dict.fromkeys(key for value in found for key in value)) if found else None


@dataclass(frozen=True, slots=True)
class At(Shape):
    """The value at `path` of a record, or an item of the list there. `label`: how users name it."""

    record: Record
    path: Path
    label: str = field(compare=False)


Names: TypeAlias = Mapping[str, Shape]
"""Top-level name -> what it holds."""

_DEEPEST, _MOST = 8, 16


class Refused(Exception):
    """A field that must not be named (`secret`), or that does not exist."""

    def __init__(self, what: str, hint: str, *, secret: bool) -> None:
        self.what, self.hint, self.secret = what, hint, secret
        super().__init__(what)


def lift(shape: Shape, label: str) -> Shape:
    """The shape of a top-level name, with its records as places in them."""
    if isinstance(shape, Record):
        return At(shape, (), label)
    if isinstance(shape, ListOf):
        return ListOf(lift(shape.shape, f"{label}[]"), shape.mapping)
    if isinstance(shape, OneOf):
        return OneOf(tuple(lift(s, label) for s in shape.shapes))
    return shape


def join(shapes: Iterable[Shape]) -> Shape:
    """What holds for any of `shapes`."""
    out: list[Shape] = []
    for shape in shapes:
        for one in shape.shapes if isinstance(shape, OneOf) else (shape,):
            if one not in out:
                out.append(one)
    if len(out) > _MOST or any(depth(one) > _DEEPEST for one in out):
        out = flat(out)
    return out[0] if len(out) == 1 else OneOf(tuple(out)) if out else Const(None)


def depth(shape: Shape) -> int:
    if isinstance(shape, ListOf):
        return 1 + depth(shape.shape)
    return max(map(depth, shape.shapes)) if isinstance(shape, OneOf) else 0


def flat(shapes: Iterable[Shape]) -> list[Shape]:
    """The same without lists and known values: still every place in a record, as a place stands for its items too."""
    return list(dict.fromkeys([Value(), *(place for shape in shapes for place in places(shape))]))


def places(shape: Shape) -> Iterator[At]:
    """All places in records that a value of this shape may show."""
    if isinstance(shape, At):
        yield shape
    elif isinstance(shape, ListOf):
        yield from places(shape.shape)
    elif isinstance(shape, OneOf):
        for one in shape.shapes:
            yield from places(one)


def alternatives(shape: Shape) -> tuple[Shape, ...]:
    return shape.shapes if isinstance(shape, OneOf) else (shape,)


def items(shape: Shape) -> Shape:
    """One item of a list (or one key of an object) of this shape."""
    if isinstance(shape, ListOf):
        return Value() if shape.mapping else shape.shape
    if isinstance(shape, OneOf):
        return join(items(one) for one in shape.shapes)
    if isinstance(shape, At):
        return At(shape.record, shape.path, shape.label if shape.label.endswith("[]") else f"{shape.label}[]")
    if isinstance(shape, Const) and isinstance(shape.value, list | dict) and len(shape.value) <= _MOST:
        return join(Const(value) for value in shape.value)
    return Value()


def values(shape: Shape) -> Shape:
    """One value of an object of this shape."""
    if isinstance(shape, ListOf):
        return shape.shape
    if isinstance(shape, OneOf):
        return join(values(one) for one in shape.shapes)
    if isinstance(shape, At):
        if shape.record.closed(shape.path):
            return Value()
        n = len(shape.path)
        known = shape.record.children(shape.path) or dict.fromkeys(path[n] for path in shape.record.declared if len(path) > n and path[:n] == shape.path)
        return join([Value(), *(_at(shape, name) for name in known if shape.record.readable((*shape.path, name)))])
    return Value()


def get(shape: Shape, key: Shape) -> Shape:
    """The shape of `value[key]`. Raises Refused for a field that is not public, or that does not exist."""
    if isinstance(key, OneOf):
        return join(get(shape, one) for one in key.shapes)
    if isinstance(shape, OneOf):
        return _any(shape.shapes, key)
    if isinstance(shape, At):
        return _field(shape, key)
    if isinstance(shape, ListOf):
        if isinstance(key, Const) and isinstance(key.value, str) and not shape.mapping:
            raise Refused(f"a list has no field {key.value!r}", f"take one item with [0], or that field of each with | map({key.value!r})", secret=False)
        return shape.shape
    if isinstance(shape, Const) and isinstance(key, Const):
        try:
            return Const(item(shape.value, key.value))
        except ExprError:
            return Value()
    return Value()


def get_path(shape: Shape, path: Iterable[str | int]) -> Shape:
    for key in path:
        shape = get(shape, Const(key))
    return shape


def _any(shapes: Iterable[Shape], key: Shape) -> Shape:
    out, missing = [], None
    for one in shapes:
        try:
            out.append(get(one, key))
        except Refused as e:
            if e.secret:
                raise
            missing = missing or e
    if missing and all(isinstance(one, Const) and one.value is None for one in out):
        raise missing
    return join(out)


def _at(at: At, name: str) -> At:
    return At(at.record, (*at.path, name), f"{at.label}.{name}" if name.isidentifier() else f"{at.label}[{name!r}]")


def _field(at: At, key: Shape) -> Shape:
    record = at.record
    if isinstance(key, Value) and key.number:
        return items(at)
    if not isinstance(key, Const):
        if record.closed(at.path):
            return Value()
        hint = "name the field; for a place in a list write [name | int]"
        raise Refused(f"{at.label}[…] chooses a field while playing, and {at.label} has fields that are not public", hint, secret=True)
    if not isinstance(key.value, str):
        return items(at)
    child = _at(at, key.value)
    known = None if record.gold_ok and at.path else record.children(at.path)  # one row is no proof of what other rows hold
    undeclared = record.level(child.path) is None and not record.below(child.path)
    if known is not None and key.value not in known and undeclared:
        raise Refused(f"{at.label} has no field {key.value!r}", closest(key.value, known), secret=False)
    if not record.readable(child.path):
        raise _secret(child)
    return child


def _secret(at: At) -> Refused:
    record, level = at.record, at.record.level(at.path)
    shown = _sample(record, at.path)
    would = f": it would have shown {shown}" if shown else ""
    if level == "gold":
        hint = "use a public field; only rewards, responders and the oracle may name gold"
    else:
        hint = f"declare `{'.'.join(at.path)}: public` under columns.{record.table}, or leave it out"
    what = f"{at.label} is {level}" if level else f"{at.label} is not declared, so it is hidden"
    return Refused(f"{what} and cannot be shown to the agent{would}", hint, secret=True)


def _sample(record: Record, path: Path) -> str:
    found = list(_reach(record.sample, path)) if record.sample is not None else []
    if not found:
        return ""
    value = found[0] if len(found) == 1 else found
    try:
        return short(value) if isinstance(value, str) else short(text(value, None) or "null").strip("'")
    except (TypeError, ValueError):
        return ""  # bytes of an image, a date: nothing to show in a line


def _reach(value: Any, path: Path) -> Iterator[Any]:
    """The values at `path`, through lists."""
    if isinstance(value, list) and path:
        for one in value:
            yield from _reach(one, path)
    elif not path:
        yield value
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _reach(value[path[0]], path[1:])
