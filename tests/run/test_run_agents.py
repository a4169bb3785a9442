"""Agents and scorers that fail: one episode's trouble is that episode's status, is counted by cause, and touches no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness import episodes, here, play, refused, statuses, sums, table, write

AGENT = '''\
"""An agent of the tests."""

import asyncio
from pathlib import Path

from agentharness.types.move import Action, Move


class Mine:
    """Answers with what the question's two numbers come to; does `trouble` where the first one is 2."""

    name, needs_model, privileged = "mine", False, False

    def __init__(self, options, folder):
        self.options = options

    def identity(self):
        return {"code": 1, **self.options}

    def sit(self, seat):
        return self

    async def act(self, observation):
        a, b = (int(word.rstrip("?")) for word in observation.parts[0]["text"].split() if word.rstrip("?").isdigit())
        if a == 2:
            trouble = self.options.get("trouble", "")
            if trouble == "group":
                raise ExceptionGroup("of two", [ValueError("v"), TypeError("t")])
            if trouble == "type":
                return "no move"
            if trouble == "cancel":
                raise asyncio.CancelledError
            if trouble == "interrupt":
                raise KeyboardInterrupt
            if trouble == "odd":
                return Move([Action(7, {"text": object()})])
            if trouble == "file" and not Path("broken").exists():
                trouble = ""
            if trouble == "secret":
                return self.seat.oracle()
            if trouble:
                raise ValueError("I do not add 2")
        return Move([Action("answer", {"text": str(a + b)})])


def make(options, folder):
    return Plain(options, folder) if options.get("trouble") == "plain" else Mine(options, folder)


class Plain(Mine):
    def act(self, observation):
        return Move([])


class Peeks(Mine):
    name = "peeks"

    def sit(self, seat):
        self.seat = seat
        return self
'''


def test_an_agent_of_ones_own_needs_trust(tmp_path: Path) -> None:
    sums(tmp_path, 4)
    write(tmp_path, {"mine.py": AGENT})
    assert (
        refused(tmp_path, "task=sums", "agent=mine.py:Mine")
        == "agent: agent 'mine.py:Mine' is code from outside this project (read it, then trust=true runs it)"
    )
    done = play(tmp_path, "task=sums", "agent=mine.py:Mine", "trust=true")
    assert (table(done)[0]["agent"], table(done)[0]["mean"]) == ("mine", "1.000")
    assert "agent mine.py has no" not in done.out
    # Under agents/ of the working folder it is the project's own.
    write(tmp_path, {"agents/mine/agent.py": AGENT})
    assert table(play(tmp_path, "task=sums", "agent=mine", "out=own"))[0]["mean"] == "1.000"
    assert refused(tmp_path, "task=sums", "agent=mine.py:Mein", "trust=true").endswith("mine.py: has no 'Mein' (did you mean 'Mine'?)")


@pytest.mark.parametrize(
    ("trouble", "message"), [("raise", "ValueError: I do not add 2 (agent.py:"), ("group", "ExceptionGroup: of two (2 sub-exceptions) (agent.py:")]
)
def test_an_agent_that_raises_fails_its_own_episode(trouble: str, message: str, tmp_path: Path) -> None:
    sums(tmp_path, 4)
    write(tmp_path, {"agents/mine/agent.py": AGENT})
    words = ("run", "quiet=true", "task=sums", "agent=mine", f"agent.trouble={trouble}")
    done = here(tmp_path, *words, "out=zero", code=1)
    assert (table(done)[0]["n"], table(done)[0]["mean"], table(done)[0]["errors"]) == ("3", "1.000", "1 agent")
    assert "! 1 ended by the agent's own error, not in n; counted as 0 the mean is 0.750" in done.out
    line = episodes(tmp_path / "zero")[2]
    assert (line["status"], line["reward"], line["error"]["cause"]) == ("error:agent", 0.0, "agent")
    assert line["error"]["message"].startswith(message)
    none = here(tmp_path, *words, "out=none", "agent_errors=none", code=1)
    assert "! 1 ended by the agent's own error, not in n (retry=agent plays them again)\n" in none.out
    assert episodes(tmp_path / "none")[2]["reward"] is None
    # It is final: the same command plays nothing.
    before = (tmp_path / "zero/episodes.jsonl").read_bytes()
    here(tmp_path, *words, "out=zero", code=1)
    assert (tmp_path / "zero/episodes.jsonl").read_bytes() == before


def test_only_a_privileged_agent_is_told_the_solution(tmp_path: Path) -> None:
    sums(tmp_path, 3)
    write(tmp_path, {"mine.py": AGENT})
    play(tmp_path, "task=sums", "agent=mine.py:Peeks", "agent.trouble=secret", "trust=true", "out=r", code=1)
    line = episodes(tmp_path / "r")[2]
    assert line["status"] == "error:agent"
    assert line["error"]["message"].startswith("PermissionError: only a privileged agent")


def test_an_agent_that_makes_no_move_fails_its_own_episode(tmp_path: Path) -> None:
    sums(tmp_path, 4)
    write(tmp_path, {"agents/mine/agent.py": AGENT})
    done = play(tmp_path, "task=sums", "agent=mine", "agent.trouble=type", "out=r", code=1)
    assert "Traceback" not in done.err
    assert statuses(tmp_path / "r") == {"r000": "completed", "r001": "completed", "r002": "error:agent", "r003": "completed"}


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("def make(options, folder):\n    raise KeyError('x')\n", "agent.py:2: KeyError: 'x'"),
        ("def make(options, folder)\n", "agent.py:1: SyntaxError: expected ':'"),
        ("import no_such_module_here\n", "agent.py:1: ModuleNotFoundError: No module named 'no_such_module_here'"),
        (
            "def make(options, folder):\n    return 7\n",
            "agent.py:make: makes a int without 'name' (an agent has name, needs_model, privileged, identity() and sit(seat))",
        ),
    ],
)
def test_an_agent_that_cannot_be_made_is_one_line(code: str, line: str, tmp_path: Path) -> None:
    sums(tmp_path, 1)
    write(tmp_path, {"agents/mine/agent.py": code})
    assert refused(tmp_path, "task=sums", "agent=mine").endswith(line)


REWARDS = "rewards: {exact: {scorer: exact, against: row.total}, ratio: {scorer: numeric, of: 'row.total', against: '6 // row.b', weight: 0}}\n"


def test_a_scorer_that_fails_on_one_row_leaves_the_others_scored(tmp_path: Path) -> None:
    sums(tmp_path, 5, more=REWARDS)
    done = play(tmp_path, "task=sums", "out=r", code=1)
    assert (table(done)[0]["n"], table(done)[0]["mean"], table(done)[0]["errors"]) == ("4", "1.000", "1 scorer")
    assert "! coverage 80 %: 4 of 5 episodes are scored" in done.out
    assert statuses(tmp_path / "r") == {"r000": "error:scorer", **{f"r{i:03}": "completed" for i in range(1, 5)}}
    (failed,) = (json.loads(raw) for raw in (tmp_path / "r/attempts.jsonl").read_bytes().splitlines())
    assert (failed["reward"], failed["rewards"], failed["error"]["cause"]) == (None, {}, "scorer")
    assert "ratio" in failed["error"]["message"]
    assert [line["rewards"]["ratio"] for line in episodes(tmp_path / "r")] == [1.0, 0.0, 0.0, 0.0]
    # It is played again only where that is asked for.
    play(tmp_path, "task=sums", "out=r", code=1)
    assert len((tmp_path / "r/attempts.jsonl").read_bytes().splitlines()) == 1
    play(tmp_path, "task=sums", "out=r", "retry=scorer", code=1)
    again = [json.loads(raw)["clock"].get("attempt", 1) for raw in (tmp_path / "r/attempts.jsonl").read_bytes().splitlines()]
    assert again == [1, 2]
    assert len(episodes(tmp_path / "r")) == 4


SHOUT = """\
  shout: {description: Shout., do: [{hook: shout}]}
oracle: {each: "[1]", move: {shout: {}}, then: {answer: {text: row.total}}}
"""
HOOK = """\
def shout(view, answers):
    if view["row"]["a"] == 1:
        raise RuntimeError("no voice")
    return [{"show": "HEY"}]
"""


def test_an_opening_that_fails_fails_its_own_episode(tmp_path: Path) -> None:
    task = sums(tmp_path, 3, more="start: [{hook: shout}]\n")
    write(task, {"hooks.py": HOOK})
    done = play(tmp_path, "task=sums", "out=r", code=1)
    assert (table(done)[0]["n"], table(done)[0]["mean"], table(done)[0]["errors"]) == ("2", "1.000", "1 env")
    assert statuses(tmp_path / "r") == {"r000": "completed", "r001": "error:env", "r002": "completed"}


def test_a_hook_that_raises_fails_its_own_episode(tmp_path: Path) -> None:
    task = sums(tmp_path, 3, more=SHOUT)
    write(task, {"hooks.py": HOOK})
    done = play(tmp_path, "task=sums", "out=r", code=1)
    assert (table(done)[0]["n"], table(done)[0]["errors"]) == ("2", "1 env")
    assert statuses(tmp_path / "r") == {"r000": "completed", "r001": "error:env", "r002": "completed"}
    (failed,) = (json.loads(raw) for raw in (tmp_path / "r/attempts.jsonl").read_bytes().splitlines())
    assert "no voice" in failed["error"]["message"]
    write(task, {"hooks.py": HOOK.replace("== 1", "== -1")})
    assert "world: " in refused(tmp_path, "task=sums", "out=r")


@pytest.mark.parametrize(
    ("trouble", "message", "n"),
    [
        ("cancel", "CancelledError:  (agent.py:", 1),
        ("interrupt", "KeyboardInterrupt:  (agent.py:", 1),
        ("odd", "a move holds what is no action: Action(name=7, ", 1),
        ("plain", "act must be async: `async def act(self, observation)`", 4),
    ],
)
def test_what_an_agents_code_lets_out_is_its_own_error(trouble: str, message: str, n: int, tmp_path: Path) -> None:
    sums(tmp_path, 4)
    write(tmp_path, {"agents/mine/agent.py": AGENT})
    done = here(tmp_path, "run", "quiet=true", "task=sums", "agent=mine", f"agent.trouble={trouble}", "out=r", code=1)
    assert (table(done)[0]["n"], table(done)[0]["errors"]) == (str(4 - n), f"{n} agent")
    assert episodes(tmp_path / "r")[2]["error"]["message"].startswith(message)


def test_an_agents_error_is_played_again_where_that_is_asked_for(tmp_path: Path) -> None:
    sums(tmp_path, 4)
    write(tmp_path, {"agents/mine/agent.py": AGENT, "broken": ""})
    words = ("task=sums", "agent=mine", "agent.trouble=file", "out=r")
    assert table(play(tmp_path, *words, code=1))[0]["errors"] == "1 agent"
    before = (tmp_path / "r/episodes.jsonl").read_bytes().splitlines()
    (tmp_path / "broken").unlink()
    assert table(play(tmp_path, *words, code=1))[0]["errors"] == "1 agent"
    done = play(tmp_path, *words, "retry=agent")
    assert (table(done)[0]["n"], table(done)[0]["mean"], table(done)[0]["errors"]) == ("4", "1.000", "0")
    assert "3 of 4 episodes were there already: the time is that of the others" in done.out
    after = (tmp_path / "r/episodes.jsonl").read_bytes().splitlines()
    failed = [line for line in before if b"error:agent" in line]
    assert [line for line in before if line not in failed] == after[:3]
    assert (tmp_path / "r/attempts.jsonl").read_bytes().splitlines() == failed
    assert episodes(tmp_path / "r")[2]["clock"]["attempt"] == 2
    assert "4 of 4 episodes were there already: nothing was played" in play(tmp_path, *words, "retry=agent").out
