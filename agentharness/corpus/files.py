"""Files as sources name them: what stands in the way of reading one is said before it is opened, for opening a pipe would wait for ever."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from agentharness.errors import UserError, closest


def check_file(path: Path, name: str) -> None:
    """Raises UserError where `path` is no file that can be read: missing, a folder, a pipe, a device, links that lead in a circle.

    `name`: how messages name it.
    """
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise UserError("no such file", where=name, hint=closest(path.name, near) if near else "check the folder") from None
    except (OSError, ValueError) as e:
        raise UserError(f"cannot be read: {e.strerror if isinstance(e, OSError) else e}", where=name, hint="check the path and its permissions") from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a pipe" if stat.S_ISFIFO(mode) else "a device or a socket"
        raise UserError(f"is no regular file but {what}", where=name, hint="copy what it gives into a file")


def read_file(path: Path, name: str) -> bytes:
    """The bytes of a file. Raises UserError as `check_file`."""
    check_file(path, name)
    try:
        return path.read_bytes()
    except OSError as e:
        raise UserError(f"cannot be read: {e.strerror}", where=name, hint="check its permissions") from None
