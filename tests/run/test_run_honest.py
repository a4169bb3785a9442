"""What a run says of itself: why episodes failed, what would cost how much at most, which agent played, and what was missing in the data."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness import ENV, Done, command, episodes, play, refused, resume_of, sums, table, write
from spawn import Server

from agentharness.run.heard import Heard
from agentharness.session.ports import NoJournal
from agentharness.types.episode import Facts, JournalEntry

AGENT = """\
from agentharness.types.move import Action, Move


class Mine:
    name, needs_model, privileged = "mine", False, False

    def __init__(self, options, folder):
        pass

    def identity(self):
        return {"code": 1}

    def sit(self, seat):
        return self

    async def act(self, observation):
        return Move([Action("answer", {"text": "3"})])


make = Mine
"""


def test_each_cause_says_its_commonest_message_below_the_table(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 4)
    words = ("task=sums", "agent=tools", "model=say:{sum}|fault-html", f"base_url={server.url}", "timeouts.attempts=2", "out=r")
    done = play(tmp_path, *words, code=1)
    (line,) = re.findall(r"^  (! 4 model: .*)$", done.out, re.MULTILINE)
    assert re.match(r"! 4 model: gave up after 2 attempts in \d+\.\d s: \w+: ", line)
    assert len(line) <= 160


def test_an_agents_own_error_is_said_too(tmp_path: Path) -> None:
    sums(tmp_path, 3)
    write(tmp_path, {"agents/mine/agent.py": AGENT.replace("return Move", "raise ValueError('I do not\\n add')\n        return Move")})
    for _ in range(2):  # played, then read from the folder
        done = play(tmp_path, "task=sums", "agent=mine", code=1)
        assert re.search(r"^  ! 3 agent: ValueError: I do not add \(agent\.py:\d+\)$", done.out, re.MULTILINE)
    (folder,) = (tmp_path / "results").iterdir()
    assert len(episodes(folder)) == 3


def test_an_edited_agent_is_another_agent(tmp_path: Path) -> None:
    sums(tmp_path, 2)
    write(tmp_path, {"agents/mine/agent.py": AGENT, "mine.py": AGENT})
    play(tmp_path, "task=sums", "agent=mine", "out=r")
    play(tmp_path, "task=sums", "agent=mine.py:Mine", "trust=true", "out=f")
    play(tmp_path, "task=sums", "agent=mine", "out=r")
    edited = AGENT.replace('"3"', '"4"')
    write(tmp_path, {"agents/mine/agent.py": edited, "mine.py": edited})
    assert "this folder holds another run: agent: " in refused(tmp_path, "task=sums", "agent=mine", "out=r")
    assert "this folder holds another run: agent: " in refused(tmp_path, "task=sums", "agent=mine.py:Mine", "trust=true", "out=f")
    write(tmp_path, {"agents/mine/agent.py": AGENT.replace('{"code": 1}', "[1]")})
    assert refused(tmp_path, "task=sums", "agent=mine").startswith(
        f"{tmp_path.resolve()}/agents/mine/agent.py:make: identity() of agent 'mine' gives list, not a dict"
    )


CSV = 'data: {from: d.csv, key: id}\npreset: qa\nask: "{{ row.q }}"\nanswer: a\nreward: exact\nlicence: private\n'


def test_a_gold_cell_is_compared_as_it_is_written(tmp_path: Path) -> None:
    write(tmp_path / "tasks/prices", {"task.yaml": CSV, "d.csv": "id,q,a\n1,How much?,3.50\n2,And this?,1.10\n"})
    done = play(tmp_path, "task=prices", "out=r")
    assert (table(done)[0]["n"], table(done)[0]["mean"]) == ("2", "1.000")
    assert [line["final_state"]["submission"] for line in episodes(tmp_path / "r")] == ["3.50", "1.10"]


def test_rows_without_an_answer_are_counted_once_at_load(tmp_path: Path) -> None:
    write(tmp_path / "tasks/prices", {"task.yaml": CSV, "d.csv": "id,q,a\n1,How much?,3.50\n2,And this?,\n3,And that?,\n"})
    done = play(tmp_path, "task=prices", "out=r", code=1)
    assert done.out.count("prices: 2 of 3 rows have no 'a', which rewards compare with: such rows cannot be answered right\n") == 1
    lines = episodes(tmp_path / "r")
    assert [line["status"] for line in lines] == ["completed", "truncated:turns", "truncated:turns"]
    assert lines[1]["final_state"].get("submission") is None
    write(tmp_path / "tasks/prices", {"d.csv": "id,q,a\n1,How much?,3.50\n"})
    assert "which rewards compare with" not in play(tmp_path, "task=prices", "out=s").out


def test_a_task_without_a_reward_plays_and_says_so(tmp_path: Path) -> None:
    write(tmp_path / "tasks/talk", {"task.yaml": CSV.replace("reward: exact\n", ""), "d.csv": "id,q,a\n1,Well?,yes\n2,So?,no\n"})
    done = play(tmp_path, "task=talk", "out=r")
    assert "  ! the task has no reward\n" in done.out
    assert "coverage" not in done.out
    assert [(line["status"], line["reward"]) for line in episodes(tmp_path / "r")] == [("completed", None)] * 2


def test_a_task_without_actions_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "tasks/talk", {"task.yaml": CSV.replace("preset: qa\n", ""), "d.csv": "id,q,a\n1,Well?,yes\n"})
    assert refused(tmp_path, "task=talk").endswith("task.yaml:1:1: the task has no actions (add `preset:`, or `actions:` of your own)")


def test_a_file_without_rows_is_told_by_the_key_that_names_it(tmp_path: Path) -> None:
    write(tmp_path / "tasks/talk", {"task.yaml": CSV, "d.csv": "id,q,a\n", "e.csv": "id,q,a\n"})
    assert refused(tmp_path, "task=talk").endswith("/tasks/talk/task.yaml:1:14: d.csv holds no rows (a table needs at least one)")
    assert refused(tmp_path, "task=talk", "source=tasks/talk/e.csv") == "tasks/talk/e.csv: holds no rows (a table needs at least one)"


@pytest.mark.parametrize("more", [(), ("agent.retries=0",), ("agent.protocol=text",), ("agent.max_tokens=50", "model=calc|badjson")])
def test_what_dry_says_is_no_underestimate(more: tuple[str, ...], tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 3)
    words = ["task=sums", "agent=tools", f"base_url={server.url}", *more]
    words += [] if any(word.startswith("model=") for word in more) else ["model=calc"]
    told = re.search(r"at most ([\d,]+) calls and about ([\d,]+) prompt tokens", play(tmp_path, *words, "dry=true").out)
    assert told is not None
    calls, tokens = (int(n.replace(",", "")) for n in told.groups())
    turns = 6
    assert calls == 3 * turns * (1 if "agent.retries=0" in more else 2)
    play(tmp_path, *words, "out=r")
    lines = episodes(tmp_path / "r")
    assert sum(len(line["calls"]) for line in lines) <= calls
    bytes_sent = sum(len(json.dumps(line["messages"][: call["reply"]])) for line in lines for call in line["calls"])
    assert bytes_sent / 4 <= tokens


def test_dry_of_a_task_whose_opening_fails_still_answers(tmp_path: Path, server: Server) -> None:
    task = sums(tmp_path, 2, more="start: [{hook: shout}]\n")
    write(task, {"hooks.py": "def shout(view, answers):\n    raise RuntimeError('no voice')\n"})
    done = play(tmp_path, "task=sums", "agent=tools", "model=calc", f"base_url={server.url}", "dry=true")
    assert "at most 24 calls" in done.out


def test_a_moved_folder_goes_on_where_it_lies(tmp_path: Path) -> None:
    sums(tmp_path, 4)
    play(tmp_path, "task=sums", "agent=random", "out=r", "limit=2")
    (tmp_path / "deep").mkdir()
    (tmp_path / "r").rename(tmp_path / "deep/moved")
    done = play(tmp_path, "config=deep/moved/manifest.json", "limit=4")
    assert done.out.splitlines()[0] == "deep/moved/"
    assert len(episodes(tmp_path / "deep/moved")) == 4
    assert not (tmp_path / "r").exists()
    assert resume_of(done) == ["config=deep/moved/manifest.json"]
    play(tmp_path / "deep/moved", "config=manifest.json", "limit=4")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["deep", "tasks"]


def test_what_only_one_command_wants_is_not_kept(tmp_path: Path) -> None:
    sums(tmp_path, 2)
    play(tmp_path, "task=sums", "out=r")
    play(tmp_path, "task=sums", "out=r", "fresh=true")
    config = json.loads((tmp_path / "r/manifest.json").read_bytes())["config"]
    assert not {"quiet", "dry", "fresh"} & config.keys()


def test_a_baselines_folder_of_a_grid_with_options_can_be_resumed(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 2)
    words = ("task=sums", "agent=oracle,tools", "agent.temperature=0.25", "model=calc", "model.top_k=4", f"base_url={server.url}", "out=grid")
    play(tmp_path, *words)
    done = play(tmp_path, "config=grid/sums-oracle/manifest.json")
    assert (table(done)[0]["agent"], table(done)[0]["n"]) == ("oracle", "2")


def test_options_of_a_model_that_nobody_asks_are_refused(tmp_path: Path) -> None:
    sums(tmp_path, 2)
    told = refused(tmp_path, "task=sums", "agent=oracle,random", "model.temperature=0")
    assert told == "model.temperature: there is no model to use it (the agents are oracle, random: leave it out, or add an agent that asks a model)"


REWARDS = "rewards: {exact: {scorer: exact, against: row.total}, ratio: {scorer: numeric, of: 'row.total', against: '6 // row.b', weight: 0}}\n"


def test_the_resume_line_says_how_to_play_errors_again(tmp_path: Path) -> None:
    sums(tmp_path, 3, more=REWARDS)
    done = play(tmp_path, "task=sums", "out=r", code=1)
    assert resume_of(done) == ["config=r/manifest.json", "retry=scorer"]
    assert done.out.count("resume: ") == 1
    again = play(tmp_path, *resume_of(done), code=1)
    attempts = [json.loads(raw)["clock"].get("attempt", 1) for raw in (tmp_path / "r/attempts.jsonl").read_bytes().splitlines()]
    assert attempts == [1, 2]
    assert resume_of(again) == resume_of(done)


def test_files_are_counted_for_the_sessions_that_there_are(tmp_path: Path) -> None:
    sums(tmp_path, 2)
    words = command("run", "quiet=true", "task=sums", "agent=tools", "model=m", "base_url=http://127.0.0.1:9/v1", "timeouts.attempts=1", "concurrency=2000")
    ended = subprocess.run(["sh", "-c", 'ulimit -n 500 && exec "$@"', "sh", *words], cwd=tmp_path, env=ENV, capture_output=True, text=True, check=False)
    assert Done(ended.returncode, ended.stdout, ended.stderr).mistake.startswith("cannot reach http://127.0.0.1:9/v1")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path / "tasks/talk", {"task.yaml": CSV})
    os.mkfifo(tmp_path / "tasks/talk/d.csv")
    assert refused(tmp_path, "task=talk") == f"{tmp_path}/tasks/talk/task.yaml:1:14: d.csv: is no regular file but a pipe (copy what it gives into a file)"


def test_tokens_are_heard_until_their_episode_ends() -> None:
    heard = Heard(NoJournal())
    for key, n in (("a", 10), ("a", 30), ("b", 5)):
        heard.record(JournalEntry(key, 1, "policy", 0, "", {"usage": {"prompt_tokens": n, "completion_tokens": 2}}, {}))
    heard.record(JournalEntry("b", 1, "user", 1, "", "an answer", {}))
    assert heard.tokens == 51
    heard.ended(Facts("a", "a", 0, "completed", 1.0, {}, {}, {}, 0.0, 0.0, {}))
    assert heard.tokens == 7
    heard.ended(Facts("c", "c", 0, "completed", 1.0, {}, {}, {}, 0.0, 0.0, {}))
    assert heard.tokens == 7


def test_the_live_line_moves_before_an_episode_ends(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 1)
    code = """
import sys
from agentharness.report import live
live.PLAIN_EVERY = 0.05
from agentharness.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
    words = ("run", "task=sums", "agent=tools", "model=calc|slow-400", f"base_url={server.url}", "out=r")
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=tmp_path, env=ENV, capture_output=True, text=True, check=True)
    assert re.search(r"^0/1 done · 1 in flight · mean — · 1 calls · [1-9]\d* tokens · 0 errors · ", done.stderr, re.MULTILINE), done.stderr


@pytest.mark.parametrize(("old", "new"), [('"reward":1.0', '"reward":"1.0"'), ('"reward":1.0', '"reward":true'), ('"status":"completed"', '"status":"done"')])
def test_a_line_that_no_run_wrote_is_corrupt_and_not_counted(old: str, new: str, tmp_path: Path) -> None:
    sums(tmp_path, 3)
    play(tmp_path, "task=sums", "out=r")
    file = tmp_path / "r/episodes.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    assert old in lines[1]
    file.write_text(lines[0] + lines[1].replace(old, new) + lines[2])
    assert refused(tmp_path, "task=sums", "out=r").startswith("r/episodes.jsonl:2: corrupt line (")
