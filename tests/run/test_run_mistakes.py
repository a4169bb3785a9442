"""A mistake is one line with its place and what to do, and exit 2: before anything is played, and before any call."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from harness import ENV, Done, command, play, refused, sums, write

ROWS = '{"q": "one?", "a": "1", "id": "x"}\n{"q": "two?", "a": "2", "id": "y"}\n'
TASK = "data: rows.jsonl\npreset: qa\nask: q\nanswer: a\nreward: exact\nlicence: private\n"


def mine(cwd: Path, task: str, **files: str) -> str:
    """What `run task=mine` says of this task.yaml; the folder is cut from it."""
    write(cwd / "tasks/mine", {"task.yaml": task, "rows.jsonl": ROWS, **{k.replace("__", "."): v for k, v in files.items()}})
    told = refused(cwd, "task=mine")
    assert not (cwd / "results").exists()
    return told.replace(f"{(cwd / 'tasks/mine').resolve()}/", "")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("ask: q", "ask: [q"), "task.yaml:4:7: is not YAML: "),
        (("ask: q", "ask: q\n\tturns: 3"), "task.yaml:4:1: is not YAML: "),
        (("ask: q", "ask: q\nask: q"), "task.yaml:4:1: "),
        (("reward: exact", "rewart: exact"), "task.yaml:5:1: rewart: unknown key (did you mean 'reward'?)"),
        (("reward: exact", "reward: exakt"), "task.yaml:5:9: rewards.exakt.scorer: there is no scorer 'exakt' (did you mean 'exact'?)"),
        (("reward: exact", "reward: {exat: 1}"), "task.yaml:5:10: rewards.exat.scorer: there is no scorer 'exat' (did you mean 'exact'?)"),
        (("reward: exact", "reward: [contains, exat]"), "task.yaml:5:20: rewards.exat.scorer: there is no scorer 'exat' (did you mean 'exact'?)"),
        (("reward: exact", "rewards:\n  em.x: {scorer: exat}"), "task.yaml:6:18: rewards.em.x.scorer: there is no scorer 'exat' (did you mean 'exact'?)"),
        (("preset: qa", "preset: gragh"), "task.yaml:2:9: there is no preset 'gragh' (did you mean 'graph'?)"),
        (("data: rows.jsonl", "data: row.jsonl"), "task.yaml:1:7: row.jsonl: no such file (did you mean 'rows.jsonl'?)"),
        (("answer: a", "answer: b"), "task.yaml:4:9: "),
        (("ask: q", "ask: question"), "task.yaml:3:6: "),
        (("data: rows.jsonl", "data: {from: rows.jsonl, key: nr}"), "task.yaml:1:31: "),
        (("ask: q", "ask: Say {{ row.q }} {{ row.a }}"), "task.yaml:3:25: row.a is gold and cannot be shown to the agent: it would have shown '1' "),
        (("ask: q", 'ask: "{{ row.q }"'), "task.yaml:3:"),
        (("ask: q", "ask: q\nturns: 0"), "task.yaml:4:8: limits.turns must be at least 1, is 0"),
        (("ask: q", "ask: q\nactions: {look: {do: [{gotoo: {rows: '1'}}]}}"), "task.yaml:4:24: "),
    ],
)
def test_a_mistake_in_a_task_is_told_with_its_place(change: tuple[str, str], line: str, tmp_path: Path) -> None:
    told = mine(tmp_path, TASK.replace(*change))
    assert told.startswith(line), told


def test_links_that_lead_in_a_circle_are_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert refused(tmp_path, "task=./loop").startswith("./loop: is no path: Symlink loop from ")


def test_the_line_says_what_would_help(tmp_path: Path) -> None:
    assert "'goto'" in mine(tmp_path, TASK + "actions: {look: {do: [{gotoo: {rows: '1'}}]}}\n")
    assert "'id'" in mine(tmp_path, TASK.replace("rows.jsonl", "{from: rows.jsonl, key: idd}"))


def test_rows_that_cannot_be_told_apart_are_an_error_that_names_them(tmp_path: Path) -> None:
    told = mine(tmp_path, TASK.replace("data: rows.jsonl", "data: {from: twice.jsonl, key: id}"), twice__jsonl=ROWS + '{"q": "three?", "a": "3", "id": "x"}\n')
    assert "'x'" in told
    assert "twice.jsonl" in told or "task.yaml:1:" in told
    told = mine(tmp_path, TASK, rows__jsonl=ROWS + '{"q": "three?" "a": "3"}\n')
    assert told.startswith("rows.jsonl:3:")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("task=sums limt=1", "unknown key 'limt' (did you mean 'limit'?)"),
        ("task=sums limit=-1", "limit: must be at least 1, not -1"),
        ("task=sums limit=1.5", "limit: must be a whole number, not '1.5'"),
        ("task=sums concurrency=0", "concurrency: must be at least 1, not 0"),
        ("task=sums agent=oracel", "no agent is named 'oracel' (did you mean 'oracle'?)"),
        ("task=sum", "no task is named 'sum' (did you mean 'sums'?)"),
        ("task=./tasks", "./tasks is no task (it has no task.yaml)"),
        ("task=sums task.limits.turn=3", "task.limits.turn: unknown key (did you mean 'turns'?)"),
        ("task=sums data=hub", None),
        ("task=sums source=nowhere.jsonl", None),
        ("task=sums retry=agents", None),
        ("task=sums out=tasks", "tasks: holds other files and no manifest.json: not a run folder (choose another `out=`)"),
        ("task=sums out=tasks/sums/task.yaml", "tasks/sums/task.yaml: cannot be used as a run folder: File exists (choose another `out=`)"),
        ("config=nowhere.yaml", None),
        ("config=half.yaml", "half.yaml:2:8: limit: must be at least 1, not 0"),
        ("config=half.yaml limit=1", "unknown key"),
        ("task=sums,sums", "task: names 'sums' twice"),
        ("task=sums agent=oracle,nobody", None),
    ],
)  # fmt: skip
def test_a_mistake_in_the_command_is_one_line(words: str, line: str | None, tmp_path: Path) -> None:
    sums(tmp_path, 2)
    write(tmp_path, {"half.yaml": "task: sums\nlimit: 0\nlimmit: 3\n"} if "limit=1" in words.split() else {"half.yaml": "task: sums\nlimit: 0\n"})
    told = refused(tmp_path, *words.split())
    assert "\n" not in told
    if line is not None:
        assert line in told
    assert not (tmp_path / "results").exists()


def test_more_sessions_than_the_system_allows_files_are_refused(tmp_path: Path) -> None:
    sums(tmp_path, 2)
    more = ("samples=1000", "concurrency=2000", "out=r")
    words = command("run", "quiet=true", "task=sums", "agent=tools", "model=m", "base_url=http://127.0.0.1:9/v1", *more)
    ended = subprocess.run(["sh", "-c", 'ulimit -n 500 && exec "$@"', "sh", *words], cwd=tmp_path, env=ENV, capture_output=True, text=True, check=False)
    done = Done(ended.returncode, ended.stdout, ended.stderr)
    assert (
        done.mistake == "concurrency: concurrency=2000 needs 2256 open files, and the system allows 500 (concurrency=244, or raise the hard limit (ulimit -Hn))"
    )
    assert not (tmp_path / "r").exists()


def test_hooks_from_outside_the_project_need_trust(tmp_path: Path) -> None:
    task = sums(tmp_path / "elsewhere", 2, more="  shout: {description: Shout., do: [{hook: shout}]}\n")
    write(task, {"hooks.py": 'def shout(view, answers):\n    return [{"show": "HEY"}]\n'})
    inside = tmp_path / "inside"
    inside.mkdir()
    told = refused(inside, f"task={task}")
    assert "trust=true" in told
    play(inside, f"task={task}", "trust=true")
