"""`tasks`, `task show` and `agents` over folders of the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentharness.cli.main import main

LOCK = """\
format = 1
[data.hub]
world = "v1:0123456789abcdef0123"
scoring = "v1:ff"
rows = 12345
licence = "MIT"
[data.demo]
world = "v1:eeee"
rows = 3
"""


@pytest.fixture
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {
        "locked": "preset: look\nlicence: MIT\n",
        "plain": "preset: qa\nlicence:\n",
        "spoken": "modality: image\nlicence: CC0-1.0\n",
        "torn": "licence: [\n",
        "odd": "preset: nonsense\n",
        "badlock": "licence: MIT\n",
    }.items():
        (tmp_path / "tasks" / name).mkdir(parents=True)
        (tmp_path / "tasks" / name / "task.yaml").write_text(text)
    (tmp_path / "tasks" / "locked" / "env.lock").write_text(LOCK)
    (tmp_path / "tasks" / "badlock" / "env.lock").write_text("data = [")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.strip()}


def test_a_list_shows_rows_and_version_of_the_first_named_data(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks"]) == 0
    shown = lines(capsys)
    assert shown["name"] == ["rows", "modality", "licence", "version", "origin"]
    assert shown["locked"] == ["12,345", "image", "MIT", "0123456789ab", "local"]
    assert shown["plain"] == ["—", "text", "—", "—", "local"]
    assert shown["spoken"] == ["—", "image", "CC0-1.0", "—", "local"]


def test_a_broken_task_breaks_its_own_line_only(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks"]) == 0
    out = capsys.readouterr().out
    for name, words in (("torn", "task.yaml:2:1: is not YAML"), ("odd", "there is no preset 'nonsense'"), ("badlock", "env.lock: is no lock")):
        broken = [line for line in out.splitlines() if line.startswith(f"{name}: ")]
        assert len(broken) == 1
        assert words in broken[0]


def test_an_empty_root_of_ones_own_comes_before_what_is_bundled(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (cwd / "other" / "plain").mkdir(parents=True)
    (cwd / "other" / "plain" / "task.yaml").write_text("licence: MINE\n")
    assert main(["tasks", "tasks_root=other"]) == 0
    assert lines(capsys)["plain"] == ["—", "text", "MINE", "—", "root"]


def test_show_prints_the_task_as_it_is_written(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["task", "show", "locked"]) == 0
    assert capsys.readouterr().out == "preset: look\nlicence: MIT\n"
    assert main(["task", "show", "./tasks/plain"]) == 0
    assert capsys.readouterr().out == "preset: qa\nlicence:\n"
    assert main(["task", "show", "torn"]) == 2
    assert "task.yaml:2:1: is not YAML" in capsys.readouterr().err


def test_show_expanded_prints_the_long_form(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (cwd / "tasks" / "plain" / "task.yaml").write_text("data: rows.jsonl\npreset: qa\nask: question\nanswer: answer\nreward: exact\nlicence: private\n")
    assert main(["task", "show", "plain", "expanded=true"]) == 0
    out = capsys.readouterr().out
    assert "\nrewards:\n  exact: {scorer: exact, against: row.answer}\n" in out
    assert "preset" not in out


def test_agents_are_the_engines_and_the_folders(cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {"mine": '"""Asks twice. And more.\n\nDetails."""\nraise SystemExit\n', "torn": "def (:\n"}.items():
        (cwd / "agents" / name).mkdir(parents=True)
        (cwd / "agents" / name / "agent.py").write_text(text)
    assert main(["agents"]) == 0
    shown = lines(capsys)
    assert shown["mine"] == ["local", "Asks", "twice"]
    assert shown["torn"][:2] == ["local", "broken:"]
    assert {"oracle", "random", "noop"} <= set(shown)
    assert shown["oracle"][0] == "engine"
