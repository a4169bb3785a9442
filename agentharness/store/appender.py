"""A file of JSON lines that only grows: one write a line, a torn tail cut off on opening, a failed write taken back."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from agentharness import canon
from agentharness.errors import StoreFull, UserError
from agentharness.store import disk
from agentharness.types.part import JsonDict

_CHUNK = 1 << 20
_flush: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)  # macOS has fsync alone


class Appender:
    """One open file of lines. One writer: the run folder's lock sees to it. `append` and `read` belong to one thread, `sync` may run in another."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the file and cuts off a torn tail (bytes after the last newline). Raises StoreFull."""
        self.path = path
        self._closing = threading.Lock()
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as e:
            raise disk.refused(e, path) from e
        length = os.fstat(self._fd).st_size
        self.size = _whole(self._fd, length)
        """Bytes in the file, all in whole lines."""
        self.torn = length - self.size
        """Bytes that opening cut off."""
        if self.torn:
            os.ftruncate(self._fd, self.size)
        self._synced = 0
        self._broken = False

    def append(self, line: bytes) -> int:
        """Writes one line (with its newline) in one write; the offset it begins at.

        Raises StoreFull where the disk takes it not or in part only: the file is then as long as before. ValueError for bytes that are not one line.
        """
        if self._fd < 0:
            raise RuntimeError(f"{self.path} is closed")
        if line.find(b"\n") != len(line) - 1 or not line:
            raise ValueError("not one line: exactly one newline, at the end")
        if self._broken:
            raise StoreFull("ends in part of a line that could not be taken back", where=str(self.path), hint=disk.HINT)
        try:
            written = os.write(self._fd, line)
        except OSError as e:
            self._take_back()
            raise disk.refused(e, self.path) from e
        if written < len(line):
            self._take_back()
            raise StoreFull(f"the disk took {written} of {len(line)} bytes", where=str(self.path), hint=disk.HINT)
        start = self.size
        self.size += written
        return start

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._fd, min(self.size, os.fstat(self._fd).st_size))
        except OSError:
            self._broken = True  # the next opening cuts the tail off; a line after it would be corrupt for good

    def read(self, offset: int, length: int) -> bytes:
        """`length` bytes from `offset`."""
        return os.pread(self._fd, length, offset)

    def lines(self) -> Iterator[tuple[int, int, bytes]]:
        """(line number from 1, offset, line with its newline) in file order, one line in memory at a time."""
        return read_lines(self.path)

    def sync(self) -> None:
        """Flushes what was appended to the disk. Blocks; safe in another thread. Raises StoreFull."""
        with self._closing:
            size = self.size
            if self._fd >= 0 and size != self._synced:
                try:
                    _flush(self._fd)
                except OSError as e:
                    raise disk.refused(e, self.path) from e
                self._synced = size

    def close(self) -> None:
        """Closes the file; twice is fine. Does not flush."""
        with self._closing:
            fd, self._fd = self._fd, -1
            if fd >= 0:
                os.close(fd)

    def __del__(self) -> None:
        if getattr(self, "_fd", -1) >= 0:
            self.close()


def read_lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """(line number from 1, offset, line with its newline) of a file of lines. Blank lines and a torn tail are passed over."""
    offset = 0
    with path.open("rb", buffering=_CHUNK) as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            if not line.isspace():
                yield number, offset, line
            offset += len(line)


def plain(line: bytes) -> Any:
    """JSON with the marks of canonical form left as they stand: a fast look at a long line."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return canon.loads(line)


def parse(line: bytes, path: Path, number: int, *, cost: str, loads: Callable[[bytes], Any] = canon.loads) -> JsonDict:
    """The object that a line holds. Raises UserError for a corrupt line; `cost` tells what deleting it costs."""
    try:
        value = loads(line)
    except (ValueError, TypeError, RecursionError) as e:
        raise corrupt(path, number, cost=cost) from e
    if not isinstance(value, dict):
        raise corrupt(path, number, cost=cost)
    return value


def corrupt(path: Path, number: int, *, cost: str) -> UserError:
    """The error for a whole line that does not hold what it should."""
    return UserError("corrupt line", where=f"{path}:{number}", hint=f"keep a copy of the file, then delete line {number}: {cost}")


def _whole(fd: int, length: int) -> int:
    """Length of the file up to and with its last newline, found from the end."""
    end = length
    while end > 0:
        start = max(0, end - _CHUNK)
        at = os.pread(fd, end - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0
