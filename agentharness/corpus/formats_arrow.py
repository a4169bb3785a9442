"""Parquet, Arrow and Feather. Times become ISO text, decimals text, a hub image ({bytes, path}) an image part; other bytes are refused by column."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

from agentharness.corpus.batch import Batch, Reading
from agentharness.corpus.images import UNKNOWN, mime_of
from agentharness.errors import UserError
from agentharness.types.part import JsonDict

_Convert: TypeAlias = Callable[[Any], Any]
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class _Refused(Exception):
    """A column that cannot be JSON."""


def read_arrow(path: Path, name: str, reading: Reading, types: Mapping[str, str], data: bytes | None = None) -> Batch:
    """Rows of a parquet, Arrow (file or stream) or Feather file. `data`: its bytes, where it lies in an archive. Raises UserError where it is none."""
    pa = need_pyarrow(name)
    try:
        if path.suffix.lower() == ".parquet":
            import pyarrow.parquet as pq

            table = pq.read_table(path if data is None else pa.BufferReader(data))
        else:
            opened = pa.memory_map(str(path)) if data is None else pa.BufferReader(data)
            try:
                table = pa.ipc.open_file(opened).read_all()
            except pa.ArrowInvalid:  # data sets caches hold the stream form
                opened.seek(0)
                table = pa.ipc.open_stream(opened).read_all()
    except (pa.ArrowException, OSError) as e:
        raise UserError(f"cannot be read: {str(e).splitlines()[0]}", where=name, hint="a parquet, Arrow or Feather file is wanted") from None
    return from_table(table, name, path.parent, reading, types, class_names(table.schema))


def need_pyarrow(name: str) -> Any:
    """The pyarrow module, or a UserError that says how to get it."""
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError:
        raise UserError("needs pyarrow to be read", where=name, hint="pip install 'agentharness[arrow]'") from None
    return pyarrow


def class_names(schema: Any) -> dict[str, list[str]]:
    """Column -> class names, from the metadata that the hub's files carry."""
    raw = (schema.metadata or {}).get(b"huggingface")
    try:
        features = json.loads(raw)["info"]["features"] if raw else {}
        return {c: f["names"] for c, f in features.items() if isinstance(f, dict) and f.get("_type") == "ClassLabel" and f.get("names")}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def from_table(table: Any, name: str, base: Path, reading: Reading, types: Mapping[str, str], classes: Mapping[str, list[str]]) -> Batch:
    """Rows of a pyarrow table. `base`: folder of image paths. `classes`: columns of class numbers that become names, unless typed `int`."""
    names: list[str] = table.column_names
    if len(set(names)) < len(names):
        raise UserError("two columns have one name", where=name, hint="rename one")
    columns: dict[str, list[Any]] = {}
    refused: dict[str, str] = {}
    for column in names:
        try:
            columns[column] = _column(table.column(column), base, reading)
        except _Refused as e:
            refused[column] = str(e)
            reading.note(f"{name}: column {column} is left out: {e}")
        except (OverflowError, ValueError) as e:
            raise UserError(f"column {column!r} cannot be read: {e}", where=name, hint="write it as text") from None
        if column in classes and column in columns and types.get(column) != "int":
            labels = classes[column]
            columns[column] = [labels[v] if isinstance(v, int) and 0 <= v < len(labels) else None for v in columns[column]]
            reading.note(f"{name}: column {column} shows class names (numbers with types: {{{column}: int}})")
    rows: list[JsonDict] = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return Batch(rows, name, refused=refused)


def _column(column: Any, base: Path, reading: Reading) -> list[Any]:
    cast, convert = _plan(column.type, base, reading)
    if cast is not None:
        column = column.cast(cast)
    values: list[Any] = column.to_pylist()
    return values if convert is None else [convert(v) for v in values]


def _plan(kind: Any, base: Path, reading: Reading) -> tuple[Any, _Convert | None]:
    """(type to cast to or None, function from Python's value to ours or None) for an Arrow type."""
    import pyarrow as pa

    t = pa.types
    if t.is_dictionary(kind):
        cast, convert = _plan(kind.value_type, base, reading)
        return cast or kind.value_type, convert
    if isinstance(kind, pa.BaseExtensionType):
        cast, convert = _plan(kind.storage_type, base, reading)
        return cast or kind.storage_type, convert
    if t.is_timestamp(kind):
        return pa.int64(), _timestamp(_PER_SECOND[kind.unit], kind.tz is not None)
    if t.is_duration(kind):
        return pa.int64(), _duration(_PER_SECOND[kind.unit])
    if t.is_time64(kind) and kind.unit == "ns":
        raise _Refused("it holds times in nanoseconds; write them as text")
    if t.is_date(kind) or t.is_time(kind):
        return None, lambda v: None if v is None else v.isoformat()
    if t.is_decimal(kind):
        return None, lambda v: None if v is None else format(v, "f")
    if t.is_float16(kind):
        return pa.float32(), None
    if t.is_struct(kind):
        return _struct(kind, base, reading)
    if t.is_map(kind):
        _, convert = _plan(kind.item_type, base, reading)
        each: _Convert = convert or (lambda v: v)
        return None, lambda v: None if v is None else {str(key): each(item) for key, item in v}
    if t.is_list(kind) or t.is_large_list(kind) or t.is_fixed_size_list(kind):
        cast, convert = _plan(kind.value_type, base, reading)
        inner = convert
        walk: _Convert | None = None if inner is None else (lambda v: None if v is None else [inner(item) for item in v])
        return (None if cast is None else pa.list_(cast)), walk
    if t.is_boolean(kind) or t.is_integer(kind) or t.is_floating(kind) or t.is_string(kind) or t.is_large_string(kind) or t.is_null(kind):
        return None, None
    if str(kind) == "string_view":
        return None, None
    raise _Refused(f"it holds {kind}; write text, or pictures as {{bytes, path}}")


def _struct(kind: Any, base: Path, reading: Reading) -> tuple[Any, _Convert | None]:
    import pyarrow as pa

    fields = [kind.field(i) for i in range(kind.num_fields)]
    if {f.name for f in fields} == {"bytes", "path"} and any(pa.types.is_binary(f.type) or pa.types.is_large_binary(f.type) for f in fields):
        return None, _picture(base, reading)
    plans = [_plan(f.type, base, reading) for f in fields]
    casts = [p[0] for p in plans]
    cast = pa.struct([(f.name, c or f.type) for f, c in zip(fields, casts, strict=True)]) if any(casts) else None
    converts = {f.name: p[1] for f, p in zip(fields, plans, strict=True) if p[1] is not None}
    if not converts:
        return cast, None

    def walk(value: JsonDict | None) -> JsonDict | None:
        if value is None:
            return None
        return {name: convert(v) if (convert := converts.get(name)) else v for name, v in value.items()}

    return cast, walk


def _picture(base: Path, reading: Reading) -> _Convert:
    seen = False

    def convert(value: JsonDict | None) -> Any:
        nonlocal seen
        if value is None or (value["bytes"] is None and value["path"] is None):
            return None
        assets = reading.assets
        if value["bytes"] is None:
            return assets.part(assets.add_file(base / value["path"]))
        if not seen and mime_of(value["bytes"]) == UNKNOWN:
            raise _Refused("its bytes are no pictures (audio and video are not read)")
        seen = True  # a later damaged one fails only its own episode
        return assets.part(assets.add_bytes(value["bytes"]))

    return convert


def _timestamp(per_second: int, zoned: bool) -> _Convert:
    start = datetime(1970, 1, 1, tzinfo=UTC)

    def convert(value: int | None) -> str | None:
        if value is None:
            return None
        seconds, rest = divmod(value, per_second)
        text = (start + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
        if rest:
            digits = len(str(per_second)) - 1
            text += "." + str(rest).rjust(digits, "0").rstrip("0")
        return text + "+00:00" if zoned else text

    return convert


def _duration(per_second: int) -> _Convert:
    def convert(value: int | None) -> str | None:
        if value is None:
            return None
        seconds, rest = divmod(abs(value), per_second)
        digits = len(str(per_second)) - 1
        tail = "." + str(rest).rjust(digits, "0").rstrip("0") if rest else ""
        return f"{'-' if value < 0 else ''}PT{seconds}{tail}S"

    return convert
