"""Checks every task of the shelf on all its rows, and writes what came of it: `python scripts/full.py [data=FOLDER] [out=FILE] [runs=FOLDER] [task=NAME,…]`.

A task whose rows live on a hub, or that asks for a file, is played with the file of `data` that SOURCES names; where that is missing it is named and left out.
What is played is kept in `runs` (results/check), so that a run that was ended goes on. Exit: 0 nothing red, 1 something red.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from agentharness.check.finding import Report
from agentharness.check.main import check
from agentharness.cli.face import Terminal
from agentharness.config.args import split
from agentharness.config.run_config import Ref, RunConfig
from agentharness.env.reading import read_task
from agentharness.env.world import data_name
from agentharness.errors import UserError
from agentharness.plugins.find import find_task
from agentharness.types.part import JsonDict

ROOT = Path(__file__).parents[1]
SOURCES: dict[str, str] = {
    "agentclinic": "agentclinic/agentclinic_medqa.jsonl",
    "airline": "tau_airline",
    "airline_replay": "tau_airline/gpt-4o-trajectories.json",
    "bbh": "bbh/*.json",
    "countries": "countries/countries.json",
    "geolocate": "countries/countries.json",
    "gsm8k": "gsm8k/test.jsonl",
    "hotpotqa": "hotpotqa/hub_schema_100.json",
    "mediq": "mediq/all_dev_good.jsonl",
}
"""Task -> its rows under the data folder: a file, a folder of all its tables' files, or a pattern for several, each of which is a row of the table."""
BESIDE: dict[str, tuple[str, str]] = {"countries": ("flags", "flags/png100px")}
"""Task -> a table beside its rows, and the folder of pictures under the data folder that it is read from."""
HEAD = """\
# The shelf, checked

Made by `python scripts/full.py`: `check limit=all` over the real data of every task. What a finding means: [check.md](check.md).

| task | data | rows | licence | oracle | random | noop | findings |
|---|---|---|---|---|---|---|---|
"""


def main(words: list[str]) -> int:
    """Checks, writes, and says what is red."""
    said = split(words)
    data, out = Path(said.get("data", ROOT / "../shared/data")), Path(said.get("out", ROOT / "docs/shelf.md"))
    runs = said.get("runs", str(ROOT / "results/check"))
    names = said["task"].split(",") if "task" in said else sorted(path.parent.name for path in (ROOT / "tasks").glob("*/task.yaml"))
    face, lines, missing, red = Terminal(quiet=True), list[str](), list[str](), False
    for name in names:
        for source, shown in _sources(name, data):
            if shown is None:
                missing.append(f"- {name}: its rows are not here ({source})")
                continue
            try:
                report = check(name, _config(name, source, runs, data), face, limit=None)
            except UserError as e:
                missing.append(f"- {name}: {e.what}")
                continue
            lines.append(_line(report, shown))
            red = red or report.colour == "red"
            face.say(lines[-1])
    out.write_text(HEAD + "".join(f"{line}\n" for line in lines) + ("\nLeft out:\n\n" + "\n".join(missing) + "\n" if missing else ""), encoding="utf-8")
    face.say(f"{out}: {len(lines)} checked, {len(missing)} left out")
    return int(red)


def _sources(name: str, data: Path) -> Iterator[tuple[str, str | None]]:
    """(file, as the table names it) of each corpus of a task; ("", "own") for rows that the task brings; (what is missing, None) where there are none."""
    pattern = SOURCES.get(name)
    if pattern is not None:
        found = sorted(data.glob(pattern))
        yield from ((str(path), str(path.relative_to(data))) for path in found)
        if not found:
            yield pattern, None
        return
    found_task = find_task(name, ROOT, None)
    spec = read_task(found_task.folder, name=found_task.name).spec
    yield ("the hub's", None) if data_name(spec, None) == "hub" else ("", "own")


def _config(name: str, source: str, runs: str, data: Path) -> RunConfig:
    options: JsonDict = {}
    if name in BESIDE:
        table, folder = BESIDE[name]
        options = {"corpus": {table: {"source": {"images": str((data / folder).resolve())}}}}
    return RunConfig(task=Ref(names=(name,), options=options), source=source or None, quiet=True, tasks_root=str(ROOT / "tasks"), out=runs)


def _line(report: Report, data: str) -> str:
    means = [f"{value:.3f}" if (value := report.means.get(name)) is not None else "—" for name in ("oracle", "random", "noop")]
    found = [f"{f.colour}: {f.name}: {f.text}{f' (such as {f.rows[0]})' if f.rows else ''}" for f in report.findings if f.colour != "green"]
    cells = [report.task, data, f"{report.rows:,}", report.licence or "—", *means, "<br>".join(found) or "all green"]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
