"""kill -9 at random moments of a run, then the same command, until it is played: `python bench/crash.py --mock mockllm`.

Afterwards every key stands once, every score is right, and no more calls were made twice than were in flight at the stops: at each at most one a session.
`cut_off` is how many of those the mock had not answered yet; the others' replies had left it and were not read.
`--task long --n 40 --longest 6` does it with lines of 4 MB.
`--disk-kb N` plays into a file system of that size instead of killing (needs root): it fills up, is enlarged, and the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from overhead import HERE, TURNS, start_mock


def killed(command: list[str], cwd: Path, kills: int, rng: random.Random, longest: float) -> int:
    """Starts the command and kills it, so many times; how often it was still running."""
    hit = 0
    for _ in range(kills):
        process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL)
        # Kills fall anywhere: start-up, scan, play, the last lines.
        time.sleep(rng.uniform(0.3, longest))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            hit += 1
        process.wait()
    return hit


def filled(command: list[str], cwd: Path, kb: int) -> int:
    """Runs the command in a file system that is too small, again in one of twice the size, until it ends; how often it was full."""
    full = 0
    while True:
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0:
            return full
        assert done.returncode == 2, done
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        full += 1
        kb *= 2
        subprocess.run(["mount", "-o", f"remount,size={kb}k", str(cwd / "disk")], check=True)


@contextmanager
def small_disk(cwd: Path, kb: int) -> Iterator[None]:
    """A tmpfs of `kb` KiB at cwd/disk, where kb is not 0."""
    (cwd / "disk").mkdir()
    if kb:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kb}k", "tmpfs", str(cwd / "disk")], check=True)
    try:
        yield
    finally:
        if kb:
            subprocess.run(["umount", str(cwd / "disk")], check=True)


def main() -> None:
    """Prints one JSON line; exits 1 where a promise is broken."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--mock", default="mockllm")
    ap.add_argument("--task", default="arithmetic")
    ap.add_argument("--n", type=int, default=400)
    ap.add_argument("--concurrency", type=int, default=100)
    ap.add_argument("--kills", type=int, default=20)
    ap.add_argument("--longest", type=float, default=1.8)
    ap.add_argument("--disk-kb", type=int, default=0)
    ap.add_argument("--latency-ms", type=float, default=400)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    cwd, rng = Path(tempfile.mkdtemp()), random.Random(a.seed)
    mock, url = start_mock(a.mock, a.latency_ms)
    command = [sys.executable, "-m", "agentharness", "run", f"task={a.task}", f"tasks_root={HERE / 'tasks'}", "agent=tools", "model=mock", f"base_url={url}"]
    command += [f"limit={a.n}", f"concurrency={a.concurrency}", "quiet=true", "trust=true", "out=disk/run"]
    try:
        with small_disk(cwd, a.disk_kb):
            stops = filled(command, cwd, a.disk_kb) if a.disk_kb else killed(command, cwd, a.kills, rng, a.longest)
            done = subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, check=False)
            stats = json.load(urllib.request.urlopen(url.removesuffix("/v1") + "/stats"))
            with (cwd / "disk/run/episodes.jsonl").open("rb") as file:
                lines = [(len(raw), line["key"]["row"], line["reward"]) for raw in file if (line := json.loads(raw))]
    finally:
        mock.terminate()
        mock.wait()
        shutil.rmtree(cwd)
    keys = {row for _, row, _ in lines}
    right = sum(reward == 1.0 for _, _, reward in lines)
    twice = stats["requests"] - a.n * TURNS
    figures = {"stops": stops, "episodes": len(lines), "keys": len(keys), "right": right, "exit": done.returncode, "requests": stats["requests"]}
    figures |= {"asked_twice": twice, "cut_off": stats["aborted"], "in_flight_at_most": stops * a.concurrency, "longest_line": max(n for n, _, _ in lines)}
    print(json.dumps(figures))
    sys.exit(0 if len(lines) == len(keys) == right == a.n and done.returncode == 0 and 0 <= twice <= stops * a.concurrency else 1)


if __name__ == "__main__":
    main()
