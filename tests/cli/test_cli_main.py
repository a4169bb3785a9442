"""Commands, their exit codes, and the one line of each mistake."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

import agentharness
from agentharness.cli.main import RESUMES, _ended, main
from agentharness.errors import UserError


@pytest.fixture
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("runn", "unknown command 'runn' (did you mean 'run'?)"),
        ("run", "task: is missing (write task=NAME)"),
        ("run task=a limt=3", "unknown key 'limt' (did you mean 'limit'?)"),
        ("run task=a limit=", "limit: has no value (write limit=VALUE, or leave it out)"),
        ("run task=a limit=-1", "limit: must be at least 1, not -1"),
        ("run task=a samples=0", "samples: must be at least 1, not 0"),
        ("run task=a task=a", "task: is given twice (keep one)"),
        ("run task=a dry", "'dry' is no key=value (write dry=true)"),
        ("lock", "task: is missing (write task=NAME)"),
        ("tasks root=x", "unknown key 'root' (known: tasks_root)"),
        ("tasks tasks_root=nowhere", "tasks_root=nowhere: is no folder (a folder whose subfolders hold task.yaml)"),
        ("task", "task what? (write task show NAME)"),
        ("task shw", "unknown command 'task shw' (write task show NAME)"),
        ("task show", "show which task? (write task show NAME; `agentharness tasks` lists them)"),
        ("task show mini expanded=yes", "expanded: must be true or false, not 'yes'"),
        ("task show minni", "no task is named 'minni' (did you mean 'mini'?)"),
        ("agents x", "'x' is no key=value (write key=VALUE, such as task=x)"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(words: str, line: str, cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (cwd / "tasks" / "mini").mkdir(parents=True)
    (cwd / "tasks" / "mini" / "task.yaml").write_text("licence: private\n")
    assert main(words.split()) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"error: {line}\n")


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ([], "agentharness: static datasets"),
        (["--help"], "agentharness: static datasets"),
        (["--version"], f"agentharness {agentharness.__version__}\n"),
        (["run", "--help"], "agentharness run task=NAME"),
        (["run", "task=a", "-h"], "agentharness run task=NAME"),
        (["tasks", "--help"], "agentharness tasks"),
        (["task", "--help"], "agentharness task show"),
        (["lock", "--help"], "agentharness lock"),
        (["agents", "--help"], "agentharness agents"),
    ],
)
def test_help_and_version(words: list[str], start: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out.startswith(start)


def test_each_channel_of_trouble_has_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ended(KeyboardInterrupt(), ["run"]) == 130
    assert capsys.readouterr().err == "interrupted\n"
    group = BaseExceptionGroup("x", [ValueError("v"), BaseExceptionGroup("y", [UserError("is wrong", where="limit")])])
    assert _ended(group, ["run"]) == 2
    assert capsys.readouterr().err == "error: limit: is wrong\n"
    assert _ended(BaseExceptionGroup("x", [KeyboardInterrupt(), ValueError("v")]), []) == 130
    capsys.readouterr()
    assert _ended(ExceptionGroup("x", [ValueError("a bug")]), ["run"]) == 1
    err = capsys.readouterr().err
    assert err.endswith(f"ValueError: a bug\n{RESUMES}\n")
    assert "ExceptionGroup" not in err
    assert _ended(ValueError("a bug"), ["tasks"]) == 1
    assert RESUMES not in capsys.readouterr().err
    with pytest.raises(SystemExit):
        _ended(SystemExit(3), [])


def test_a_letter_that_the_terminal_lacks_loses_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert main(["run", "--help"]) == 0
    assert rb"[key=value \u2026]" in raw.getvalue()


def test_help_and_lists_import_no_more_than_they_need(tmp_path: Path) -> None:
    heavy = ["agentharness.run", "agentharness.session", "anyio", "aiohttp", "jinja2", "pyarrow", "rich", "openai"]
    code = "import sys; from agentharness.cli.main import main; main({0}); print([m for m in {1} if m in sys.modules], file=sys.stderr)"
    for words, banned in ((["run", "--help"], heavy), (["tasks"], [*heavy, "pydantic"]), (["--version"], [*heavy, "pydantic", "yaml"])):
        done = subprocess.run([sys.executable, "-c", code.format(words, banned)], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stderr == "[]\n"
