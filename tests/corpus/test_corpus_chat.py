"""Chat and SFT records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentharness.corpus.load import Corpus, load
from agentharness.corpus.spec import Source, TableSpec
from agentharness.errors import UserError

DATA = (Path(__file__).parents[2] / "../shared/data").resolve()


def read(folder: Path, *rows: Any, **source: Any) -> Corpus:
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load({"rows": TableSpec(source=Source(file="a.jsonl", **source), key="row")}, {}, folder, root="rows")


def first(corpus: Corpus) -> dict[str, Any]:
    return next(row for _, _, row in corpus.tables["rows"])


def line(folder: Path, *rows: Any, **source: Any) -> str:
    with pytest.raises(UserError) as e:
        read(folder, *rows, **source)
    return e.value.line()


def test_sharegpt_becomes_messages(tmp_path: Path) -> None:
    talk = [
        {"from": "system", "value": "Be kind."},
        {"from": "human", "value": "Hi"},
        {"from": "gpt", "value": "Hello", "weight": 1},
        {"from": "observation", "value": "4"},
    ]
    found = read(tmp_path, {"id": 1, "conversations": talk}, {"id": 2, "conversations": None})
    assert first(found) == {
        "id": 1,
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello", "weight": 1},
            {"role": "tool", "content": "4"},
        ],
    }
    assert found.notes == ["a.jsonl: conversations is read as a conversation, into messages: role and content (chat: off leaves it)"]
    assert first(read(tmp_path, {"conversations": talk}, chat="off")) == {"conversations": talk}


def test_messages_stay_as_they_are(tmp_path: Path) -> None:
    call = {"role": "assistant", "tool_calls": [{"id": "1"}]}
    talk = [{"role": "user", "content": "Hi"}, call, {"role": "tool", "content": "x", "tool_call_id": "1"}]
    found = read(tmp_path, {"messages": talk, "prompt": "p", "response": "r"})
    assert first(found) == {"messages": talk, "prompt": "p", "response": "r"}
    assert found.notes == []
    odd = read(tmp_path, {"messages": [{"role": "Human", "content": "Hi"}]})
    assert first(odd) == {"messages": [{"role": "user", "content": "Hi"}]}
    assert len(odd.notes) == 1


def test_what_is_no_conversation_is_no_guess_but_a_declared_one_is_an_error(tmp_path: Path) -> None:
    for cell in ("text", [{"a": 1}], [{"from": "Rome", "value": "Oslo"}], [1]):
        assert first(read(tmp_path, {"conversations": cell})) == {"conversations": cell}
    assert line(tmp_path, {"t": [{"role": "user", "content": "x"}, {"role": "narrator", "content": "y"}]}, chat="t").startswith(
        "a.jsonl:1, t: message 1: 'narrator' is no role ("
    )
    assert "message 0: has no role" in line(tmp_path, {"t": [{"text": "x"}]}, chat="t")
    assert "message 0: has no content" in line(tmp_path, {"t": [{"role": "user"}]}, chat="t")
    assert "chat: names no column 'tt' (did you mean 't'?)" in line(tmp_path, {"t": []}, chat="tt")
    assert "is no conversation" in line(tmp_path, {"t": "x"}, chat="t")
    assert "has a column 'messages' beside 't'" in line(tmp_path, {"t": [], "messages": []}, chat="t")


def test_the_airlines_trajectories(tmp_path: Path) -> None:
    file = DATA / "tau_airline/gpt-4o-trajectories.json"
    if not file.is_file():
        pytest.skip("the shared data tau_airline is not on this machine")
    found = load({"rows": TableSpec(source=Source(file=str(file), chat="traj"), key=["task_id", "trial"])}, {}, tmp_path, root="rows")
    table = found.tables["rows"]
    assert len(table) == 200
    roles = [m["role"] for _, _, row in table for m in row["messages"]]
    assert {role: roles.count(role) for role in sorted(set(roles))} == {"assistant": 2454, "system": 200, "tool": 1164, "user": 1490}
    assert all("tool_call_id" in m for _, _, row in table for m in row["messages"] if m["role"] == "tool")
