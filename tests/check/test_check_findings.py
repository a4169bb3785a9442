"""Each check on a task that is broken on purpose; the sound task has no finding but the missing lock."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import here, write

from agentharness.check.finding import Finding
from agentharness.check.main import check
from agentharness.config.args import parse

TASK = "data: rows.jsonl\npreset: qa\nask: q\nanswer: a\nreward: exact\nlicence: CC0-1.0\n"
ROWS = [{"q": f"what is {i}?", "a": f"the {i}th thing"} for i in range(12)]
PAGES = (
    "data: rows.jsonl\npreset: pages\nask: q\nanswer: a\nreward: exact\nlicence: CC0-1.0\n"
    "documents: {from: docs, title: title, text: text}\ngold: [where]\nevidence: where\nturns: 2\n"
)


def task(cwd: Path, text: str = TASK, rows: list[dict[str, Any]] = ROWS, **files: str) -> Path:
    more = {name.replace("__", "."): body for name, body in files.items()}
    return write(cwd / "tasks/mine", {"task.yaml": text, "rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows), **more})


def findings(cwd: Path, *words: str, mend: bool = False, whole: bool = False) -> dict[str, Finding]:
    said: list[str] = []
    config = parse([f"task={cwd}/tasks/mine", f"out={cwd}/results", "trust=true", *words])
    _, found = check(config, config.task.names[0], whole=whole, mend=mend, say=said.append, cwd=cwd)
    return {f.check: f for f in found}


def bad(found: dict[str, Finding]) -> dict[str, str]:
    """Check -> colour, where it is not green; the lock apart."""
    return {name: f.colour for name, f in found.items() if f.colour != "green" and name != "lock"}


def test_a_sound_task_has_no_finding(tmp_path: Path) -> None:
    task(tmp_path)
    found = findings(tmp_path)
    assert bad(found) == {}
    assert list(found) == ["facts", "solvable", "noop", "random", "same", "leaks", "hackable", "rules", "turns", "state", "duplicates", "licence", "lock"]
    assert found["solvable"].what == "the oracle solves 12 rows"
    assert found["lock"].colour == "yellow"
    assert found["facts"].what == "text; rows: rows 12; columns: 1 public, 1 gold"
    assert found["turns"].what == "the oracle takes 1 turns at the median, 1 at most, of 20"


def test_an_oracle_that_is_wrong_or_missing(tmp_path: Path) -> None:
    task(tmp_path, TASK + "oracle: {then: {answer: {text: \"row.a if row.q != 'what is 3?' else 'no idea'\"}}}\n")
    found = findings(tmp_path)
    assert bad(found) == {"solvable": "red"}
    assert found["solvable"].what == "the oracle does not solve 1 of 12 rows"
    assert len(found["solvable"].rows) == 1
    task(tmp_path, TASK + "oracle: null\n")
    found = findings(tmp_path)
    assert bad(found) == {"solvable": "yellow", "random": "yellow", "turns": "yellow"}
    assert found["solvable"].what == "unknown: the task has no oracle"


def test_a_rule_that_fails(tmp_path: Path) -> None:
    task(tmp_path, TASK + 'actions: {answer: {do: [{set: {n: "1 / 0"}}, {end: args.text}]}}\nvars: {n: "0"}\n')
    found = findings(tmp_path)
    assert found["solvable"].colour == "red"
    assert found["solvable"].what.startswith("12 rows ended in an error: actions.answer: ")


def test_a_reward_that_needs_no_action(tmp_path: Path) -> None:
    text = TASK.replace("reward: exact\n", 'rewards: {free: {scorer: equal, of: state.cost, against: "0"}}\n')
    task(tmp_path, text)
    found = findings(tmp_path)
    assert {name: found[name].colour for name in ("noop", "random", "hackable")} == {"noop": "red", "random": "red", "hackable": "red"}
    assert found["noop"].what == "doing nothing scores on 12 rows"
    assert found["random"].what == "random play scores 1.000 (0.758 – 1.000), the oracle 1.000"


def test_a_hook_that_looks_at_the_clock(tmp_path: Path) -> None:
    hook = "import time\n\ndef tell(view, answers):\n    return [{'show': str(time.perf_counter_ns())}]\n"
    task(tmp_path, TASK + "actions: {tell: {do: [{hook: tell}]}}\n", hooks__py=hook)
    found = findings(tmp_path)
    assert bad(found) == {"same": "red"}
    assert found["same"].hint == "hooks must depend on their view alone: no clock, no global, no random"


def test_a_hook_that_tells_the_answer(tmp_path: Path) -> None:
    hook = (
        "import json\nfrom pathlib import Path\n\n"
        "ROWS = {r['q']: r for r in map(json.loads, Path(__file__).with_name('rows.jsonl').read_text().splitlines())}\n\n"
        "def peek(view, answers):\n    return [{'show': 'psst: ' + ROWS[view['row']['q']]['a']}]\n"
    )
    task(tmp_path, TASK + "actions: {peek: {do: [{hook: peek}]}}\nstart: [{hook: peek}]\n", hooks__py=hook)
    found = findings(tmp_path)
    assert found["leaks"].colour == "red"
    assert found["leaks"].what == "12 of 12 rows show their own gold, 0 that of another row"
    assert len(found["leaks"].rows) == 3


def test_labels_and_what_the_row_says_itself_are_no_leak(tmp_path: Path) -> None:
    rows = [{"q": f"is it {('north', 'south')[i % 2]}ern or not, {i}?", "a": ("northern", "southern")[i % 2]} for i in range(12)]
    task(tmp_path, TASK.replace("ask: q", "ask: \"{{ row.q }} One of: {{ labels | join(', ') }}\""), rows)
    assert findings(tmp_path)["leaks"].colour == "green"
    rows = [{"q": f"copy this: word{i}", "a": f"word{i}"} for i in range(12)]
    task(tmp_path, TASK, rows)
    assert findings(tmp_path)["leaks"].what == "0 of 12 rows show their own gold, 0 that of another row"


@pytest.mark.parametrize(
    ("reward", "answers", "colour", "part"),
    [
        ("contains", ["red", "blue", "green"], "red", "all answers at once scores 1.000"),
        ("exact", ["yes"], "red", "'yes' scores 1.000"),
        ("exact", ["red", "red", "red", "blue"], "yellow", "the commonest answer, 'red' scores 0.750"),
        ("exact", ["red", "blue", "green"], "green", "the best fixed answer scores 0.333"),
    ],
)
def test_one_answer_that_wins_everywhere(reward: str, answers: list[str], colour: str, part: str, tmp_path: Path) -> None:
    task(tmp_path, TASK.replace("exact", reward), [{"q": f"q{i}", "a": answers[i % len(answers)]} for i in range(12)])
    found = findings(tmp_path)["hackable"]
    assert (found.colour, found.what.startswith(part)) == (colour, True), found


def test_an_action_that_never_happens(tmp_path: Path) -> None:
    task(tmp_path, TASK + 'actions: {never: {when: "t > 99", do: [{end: "1"}]}}\n')
    found = findings(tmp_path)
    assert bad(found) == {"rules": "yellow"}
    assert found["rules"].what == "never carried out: never"


def test_too_few_turns_and_no_licence_are_mended(tmp_path: Path) -> None:
    rows = [
        {"q": f"who {i}?", "a": f"person number {i}", "where": ["A", "B"], "docs": [{"title": "A", "text": "x."}, {"title": "B", "text": "y."}]}
        for i in range(5)
    ]
    text = PAGES.replace("licence: CC0-1.0\n", "")
    folder = task(tmp_path, text, rows)
    found = findings(tmp_path)
    assert bad(found) == {"solvable": "red", "random": "red", "turns": "yellow", "licence": "yellow"}
    assert (found["solvable"].hint, found["licence"].what) == ("raise limits.turns (fix=true does)", "none")
    mended = findings(tmp_path, mend=True)
    assert {name for name in ("solvable", "turns", "licence") if mended[name].colour != "green"} == set()
    assert (folder / "task.yaml").read_text() == text.replace("turns: 2", "turns: 4") + "licence: private\n"


def test_states_that_come_near_their_size(tmp_path: Path) -> None:
    task(tmp_path, TASK + f"limits: {{state: 400}}\nvars: {{pad: \"'{'x' * 100}'\"}}\n")
    found = findings(tmp_path)
    assert bad(found) == {"state": "yellow"}
    assert found["state"].what.endswith("bytes of 400")


def test_rows_that_are_asked_twice(tmp_path: Path) -> None:
    task(tmp_path, TASK, [*ROWS, {"q": "what is 3?", "a": "another"}])
    found = findings(tmp_path)
    assert bad(found) == {"duplicates": "yellow"}
    assert found["duplicates"].what == "1 question with two different answers, each in a row of its own"
    task(tmp_path, TASK.replace("data: rows.jsonl", "data: {from: rows.jsonl, key: row}"), [*ROWS, ROWS[3]])
    assert findings(tmp_path)["duplicates"].what == "1 row with the question of another row"


def test_a_second_check_plays_nothing_again(tmp_path: Path) -> None:
    task(tmp_path)
    first = findings(tmp_path)
    before = {p: p.read_bytes() for p in tmp_path.glob("results/*/*/episodes.jsonl")}
    assert len(before) == 3
    assert findings(tmp_path) == first
    assert {p: p.read_bytes() for p in tmp_path.glob("results/*/*/episodes.jsonl")} == before
    assert findings(tmp_path, "limit=5")["solvable"].what == "the oracle solves 5 rows"


def test_the_command(tmp_path: Path) -> None:
    task(tmp_path)
    done = here(tmp_path, "check", "task=mine", "limit=all")
    assert done.out.splitlines()[0] == "mine: 12 of 12 rows"
    assert any(line.split()[:3] == ["ok", "solvable", "the"] for line in done.out.splitlines())
    done = here(tmp_path, "check", "task=mine", "limit=5")
    assert done.out.splitlines()[0] == "mine: 5 of 12 rows (limit=all plays all)"
    task(tmp_path, TASK.replace("exact", "contains"), [{"q": f"q{i}", "a": ("red", "blue")[i % 2]} for i in range(6)])
    assert "RED" in here(tmp_path, "check", "task=mine", code=1).out
    assert here(tmp_path, "check", "task=mine", "model=x", code=2).mistake == "model: check plays the baselines, without a model (leave model out)"
    assert here(tmp_path, "check", "task=mine", "fix=yes", code=2).mistake == "fix: must be true or false, not 'yes'"
    assert here(tmp_path, "check", "task=mime", code=2).mistake == "no task is named 'mime' (did you mean 'mine'?)"
