"""Installed packs: listed and played, and never imported to be found."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
TASK = "data: {from: rows.py:rows}\npreset: qa\nask: q\nanswer: a\nreward: exact\nlicence: MIT\ndescription: Beasts.\n"
FILES = {
    "zoo_pack/__init__.py": "raise RuntimeError('a pack was imported')\n",
    "zoo_pack/content/beasts/task.yaml": TASK,
    "zoo_pack/content/beasts/rows.py": "def rows():\n    return [{'q': 'one?', 'a': 'ant'}, {'q': 'two?', 'a': 'bee'}]\n",
    "zoo_pack-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: zoo-pack\nVersion: 1.0\n",
    "zoo_pack-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "zoo_pack-1.0.dist-info/entry_points.txt": "[agentharness.tasks]\nzoo = zoo_pack.content\ngone = no_such_package.tasks\n",
}


def sh(cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(cwd / "site"), str(ROOT)])}
    return subprocess.run([sys.executable, "-m", "agentharness", *words], cwd=cwd, env=env, capture_output=True, text=True, check=False)


def installed(cwd: Path) -> None:
    """A wheel as pip unpacks it."""
    wheel = cwd / "zoo_pack-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as out:
        for name, text in FILES.items():
            out.writestr(name, text)
        out.writestr("zoo_pack-1.0.dist-info/RECORD", "".join(f"{name},,\n" for name in FILES))
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile", "--target", str(cwd / "site"), str(wheel)], check=True
    )


def test_a_packs_tasks_are_listed_and_played_without_importing_it(tmp_path: Path) -> None:
    installed(tmp_path)
    listed = sh(tmp_path, "tasks")
    assert listed.returncode == 0, listed.stderr
    (line,) = (line for line in listed.stdout.splitlines() if line.startswith("beasts"))
    assert line.split()[-1] == "pack"
    done = sh(tmp_path, "run", "task=beasts", "quiet=true")
    assert done.returncode == 0, done.stderr  # its Python runs unasked: who installs a package trusts it
    assert "1.000" in done.stdout
    # a task of the working folder's own has its name first
    mine = tmp_path / "tasks/beasts"
    mine.mkdir(parents=True)
    (mine / "task.yaml").write_text(TASK.replace("rows.py:rows", "rows.jsonl"))
    (mine / "rows.jsonl").write_text('{"q": "three?", "a": "cat"}\n')
    (line,) = (line for line in sh(tmp_path, "tasks").stdout.splitlines() if line.startswith("beasts"))
    assert line.split()[-1] == "local"
