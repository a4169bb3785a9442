"""kill -9 at random moments of a run, then the same command, until it is played: `python bench/crash.py --mock mockllm`.

400 episodes of 5 turns with 100 in flight. Afterwards every key stands once, every score is right, and the mock has seen no more requests than the calls needed
plus those whose client it lost.
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
from pathlib import Path

from overhead import HERE, TURNS, start_mock


def main() -> None:
    """Prints one JSON line; exits 1 where a promise is broken."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--mock", default="mockllm")
    ap.add_argument("--n", type=int, default=400)
    ap.add_argument("--concurrency", type=int, default=100)
    ap.add_argument("--kills", type=int, default=20)
    ap.add_argument("--latency-ms", type=float, default=400)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    cwd, rng = Path(tempfile.mkdtemp()), random.Random(a.seed)
    mock, url = start_mock(a.mock, a.latency_ms)
    command = [sys.executable, "-m", "agentharness", "run", "task=arithmetic", f"tasks_root={HERE / 'tasks'}", "agent=tools", "model=mock", f"base_url={url}"]
    command += [f"limit={a.n}", f"concurrency={a.concurrency}", "quiet=true", "trust=true", "out=run"]
    kills = 0
    try:
        for _ in range(a.kills):
            process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL)
            # Kills fall anywhere: start-up, scan, play, the last lines.
            time.sleep(rng.uniform(0.3, 1.8))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
            process.wait()
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, check=False)
        stats = json.load(urllib.request.urlopen(url.removesuffix("/v1") + "/stats"))
        lines = [json.loads(line) for line in (cwd / "run/episodes.jsonl").read_bytes().splitlines()]
    finally:
        mock.terminate()
        mock.wait()
        shutil.rmtree(cwd)
    keys = {line["key"]["row"] for line in lines}
    right = sum(line["reward"] == 1.0 for line in lines)
    twice = stats["requests"] - a.n * TURNS
    figures = {
        "kills": kills,
        "episodes": len(lines),
        "keys": len(keys),
        "right": right,
        "exit": done.returncode,
        "requests": stats["requests"],
        "asked_twice": twice,
    }
    figures["in_flight_at_kills"] = stats["aborted"]
    print(json.dumps(figures))
    sys.exit(0 if len(lines) == len(keys) == right == a.n and done.returncode == 0 and 0 <= twice <= stats["aborted"] else 1)


if __name__ == "__main__":
    main()
