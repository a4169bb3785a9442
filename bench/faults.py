"""A server with 5 % 429, 2 % 500 and 1 % resets: every episode ends clean, and no turn is played again. `python bench/faults.py --mock mockllm`."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from overhead import HERE, TURNS, start_mock


def main() -> None:
    """Prints one JSON line; exits 1 where an episode is not clean or a reply was asked for twice."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--mock", default="mockllm")
    ap.add_argument("--n", type=int, default=2000)
    ap.add_argument("--concurrency", type=int, default=200)
    a = ap.parse_args()
    cwd = Path(tempfile.mkdtemp())
    mock, url = start_mock(a.mock, 50, "--p429", "0.05", "--p500", "0.02", "--preset", "0.01", "--retry-after", "1")
    try:
        command = [sys.executable, "-m", "agentharness", "run", "task=arithmetic", f"tasks_root={HERE / 'tasks'}", "agent=tools", "model=mock"]
        command += [f"base_url={url}", f"limit={a.n}", f"concurrency={a.concurrency}", "quiet=true", "trust=true", "out=run"]
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, check=False)
        stats = json.load(urllib.request.urlopen(url.removesuffix("/v1") + "/stats"))
        lines = [json.loads(line) for line in (cwd / "run/episodes.jsonl").read_bytes().splitlines()]
    finally:
        mock.terminate()
        mock.wait()
        shutil.rmtree(cwd)
    faults = stats["e429"] + stats["e500"] + stats["resets"]
    figures = {
        "episodes": len(lines),
        "right": sum(line["reward"] == 1.0 for line in lines),
        "turns": sum(line["metrics"]["turns"] for line in lines),
        "faults": faults,
        "answered": stats["requests"] - faults,
        "calls_needed": a.n * TURNS,
        "exit": done.returncode,
    }
    print(json.dumps(figures))
    clean = figures["episodes"] == figures["right"] == a.n and figures["turns"] == figures["answered"] == figures["calls_needed"]
    sys.exit(0 if clean and done.returncode == 0 else 1)


if __name__ == "__main__":
    main()
