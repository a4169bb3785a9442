"""A corpus of many rows of 1 KB: what it costs to build and open, what it holds, what a look-up and a text query take: `python bench/large.py [rows=1000000]`.

Writes the rows into a folder of its own, with a cache of its own, and removes both. Each opening is a process of its own; private memory is
what a process has beyond one that opens a corpus of two rows, by /proc/self/smaps_rollup (Private_Dirty: mapped pages do not count).
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TASK = """\
data: questions.jsonl
preset: search
ask: question
answer: answer
reward: exact
documents: {from: pages.jsonl, title: title, text: text}
licence: CC0-1.0
"""


def main(words: list[str]) -> int:
    """Builds, opens, prints."""
    said = dict(word.split("=", 1) for word in words)
    if "open" in said:
        print(json.dumps(opened(Path(said["open"]))))
        return 0
    rows = int(said.get("rows", 1_000_000))
    with tempfile.TemporaryDirectory() as folder:
        big, small = Path(folder) / "big", Path(folder) / "small"
        size = write(big, rows)
        write(small, 2)
        env = {**os.environ, "AGENTHARNESS_CACHE": f"{folder}/cache"}
        base = child(small, env)
        built = child(big, env)
        again = [child(big, env) for _ in range(3)]
        best = min(again, key=lambda one: float(one["open_s"]))
        print(f"{rows:,} rows, {size / rows:,.0f} bytes each")
        print(f"built in       {built['open_s']:8.1f} s, at most {built['peak_mb']:,.0f} MB")
        print(f"opened in      {best['open_s']:8.3f} s (the small one: {base['open_s']:.3f} s)")
        print(f"private memory {best['private_mb'] - base['private_mb']:8.1f} MB more than the small one")
        print(f"look-up        {best['look_us']:8.2f} us (key and public row)")
        print(f"text query     {best['query_ms']:8.2f} ms, slowest {best['query_max_ms']:.1f} ms of {best['queries']}")
    return 0


def write(folder: Path, rows: int) -> int:
    """A task over `rows` pages of about 1 KB; the size of its pages."""
    folder.mkdir()
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(3, 9))) for _ in range(50_000)]
    weights = [1 / (i + 10) for i in range(len(words))]
    pool = draw.choices(words, weights, k=2_000_000)
    with (folder / "pages.jsonl").open("w") as out:
        for i in range(rows):
            at = draw.randrange(len(pool) - 150)
            out.write(json.dumps({"title": f"{' '.join(pool[at : at + 3])} {i}", "text": " ".join(pool[at + 3 : at + 143])}) + "\n")
    (folder / "questions.jsonl").write_text('{"question": "which?", "answer": "this"}\n')
    (folder / "task.yaml").write_text(TASK)
    return (folder / "pages.jsonl").stat().st_size


def child(folder: Path, env: dict[str, str]) -> dict[str, Any]:
    """What a process of its own says of opening a task."""
    done = subprocess.run([sys.executable, __file__, f"open={folder}"], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    out: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return out


def opened(folder: Path) -> dict[str, float]:
    """Opens a world, looks up and searches."""
    import resource

    from agentharness.config.args import parse
    from agentharness.run.prepare import make_world

    began = time.perf_counter()
    world = make_world(str(folder), parse([f"task={folder}", "trust=true"]), lambda _: None, Path.cwd())
    seconds = time.perf_counter() - began
    private = _private()
    table = world.corpus.tables["pages"]
    draw = random.Random(3)
    keys = [table.ident(draw.randrange(len(table)))[1] for _ in range(20_000)]
    began = time.perf_counter()
    for key in keys:
        table.view(key)
    look = (time.perf_counter() - began) / len(keys)
    times = _queries(world, [table.view(key) or {} for key in keys[:200]])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        **{"open_s": seconds, "private_mb": private, "look_us": look * 1e6, "peak_mb": peak},
        **{"query_ms": sum(times) / len(times) * 1e3, "query_max_ms": max(times) * 1e3, "queries": len(times)},
    }


def _queries(world: Any, pages: list[dict[str, Any]]) -> list[float]:
    """Seconds of each: four words of a page, through the env's own action."""
    import anyio

    from agentharness.types.move import Action

    async def ask(_: Any) -> Any:
        raise AssertionError("nobody is asked")

    async def play() -> list[float]:
        (row,) = world.keys()
        env = world.open(row, 0, ask)
        await env.reset()
        out = []
        for page in pages:
            text = " ".join(page["text"].split()[::35][:4])
            began = time.perf_counter()
            await env.step(Action("search", {"text": text}))
            out.append(time.perf_counter() - began)
        return out

    return anyio.run(play)


def _private() -> float:
    """Megabytes of anonymous private memory."""
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_Dirty")) / 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
