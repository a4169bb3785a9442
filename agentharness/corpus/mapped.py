"""Rows in mapped files: immutable, shared by every process that opens them, looked up without being read.

A folder of the cache holds, in the machine's byte order:

    rows.jsonl    one row a line; a line that begins with a space is not what orjson reads back the same (NaN, integers above 64 bits, lone surrogates)
    rows.at       uint64 for each row: where its line begins
    keys          all keys one after the other, UTF-8 (lone surrogates as they are)
    keys.at       uint64 for each key and one more: where it begins, where the last one ends
    hashes        uint64 for each row, sorted: the first 8 bytes of its key's BLAKE2b
    order         uint32 for each hash: the row
    meta.json     row count, columns, counts of merged rows, digests, notes
"""

from __future__ import annotations

import hashlib
import json
import mmap
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, overload

import orjson

from agentharness import canon
from agentharness.corpus import cache
from agentharness.errors import EpisodeError
from agentharness.types.part import JsonDict

VERSION = 1
"""Raised when the files come to mean something else."""
ROWS, ROWS_AT, KEYS, KEYS_AT, HASHES, ORDER, META = "rows.jsonl", "rows.at", "keys", "keys.at", "hashes", "order", "meta.json"
BYTE_ORDER = sys.byteorder


def dump_row(row: JsonDict) -> bytes:
    """A row as its line, keys in their own order."""
    try:
        out = orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        out = b""
    if not out or (b"null" in out and canon.needs_marks(row)):
        return b" " + json.dumps(row).encode() + b"\n"
    return out


def load_row(line: bytes) -> JsonDict:
    """The row that a line holds. Raises ValueError."""
    row: JsonDict = json.loads(line) if line.startswith(b" ") else orjson.loads(line)
    return row


def hash_of(key: bytes) -> int:
    """The number by which a key is found."""
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big")


def encode(key: str) -> bytes:
    """A key as it lies in the file."""
    return key.encode("utf-8", "surrogatepass")


def mapped(path: Path) -> mmap.mmap | bytes:
    """The bytes of a file, mapped; of an empty one none."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""


def numbers(path: Path, kind: Literal["Q", "I"]) -> memoryview[int]:
    """A mapped file as numbers: Q for uint64, I for uint32."""
    return memoryview(mapped(path)).cast(kind)


class MappedRows(Sequence[JsonDict]):
    """Rows by position (corpus.table.Rows). Each is read anew: nothing is kept."""

    held = False

    def __init__(self, folder: Path, starts: Sequence[int] | None = None) -> None:
        """`starts`: where the rows begin, if not as the folder's own file says. Raises OSError and ValueError where the files are not there or misshapen."""
        self._folder = folder
        self._data: Any = mapped(folder / ROWS)
        self._starts: Sequence[int] = numbers(folder / ROWS_AT, "Q") if starts is None else starts

    def __len__(self) -> int:
        return len(self._starts)

    def get(self, i: int) -> JsonDict:
        """The row at position `i`. Raises EpisodeError("env") where the file is damaged under our hands; it is then built again by whoever opens it next."""
        start = self._starts[i]
        try:
            return load_row(self._data[start : self._data.find(b"\n", start)])
        except ValueError:
            cache.drop(self._folder)
            raise EpisodeError("env", f"row {i} of {self._folder} is damaged: start again, and it is built anew", fatal=True) from None

    @overload
    def __getitem__(self, i: int) -> JsonDict: ...
    @overload
    def __getitem__(self, i: slice) -> list[JsonDict]: ...
    def __getitem__(self, i: int | slice) -> JsonDict | list[JsonDict]:
        return self.get(i) if isinstance(i, int) else [self.get(n) for n in range(*i.indices(len(self)))]

    def __iter__(self) -> Iterator[JsonDict]:
        return map(self.get, range(len(self)))


class MappedKeys:
    """Keys of an unscoped table (corpus.table.Index)."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError and ValueError as MappedRows."""
        self._data: Any = mapped(folder / KEYS)
        self._starts = numbers(folder / KEYS_AT, "Q")
        self._hashes = numbers(folder / HASHES, "Q")
        self._order = numbers(folder / ORDER, "I")

    def __len__(self) -> int:
        return len(self._order)

    def ident(self, i: int) -> tuple[None, str]:
        """(None, key) of the row at position `i`."""
        return None, self._data[self._starts[i] : self._starts[i + 1]].decode("utf-8", "surrogatepass")

    def keys(self, scope: str | None) -> Iterator[str]:
        """All keys in order."""
        for i in range(len(self)):
            yield self.ident(i)[1]

    def find(self, scope: str | None, key: str) -> int | None:
        """The row of a key, or None."""
        wanted = encode(key)
        mark = hash_of(wanted)
        at = bisect_left(self._hashes, mark)
        while at < len(self._hashes) and self._hashes[at] == mark:
            row: int = self._order[at]
            if self._data[self._starts[row] : self._starts[row + 1]] == wanted:
                return row
            at += 1
        return None


def write_keys(folder: Path, keys: Sequence[str]) -> None:
    """The four files of keys."""
    at, end = array("Q", [0]), 0
    marks: list[int] = []
    with (folder / KEYS).open("wb") as out:
        for row, key in enumerate(keys):
            data = encode(key)
            out.write(data)
            end += len(data)
            at.append(end)
            marks.append(hash_of(data) << 32 | row)
    marks.sort()
    _write(folder / KEYS_AT, at)
    _write(folder / HASHES, array("Q", (mark >> 32 for mark in marks)))
    _write(folder / ORDER, array("I", (mark & 0xFFFFFFFF for mark in marks)))


def write_starts(folder: Path, starts: array[int]) -> None:
    """Where each row begins."""
    _write(folder / ROWS_AT, starts)


def _write(path: Path, values: array[int]) -> None:
    with path.open("wb") as out:
        values.tofile(out)
