"""The script that checks the shelf: a line for each corpus that is there, a reason for each that is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_what_is_there_is_checked_and_what_is_missing_is_named(tmp_path: Path) -> None:
    page = tmp_path / "shelf.md"
    words = ("task=atlas,gsm8k", f"data={tmp_path}", f"out={page}", f"runs={tmp_path / 'runs'}")
    done = subprocess.run([sys.executable, str(ROOT / "scripts/full.py"), *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    text = page.read_text(encoding="utf-8")
    assert "| atlas | own | 200 | CC-BY-4.0 | 1.000 | 0.000 | 0.000 | all green |\n" in text
    assert "Left out:\n\n- gsm8k: its rows are not here (gsm8k/test.jsonl)\n" in text
    assert str(tmp_path) not in text


def test_the_page_of_the_shelf_has_every_bundled_task() -> None:
    page = (ROOT / "docs/shelf.md").read_text(encoding="utf-8")
    for task in sorted(path.parent.name for path in (ROOT / "tasks").glob("*/task.yaml")):
        assert f"\n| {task} | " in page or f"\n- {task}: " in page, f"python scripts/full.py writes {task} into docs/shelf.md"
