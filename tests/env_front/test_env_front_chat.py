"""Preset chat: what its short keys say, and their mistakes."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.config.yaml import parse
from agentharness.env.expand import expand
from agentharness.errors import UserError

HEAD = "data: rows.jsonl\npreset: chat\n"


def long(text: str) -> dict[str, Any]:
    return expand(parse(HEAD + text, "task.yaml"))[0]


def test_its_defaults() -> None:
    out = long("")
    assert out["corpus"]["messages"] == {"from": "rows", "explode": "messages", "scope": "row", "key": "row"}
    assert out["columns"] == {"rows": {"messages": "gold"}}
    assert out["start"] == [{"goto": {"recorded": "messages"}}]
    assert out["trajectories"]["messages"]["match"] == {"say": {"any": ["text"]}}
    assert out["rewards"] == {"words": {"scorer": "per_turn", "of": "state.vars.said", "against": "row.messages", "options": {"by": "squad_f1"}}}
    assert (out["prose"], out["limits"], out["oracle"]) == ("answer", {"turns": 100, "state": 1048576}, {"recorded": "messages"})


def test_an_answer_is_scored_by_what_is_said_last() -> None:
    out = long("chat: {messages: talk.messages, likeness: anls}\nask: 'Teach {{ row.what }}.'\nanswer: result\nreward: numeric\nturns: 7\n")
    assert out["rewards"]["numeric"] == {"scorer": "numeric", "against": "row.result", "of": "state.vars.said | last"}
    assert out["rewards"]["words"] == {
        "scorer": "per_turn",
        "of": "state.vars.said",
        "against": "row.talk.messages",
        "options": {"by": "anls"},
        "weight": 0,
    }
    assert out["columns"]["rows"] == {"what": "public", "result": "gold", "talk.messages": "gold"}
    assert (out["observe"], out["limits"]) == ("Teach {{ row.what }}.", {"turns": 7, "state": 1048576})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("chat: {message: a}\n", r"`chat` has no key 'message' .did you mean 'messages'"),
        ("chat: [a]\n", "`chat` must be a mapping"),
        ("chat: {likeness: 3}\n", r"`chat.likeness` must be text"),
    ],
)
def test_mistakes(text: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        long(text)


def test_a_scorer_of_the_tasks_own_is_called_by_its_name() -> None:
    out = expand(parse("data: rows.jsonl\npreset: qa\nask: q\nanswer: a\nreward: {scorers.py:near: {weight: 2}}\n", "task.yaml"))[0]
    assert out["rewards"] == {"near": {"scorer": "scorers.py:near", "against": "row.a", "weight": 2}}
