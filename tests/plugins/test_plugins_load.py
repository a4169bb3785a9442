"""Objects out of files and modules, and the user's errors by file and line."""

from __future__ import annotations

import collections
import hashlib
import sys
from pathlib import Path

import pytest

from agentharness.errors import UserError
from agentharness.plugins.find import Found
from agentharness.plugins.load import call, identity, load_file, load_object, make_agent, source_digest

AGENT = """\
from dataclasses import dataclass

@dataclass
class Mine:
    options: dict
    folder: object
    name = "mine"
    needs_model = False
    privileged = False
    def identity(self):
        return dict(self.options)
    def sit(self, seat):
        return None

make = Mine
"""


def test_two_files_of_one_name_never_meet_and_leave_nothing_behind(tmp_path: Path) -> None:
    for name, value in (("a", 1), ("b", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "hooks.py").write_text(f"X = {value}\n")
    assert load_object(f"{tmp_path}/a/hooks.py:X") == 1
    assert load_object("hooks.py:X", tmp_path / "b") == 2
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["hooks.py"]
    assert "hooks" not in sys.modules


def test_a_file_is_loaded_once_and_anew_when_it_changed(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text("X = [1]\n")
    assert load_file(file) is load_file(file)
    file.write_text("X = [2]\n")
    assert load_object(f"{file}:X") == [2]


def test_a_module_is_imported_by_its_name() -> None:
    assert load_object("collections:Counter").__name__ == "Counter"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\nraise ValueError('bad\\nday')\n", "{file}:2: ValueError: bad day"),
        ("import json\njson.loads('{')\n", "{file}:2: JSONDecodeError: "),
        ("def f(:\n", "{file}:1: SyntaxError: "),
        ("import sys\nsys.exit(3)\n", "{file}:2: SystemExit: 3"),
        ("import not_there_at_all\n", "{file}:1: ModuleNotFoundError: No module named 'not_there_at_all'"),
        ("class Other: pass\n", "{file}: has no 'Othr' (did you mean 'Other'?)"),
        ("\0", "{file}:"),
    ],
)
def test_an_error_of_the_users_code_names_file_and_line(tmp_path: Path, source: str, line: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(source)
    with pytest.raises(UserError) as e:
        load_object(f"{file}:Othr")
    assert e.value.line().startswith(line.format(file=file))


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    for ref, line in [
        ("no_such_module:X", "no_such_module:X: no module 'no_such_module' (install it, or write path/to/file.py:Name)"),
        ("json.nope:X", "json.nope:X: no module 'json.nope' (install it, or write path/to/file.py:Name)"),
        ("json:lods", "json: has no 'lods'"),
        ("plain", "'plain' names no Python object (write file.py:Name or module:Name)"),
        (f"{tmp_path}/a.py:X", f"{tmp_path}/a.py: cannot be read: No such file or directory (check the path)"),
    ]:
        with pytest.raises(UserError) as e:
            load_object(ref)
        assert e.value.line().startswith(line)


def test_an_agent_comes_from_its_folder_or_its_file(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    folder = make_agent(Found("mine", tmp_path, "local", True, f"{tmp_path / 'agent.py'}:make"), {"p": 1})
    assert (folder.name, folder.identity()) == ("mine", {"p": 1})
    file = make_agent(Found("Mine", tmp_path, "path", True, f"{tmp_path / 'agent.py'}:Mine"), {})
    assert file.identity() == {}


@pytest.mark.parametrize(
    ("make", "line"),
    [
        ("make = lambda options, folder: object()\n", "{file}:make: makes a object without 'name'"),
        ("def make(options, folder):\n    return options['p']\n", "{file}:2: KeyError: 'p'"),
        ("def make():\n    return 1\n", "{file}:make: TypeError: make() takes 0 positional arguments but 2 were given"),
        ("from agentharness.errors import UserError\ndef make(o, f):\n    raise UserError('no p', where='agent.p')\n", "agent.p: no p"),
    ],
)
def test_an_agent_that_cannot_be_made_is_a_users_error(tmp_path: Path, make: str, line: str) -> None:
    file = tmp_path / "agent.py"
    file.write_text(make)
    with pytest.raises(UserError) as e:
        make_agent(Found("bad", tmp_path, "local", True, f"{file}:make"), {})
    assert e.value.line().startswith(line.format(file=file))


def test_a_call_gives_its_value() -> None:
    assert call(max, 1, 2, where="here") == 2
    with pytest.raises(UserError, match="here: TypeError"):
        call(max, 1, "x", where="here")


def found(file: Path) -> Found:
    return Found("Mine", file.parent, "path", True, f"{file}:make")


def test_an_edited_agent_has_another_digest(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text(AGENT)
    before = source_digest(found(file))
    assert before == hashlib.sha256(AGENT.encode()).hexdigest()
    file.write_text(AGENT + "# edited\n")
    assert source_digest(found(file)) not in (before, None)
    module = Found("Counter", tmp_path, "module", True, "collections:Counter")
    assert source_digest(module) == hashlib.sha256(Path(collections.__file__).read_bytes()).hexdigest()
    assert source_digest(Found("x", tmp_path, "module", True, "sys:x")) is None


@pytest.mark.parametrize(
    ("says", "line"),
    [
        ("[1]", "{file}:make: identity() of agent 'mine' gives list, not a dict (return what decides how it plays: texts, numbers, lists, dicts)"),
        ("None", "{file}:make: identity() of agent 'mine' gives NoneType, not a dict (return what decides how it plays: texts, numbers, lists, dicts)"),
        ("{'f': print}", "{file}:make: identity() of agent 'mine' holds what is no JSON: "),
        ("{1: 2}", "{file}:make: identity() of agent 'mine' holds what is no JSON: "),
        ("{'f': {1}}", "{file}:make: identity() of agent 'mine' holds what is no JSON: "),
        ("{}['x']", "{file}:11: KeyError: 'x'"),
    ],
)
def test_an_identity_that_is_no_json_is_told_by_the_agents_name(says: str, line: str, tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text(AGENT.replace("dict(self.options)", says))
    with pytest.raises(UserError) as e:
        identity(make_agent(found(file), {}), found(file).target)
    assert e.value.line().startswith(line.format(file=file))


def test_an_identity_is_what_the_agent_says(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text(AGENT)
    assert identity(make_agent(found(file), {"p": 1}), found(file).target) == {"p": 1}
