"""The same seed is the same run, whatever the speed and the order."""

from __future__ import annotations

from pathlib import Path

from harness import episodes, play, run, sums, timeless
from spawn import Server

BUNDLED = Path(__file__).parents[2] / "tasks"
DRAWN = """\
vars: {x: none}
start: [{draw: {x: {int: [0, 999999]}}}]
observe: "What is {{ row.a }} + {{ row.b }}? ({{ vars.x }})"
"""


def test_random_play_is_the_same_at_any_concurrency_in_any_process(tmp_path: Path) -> None:
    for out, concurrency in (("one", 1), ("many", 500)):
        run(tmp_path, "task=atlas", "agent=random", "samples=3", f"concurrency={concurrency}", f"out={out}", "seed=5")
    one, many = episodes(tmp_path / "one"), episodes(tmp_path / "many")
    assert len(one) == 600
    assert timeless(one) == timeless(many)
    assert len({line["final_state"]["t"] for line in one}) > 1


def test_every_bundled_world_is_the_same_at_any_concurrency_in_any_process(tmp_path: Path) -> None:
    tasks = sorted(path.parent.name for path in BUNDLED.glob("*/task.yaml") if "demo:" in path.read_text(encoding="utf-8"))
    for out, concurrency in (("one", 1), ("many", 500)):
        run(tmp_path, f"task={','.join(tasks)}", "data=demo", "agent=random,oracle", "samples=4", f"concurrency={concurrency}", f"out={out}", "seed=5")
    for cell in (f"{task}-{agent}" for task in tasks for agent in ("random", "oracle")):
        assert timeless(episodes(tmp_path / "one" / cell)) == timeless(episodes(tmp_path / "many" / cell)), cell


def test_calls_and_draws_are_the_same_at_any_concurrency(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 12, more=DRAWN)
    words = ("task=sums", "agent=tools", "agent.seed=true", "model=calc|slow-5", f"base_url={server.url}", "samples=3")
    run(tmp_path, *words, "concurrency=1", "out=one")
    play(tmp_path, *words, "concurrency=50", "out=many")
    one, many = episodes(tmp_path / "one"), episodes(tmp_path / "many")
    assert timeless(one) == timeless(many)
    assert isinstance(server.last()["body"]["seed"], int)
    # A group shares world, row and seed: the same draw, the same opening. Its samples have seeds of their own for what is sampled.
    groups: dict[str, set[tuple[str, str, int, str]]] = {}
    for line in one:
        key = line["key"]
        groups.setdefault(line["group"], set()).add((key["world"], key["row"], key["seed"], str(line["final_state"]["vars"])))
    assert len(groups) == 12
    assert all(len(shared) == 1 for shared in groups.values())
    assert len({line["messages"][2]["tool_calls"][0]["id"] for line in one}) == 36
    # Another agent meets the same draws, another seed others.
    play(tmp_path, "task=sums", "out=oracle")
    play(tmp_path, "task=sums", "seed=1", "out=other")
    drawn = [line["final_state"]["vars"] for line in one if line["key"]["sample"] == 0]
    assert [line["final_state"]["vars"] for line in episodes(tmp_path / "oracle")] == drawn
    assert [line["final_state"]["vars"] for line in episodes(tmp_path / "other")] != drawn
