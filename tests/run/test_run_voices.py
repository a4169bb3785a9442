"""Models that play roles inside a world: against a real server, journalled, resumed, and part of the world that is played."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from harness import Running, episodes, play, refused, resume_of, table, timeless, write
from spawn import Server, serve

TASK = """\
data: {from: rows.jsonl, key: id}
preset: qa
ask: q
answer: a
reward: exact
actions:
  ask:
    args: {question: string}
    suggest: {question: "['Where?', 'When?', 'How long?']"}
    do:
      - respond: {role: patient, to: args.question, prompt: "You are ill: {{ row.a }}."}
  answer: {when: t >= 3}
turns: 6
"""


def clinic(cwd: Path, text: str = TASK, n: int = 4) -> None:
    rows = "".join(json.dumps({"id": f"r{i}", "q": f"what has {i}?", "a": f"illness {i}"}) + "\n" for i in range(n))
    write(cwd / "tasks/clinic", {"task.yaml": text, "rows.jsonl": rows})


def test_a_model_plays_the_patient(tmp_path: Path, server: Server) -> None:
    clinic(tmp_path)
    before = server.stats()["requests"]
    words = ("task=clinic", "agent=random", "responder.patient=openai/echo", f"responder.patient.base_url={server.url}", "responder.patient.temperature=0.5")
    done = play(tmp_path, *words, "out=r")
    lines = episodes(tmp_path / "r")
    asked = [step for line in lines for step in line["steps"] if step.get("action") == "ask"]
    assert asked
    assert server.stats()["requests"] - before == len(asked)
    for step in asked:
        (answer,) = step["answers"]
        assert (answer["role"], answer["text"]) == ("patient", step["args"]["question"])
        assert step["parts"] == [{"type": "text", "text": answer["text"]}]
    for line in lines:
        used = [s["answers"][0]["usage"]["prompt_tokens"] for s in line["steps"] if s.get("action") == "ask"]
        assert line.get("usage_others", {}).get("patient", {}).get("prompt_tokens", 0) == sum(used)
        assert line["usage"] == {}
    body = server.last()["body"]
    assert body["messages"][0]["role"] == "system"
    assert body["messages"][0]["content"].startswith("You are ill: illness ")
    assert body["temperature"] == 0.5
    assert "tools" not in body
    manifest = json.loads((tmp_path / "r/manifest.json").read_bytes())
    assert manifest["responders"] == {"patient": {"model": "echo", "temperature": 0.5}}
    assert server.url not in json.dumps({k: v for k, v in manifest.items() if k not in ("config", "invocations")})
    before = server.stats()["requests"]
    assert table(play(tmp_path, *resume_of(done)))[0]["errors"] == "0"
    assert server.stats()["requests"] == before


def test_another_patient_is_another_world(tmp_path: Path, server: Server) -> None:
    clinic(tmp_path, TASK.replace('}."}', '}.", rule: "Hm."}'))
    words = ("task=clinic", "agent=noop", "limit=1")
    worlds = []
    for i, more in enumerate([(), ("responder.patient=echo",), ("responder.patient=say:no",), ("responder.patient=echo", "responder.patient.temperature=1")]):
        play(tmp_path, *words, *more, f"base_url={server.url}", f"out=r{i}")
        worlds.append(episodes(tmp_path / f"r{i}")[0]["key"]["world"])
    assert len(set(worlds)) == 4
    play(tmp_path, *words, "responder.patient=echo", "base_url=http://127.0.0.1:1/v1", "out=r1")  # where it lies is no part of it
    assert refused(tmp_path, *words, "responder.patient=say:no", f"base_url={server.url}", "out=r1").startswith("r1: ")


def test_no_answer_of_a_patient_is_asked_for_twice(tmp_path: Path) -> None:
    clinic(tmp_path, n=6)
    with serve("--latency-ms", "150") as server:
        words = ("task=clinic", "agent=random", "responder.patient=echo", f"base_url={server.url}", "concurrency=3", "out=r")
        with Running(tmp_path, *words) as running:
            running.until(lambda: server.stats()["ok"] >= 4)
            running.send(signal.SIGKILL)
            running.done()
        flight = 3
        play(tmp_path, *words)
        asked = sum(step.get("action") == "ask" for line in episodes(tmp_path / "r") for step in line["steps"])
        assert asked <= server.stats()["requests"] <= asked + flight
        play(tmp_path, *words[:-1], "out=once")
    assert timeless(episodes(tmp_path / "r")) == timeless(episodes(tmp_path / "once"))


def test_a_patient_that_fails_is_that_episodes_error(tmp_path: Path, server: Server) -> None:
    clinic(tmp_path)
    done = play(tmp_path, "task=clinic", "agent=random", "responder.patient=echo|fault-400", f"base_url={server.url}", "out=r", code=1)
    assert "responder" in table(done)[0]["errors"]
    failed = [line for line in episodes(tmp_path / "r", attempts=True) if line["status"] == "error:responder"]
    assert failed
    assert all("the server refuses the request (400)" in line["error"]["message"] for line in failed)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), "responder.patient: clinic has a patient that only a model can play (responder.patient=openai/NAME)"),
        (("responder.patinet=x",), "responder.patinet: no task has a role 'patinet' (did you mean 'patient'?)"),
        (("responder.patient=x",), "responder.patient: "),
        (("responder.patient.modle=x",), "unknown key 'responder.patient.modle' (did you mean 'responder.patient.model'?)"),
        (("responder.patient=x", "responder.patient.temperature=hot"), "responder.patient.temperature: must be a number, not 'hot'"),
        (("responder.patient.temperature=1",), "responder.patient.model: is missing"),
    ],
)
def test_mistakes_are_one_line(words: tuple[str, ...], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    clinic(tmp_path)
    assert refused(tmp_path, "task=clinic", "agent=random", *words).startswith(line)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("role: patient, ", "", "needs `role`"),
        ("role: patient", "role: The Patient", "role must be one word in small letters"),
        (', prompt: "You are ill: {{ row.a }}."', "", "does not say what answers"),
        ("prompt:", "promt:", "promt is no key of this verb (did you mean 'prompt'?)"),
        ('prompt: "You are ill: {{ row.a }}."', "recorded: {question: q}", "must say where answers stand: `in`"),
        ('prompt: "You are ill: {{ row.a }}."', "recorded: {in: row.a, match: near}", "match must be exact or nearest"),
        ('prompt: "You are ill: {{ row.a }}."', "recorded: {in: row.a, least: 2}", "least must be a number from 0 to 1"),
        ('prompt: "You are ill: {{ row.a }}."', 'rule: "{{ row.b }}"', "row has no field 'b'"),
        ("to: args.question", "to: args.question, into: heard", "there is no variable 'heard'"),
    ],
)
def test_a_wrong_respond_is_told_with_its_place(old: str, new: str, line: str, tmp_path: Path) -> None:
    clinic(tmp_path, TASK.replace(old, new))
    told = refused(tmp_path, "task=clinic", "agent=noop")
    assert told.startswith("tasks/clinic/task.yaml:") or told.startswith(f"{tmp_path}/tasks/clinic/task.yaml:")
    assert line in told
