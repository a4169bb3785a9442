"""Steps a second without a model: random play of a task, full records, one core. `python bench/env_speed.py task=atlas`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    """Plays `samples` episodes of every row and divides steps by the run's wall time, start-up measured apart and taken off."""
    task = next((a.removeprefix("task=") for a in sys.argv[1:] if a.startswith("task=")), "atlas")
    samples = next((a.removeprefix("samples=") for a in sys.argv[1:] if a.startswith("samples=")), "100")
    cwd = Path(tempfile.mkdtemp())
    try:
        command = [sys.executable, "-m", "agentharness", "run", f"task={task}", "agent=random", "quiet=true"]
        seconds = {}
        for name, more in (("one", ["limit=1"]), ("run", [f"samples={samples}"])):
            began = time.monotonic()
            done = subprocess.run([*command, *more, f"out={name}"], cwd=cwd, stdout=subprocess.DEVNULL, check=False)
            assert done.returncode == 0, done.returncode
            seconds[name] = time.monotonic() - began
        steps = episodes = 0
        with (cwd / "run/episodes.jsonl").open("rb") as lines:
            for line in lines:
                steps += len(json.loads(line)["steps"]) - 1  # the opening is no step
                episodes += 1
        size = (cwd / "run/episodes.jsonl").stat().st_size
    finally:
        shutil.rmtree(cwd)
    wall = seconds["run"] - seconds["one"]
    figures = {
        "task": task,
        "episodes": episodes,
        "steps": steps,
        "wall_s": round(wall, 2),
        "steps_s": round(steps / wall),
        "episodes_s": round(episodes / wall),
        "bytes_per_step": round(size / steps),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
