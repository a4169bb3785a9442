"""Where tasks and agents are found, what they are called, and which may run their Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentharness.errors import UserError
from agentharness.plugins import refs
from agentharness.plugins.find import bundled, find_agent, find_task, list_agents, list_tasks, roots


def make(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).mkdir(parents=True)
        (root / name / "task.yaml").write_text("licence: private\n")
        (root / name / "agent.py").write_text("")
    return root


@pytest.mark.parametrize(
    ("ref", "kind", "where", "name"),
    [
        ("atlas", "name", "atlas", ""),
        ("a-b_c.2", "name", "a-b_c.2", ""),
        ("./atlas", "folder", "./atlas", ""),
        ("x/y", "folder", "x/y", ""),
        ("~/t", "folder", "~/t", ""),
        ("..", "folder", "..", ""),
        ("a.py:Agent", "file", "a.py", "Agent"),
        ("/x/a.py:Agent", "file", "/x/a.py", "Agent"),
        ("pkg.mod:Agent", "module", "pkg.mod", "Agent"),
    ],
)
def test_a_reference_is_taken_apart(ref: str, kind: str, where: str, name: str) -> None:
    assert refs.read(ref) == refs.Reference(kind, where, name)  # type: ignore[arg-type]  # parametrised text


@pytest.mark.parametrize("ref", ["", "a.py", "a.py:", "a.py:x y", "mod:1", "a b", ":x"])
def test_what_is_no_reference_is_a_users_error(ref: str) -> None:
    with pytest.raises(UserError, match=r"file\.py:Name or module:Name"):
        refs.read(ref)


def test_the_nearest_parent_with_tasks_is_local_and_trusted(tmp_path: Path) -> None:
    make(tmp_path / "tasks", "far")
    make(tmp_path / "a" / "tasks", "near")
    cwd = tmp_path / "a" / "b"
    cwd.mkdir()
    found = find_task("near", cwd)
    assert (found.name, found.folder, found.origin, found.trusted) == ("near", tmp_path / "a" / "tasks" / "near", "local", True)
    assert "far" not in [f.name for f in list_tasks(cwd)]


def test_an_explicit_root_comes_first_and_is_not_trusted(tmp_path: Path) -> None:
    make(tmp_path / "own" / "tasks", "both", "mine")
    make(tmp_path / "other", "both")
    cwd = tmp_path / "own"
    found = find_task("both", cwd, Path("../other"))
    assert (found.folder, found.origin, found.trusted) == (tmp_path / "other" / "both", "root", False)
    assert find_task("mine", cwd, Path("../other")).trusted
    assert find_task("both", cwd, Path("tasks")).trusted, "the working folder's own root, named once more"
    with pytest.raises(UserError, match="tasks_root=nope: is no folder"):
        find_task("both", cwd, Path("nope"))


def test_a_path_is_trusted_inside_the_own_roots_only(tmp_path: Path) -> None:
    make(tmp_path / "own" / "tasks", "in")
    make(tmp_path / "else", "out")
    cwd = tmp_path / "own"
    inside, outside = find_task("tasks/in/task.yaml", cwd), find_task("../else/out", cwd)
    assert (inside.name, inside.origin, inside.trusted) == ("in", "local", True)
    assert (outside.name, outside.folder, outside.origin, outside.trusted) == ("out", tmp_path / "else" / "out", "path", False)


def test_an_unknown_name_is_answered_with_the_closest_of_all(tmp_path: Path) -> None:
    make(tmp_path / "tasks", "atlas")
    (tmp_path / "loose").mkdir()
    for ref, line in [
        ("atlsa", "no task is named 'atlsa' (did you mean 'atlas'?)"),
        ("loose", "no task is named 'loose' (for the folder write ./loose)"),
        ("./loose", "./loose is no task (it has no task.yaml)"),
        ("./lost", "./lost is no task (no such folder; the path is taken from the working folder)"),
        ("m:T", "'m:T' is no task (a task is a folder with a task.yaml: write its name or path/to/folder)"),
    ]:
        with pytest.raises(UserError) as e:
            find_task(ref, tmp_path)
        assert e.value.line() == line
    with pytest.raises(UserError, match=r"no agent is named 'oracel' .did you mean 'oracle'"):
        find_agent("oracel", tmp_path, extra=("oracle", "random"))


def test_agents_are_folders_files_and_modules(tmp_path: Path) -> None:
    make(tmp_path / "agents", "react")
    (tmp_path / "mine.py").write_text("")
    folder = find_agent("react", tmp_path)
    assert (folder.folder, folder.target) == (tmp_path / "agents" / "react", f"{tmp_path}/agents/react/agent.py:make")
    assert [f.name for f in list_agents(tmp_path) if f.origin == "local"] == ["react"]
    file = find_agent("mine.py:Mine", tmp_path)
    assert (file.name, file.folder, file.target, file.trusted) == ("Mine", tmp_path, f"{tmp_path / 'mine.py'}:Mine", False)
    module = find_agent("pkg.mod:Mine", tmp_path)
    assert (module.name, module.target, module.origin, module.trusted) == ("Mine", "pkg.mod:Mine", "module", True)
    with pytest.raises(UserError, match=r"no file lost\.py"):
        find_agent("lost.py:Mine", tmp_path)


def test_hidden_folders_and_folders_without_a_mark_are_no_tasks(tmp_path: Path) -> None:
    make(tmp_path / "tasks", ".git", "_old", "b", "a")
    (tmp_path / "tasks" / "empty").mkdir()
    assert [f.name for f in list_tasks(tmp_path) if f.origin == "local"] == ["a", "b"]


def test_the_bundled_root_is_looked_in_last() -> None:
    places = roots("tasks", Path("/"))
    assert [place.folder for place in places] == [folder for folder in [bundled("tasks")] if folder is not None]
