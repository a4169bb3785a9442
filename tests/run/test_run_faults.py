"""Trouble with the model server: what passes is waited for, what does not ends the run in one line, and nothing that was played is lost."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from harness import episodes, play, refused, run, statuses, sums, table
from spawn import Server, serve


def test_refusals_that_pass_leave_clean_episodes_and_no_turn_is_played_twice(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 4)
    before = server.stats()
    done = run(tmp_path, "task=sums", "agent=tools", "model=calc|fault-429x1|fault-resetx2", f"base_url={server.url}", "out=r")
    assert (table(done)[0]["n"], table(done)[0]["mean"], table(done)[0]["errors"]) == ("4", "1.000", "0")
    after = server.stats()
    assert after["ok"] - before["ok"] == 4 * 2
    assert {kind: n - before["faults"].get(kind, 0) for kind, n in after["faults"].items()} == {"429": 8, "reset": 8}
    for line in episodes(tmp_path / "r"):
        assert [call["finish"] for call in line["calls"]] == ["tool_calls", "stop"]
        assert line["clock"]["calls"]["attempts"] == 3
        assert line["clock"]["waited_s"] > 0


def test_errors_that_stay_are_told_by_cause_and_only_they_are_played_again(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 4)
    words = ("task=sums", "agent=tools", "model=say:{sum}|fault-500x2", f"base_url={server.url}", "out=r")
    play(tmp_path, *words, "limit=2")
    done = run(tmp_path, *words, "timeouts.attempts=2", code=1)
    assert (table(done)[0]["n"], table(done)[0]["mean"], table(done)[0]["errors"]) == ("2", "1.000", "2 model")
    assert "! coverage 50 %: 2 of 4 episodes are scored" in done.out
    assert statuses(tmp_path / "r") == {"r000": "completed", "r001": "completed", "r002": "error:model", "r003": "error:model"}
    failed = [line for line in episodes(tmp_path / "r", attempts=True) if line["status"] == "error:model"]
    assert [(line["reward"], line["rewards"], line["error"]["cause"]) for line in failed] == [(None, {}, "model")] * 2
    assert all(line["error"]["message"].startswith("gave up after 2 attempts in ") for line in failed)
    before = server.stats()["requests"]
    done = play(tmp_path, *words, "timeouts.attempts=2")
    assert (table(done)[0]["n"], table(done)[0]["errors"]) == ("4", "0")
    assert server.stats()["requests"] - before == 2
    assert [line["clock"].get("attempt", 1) for line in episodes(tmp_path / "r")] == [1, 1, 2, 2]


def test_a_request_that_hangs_is_given_up_and_made_again(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 3)
    done = play(tmp_path, "task=sums", "agent=tools", "model=say:{sum}|fault-hangx1", f"base_url={server.url}", "timeouts.attempt=0.4", "out=r")
    assert table(done)[0]["mean"] == "1.000"
    assert [line["clock"]["calls"]["attempts"] for line in episodes(tmp_path / "r")] == [2, 2, 2]


def test_a_wrong_key_or_model_ends_the_run_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sums(tmp_path, 4)
    with serve("--key", "right-key", "--models", "say:0,calculator") as server:
        words = ("task=sums", "agent=tools", f"base_url={server.url}")
        monkeypatch.setenv("OPENAI_API_KEY", "right-key")
        play(tmp_path, *words, "model=say:0", "out=r", "limit=2")
        kept = (tmp_path / "r/episodes.jsonl").read_bytes()
        done = run(tmp_path, *words, "model=say:0", "out=r", code=2, env={"OPENAI_API_KEY": "wrong-key"})
        assert done.err.count("\n") == 1
        assert done.mistake == (
            "the server refuses the key (401): set OPENAI_API_KEY. It says: Incorrect API key provided. "
            "(all that was played is kept; to go on: python -m agentharness run config=r/manifest.json)"
        )
        assert table(done)[0]["n"] == "2"
        assert (tmp_path / "r/episodes.jsonl").read_bytes() == kept
        told = refused(tmp_path, *words, "model=calculater", "out=other")
        assert told.startswith("the server has no model 'calculater' (did you mean 'calculator'?)")
        assert table(play(tmp_path, *words, "model=say:0", "out=r"))[0]["n"] == "4"
        assert Counter(server.stats()["faults"]).keys() == {"401", "404"}
    # No key stands in any file of the run.
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and b"-key" in p.read_bytes()]


def test_a_server_that_is_not_there_ends_the_run_in_one_line(tmp_path: Path) -> None:
    sums(tmp_path, 3)
    done = run(tmp_path, "task=sums", "agent=tools", "model=m", "base_url=http://127.0.0.1:9/v1", "out=r", code=2)
    assert done.mistake.startswith("cannot reach http://127.0.0.1:9/v1: is the server running?")
    assert done.err.count("\n") == 1
    assert json.loads((tmp_path / "r/manifest.json").read_bytes())["env"]["rows"] == 3


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("agent=tools", "model: agent 'tools' needs a model (model=openai/NAME, with base_url=http://host:port/v1 for a server of your own)"),
        ("agent=tools model=m", "model: 'm' names no provider (openai/m, or base_url=URL for a server of your own)"),
        ("agent=tools model=openai/m key_env=NOT_SET_HERE", "model: openai/m needs a key (set NOT_SET_HERE, or base_url=URL for a server of your own)"),
        ("agent=tools model=m base_url=ftp://x", "base_url: must start with http:// or https:// and name a server"),
        (
            "agent=tools model=m base_url=http://k:s@h/v1",
            "base_url: must hold no key or password: they would be recorded; put the key into the variable that key_env names",
        ),
    ],
)
def test_a_model_that_cannot_be_asked_is_refused_before_the_run(words: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    sums(tmp_path, 1)
    assert refused(tmp_path, "task=sums", *words.split()) == line
    assert not (tmp_path / "results").exists()


def test_a_server_that_refuses_every_request_ends_the_run(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 60)
    words = ("task=sums", "agent=tools", f"base_url={server.url}", "concurrency=3")
    before = server.stats()["requests"]
    told = refused(tmp_path, *words, "model=say:{sum}|fault-400", "out=r")
    assert told.startswith("the first 20 episodes ended in an error of the model: the server refuses the request (400): ")
    assert 20 <= server.stats()["requests"] - before <= 23
    # One good episode before them, and the run goes on to its end.
    play(tmp_path, *words, "model=say:{sum}", "out=s", "limit=1")
    assert table(play(tmp_path, *words, "model=say:{sum}", "out=s"))[0]["n"] == "60"


def test_replies_that_are_cut_off_are_told(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 3)
    done = play(tmp_path, "task=sums", "agent=tools", "model=say:none|length", f"base_url={server.url}", "out=r")
    assert table(done)[0]["mean"] == "0.000"
    assert "! 3 replies were cut off at their token limit (agent.max_tokens, or the server's own)" in done.out
    assert "cut off" not in play(tmp_path, "task=sums", "agent=tools", "model=say:none", f"base_url={server.url}", "out=s").out
