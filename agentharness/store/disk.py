"""Bytes that must reach the disk whole: full-disk errors, atomic files, flushed folders."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

from agentharness.errors import StoreFull

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
HINT = "make room, then run the same command again: what is written is kept"


def refused(error: OSError, path: Path) -> Exception:
    """What to raise for a write that failed: StoreFull where the disk takes no more bytes (ENOSPC, EDQUOT, EIO, EFBIG), else the error itself."""
    if error.errno in _FULL:
        return StoreFull(f"cannot be written: {error.strerror}", where=str(path), hint=HINT)
    return error


def write_atomic(path: Path, data: bytes) -> None:
    """Writes the file so that a reader, or a crash, meets the old bytes or the new ones, never a mix. Safe from any thread. Raises StoreFull."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with temporary.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as e:
        temporary.unlink(missing_ok=True)
        raise refused(e, path) from e


def sync_folder(path: Path) -> None:
    """Flushes a folder's list of names: a new file or a rename is on disk afterwards."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def is_temporary(name: str) -> bool:
    """Whether a file of this name is what a crash left of `write_atomic`."""
    return name.startswith(".") and name.endswith(".tmp")
