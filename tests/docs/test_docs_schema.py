"""The JSON Schema of task.yaml: up to date, and of one mind with the reader on every task that stands in the project."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agentharness.config.yaml import load

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs/task.schema.json"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [block for page in PAGES for block in re.findall(r"^```yaml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)]
TASKS = sorted(ROOT.glob("tasks/*/task.yaml"))
CHECK = jsonschema.Draft202012Validator(json.loads(FILE.read_bytes()))
QA = {"data": "rows.csv", "preset": "qa", "ask": "question", "answer": "capital", "reward": "exact"}


def test_it_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("task_schema", ROOT / "scripts/task_schema.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert FILE.read_text(encoding="utf-8") == module.text(), "run python scripts/task_schema.py"


@pytest.mark.parametrize("path", TASKS, ids=lambda p: p.parent.name)
def test_every_task_of_the_project_is_valid(path: Path) -> None:
    assert [e.message for e in CHECK.iter_errors(load(path, path.name).data)] == []


@pytest.mark.parametrize("block", BLOCKS)
def test_every_task_in_the_documents_is_valid(block: str, tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text(block, encoding="utf-8")
    assert [e.message for e in CHECK.iter_errors(load(tmp_path / "task.yaml", "task.yaml").data)] == []


@pytest.mark.parametrize(
    ("more", "path", "part"),
    [
        ({"rewrad": "exact"}, [], "'rewrad' was unexpected"),
        ({"preset": "qua"}, ["preset"], "'qua' is not one of"),
        ({"turns": "ten"}, ["turns"], "'ten' is not of type 'integer'"),
        ({"limits": {"turns": 0}}, ["limits", "turns"], "0 is less than the minimum of 1"),
        ({"limits": {"trns": 3}}, ["limits"], "'trns' was unexpected"),
        ({"actions": {"go": {"else_": "no"}}}, ["actions", "go"], "'else_' was unexpected"),
        ({"columns": {"rows": {"x": "secret"}}}, ["columns", "rows", "x"], "'secret' is not one of"),
    ],
)
def test_an_editor_sees_the_mistake(more: dict[str, Any], path: list[str], part: str) -> None:
    assert [e.message for e in CHECK.iter_errors(QA)] == []
    (error,) = CHECK.iter_errors({**QA, **more})
    assert list(error.path) == path
    assert part in error.message
