"""Whatever stops a run, the same command goes on: no episode twice, no reply asked for twice but those in flight."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import Running, episodes, play, refused, resume_of, run, sums, table, timeless, write
from spawn import Server, serve

N, TURNS, FLIGHT = 80, 5, 20
GRACE = 0.5
"""Seconds between a reply's leaving the server and its line in the journal, at the very most."""


def test_kill_9_at_any_moment(tmp_path: Path) -> None:
    sums(tmp_path, N)
    rng = random.Random(7)
    kills: list[tuple[float, float]] = []
    with serve("--tool", "add", "--turns", str(TURNS), "--latency-ms", "40") as server:
        words = ("task=sums", "agent=tools", "model=calc", f"base_url={server.url}", f"concurrency={FLIGHT}")
        for asked in sorted(rng.sample(range(10, N * TURNS - 40), 5)):
            with Running(tmp_path, *words, "out=r") as running:
                running.until(lambda asked=asked: server.stats()["requests"] >= asked)  # type: ignore[misc]
                time.sleep(rng.random() * 0.05)
                kills.append(running.kill())
        for name in ("episodes.jsonl", "journal/000.jsonl"):
            if (tmp_path / "r" / name).exists():
                with (tmp_path / "r" / name).open("ab") as file:
                    file.write(b'{"key": {"row": "r0')
        done = run(tmp_path, *words, "out=r")
        assert "19 bytes of an unfinished last line were cut off" in done.out
        assert (table(done)[0]["n"], table(done)[0]["mean"]) == (str(N), "1.000")
        log = server.log()
        play(tmp_path, *resume_of(done))
        assert len(server.log()) == len(log)
        play(tmp_path, *words, "out=once")
        assert server.stats()["invalid"] == []
    # Every call was made, and one was made again only where a kill met it on its way.
    sent = Counter(sha for sha, _, _ in log)
    assert len(sent) == N * TURNS
    lost = Counter(sha for sha, begun, ended in log for before, after in kills if begun <= after and before <= ended + GRACE)
    assert all(times == 1 or times <= 1 + lost[sha] for sha, times in sent.items())
    assert len(log) - N * TURNS <= len(kills) * FLIGHT
    lines = (tmp_path / "r/episodes.jsonl").read_bytes().splitlines()
    assert len(lines) == N
    killed, undisturbed = episodes(tmp_path / "r"), episodes(tmp_path / "once")
    assert [(line["key"]["row"], line["reward"]) for line in killed] == [(f"r{i:03}", 1.0) for i in range(N)]
    assert timeless(killed) == timeless(undisturbed)
    assert any(line["clock"].get("replayed") for line in killed)


HOLDS = '''\
"""Answers twice, then holds the loop."""

import time

from agentharness.types.move import Action, Move


class Holds:
    name, needs_model, privileged = "holds", False, False
    played = 0

    def identity(self):
        return {}

    def sit(self, seat):
        return self

    async def act(self, observation):
        Holds.played += 1
        if Holds.played > 2:
            time.sleep(600)
        return Move([Action("answer", {"text": "0"})])


def make(options, folder):
    return Holds()
'''


def test_ctrl_c_once_lets_running_sessions_end(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 12)
    words = ("task=sums", "agent=tools", "model=calc|slow-600", f"base_url={server.url}", "concurrency=4", "out=r")
    before = server.stats()["requests"]
    with Running(tmp_path, *words) as running:
        running.until(lambda: server.stats()["in_flight"] == 4)
        running.send(signal.SIGINT)
        done = running.done()
    assert done.code == 130
    assert done.err == "no new session starts; 4 play to their end (again: stop now, and resume them later; a third time: break off code that holds on)\n"
    assert server.stats()["requests"] - before == 4 * 2
    assert [line["status"] for line in episodes(tmp_path / "r", attempts=True)] == ["completed"] * 4
    assert "! coverage 33.3 %: 4 of 12 episodes are scored" in done.out
    assert table(play(tmp_path, *resume_of(done), "concurrency=12"))[0]["n"] == "12"
    assert server.stats()["requests"] - before == 12 * 2


def test_ctrl_c_twice_stops_at_once_and_resumes_inside_the_episodes(tmp_path: Path) -> None:
    sums(tmp_path, 3)
    with serve("--tool", "add", "--turns", "3", "--latency-ms", "400") as server:
        words = ("task=sums", "agent=tools", "model=calc", f"base_url={server.url}", "out=r")
        with Running(tmp_path, *words) as running:
            running.until(lambda: server.stats()["ok"] == 3 and server.stats()["in_flight"] == 3)
            running.send(signal.SIGINT)
            time.sleep(0.1)
            running.send(signal.SIGINT)
            done = running.done()
        assert done.code == 130
        assert episodes(tmp_path / "r", attempts=True) == []
        assert table(play(tmp_path, *resume_of(done)))[0]["mean"] == "1.000"
        assert server.stats()["requests"] == 3 * 3 + 3
    assert [line["clock"]["replayed"] for line in episodes(tmp_path / "r")] == [1, 1, 1]


def test_a_third_signal_breaks_off_code_that_holds_the_loop(tmp_path: Path) -> None:
    sums(tmp_path, 5)
    write(tmp_path, {"agents/holds/agent.py": HOLDS})
    words = ("task=sums", "agent=holds", "concurrency=2", "out=r")
    with Running(tmp_path, *words) as running:
        running.until(lambda: (tmp_path / "r/episodes.jsonl").exists() and len((tmp_path / "r/episodes.jsonl").read_bytes().splitlines()) == 2)
        time.sleep(0.2)
        for _ in range(3):
            running.send(signal.SIGINT)
            time.sleep(0.1)
        done = running.done()
    assert done.code == 130
    assert done.err == ""
    assert "! coverage 40 %: 2 of 5 episodes are scored" in done.out
    assert [line["status"] for line in episodes(tmp_path / "r", attempts=True)] == ["completed"] * 2


def test_sigterm_is_ctrl_c_and_a_folder_has_one_writer(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 30)
    words = ("task=sums", "agent=tools", "model=say:0|slow-100", f"base_url={server.url}", "concurrency=1", "out=r")
    with Running(tmp_path, *words) as running:
        running.until(lambda: (tmp_path / "r/episodes.jsonl").exists() and (tmp_path / "r/episodes.jsonl").stat().st_size > 0)
        told = refused(tmp_path, *words)
        assert told.startswith(f"r: pid {running.pid} on ")
        assert "is writing to this run folder" in told
        assert running.alive
        running.send(signal.SIGTERM)
        done = running.done()
    assert done.code == 130
    played = len(episodes(tmp_path / "r"))
    assert 0 < played < 30
    assert table(play(tmp_path, *resume_of(done), "concurrency=30"))[0]["n"] == "30"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a tmpfs")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_ends_the_run_in_one_line_and_loses_nothing(tmp_path: Path, small_disk: Path, server: Server) -> None:
    sums(tmp_path, 60)
    (small_disk / "filler").write_bytes(b"x" * ((1 << 20) * 15 // 16))
    words = ("task=sums", "agent=tools", "model=calc|slow-20", f"base_url={server.url}", "concurrency=4", f"out={small_disk / 'r'}")
    before = len(server.log())
    done = run(tmp_path, *words, code=2)
    assert "No space left on device" in done.mistake or "the disk took" in done.mistake
    assert done.err.count("\n") == 1
    played = len(episodes(small_disk / "r"))
    assert 0 < played < 60
    (small_disk / "filler").unlink()
    assert table(play(tmp_path, *words))[0]["mean"] == "1.000"
    assert len(episodes(small_disk / "r")) == 60
    # Only replies that came while the disk was full are asked for again.
    assert 120 <= len(server.log()) - before <= 120 + 4
