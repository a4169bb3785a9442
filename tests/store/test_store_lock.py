"""One writer per run folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentharness import canon
from agentharness.errors import UserError
from agentharness.store.lock import FolderLock

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from pathlib import Path
from agentharness.store.lock import FolderLock
lock = FolderLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_the_second_process_is_refused_and_told_the_pid(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdin is not None
    assert child.stdout is not None
    with child.stdin, child.stdout:
        assert child.stdout.readline() == "held\n"
        with pytest.raises(UserError, match=f"pid {child.pid} on .* is writing to this run folder") as e:
            FolderLock(tmp_path)
        assert e.value.where == str(tmp_path)
        child.send_signal(signal.SIGKILL)
        child.wait()
    lock = FolderLock(tmp_path)  # freed by its death
    assert canon.loads((tmp_path / ".lock").read_bytes())["pid"] == os.getpid()
    lock.close()


def test_one_process_cannot_hold_it_twice(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    assert lock.held
    with pytest.raises(UserError, match=f"pid {os.getpid()}"):
        FolderLock(tmp_path)
    lock.close()
    lock.close()
    assert not lock.held
    again = FolderLock(tmp_path)
    del again  # a dropped lock is free
    FolderLock(tmp_path).close()


def test_a_holder_that_has_not_yet_written_its_name(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    (tmp_path / ".lock").write_bytes(b"")
    with pytest.raises(UserError, match="another process is writing"):
        FolderLock(tmp_path)
    lock.close()


def test_a_folder_that_was_moved_away_does_not_block_its_old_name(tmp_path: Path) -> None:
    old, moved = tmp_path / "run", tmp_path / "run.1"
    old.mkdir()
    lock = FolderLock(old)
    old.rename(moved)
    old.mkdir()
    second = FolderLock(old)
    with pytest.raises(UserError, match="is writing"):
        FolderLock(moved)
    second.close()
    lock.close()
