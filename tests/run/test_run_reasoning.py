"""tasks/reasoning_gym: 20 rows and more, scored by the package's own code."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import episodes, play, table


def test_the_packages_own_scoring(tmp_path: Path) -> None:
    pytest.importorskip("reasoning_gym", reason="the extra `reasoning` is not installed")
    done = play(tmp_path, "task=reasoning_gym", "agent=oracle,random,noop", "limit=40", "out=r")
    means = {r["agent"]: float(r["mean"]) for r in table(done)}
    assert (means["oracle"], means["noop"]) == (1.0, 0.0)
    assert means["random"] < 0.1
    lines = episodes(tmp_path / "r/reasoning_gym-oracle")
    assert len({line["slices"]["family"] for line in lines}) == 40
    assert {line["status"] for line in lines} == {"completed"}


def test_whatever_an_agent_says_is_scored(tmp_path: Path) -> None:
    pytest.importorskip("reasoning_gym", reason="the extra `reasoning` is not installed")
    from agentharness.env.reading import read_task
    from agentharness.env.world import build

    world = build(read_task(Path(__file__).parents[2] / "tasks/reasoning_gym"))
    score = world.rewards["score_answer"].fn
    assert score is not None
    for key in list(world.keys())[:40]:
        row = world.full(key)
        assert score(row["answer"], row).value == 1.0
        for text in (None, "", "zebra", "9" * 5000, "[" * 3000, "__import__('os').getcwd()", "\ud800", "1/0", "nan", "1e999"):
            value = score(text, row).value
            assert value is not None
            assert 0 <= value < 1, (key, text)
