"""A file of lines: torn tails, corrupt lines, long lines, a disk that takes no more."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.errors import StoreFull, UserError
from agentharness.store.appender import Appender, parse, plain, read_lines


def lines_of(appender: Appender) -> list[bytes]:
    return [line for _, _, line in appender.lines()]


def test_appends_whole_lines_and_gives_their_place(tmp_path: Path) -> None:
    a = Appender(tmp_path / "f.jsonl")
    assert (a.size, a.torn, lines_of(a)) == (0, 0, [])
    assert a.append(b'{"a":1}\n') == 0
    assert a.append(b'{"b":22}\n') == 8
    assert a.size == 17
    assert a.read(8, 9) == b'{"b":22}\n'
    assert list(a.lines()) == [(1, 0, b'{"a":1}\n'), (2, 8, b'{"b":22}\n')]
    a.sync()
    a.close()
    a.close()
    a.sync()
    with pytest.raises(RuntimeError, match="closed"):
        a.append(b"{}\n")


@pytest.mark.parametrize("bad", [b"", b"{}", b"{}\n{}\n", b"\n{}", b"{}\n\n"])
def test_only_one_line_at_a_time(tmp_path: Path, bad: bytes) -> None:
    a = Appender(tmp_path / "f.jsonl")
    with pytest.raises(ValueError, match="one line"):
        a.append(bad)
    assert a.size == 0


@given(
    whole=st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"") + b"\n"), max_size=5),
    tail=st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"")),
)
def test_a_torn_tail_is_cut_off_on_opening(tmp_path_factory: pytest.TempPathFactory, whole: list[bytes], tail: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "torn.jsonl"
    path.write_bytes(b"".join(whole) + tail)
    a = Appender(path)
    assert a.torn == len(tail)
    assert a.size == sum(map(len, whole))
    assert path.read_bytes() == b"".join(whole)
    a.append(b"{}\n")
    assert path.read_bytes() == b"".join(whole) + b"{}\n"
    a.close()


def test_a_torn_tail_longer_than_a_chunk(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(b"{}\n" + b"x" * (3 << 20))
    a = Appender(path)
    assert (a.size, a.torn) == (3, 3 << 20)
    path.write_bytes(b"x" * (3 << 20))
    b = Appender(path)
    assert (b.size, b.torn) == (0, 3 << 20)


def test_lines_of_four_megabytes(tmp_path: Path) -> None:
    a = Appender(tmp_path / "f.jsonl")
    long = b'{"text":"' + b"x" * (4 << 20) + b'"}\n'
    for _ in range(3):
        a.append(long)
    a.close()
    b = Appender(tmp_path / "f.jsonl")
    assert (b.torn, b.size) == (0, 3 * len(long))
    assert [(n, offset, len(line)) for n, offset, line in b.lines()] == [(i + 1, i * len(long), len(long)) for i in range(3)]


def test_reading_passes_over_blank_lines_and_the_tail(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(b'{"a":1}\n\n  \r\n{"b":2}\n{"c"')
    assert list(read_lines(path)) == [(1, 0, b'{"a":1}\n'), (4, 13, b'{"b":2}\n')]


@pytest.mark.parametrize("bad", [b"{\n", b"\0\0\0\n", b"[1]\n", b'"text"\n', b"NaN\n", b"\xff\n", b'{"$int":"x"}\n', b"[" * 100_000 + b"\n"])
def test_a_corrupt_line_names_file_and_number(tmp_path: Path, bad: bytes) -> None:
    with pytest.raises(UserError) as e:
        parse(bad, tmp_path / "f.jsonl", 17, cost="its episode is played again")
    assert e.value.where == f"{tmp_path}/f.jsonl:17"
    assert e.value.hint == "keep a copy of the file, then delete line 17: its episode is played again"


def test_plain_leaves_marks_and_reads_what_others_wrote() -> None:
    assert plain(b'{"x":{"$float":"nan"}}') == {"x": {"$float": "nan"}}
    assert plain(b'{"x":"\\ud800"}') == {"x": "\ud800"}


@contextmanager
def limited_file_size() -> Iterator[None]:
    """No file grows past 100 bytes. Not a fixture: the runner's own output, which may be a file, must not meet the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_a_short_write_is_taken_back(tmp_path: Path) -> None:
    a = Appender(tmp_path / "f.jsonl")
    line = b'{"text":"' + b"x" * 49 + b'"}\n'
    a.append(line)
    with limited_file_size(), pytest.raises(StoreFull, match="the disk took 39 of 61 bytes") as e:
        a.append(line)  # 39 bytes fit
    assert e.value.where == str(tmp_path / "f.jsonl")
    assert "run the same command again" in e.value.hint
    assert a.path.read_bytes() == line
    with limited_file_size():
        assert a.append(b"x" * 38 + b"\n") == 61  # what fits still goes in
    with limited_file_size(), pytest.raises(StoreFull, match="cannot be written: File too large"):
        a.append(b"{}\n")  # not one byte fits
    assert a.path.read_bytes() == line + b"x" * 38 + b"\n"
    a.close()


def fill(appender: Appender, line: bytes) -> None:
    for _ in range(1000):
        appender.append(line)


def test_a_full_disk(tmp_path: Path) -> None:
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)], capture_output=True, text=True)
    if mount.returncode:
        pytest.skip(f"cannot mount a small disk: {mount.stderr.strip()}")
    try:
        a = Appender(tmp_path / "f.jsonl")
        line = b'{"text":"' + b"x" * 99_988 + b'"}\n'
        with pytest.raises(StoreFull):
            fill(a, line)
        assert a.size == 10 * len(line) == a.path.stat().st_size
        assert lines_of(a) == [line] * 10
        with pytest.raises(StoreFull):
            a.append(line)
        with pytest.raises(StoreFull):
            fill(Appender(tmp_path / "other.jsonl"), b"x" * 9_999 + b"\n")
        (tmp_path / "other.jsonl").unlink()
        assert lines_of(a) == [line] * 10
        a.close()
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_kill_9_while_appending_leaves_whole_lines(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from agentharness.store.appender import Appender
a = Appender(Path(sys.argv[1]))
for i in range(10**9):
    a.append(b'{"i":%d,"x":"%s"}\\n' % (i, b"x" * (i * 7919 % 50_000)))
    sys.stdout.write(f"{i}\\n")
    sys.stdout.flush()
"""
    path = tmp_path / "f.jsonl"
    said = -1
    child = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert child.stdout is not None
    with child.stdout as out:
        for _ in range(200):
            said = int(out.readline())
        child.send_signal(signal.SIGKILL)
        said = max([said, *(int(rest) for rest in out if rest.endswith("\n"))])
    assert child.wait() == -signal.SIGKILL
    a = Appender(path)
    found = [parse(line, path, n, cost="")["i"] for n, _, line in a.lines()]
    assert found == list(range(len(found)))
    assert said + 1 <= len(found) <= said + 2  # one line may be written and not yet said
    a.close()
