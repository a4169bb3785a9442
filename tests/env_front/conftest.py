from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentharness.env.reading import read_task
from agentharness.env.task import Task

Write = Callable[[str], Path]
Read = Callable[[str], Task]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Puts a task.yaml into a folder."""

    def put(text: str) -> Path:
        folder = tmp_path / "capitals"
        folder.mkdir(exist_ok=True)
        (folder / "task.yaml").write_text(text, encoding="utf-8")
        return folder

    return put


@pytest.fixture
def read(write: Write) -> Read:
    return lambda text: read_task(write(text))
