"""What a turn costs in instructions, the harness's and the floor's: a count that a busy machine does not change. Needs valgrind.

`python bench/instructions.py --mock mockllm --floor floor.py`: two runs of each, the difference of their counts over the difference of their turns.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from overhead import HERE, TURNS, start_mock

FEW, MANY, CONCURRENCY = 200, 600, 100


def counted(args: list[str], cwd: Path) -> int:
    """Runs a Python program under valgrind; the instructions it read, the kernel's not among them."""
    log = cwd / "valgrind.log"
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={cwd / 'out'}", f"--log-file={log}", sys.executable, *args]
    subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, check=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", log.read_text())
    assert found is not None, "valgrind says no count"
    return int(found[1].replace(",", ""))


def main() -> None:
    """Both sides at once, each run against a mock of its own."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--mock", default="mockllm")
    ap.add_argument("--floor", default=str(HERE.parent.parent / "shared/bench/floor.py"))
    a = ap.parse_args()

    def one(side: str, n: int) -> int:
        mock, url = start_mock(a.mock, 0)
        try:
            with tempfile.TemporaryDirectory() as folder:
                if side == "floor":
                    args = [a.floor, "--mode", "tools", "--n", str(n), "--conc", str(CONCURRENCY), "--base-url", url, "--out", f"{folder}/floor.jsonl"]
                else:
                    args = ["-m", "agentharness", "run", "task=arithmetic", f"tasks_root={HERE / 'tasks'}", "agent=tools", "model=mock"]
                    args += [f"base_url={url}", f"concurrency={CONCURRENCY}", "quiet=true", "trust=true", f"limit={n}", "out=run"]
                return counted(args, Path(folder))
        finally:
            mock.terminate()
            mock.wait()

    with ThreadPoolExecutor(2) as pool:
        runs = {(side, n): pool.submit(one, side, n) for side in ("floor", "harness") for n in (FEW, MANY)}
    turns = (MANY - FEW) * TURNS
    per_turn = {side: (runs[side, MANY].result() - runs[side, FEW].result()) / turns for side in ("floor", "harness")}
    print(
        json.dumps({**{f"{side}_instructions_per_turn": round(n) for side, n in per_turn.items()}, "ratio": round(per_turn["harness"] / per_turn["floor"], 3)})
    )


if __name__ == "__main__":
    main()
