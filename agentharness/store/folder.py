"""The run folder: everything a run has paid for, on disk before the run goes on.

manifest.json · episodes.jsonl (final) · attempts.jsonl (the rest) · journal/000.jsonl … · assets/<sha256> · .lock
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from types import TracebackType
from typing import get_args

from agentharness import canon
from agentharness.errors import Cause, UserError, closest
from agentharness.store import disk
from agentharness.store.again import set_back
from agentharness.store.appender import Appender
from agentharness.store.journal import SEGMENT_BYTES, Journal
from agentharness.store.lock import NAME as LOCK
from agentharness.store.lock import FolderLock
from agentharness.store.manifest import NAME as MANIFEST
from agentharness.store.manifest import check_identity, opened, read_manifest, write_manifest
from agentharness.store.reader import ASSETS, ATTEMPTS, EPISODES, scan
from agentharness.types.episode import Facts, JournalEntry, final, retried
from agentharness.types.part import JsonDict


class RunFolder:
    """One run's folder, open for writing by this process alone. Made by `open`."""

    def __init__(self, path: Path, manifest: JsonDict, lock: FolderLock, retry: frozenset[str], segment_bytes: int) -> None:
        self.path = path
        self.manifest = manifest
        self.done: dict[str, Facts] = {}
        """Key id -> facts of its final episode."""
        self.blocked: dict[str, Facts] = {}
        """Key id -> facts of its last attempt, where that ended in error:env, error:layer or error:scorer and `retry` does not name the cause."""
        self.attempts: dict[str, int] = {}
        """Key id -> number of its last attempt, from 1; keys never tried are missing. See `begin`."""
        self.notes: list[str] = []
        """What opening mended, a line each."""
        self._lock = lock
        set_back(path / EPISODES, path / ATTEMPTS, retry & {"error:agent"})
        self._episodes = self._appender(EPISODES)
        self._attempts = self._appender(ATTEMPTS)
        self._scan(retry)
        self._episodes.sync()  # before the journal drops what final episodes no longer need
        self._journal = Journal(path / "journal", self.done, segment_bytes=segment_bytes)
        self.notes += [_torn(p, n) for p, n in self._journal.torn]
        for key, attempt in self._journal.attempts.items():
            self.attempts[key] = max(attempt, self.attempts.get(key, 0))
        self._assets = path / ASSETS
        self._assets.mkdir(exist_ok=True)
        self._known: set[str] = set()
        for file in os.scandir(self._assets):
            if disk.is_temporary(file.name):
                os.unlink(file.path)
            else:
                self._known.add(file.name)
        disk.sync_folder(path)

    @classmethod
    def open(
        cls,
        path: Path,
        manifest: JsonDict,
        identity: JsonDict,
        *,
        fresh: bool = False,
        retry: frozenset[str] = frozenset(),
        segment_bytes: int = SEGMENT_BYTES,
    ) -> RunFolder:
        """Makes the folder, or goes on in it where `identity` is the same as before.

        `manifest`: what manifest.json shall hold besides schema_version, identity and invocations; its key `invocation` (argv, say: the caller keeps secrets
        out) is merged into this opening's entry of `invocations`. `fresh`: an existing run is renamed to `<name>.1`, `.2` … first. `retry`: causes (`env`,
        `layer`, `scorer`, or the statuses `error:env` …) whose attempts are played again. Raises UserError: another run, another writer, no run folder,
        a corrupt line, an unknown cause; StoreFull.
        """
        causes = _causes(retry)
        notes: list[str] = []
        try:
            if fresh:
                notes += _set_aside(path)
            path.mkdir(parents=True, exist_ok=True)
            _check_run_folder(path)
            lock = FolderLock(path)
            try:
                old = read_manifest(path)
                if old is not None:
                    check_identity(old["identity"], identity, path)
                data = opened(old, manifest, identity)
                write_manifest(path, data)
                folder = cls(path, data, lock, causes, segment_bytes)
            except BaseException:
                lock.close()
                raise
        except OSError as e:
            raise UserError(f"cannot be used as a run folder: {e.strerror}", where=str(e.filename or path), hint="choose another `out=`") from e
        folder.notes[:0] = notes
        return folder

    def begin(self, key_id: str) -> int:
        """The number of the key's next attempt, from 1; counts it."""
        self.attempts[key_id] = self.attempts.get(key_id, 0) + 1
        return self.attempts[key_id]

    def journal(self, key_id: str) -> list[JournalEntry]:
        """The outside replies that an unfinished episode has, by ordinal, those of this process included; [] for a final or unknown key. Replayed entries are
        not recorded again."""
        return self._journal.read(key_id)

    def record(self, entry: JournalEntry) -> None:
        """Writes one outside reply. Raises StoreFull."""
        if entry.key in self.done:
            raise RuntimeError(f"a reply for {entry.key}, which is final")
        self._journal.record(entry)
        if entry.attempt > self.attempts.get(entry.key, 0):
            self.attempts[entry.key] = entry.attempt

    def orphan(self, key_id: str, ordinal: int) -> int:
        """An entry did not match its request: it and the key's later entries serve no more; how many they were. Raises StoreFull."""
        return self._journal.orphan(key_id, ordinal)

    def finish(self, line: bytes, facts: Facts) -> None:
        """Writes an episode line: to episodes.jsonl where its status is final, else to attempts.jsonl. Raises StoreFull; RuntimeError for a final key."""
        if facts.id in self.done:
            raise RuntimeError(f"a second episode of {facts.id}, which is final")
        if final(facts.status):
            self._episodes.append(line)
            self.done[facts.id] = facts
            self.blocked.pop(facts.id, None)
            self._journal.forget(facts.id)
        else:
            self._attempts.append(line)
            self._block(facts, frozenset())

    def asset(self, sha256: str, data: bytes) -> None:
        """Keeps bytes under their hash, once. Safe in other threads; blocks until they are on disk. Raises StoreFull, ValueError for a wrong hash."""
        if sha256 in self._known:
            return
        if canon.sha256(data) != sha256:
            raise ValueError(f"these bytes are not {sha256}")
        disk.write_atomic(self._assets / sha256, data)
        self._known.add(sha256)

    def has_asset(self, sha256: str) -> bool:
        """Whether the run has these bytes."""
        return sha256 in self._known

    def update(self, added: JsonDict) -> None:
        """Sets top-level keys of manifest.json, atomically. Raises StoreFull."""
        self.manifest = {**self.manifest, **added}
        write_manifest(self.path, self.manifest)

    def sync(self) -> None:
        """Flushes all files to disk and deletes journal segments that nobody needs. Blocks: call it in a thread, never twice at once. Raises StoreFull."""
        free = self._journal.take_free()  # before the flush: what it names is finished in the bytes that are flushed next
        self._episodes.sync()
        self._attempts.sync()
        self._journal.sync()
        self._journal.drop(free)

    def close(self, complete: bool = False) -> None:
        """Flushes, closes and unlocks; twice is fine. `complete`: the plan is played out; the journal goes if nothing unfinished is left in it."""
        if self._lock.held:
            try:
                self.sync()
                if complete and not len(self._journal):
                    self._journal.clear()
            finally:
                for file in (self._journal, self._episodes, self._attempts, self._lock):
                    file.close()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _appender(self, name: str) -> Appender:
        out = Appender(self.path / name)
        if out.torn:
            self.notes.append(_torn(out.path, out.torn))
        return out

    def _scan(self, retry: frozenset[str]) -> None:
        for facts, _ in scan(self._episodes.path):
            if facts.id in self.done:
                self.notes.append(f"{self._episodes.path}: a second final line of row {facts.row!r} sample {facts.sample}; the first counts")
            else:
                self.done[facts.id] = facts
        for facts, attempt in scan(self._attempts.path):
            if facts.id not in self.done:
                self._block(facts, retry)
                self.attempts[facts.id] = max(attempt, self.attempts.get(facts.id, 0) + (not attempt))

    def _block(self, facts: Facts, retry: frozenset[str]) -> None:
        if retried(facts.status) or facts.status in retry:
            self.blocked.pop(facts.id, None)
        else:
            self.blocked[facts.id] = facts


def default_path(root: Path, task: str, agent: str, model: str | None, identity: JsonDict) -> Path:
    """root/<task>-<agent>-<model>-<8 hex over the identity>; what is no plain file name becomes `_`."""
    names = [re.sub(r"[^A-Za-z0-9._-]+", "_", name).lstrip(".")[:60] for name in (task, agent, model) if name is not None]
    return root / "-".join([*names, canon.digest(identity)[:8]])


def _causes(retry: frozenset[str]) -> frozenset[str]:
    known = get_args(Cause)
    for name in sorted(retry):
        if name.removeprefix("error:") not in known:
            raise UserError(f"retry: {name!r} is no cause of an error that can be played again", where="retry", hint=closest(name, known))
    return frozenset(f"error:{name.removeprefix('error:')}" for name in retry)


def _check_run_folder(path: Path) -> None:
    names = set(os.listdir(path))
    if MANIFEST not in names and any(name != LOCK and not disk.is_temporary(name) for name in names):
        raise UserError(f"holds other files and no {MANIFEST}: not a run folder", where=str(path), hint="choose another `out=`")


def _set_aside(path: Path) -> list[str]:
    """Renames an existing run to the first free `<name>.N`, under its lock: nothing that was paid for is lost."""
    if not (path / MANIFEST).exists():
        return []
    whole = Path(os.path.abspath(path))
    lock = FolderLock(whole)
    try:
        number = 1
        while os.path.lexists(target := whole.with_name(f"{whole.name}.{number}")):
            number += 1
        whole.rename(target)
        disk.sync_folder(whole.parent)
    finally:
        lock.close()
    return [f"the run that was in {path} is kept in {target}"]


def _torn(path: Path, length: int) -> str:
    return f"{path}: {length} bytes of an unfinished last line were cut off"
