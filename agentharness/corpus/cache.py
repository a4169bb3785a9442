"""The cache of built things (text indexes, mapped tables): one folder each, named by what decides its content, built once, seen whole or not at all.

It lies in $AGENTHARNESS_CACHE, else $XDG_CACHE_HOME/agentharness, else ~/.cache/agentharness, and may be deleted at any time: what is missing or damaged is
built again.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agentharness import canon
from agentharness.errors import UserError

VARIABLE = "AGENTHARNESS_CACHE"
SEAL = "whole.json"
"""File name -> [bytes, mtime in ns, sha256] of all else in the folder; written last."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def folder() -> Path:
    """Where cached things lie."""
    said = os.environ.get(VARIABLE)
    if said:
        return Path(said).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "agentharness"


def entry(kind: str, key: str, build: Callable[[Path], None], note: Callable[[], None] = lambda: None) -> Path:
    """The folder of the thing `key`; `build` fills an empty one where it is not there, or not whole.

    Processes that want the same thing at once wait for the one that builds it. `note` is called before a build. Raises UserError where the disk is full or the
    cache cannot be written, and whatever `build` raises; nothing half built is left in place.
    """
    path = folder() / kind / key
    if whole(path):
        return path
    try:
        with _locked(path):
            if whole(path):
                return path
            note()
            _build(path, build)
    except OSError as e:
        raise _refused(e, path) from e
    return path


def remember(path: Path, text: str) -> None:
    """Keeps a line that only saves work: where it cannot be written, nothing is lost."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_text(text, encoding="ascii")
        os.replace(part, path)
    except OSError:
        pass


def drop(path: Path) -> None:
    """Forgets a thing that its user found damaged: the next `entry` builds it again."""
    (path / SEAL).unlink(missing_ok=True)


def whole(path: Path) -> bool:
    """Whether every file of the folder is as it was built: size and time of change alike, or, where the time differs, the content."""
    try:
        files = canon.loads((path / SEAL).read_bytes())
        return all(_same(path / name, *facts) for name, facts in files.items())
    except (OSError, ValueError, TypeError, AttributeError):
        return False


def _same(path: Path, size: int, mtime: int, sha: str) -> bool:
    stat = path.stat()
    return stat.st_size == size and (stat.st_mtime_ns == mtime or _digest(path) == sha)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _build(path: Path, build: Callable[[Path], None]) -> None:
    # The lock is held: any folder of this name that still lies here was left by a process that died.
    making = path.with_name(path.name + ".making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    try:
        build(making)
        _seal(making)
        if path.exists():
            broken = path.with_name(path.name + ".broken")
            shutil.rmtree(broken, ignore_errors=True)
            os.rename(path, broken)  # who has it mapped keeps it; nobody opens it any more
            shutil.rmtree(broken, ignore_errors=True)
        os.rename(making, path)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _seal(path: Path) -> None:
    facts: dict[str, list[int | str]] = {}
    for file in sorted(path.iterdir()):
        if not file.is_file() or file.name.startswith("."):
            continue  # lock files of tantivy
        with file.open("rb+") as opened:
            os.fsync(opened.fileno())
        stat = file.stat()
        facts[file.name] = [stat.st_size, stat.st_mtime_ns, _digest(file)]
    with (path / SEAL).open("wb") as out:
        out.write(canon.dumps(facts))
        out.flush()
        os.fsync(out.fileno())


def _refused(error: OSError, path: Path) -> UserError:
    if error.errno in _FULL:
        return UserError(f"the cache cannot be written: {error.strerror}", where=str(path.parent), hint=f"make room, or set {VARIABLE} to a folder with room")
    return UserError(f"the cache cannot be used: {error.strerror or error}", where=str(path.parent), hint=f"set {VARIABLE} to a folder that can be written")
