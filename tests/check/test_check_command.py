"""`check` as a user meets it: the table, exit codes, resume, samples, fixes."""

from __future__ import annotations

import json
import re
from pathlib import Path

from checks import SOUND, checked, finding, letters, task
from harness import episodes, here

from agentharness.env.reading import read_task


def test_the_table_names_each_finding_and_the_exit_code_is_the_worst(tmp_path: Path) -> None:
    task(tmp_path)
    task(tmp_path, SOUND + "oracle: {then: {answer: {text: \"'nowhere'\"}}}\n", name="lost")
    good = here(tmp_path, "check", "task=letters", "quiet=true")
    assert good.out.splitlines()[0].startswith("letters: 40 rows · ")
    assert good.out.splitlines()[-1] == "letters: 1 yellow, 13 green"
    assert "\nsolvable     green   the oracle scores 1 on all 40 rows\n" in good.out
    assert "→ python -m agentharness lock task=letters\n" in good.out
    bad = here(tmp_path, "check", "task=letters,lost", "quiet=true", code=1)
    assert "\nsolvable     red     the oracle does not solve 40 of 40 rows; its mean is 0.000" in bad.out
    assert "rows r00 (0), r01 (0), r02 (0) and 37 more\n" in bad.out


def test_a_mistake_is_one_line_and_hides_no_other_task(tmp_path: Path) -> None:
    task(tmp_path)
    task(tmp_path, SOUND.replace("ask:", "asks:"), name="broken")
    assert here(tmp_path, "check", "task=broken", code=2).mistake.endswith("task.yaml:3:1: asks: unknown key (did you mean 'ask'?)")
    both = here(tmp_path, "check", "task=broken,letters", "quiet=true", code=2)
    assert both.err.startswith("error: broken: ")
    assert both.out.splitlines()[-1] == "letters: 1 yellow, 13 green"
    for words, said in {
        ("limt=3",): "unknown key 'limt' (did you mean 'limit'?)",
        ("limit=0",): "limit: must be at least 1, not 0",
        ("fix=yes",): "fix: must be true or false, not 'yes'",
        ("model=gpt",): "unknown key 'model'",
        ("agent=tools",): "unknown key 'agent'",
    }.items():
        assert here(tmp_path, "check", "task=letters", *words, code=2).mistake.startswith(said)
    assert here(tmp_path, "check", code=2).mistake == "task: is missing (write task=NAME)"
    assert "limit=N | all" in here(tmp_path, "check", "--help").out


def test_a_second_check_plays_nothing_again(tmp_path: Path) -> None:
    task(tmp_path)
    first = checked(tmp_path)
    runs = sorted((tmp_path / "results/check").glob("*/episodes.jsonl"))
    assert len(runs) == 9  # oracle, random, noop; '', yes, A, the commonest answer and all labels; the echo
    before = {path: path.read_bytes() for path in runs}
    second = checked(tmp_path)
    assert second.findings == first.findings
    assert {path: path.read_bytes() for path in runs} == before


def test_a_check_that_was_killed_goes_on(tmp_path: Path) -> None:
    task(tmp_path)
    whole = checked(tmp_path)
    oracle = next((tmp_path / "results/check").glob("letters-oracle-*"))
    lines = (oracle / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    (oracle / "episodes.jsonl").write_bytes(b"".join(lines[:11]) + lines[11][:50])  # the twelfth line was being written
    again = checked(tmp_path)
    assert again.findings == whole.findings
    assert (oracle / "episodes.jsonl").read_bytes().startswith(b"".join(lines[:11]))
    assert len({line["key"]["row"] for line in episodes(oracle)}) == 40


def test_an_edited_oracle_or_reward_is_played_anew(tmp_path: Path) -> None:
    task(tmp_path)
    assert finding(checked(tmp_path), "solvable").colour == "green"
    task(tmp_path, SOUND + "oracle: {then: {answer: {text: row.hint}}}\n")
    assert finding(checked(tmp_path), "solvable").colour == "red"
    task(tmp_path, SOUND.replace("exact", "contains"))
    report = checked(tmp_path)
    assert finding(report, "solvable").colour == "green"
    assert finding(report, "hackable").colour == "red"


def test_a_sample_is_said_seeded_and_nested(tmp_path: Path) -> None:
    task(tmp_path, rows=letters(90))
    out = here(tmp_path, "check", "task=letters", "limit=10", "quiet=true").out
    assert out.startswith("letters: 90 rows, 10 of them played (limit=all plays all) · ")
    oracle = next((tmp_path / "results/check").glob("letters-oracle-*"))
    ten = [line["key"]["row"] for line in episodes(oracle)]
    assert sorted(ten) == ten
    assert ten != [row["id"] for row in letters(10)]
    assert checked(tmp_path, limit=30).looked == 30
    thirty = [line["key"]["row"] for line in episodes(oracle)]
    assert set(ten) < set(thirty)
    assert len(thirty) == 30
    assert finding(checked(tmp_path, limit=10), "solvable").text == "the oracle scores 1 on all 10 rows"
    assert finding(checked(tmp_path, limit=None), "solvable").text == "the oracle scores 1 on all 90 rows"


def test_few_rows_are_played_more_often_by_chance(tmp_path: Path) -> None:
    task(tmp_path, rows=letters(4))
    assert finding(checked(tmp_path), "errors").text == "no error in 72 episodes"  # 4 by the oracle, 16 times 4 by chance, 4 by doing nothing


def test_the_plays_are_ordinary_runs_that_run_reads(tmp_path: Path) -> None:
    task(tmp_path)
    checked(tmp_path)
    for folder in (tmp_path / "results/check").iterdir():
        manifest = json.loads((folder / "manifest.json").read_bytes())
        assert manifest["config"]["out"] == str(folder.relative_to(tmp_path))
        again = here(tmp_path, "run", f"config={folder.relative_to(tmp_path)}/manifest.json", "quiet=true")
        assert " 40 " in again.out


def test_fix_writes_what_is_mechanical_and_keeps_the_rest(tmp_path: Path) -> None:
    more = 'actions: {walk: {do: [{set: {steps: vars.steps + 1}}]}}   # a step\nvars: {steps: "0"}\n'
    oracle = 'oracle: {each: "[1, 2, 3, 4, 5, 6]", move: {walk: {}}, then: {answer: {text: row.place}}}\n'
    yaml = SOUND.replace("licence: CC0-1.0\n", "").replace("turns: 5", "turns: 5   # enough?") + more + oracle
    folder = task(tmp_path, yaml)
    done = here(tmp_path, "check", "task=letters", "fix=true", "quiet=true")
    assert (folder / "task.yaml").read_text() == yaml.replace("turns: 5 ", "turns: 7 ") + "licence: private\n"
    assert "-turns: 5   # enough?\n+turns: 7   # enough?\n" in done.out
    assert "+licence: private\n" in done.out
    assert done.out.splitlines()[-1] == "letters: 1 yellow, 13 green"
    assert read_task(folder).spec.limits.turns == 7
    assert "@@" not in here(tmp_path, "check", "task=letters", "fix=true", "quiet=true").out
    assert sorted(p.name for p in folder.iterdir()) == ["rows.jsonl", "task.yaml"]


def test_fix_never_writes_a_lock(tmp_path: Path) -> None:
    folder = task(tmp_path, SOUND.replace("licence: CC0-1.0\n", ""))
    here(tmp_path, "lock", "task=letters")
    lock = (folder / "env.lock").read_bytes()
    done = here(tmp_path, "check", "task=letters", "fix=true", "quiet=true")
    assert (folder / "env.lock").read_bytes() == lock
    assert "python -m agentharness lock writes it anew" in done.out


def test_every_finding_is_explained_in_the_documents(tmp_path: Path) -> None:
    task(tmp_path)
    page = (Path(__file__).parents[2] / "docs/check.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert [name for name in explained if name not in ("edges", "split")] == [f.name for f in checked(tmp_path).findings]
    task(tmp_path, SOUND + "test: {share: 30%}\n")
    assert [name for name in explained if name != "edges"] == [f.name for f in checked(tmp_path).findings]
