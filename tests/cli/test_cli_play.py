"""`play`: a person's episodes are recorded, and the same command goes on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from harness import ENV, command, episodes, here, sums


def typed(cwd: Path, text: str, *words: str) -> tuple[int, str, str]:
    done = subprocess.run(command("play", *words), cwd=cwd, env=ENV, input=text, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_person_plays_row_by_row(tmp_path: Path) -> None:
    sums(tmp_path, 3)
    code, out, err = typed(tmp_path, "answer 0\nanswer 7\n", "task=sums", "out=r")
    assert (code, err) == (130, "")
    assert "0 + 0" in out
    assert [(line["agent"]["name"], line["reward"]) for line in episodes(tmp_path / "r")] == [("human", 1.0), ("human", 0.0)]
    assert "resume: python -m agentharness play config=r/manifest.json" in out
    code, out, err = typed(tmp_path, "answer 6\n", "config=r/manifest.json")
    assert (code, err) == (0, "")
    assert "2 + 4" in out
    assert "0 + 0" not in out
    assert "2 of 3 episodes were there already" in out
    assert [line["reward"] for line in episodes(tmp_path / "r")] == [1.0, 0.0, 1.0]


def test_a_picture_is_a_file(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="the extra `digits` is not installed")
    code, out, _ = typed(tmp_path, "answer 0\n", "task=digits", "limit=1", "out=r")
    assert code == 0
    assert "pixels: results/shown.png]" in out
    assert (tmp_path / "results/shown.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("task=sums", "agent=random"), "agent: play is for one person (leave agent out; `run` plays agents)"),
        (("task=sums,sums2",), "task: one task at a time"),
        (("task=smus",), "no task is named 'smus' (did you mean 'sums'?)"),
    ],
)
def test_mistakes(words: tuple[str, ...], line: str, tmp_path: Path) -> None:
    sums(tmp_path, 1)
    assert here(tmp_path, "play", *words, code=2).mistake == line
