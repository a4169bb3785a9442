"""A task with a setup in a run: its lines, its resume, and a voice that speaks before the agent starts."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from harness import Running, episodes, play, shown, table, timeless, write
from spawn import Server, serve

TASK = """\
data: {from: rows.jsonl, key: id}
preset: qa
ask: q
answer: a
reward: exact
columns: {rows: {before: hidden}}
actions:
  ask:
    args: {question: string}
    suggest: {question: "['Where?', 'When?']"}
    do:
      - respond: {role: patient, to: args.question, prompt: "You are ill: {{ row.a }}.", rule: "Hm."}
    cost: 1
setup: {play: row.before, show: true}
turns: 4
licence: CC0-1.0
"""


def clinic(cwd: Path, n: int = 4) -> None:
    before = [{"name": "ask", "args": {"question": "How are you?"}}]
    rows = "".join(json.dumps({"id": f"r{i}", "q": f"what has {i}?", "a": f"illness {i}", "before": before}) + "\n" for i in range(n))
    write(cwd / "tasks/clinic", {"task.yaml": TASK, "rows.jsonl": rows})


def test_the_line_tells_the_setup_from_what_the_agent_did(tmp_path: Path, server: Server) -> None:
    clinic(tmp_path)
    done = play(tmp_path, "task=clinic", "agent=oracle,noop", "out=r")
    assert [(r["agent"], r["mean"], r["turns"]) for r in table(done)] == [("oracle", "1.000", "1.0"), ("noop", "0.000", "4.0")]
    for line in episodes(tmp_path / "r/clinic-oracle"):
        assert line["env"]["layers"] == ["setup"]
        assert "cost" not in line
        assert (line["final_state"]["t"], line["metrics"]) == (1, {"turns": 1})
        assert [(s.get("action"), s.get("actor"), s["turn"]) for s in line["steps"]] == [(None, None, 0), ("ask", "setup", 0), ("answer", None, 1)]
    words = ("task=clinic", "agent=tools", "model=say:nothing", f"base_url={server.url}", "limit=1", "out=m")
    play(tmp_path, *words)
    (line,) = episodes(tmp_path / "m")
    opening = 'what has 0?\nask {"question":"How are you?"}\nHm.'
    assert line["messages"][1] == {"role": "user", "content": opening}
    assert shown(line)[:2] == [opening, "Hm."]


def test_a_run_with_a_setup_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    clinic(tmp_path, n=6)
    with serve("--latency-ms", "150") as server:
        words = ("task=clinic", "agent=random", "responder.patient=echo", f"base_url={server.url}", "concurrency=3", "out=r")
        with Running(tmp_path, *words) as running:
            running.until(lambda: server.stats()["ok"] >= 4)
            running.send(signal.SIGKILL)
            running.done()
        play(tmp_path, *words)
        asked = sum(step.get("action") == "ask" for line in episodes(tmp_path / "r") for step in line["steps"])
        assert asked >= 6
        assert asked <= server.stats()["requests"] <= asked + 3
        play(tmp_path, *words[:-2], "concurrency=1", "out=once")
    assert timeless(episodes(tmp_path / "r")) == timeless(episodes(tmp_path / "once"))
