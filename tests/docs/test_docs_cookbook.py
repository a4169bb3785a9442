"""Every recipe of the cookbook is a whole task: it is solved by its oracle, not by doing nothing, and no check is red."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness import here, play, table, write

PAGE = (Path(__file__).parents[2] / "docs/cookbook.md").read_text(encoding="utf-8")
FILES = {"jsonl": "rows.jsonl", "python": "rows.py", "yaml": "task.yaml"}
RECIPES = {title.strip(): body for title, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)}


def files(body: str) -> dict[str, str]:
    """File -> text of a recipe."""
    found = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", body, re.MULTILINE | re.DOTALL)
    return {name or FILES[language]: text for language, name, text in found}


@pytest.mark.parametrize("title", RECIPES)
def test_every_recipe_is_sound(title: str, tmp_path: Path) -> None:
    written = files(RECIPES[title])
    assert "task.yaml" in written
    write(tmp_path / "tasks/mine", written)
    means = {row["agent"]: row["mean"] for row in table(play(tmp_path, "task=mine", "agent=oracle,noop"))}
    assert means == {"oracle": "1.000", "noop": "0.000"}
    done = here(tmp_path, "check", "task=mine")
    assert "RED" not in done.out


def test_there_is_one_of_each_kind() -> None:
    assert len(RECIPES) >= 22
    presets = set(re.findall(r"^preset: (\w+)", PAGE, re.MULTILINE))
    assert presets == {"qa", "choice", "pages", "graph", "guess", "look", "point", "replay", "reveal", "table", "chat"}
