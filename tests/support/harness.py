"""The harness as its users meet it: a process of its own in a folder of its own, and what it leaves there."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agentharness import canon
from agentharness.cli.main import main
from agentharness.store.reader import read_episodes

JsonDict = dict[str, Any]

ENV = {k: v for k, v in os.environ.items() if k not in ("OPENAI_API_KEY", "OPENAI_BASE_URL")}


class Done:
    """A command that ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def __repr__(self) -> str:
        return f"exit {self.code}\n{self.out}\n{self.err}"

    @property
    def mistake(self) -> str:
        """The one line of a user's mistake."""
        assert self.code == 2, self
        line = self.err.splitlines()[-1]
        assert line.startswith("error: "), self
        assert "Traceback" not in self.err, self
        return line.removeprefix("error: ")


def command(*words: str) -> list[str]:
    """argv of `python -m agentharness WORDS`."""
    return [sys.executable, "-m", "agentharness", *words]


def harness(cwd: Path, *words: str, code: int = 0, env: Mapping[str, str] | None = None) -> Done:
    """Runs a command to its end and checks its exit code."""
    done = subprocess.run(command(*words), cwd=cwd, env={**ENV, **(env or {})}, capture_output=True, text=True, timeout=60, check=False)
    out = Done(done.returncode, done.stdout, done.stderr)
    assert out.code == code, out
    assert "ExceptionGroup" not in out.err, out
    return out


def run(cwd: Path, *words: str, code: int = 0, env: Mapping[str, str] | None = None) -> Done:
    """`run` without the live line."""
    return harness(cwd, "run", "quiet=true", *words, code=code, env=env)


def here(cwd: Path, *words: str, code: int = 0) -> Done:
    """A command run inside the test's own process: for what is refused or played at once, where the start of a process would be most of the time."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        done = Done(main(list(words)), out.getvalue(), err.getvalue())
    assert done.code == code, done
    assert "ExceptionGroup" not in done.err, done
    return done


def play(cwd: Path, *words: str, code: int = 0) -> Done:
    """`run`, inside the test's own process."""
    return here(cwd, "run", "quiet=true", *words, code=code)


def refused(cwd: Path, *words: str) -> str:
    """The one line with which `run` refuses these words."""
    return play(cwd, *words, code=2).mistake


class Running:
    """A run that goes on beside the test."""

    def __init__(self, cwd: Path, *words: str) -> None:
        self._process = subprocess.Popen(command("run", "quiet=true", *words), cwd=cwd, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, number: int) -> None:
        self._process.send_signal(number)

    def until(self, ready: Callable[[], bool]) -> None:
        """Waits until `ready()`, which must come before the run ends."""
        while not ready():
            assert self.alive, self.done()
            time.sleep(0.02)

    def kill(self) -> tuple[float, float]:
        """SIGKILL; the moments between which it came."""
        before = time.monotonic()
        self.send(signal.SIGKILL)
        self.done()
        return before, time.monotonic()

    def done(self) -> Done:
        """Waits for its end."""
        out, err = self._process.communicate(timeout=60)
        return Done(self._process.returncode, out, err)

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        if self.alive:
            self._process.kill()
        self._process.communicate()


def resume_of(done: Done) -> list[str]:
    """The words of the last `resume:` command that a run printed, without the interpreter."""
    words = shlex.split(re.findall(r"resume: (.*)", done.out)[-1])
    assert words[:4] == ["python", "-m", "agentharness", "run"]
    return words[4:]


def episodes(folder: Path, *, attempts: bool = False) -> list[JsonDict]:
    """The run's lines in the order of row and sample; every line is strict JSON."""
    for name in ("episodes.jsonl", "attempts.jsonl"):
        for raw in (folder / name).read_bytes().splitlines() if (folder / name).exists() else ():
            json.loads(raw.decode(), parse_constant=_no_constant)
    return sorted(read_episodes(folder, attempts=attempts), key=lambda line: (line["key"]["row"], line["key"]["sample"]))


def timeless(lines: list[JsonDict]) -> list[bytes]:
    """Canonical JSON of the lines without wall-clock values."""
    return [canon.dumps({k: v for k, v in line.items() if k != "clock"}) for line in lines]


def statuses(folder: Path) -> dict[str, str]:
    """Row -> status of the last line of its first sample; final lines win."""
    out = {line["key"]["row"]: line["status"] for line in read_episodes(folder, attempts=True) if line["key"]["sample"] == 0}
    return out | {line["key"]["row"]: line["status"] for line in read_episodes(folder) if line["key"]["sample"] == 0}


def shown(line: JsonDict) -> list[str]:
    """The text of each step of an episode line."""
    out = []
    for step in line["steps"]:
        content = line["messages"][step["message"]]["content"] if "message" in step else step["parts"]
        out.append(content if isinstance(content, str) else "".join(p.get("text", "") for p in content))
    return out


def table(done: Done) -> list[dict[str, str]]:
    """A line of the table for each cell: column title -> text. Titles are the words of the heading lines, joined; so is a cell that is wrapped."""
    lines = done.out.splitlines()
    rule = next(i for i, line in enumerate(lines) if re.fullmatch(r"-+(  -+)+", line))
    spans = [m.span() for m in re.finditer(r"-+", lines[rule])]
    heads = lines[next(i for i in range(rule, -1, -1) if lines[i].startswith("task")) : rule]
    names = ["".join(head[a:b].strip() for head in heads).replace("-", "") for a, b in spans]
    out: list[dict[str, str]] = []
    for line in lines[rule + 1 : next((i for i in range(rule, len(lines)) if not lines[i].strip()), len(lines))]:
        row = dict(zip(names, (line[a:b].strip() for a, b in spans), strict=True))
        if row["n"]:
            out.append(row)
        else:
            out[-1] = {name: text + row[name] for name, text in out[-1].items()}
    return out


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes files under a folder; the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


SUMS = """\
data: {{from: sums.jsonl, key: id}}
preset: qa
ask: "What is {{{{ row.a }}}} + {{{{ row.b }}}}?"
answer: total
reward: exact
licence: CC0-1.0
turns: 6
actions:
  add:
    description: Add two integers.
    args: {{a: integer, b: integer}}
    say: "{{{{ args.a + args.b }}}}"
{more}"""


def sums(cwd: Path, n: int = 4, more: str = "", name: str = "sums") -> Path:
    """Makes tasks/NAME: row i (id `ri`) asks for i + 2i, whose answer is 3i. A model that is steered by `calc` plays it right."""
    rows = "".join(json.dumps({"id": f"r{i:03}", "a": i, "b": 2 * i, "total": 3 * i}) + "\n" for i in range(n))
    return write(cwd / "tasks" / name, {"task.yaml": SUMS.format(more=more), "sums.jsonl": rows})


def _no_constant(name: str) -> Any:
    raise AssertionError(f"{name} is not strict JSON")
