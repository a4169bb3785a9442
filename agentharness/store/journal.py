"""The write-ahead journal: outside replies of unfinished episodes, in segments that are dropped once no unfinished episode needs them.

Lines are journal entries, and tombstones `{"key", "orphan_from"}`: the key's entries before it, from that ordinal on, no longer serve. Only the places of
entries are kept in memory.
"""

from __future__ import annotations

import os
from collections.abc import Container
from pathlib import Path

from agentharness import canon
from agentharness.store import disk
from agentharness.store.appender import Appender, corrupt, parse, plain
from agentharness.types.episode import JournalEntry

SEGMENT_BYTES = 64 << 20
_COST = "the reply it holds is asked for once more"


class Journal:
    """All segments of one run folder. `done`: ids of final keys, whose entries opening drops."""

    def __init__(self, folder: Path, done: Container[str], *, segment_bytes: int = SEGMENT_BYTES) -> None:
        """Reads the segments and compacts them into one. Raises UserError for a corrupt line, StoreFull."""
        self.folder = folder
        self.attempts: dict[str, int] = {}
        """Unfinished key -> highest attempt number among its entries."""
        self._limit = segment_bytes
        self._places: dict[str, dict[int, tuple[int, int, int]]] = {}
        """key -> ordinal -> (segment, offset, length)"""
        self._held: dict[int, set[str]] = {}
        """Segment -> unfinished keys with a line in it, tombstones included."""
        self._free: list[int] = []
        folder.mkdir(exist_ok=True)
        for leftover in folder.iterdir():
            if disk.is_temporary(leftover.name):
                leftover.unlink()
        numbers = sorted(int(p.stem) for p in folder.glob("*.jsonl") if p.stem.isdecimal()) or [0]
        self._segments = {n: Appender(self._path(n)) for n in numbers}
        self.torn = [(s.path, s.torn) for s in self._segments.values() if s.torn]
        lines = sum(self._scan(n, done) for n in numbers)
        if lines != sum(map(len, self._places.values())) or len(numbers) > 1:
            self._compact()
        self._current = max(self._segments)
        self._held[self._current] = set(self._places)
        disk.sync_folder(folder)
        self._named = self._current  # the last segment whose name is flushed

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __len__(self) -> int:
        """Unfinished keys with entries."""
        return len(self._places)

    def read(self, key: str) -> list[JournalEntry]:
        """The key's entries that serve, by ordinal. A gap is a reply that was in flight when a later one had come."""
        places = self._places.get(key, {})
        return [JournalEntry.from_json(canon.loads(self._segments[n].read(offset, length))) for _, (n, offset, length) in sorted(places.items())]

    def record(self, entry: JournalEntry) -> None:
        """Writes one entry. One with the same ordinal before it no longer serves. Raises StoreFull."""
        key = entry.key
        place = self._append(key, entry.line())
        places = self._places.get(key)
        if places is None:
            places = self._places[key] = {}
        places[entry.ordinal] = place
        if entry.attempt > self.attempts.get(key, 0):
            self.attempts[key] = entry.attempt

    def orphan(self, key: str, ordinal: int) -> int:
        """Drops the key's entries from this ordinal on, for later openings too; how many they were. Raises StoreFull."""
        places = self._places.get(key, {})
        gone = [o for o in places if o >= ordinal]
        if gone:
            self._append(key, canon.dumps({"key": key, "orphan_from": ordinal}, newline=True))
            for o in gone:
                del places[o]
            if not places:
                del self._places[key]
        return len(gone)

    def forget(self, key: str) -> None:
        """The key is final: its entries serve no more. Segments that nobody needs wait for `take_free`."""
        self._places.pop(key, None)
        self.attempts.pop(key, None)
        for number, keys in list(self._held.items()):
            if key in keys:
                keys.remove(key)
                self._release(number)

    def take_free(self) -> list[int]:
        """Segments that no unfinished key needs. Drop them only once the episodes that finished are flushed."""
        taken, self._free = self._free, []
        return taken

    def drop(self, numbers: list[int]) -> None:
        """Deletes segments that `take_free` gave."""
        for number in numbers:
            self._segments.pop(number).close()
            self._path(number).unlink(missing_ok=True)

    def clear(self) -> None:
        """Deletes all segments."""
        self._free = []
        self.drop(sorted(self._segments))

    def sync(self) -> None:
        """Flushes. Blocks; safe in another thread."""
        current = self._current
        for segment in list(self._segments.values()):
            segment.sync()
        if current != self._named:
            disk.sync_folder(self.folder)
            self._named = current

    def close(self) -> None:
        for segment in self._segments.values():
            segment.close()

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:03}.jsonl"

    def _append(self, key: str, line: bytes) -> tuple[int, int, int]:
        if self._segments[self._current].size >= self._limit:
            full, following = self._current, self._current + 1
            self._segments[following] = Appender(self._path(following))
            self._held[following] = set()
            self._current = following
            self._release(full)
        offset = self._segments[self._current].append(line)
        self._held[self._current].add(key)
        return self._current, offset, len(line)

    def _release(self, number: int) -> None:
        if number != self._current and not self._held[number]:
            del self._held[number]
            self._free.append(number)

    def _scan(self, number: int, done: Container[str]) -> int:
        lines = 0
        segment = self._segments[number]
        for at, offset, raw in segment.lines():
            data = parse(raw, segment.path, at, cost=_COST, loads=plain)
            lines += 1
            try:
                key = data["key"]
                if key in done:
                    continue
                if "orphan_from" in data:
                    kept = {o: p for o, p in self._places.pop(key, {}).items() if o < data["orphan_from"]}
                    if kept:
                        self._places[key] = kept
                else:
                    self._places.setdefault(key, {})[data["ordinal"]] = (number, offset, len(raw))
                    self.attempts[key] = max(data["attempt"], self.attempts.get(key, 0))
            except (KeyError, TypeError) as e:
                raise corrupt(segment.path, at, cost=_COST) from e
        return lines

    def _compact(self) -> None:
        """Writes the entries that serve in place of an only segment, or behind the last one, then deletes the others, oldest first: a tombstone outlives what
        it buries, so after a crash in between, reading all of them in order gives the same entries."""
        last = max(self._segments)
        target = last if len(self._segments) == 1 else last + 1
        order = sorted((place, key, ordinal) for key, places in self._places.items() for ordinal, place in places.items())
        temporary = self.folder / f".{target:03}.jsonl.{os.getpid()}.tmp"
        moved: dict[str, dict[int, tuple[int, int, int]]] = {}
        try:
            with temporary.open("wb") as out:
                for (number, offset, length), key, ordinal in order:
                    moved.setdefault(key, {})[ordinal] = (target, out.tell(), length)
                    out.write(self._segments[number].read(offset, length))
                out.flush()
                os.fsync(out.fileno())
            os.replace(temporary, self._path(target))
            disk.sync_folder(self.folder)
        except OSError as e:
            temporary.unlink(missing_ok=True)
            raise disk.refused(e, self._path(target)) from e
        self.drop([n for n in sorted(self._segments) if n != target])
        if target in self._segments:
            self._segments[target].close()
        self._segments[target] = Appender(self._path(target))
        self._places = moved
