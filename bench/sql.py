"""SQL in sessions, over tasks/movies: `python bench/sql.py [--data demo] [--sessions 100] [--queries 20]`.

Prints a line of JSON: the time until the tables are loaded, queries a second of one thread, then of many sessions at once through the pool, with the time of
one query as its session sees it (waiting for a thread included), and how long the loop was held at most meanwhile. The queries are the task's gold ones.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import anyio

from agentharness.env.base import BaseEnv
from agentharness.env.pool import SIZE
from agentharness.env.reading import read_task
from agentharness.env.sql import Database
from agentharness.env.sql_tables import relation
from agentharness.env.world import World, build
from agentharness.types.move import Action, Need

FOLDER = Path(__file__).parents[1] / "tasks/movies"


async def nobody(need: Need) -> Any:
    raise AssertionError(need)


def alone(world: World, texts: list[str], n: int) -> dict[str, float]:
    """One thread, nothing else: the database's own speed."""
    base = Database([relation(table) for name, table in world.corpus.tables.items() if name != "rows"])
    rows, row = world.compiled.rows, next(world.keys())
    began = time.perf_counter()
    base.query(texts[0], rows, row, None, limit=20, seconds=5)
    base.query("SELECT count(*) FROM films, scores WHERE id = film", rows, row, None, limit=20, seconds=5)
    loaded = time.perf_counter() - began
    took = []
    for i in range(n):
        began = time.perf_counter()
        found = base.query(texts[i % len(texts)], rows, row, None, limit=20, seconds=5)
        took.append(time.perf_counter() - began)
        assert not found.error, found.error
    return {"load_s": loaded, "alone_per_s": n / sum(took), "alone_ms": 1000 * statistics.median(took)}


async def together(world: World, texts: list[str], sessions: int, queries: int) -> dict[str, float]:
    """Many sessions, each query a step of its env."""
    took: list[float] = []
    held = [0.0]
    keys = list(world.keys())

    envs = [world.open(keys[i % len(keys)], i, nobody) for i in range(sessions)]
    for env in envs:
        await env.reset()

    async def one(i: int, env: BaseEnv) -> None:
        for j in range(queries):
            began = time.perf_counter()
            await env.step(Action("query", {"sql": texts[(i + j) % len(texts)]}))
            took.append(time.perf_counter() - began)
            assert env.log[-1][1].verdict == "ok", env.log[-1][1].message

    async def watch() -> None:
        while True:
            began = time.perf_counter()
            await anyio.sleep(0.001)
            held[0] = max(held[0], time.perf_counter() - began - 0.001)

    began = time.perf_counter()
    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        async with anyio.create_task_group() as players:
            for i, env in enumerate(envs):
                players.start_soon(one, i, env)
        group.cancel_scope.cancel()
    wall = time.perf_counter() - began
    took.sort()
    return {
        "per_s": len(took) / wall,
        "median_ms": 1000 * statistics.median(took),
        "p95_ms": 1000 * took[int(len(took) * 0.95)],
        "loop_held_ms": 1000 * held[0],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data")
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--queries", type=int, default=20)
    args = parser.parse_args()
    world = build(read_task(FOLDER, trusted=True), data=args.data)
    texts = [world.full(key)["sql"] for key in list(world.keys())]
    out: dict[str, Any] = {"sessions": args.sessions, "threads": SIZE, **alone(world, texts, 200)}
    out |= anyio.run(together, world, texts, args.sessions, args.queries)
    print(json.dumps({k: round(v, 2) if isinstance(v, float) else v for k, v in out.items()}))


if __name__ == "__main__":
    main()
