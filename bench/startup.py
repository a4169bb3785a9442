"""Seconds until the first words, and what `import agentharness` brings along: `python bench/startup.py`."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

COMMANDS = {"run --help": ["-m", "agentharness", "run", "--help"], "tasks": ["-m", "agentharness", "tasks"], "import": ["-c", "import agentharness"]}
BARE = ["-c", "pass"]


def seconds(args: list[str]) -> float:
    """One start of the interpreter with these arguments."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *args], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Medians of 11 starts each, in turn with a bare interpreter."""
    times: dict[str, list[float]] = {name: [] for name in [*COMMANDS, "bare python"]}
    for _ in range(11):
        for name, args in [*COMMANDS.items(), ("bare python", BARE)]:
            times[name].append(seconds(args))
    code = "import sys, agentharness; print([m for m in ('datasets', 'openai', 'aiohttp', 'pyarrow') if m in sys.modules])"
    heavy = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    print(json.dumps({"median_s": {name: round(statistics.median(t), 3) for name, t in times.items()}, "heavy_imports": heavy}))


if __name__ == "__main__":
    main()
