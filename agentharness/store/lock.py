"""One writer per run folder."""

from __future__ import annotations

import errno
import fcntl
import os
import platform
from pathlib import Path

from agentharness import canon
from agentharness.errors import UserError
from agentharness.store import disk

NAME = ".lock"


class FolderLock:
    """Holds a folder until `close` or the death of this process. The file stays, with the holder's pid and host; the kernel's lock on it is what counts."""

    def __init__(self, folder: Path) -> None:
        """Raises UserError, naming the holder's pid, where another writer has the folder."""
        self.path = folder / NAME
        self._fd = self._take()
        try:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, canon.dumps({"pid": os.getpid(), "host": platform.node()}, newline=True), 0)
        except OSError as e:
            self.close()
            raise disk.refused(e, self.path) from e

    def _take(self) -> int:
        while True:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as e:
                holder = os.pread(fd, 1000, 0)
                os.close(fd)
                raise self._refusal(e, holder) from e
            if self._in_place(fd):
                return fd
            os.close(fd)  # the folder was moved away between open and flock: that lock guards another place

    def _in_place(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), os.stat(self.path))
        except FileNotFoundError:
            return False

    def _refusal(self, error: OSError, holder: bytes) -> UserError:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
            return UserError(f"the file system cannot lock this folder: {error.strerror}", where=str(self.path), hint="choose another `out=`")
        try:
            data = canon.loads(holder)
            who = f"pid {data['pid']} on {data['host']}"
        except (ValueError, TypeError, KeyError):
            who = "another process"  # it has the lock and has not yet written its name
        return UserError(f"{who} is writing to this run folder", where=str(self.path.parent), hint="wait for it or stop it, or choose another `out=`")

    @property
    def held(self) -> bool:
        """Whether this process has the folder."""
        return self._fd >= 0

    def close(self) -> None:
        """Frees the folder; twice is fine."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        if getattr(self, "_fd", -1) >= 0:
            self.close()
