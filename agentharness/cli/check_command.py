"""`check`: from words to findings, and a table of them."""

from __future__ import annotations

import shutil
import sys

from agentharness.check.finding import Finding, Report
from agentharness.check.fix import apply
from agentharness.check.main import check as check_task
from agentharness.cli.face import WIDTH, Terminal
from agentharness.config.args import parse, split
from agentharness.config.run_config import RunConfig
from agentharness.errors import UserError, closest
from agentharness.plugins.find import find_task
from agentharness.report.plain import Column, table
from agentharness.report.table import duration

KEYS = ("task", "limit", "data", "source", "rename", "seed", "fix", "out", "trust", "tasks_root", "quiet", "concurrency")

HELP = """\
agentharness check task=NAME[,NAME] [key=value …]

Plays a task with the agents that need no model, and says what is wrong with it: one finding a line, red ones first to mend. What was
played is kept in results/check/, so that a check that was ended goes on, and a second one is quick.

  limit=N | all       rows that are played, a seeded sample [200]
  data=NAME           which of the task's named data, such as demo
  source=FILE         file that replaces the task's source; rename.COLUMN=NAME as in `run`
  seed=N              what all draws and the sample derive from [0]
  fix=true            writes what is mechanical into task.yaml (licence, turns), and shows the diff
  out=FOLDER          where the plays are kept [results/check]
  trust=true          lets hooks and Python of a task outside the project run

Exit: 0 all green or yellow, 1 a red finding, 2 a mistake in what was asked, 130 interrupted.
"""

_COLUMNS = (Column("finding"), Column("colour"), Column("what, and what to do", least=40))


def check(words: list[str]) -> int:
    """Checks what the words name; the exit code. Raises UserError."""
    config, limit, fix = _asked(words)
    face = Terminal(quiet=config.quiet)
    code = 0
    for ref in config.task.names:
        try:
            report = check_task(ref, config, face, limit=limit)
            face.say(render(report))
            if fix and report.fixes:
                face.say(_fixed(ref, config, report))
                report = check_task(ref, config, face, limit=limit)
                face.say(render(report))
            code = max(code, int(report.colour == "red"))
        except UserError as e:
            if len(config.task.names) == 1:
                raise
            print(f"error: {ref}: {e.line()}", file=sys.stderr)  # one broken task hides no other
            code = 2
    return code


def render(report: Report, width: int | None = None) -> str:
    """The table of one task."""
    looked = "" if report.looked == report.rows else f", {report.looked:,} of them played (limit=all plays all)"
    data = f" · {report.data}" if report.data else ""
    head = f"{report.task}{data}: {report.rows:,} rows{looked} · {duration(report.seconds)}"
    rows = [[f.name, f.colour, _what(f)] for f in report.findings]
    counts = ", ".join(f"{n} {colour}" for colour in ("red", "yellow", "green") if (n := sum(f.colour == colour for f in report.findings)))
    return f"{head}\n{table(_COLUMNS, rows, width or _width())}\n{report.task}: {counts}"


def _what(finding: Finding) -> str:
    lines = [finding.text]
    if finding.rows:
        more = finding.count - len(finding.rows)
        lines.append(f"row{'s' if finding.count > 1 else ''} {', '.join(finding.rows)}{f' and {more:,} more' if more else ''}")
    if finding.todo:
        lines.append(f"→ {finding.todo}")
    return "\n".join(lines)


def _width() -> int:
    return min(140, shutil.get_terminal_size((WIDTH, 24)).columns) if sys.stdout.isatty() else WIDTH


def _fixed(ref: str, config: RunConfig, report: Report) -> str:
    from pathlib import Path

    if config.task.options:
        raise UserError("fixes the task as it stands", where="fix", hint="leave out task.…")
    found = find_task(ref, Path.cwd(), config.tasks_root)
    diff = apply(found.folder, report.fixes)
    locked = "\nenv.lock says what was before: python -m agentharness lock writes it anew" if (found.folder / "env.lock").exists() else ""
    return f"{diff.rstrip()}{locked}\n"


def _asked(words: list[str]) -> tuple[RunConfig, int | None, bool]:
    """The run's own keys as a config, the limit, and whether to fix."""
    from agentharness.check.subject import ROWS

    said = split(words)
    for key in said:
        if key.partition(".")[0] not in KEYS:
            raise UserError(f"unknown key {key!r}", hint=closest(key, KEYS))
    fix = said.get("fix", "false")
    if fix not in ("true", "false"):
        raise UserError(f"must be true or false, not {fix!r}", where="fix")
    kept = [word for word in words if not word.startswith("fix=") and word != "limit=all"]
    config = parse(kept)
    return config, None if said.get("limit") == "all" else config.limit or ROWS, fix == "true"
