"""What is published plays: a wheel, made from the source distribution, brings the bundled tasks and agents with it."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from harness import ENV, command, table
from harness import Done as Ended

ROOT = Path(__file__).parents[2]


TASKS = sorted(path.parent.name for path in (ROOT / "tasks").glob("*/task.yaml"))


def sh(*words: str, cwd: Path, path: Path | None = None) -> Ended:
    env = ENV if path is None else {**ENV, "PYTHONPATH": str(path)}
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    out = Ended(done.returncode, done.stdout, done.stderr)
    assert out.code == 0, out
    return out


def test_the_sdist_makes_a_wheel_and_the_wheel_plays(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="the dev extra is not installed")
    for name in ("home", "from", "to"):
        (tmp_path / name).mkdir()
    sh(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path), cwd=ROOT)
    (packed,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as tar:
        tar.extractall(tmp_path / "from", filter="data")
    (source,) = (tmp_path / "from").iterdir()
    sh(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path), cwd=source)
    (wheel,) = tmp_path.glob("*.whl")
    target = tmp_path / "to"
    sh(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(target), str(wheel), cwd=tmp_path)
    assert not (target / "tasks").exists()
    assert {p.name for p in (target / "agentharness/cli/web/page").iterdir()} == {"index.html", "play.css", "play.js"}
    home = tmp_path / "home"
    assert sh(sys.executable, "-c", "import agentharness; print(agentharness.__file__)", cwd=home, path=target).out.strip() == str(
        target / "agentharness/__init__.py"
    )
    tasks = [line.split() for line in sh(*command("tasks"), cwd=home, path=target).out.splitlines()[2:]]
    assert {(line[0], line[-1]) for line in tasks} == {(name, "bundled") for name in TASKS}
    assert table(sh(*command("run", "quiet=true", "task=atlas", "limit=2"), cwd=home, path=target))[0]["mean"] == "1.000"
    assert "tools   bundled" in sh(*command("agents"), cwd=home, path=target).out
