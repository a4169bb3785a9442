"""Scorers of a task's own: where they are found, what they may not be, what they do to the version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentharness.env.world import World
from agentharness.errors import UserError

TEXT = """
corpus: {rows: {source: {file: rows.jsonl}, key: id}}
columns: {rows: {id: public, size: gold}}
episode: {each: rows}
observe: "How large is {{ row.id }}?"
actions:
  answer:
    args: {size: number}
    do:
      - end: args.size
rewards:
  near: {scorer: "scorers.py:near", against: row, options: {share: 0.5}}
oracle: {then: {answer: {size: row.size}}}
"""
CODE = """
def near(subject, reference, *, share=0.1):
    return abs((subject or 0) - reference["size"]) <= share * reference["size"]

def _hidden(subject, reference):
    return 1
"""
ROWS = {"rows.jsonl": [{"id": "a", "size": 10}]}


def write(folder: Path, code: str) -> None:
    (folder / "tiny").mkdir(exist_ok=True)
    (folder / "tiny/scorers.py").write_text(code, encoding="utf-8")


def test_it_is_called_with_the_whole_row(make_world: Any, tmp_path: Path) -> None:
    write(tmp_path, CODE)
    world: World = make_world(TEXT, ROWS)
    rule = world.rewards["near"]
    assert rule.fn is not None
    subject, reference = rule.resolve(world.full("a"), {"submission": 14})
    assert (subject, reference) == (14, {"id": "a", "size": 10})
    assert rule.fn(subject, reference, **rule.options) is True


def test_its_source_counts_into_the_scoring_alone(make_world: Any, tmp_path: Path) -> None:
    write(tmp_path, CODE)
    before: World = make_world(TEXT, ROWS)
    write(tmp_path, CODE.replace("\n", "\r\n"))
    same: World = make_world(TEXT, ROWS)
    write(tmp_path, CODE.replace("<=", "<"))
    after: World = make_world(TEXT, ROWS)
    assert (same.world, same.scoring) == (before.world, before.scoring)
    assert after.world == before.world
    assert after.scoring != before.scoring


@pytest.mark.parametrize(
    ("code", "scorer", "told"),
    [
        (None, "scorers.py:near", "the task's folder holds no scorers.py"),
        (CODE, "scorers.py:neer", r"scorers.py has no function 'neer' .did you mean 'near'"),
        (CODE, "scorers.py:_hidden", "scorers.py has no function '_hidden'"),
        (CODE, "other.py:near", "the task's folder holds no other.py"),
        ("x = = 1", "scorers.py:near", "does not run: SyntaxError"),
    ],
)
def test_mistakes(make_world: Any, tmp_path: Path, code: str | None, scorer: str, told: str) -> None:
    if code is not None:
        write(tmp_path, code)
    with pytest.raises(UserError, match=told):
        make_world(TEXT.replace("scorers.py:near", scorer), ROWS)


def test_foreign_code_does_not_run_unasked(make_world: Any, tmp_path: Path) -> None:
    write(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')\n{CODE}")
    with pytest.raises(UserError, match=r"runs its own code .scorers.py.*not from this project.*trust=true"):
        make_world(TEXT, ROWS, trusted=False)
    assert not (tmp_path / "ran").exists()
