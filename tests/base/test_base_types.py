"""Keys, statuses, journal lines, errors: the words of the record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentharness import canon
from agentharness.errors import UserError, closest
from agentharness.types.episode import Facts, JournalEntry, Key, final, retried, scored
from agentharness.types.model import Message, Reply, Request
from agentharness.types.move import ActionSet, ActionSpec

FIXTURES = Path(__file__).parents[1] / "fixtures"
KEY = Key("v1:aa", "row-1", 0, 2, "agent", 0)

STATUSES = [
    # status, final, scored, played again by a plain resume (DESIGN section 3)
    ("completed", True, True, False),
    ("truncated:turns", True, True, False),
    ("truncated:context", True, True, False),
    ("truncated:tokens", True, True, False),
    ("truncated:time", True, True, False),
    ("truncated:budget", True, True, False),
    ("truncated:run_budget", False, False, True),
    ("cancelled", False, False, True),
    ("error:model", False, False, True),
    ("error:store", False, False, True),
    ("error:responder", False, False, True),
    ("error:agent", True, False, False),
    ("error:env", False, False, False),
    ("error:layer", False, False, False),
    ("error:scorer", False, False, False),
]


@pytest.mark.parametrize(("status", "is_final", "is_scored", "again"), STATUSES)
def test_status_table(status: str, is_final: bool, is_scored: bool, again: bool) -> None:
    assert (final(status), scored(status), retried(status)) == (is_final, is_scored, again)


def test_key_id_holds_all_six_and_the_group_all_but_the_sample() -> None:
    changes: list[dict[str, Any]] = [{"world": "v1:ab"}, {"row": "row-2"}, {"seed": 1}, {"agent": "b"}, {"round": 1}]
    others = [replace(KEY, **change) for change in changes]
    assert len({k.id for k in [KEY, *others, replace(KEY, sample=3)]}) == 7
    assert Key("v1:aa", "row-1", 0, 9, "agent").group == KEY.group
    assert all(k.group != KEY.group for k in others)
    assert Key.from_json(KEY.to_json()) == KEY
    assert KEY.id == "0997335f41511f470187e09a6c46e4c8"


def test_journal_line_is_fixed() -> None:
    reply = Reply({"role": "assistant", "content": "4"}, "stop", {"prompt_tokens": 9, "completion_tokens": 1}, completion_ids=[4], clock={"latency_s": 0.5})
    entry = JournalEntry(KEY.id, 1, "policy", 0, "ab" * 32, reply.to_json(), reply.clock)
    assert entry.line() == (FIXTURES / "journal_entry.jsonl").read_bytes()
    back = JournalEntry.from_json(canon.loads(entry.line()))
    assert back == entry
    assert Reply.from_json(back.reply, back.clock) == reply


def test_facts_of_a_line_that_lacks_everything_optional() -> None:
    facts = Facts.from_line({"key": KEY.to_json(), "status": "error:model"})
    assert (facts.id, facts.row, facts.sample, facts.reward, facts.usage) == (KEY.id, "row-1", 2, None, {})


def test_facts_hold_the_errors_message() -> None:
    line = {"key": KEY.to_json(), "status": "error:model", "error": {"cause": "model", "message": "no page"}}
    assert Facts.from_line(line).error == "no page"
    assert Facts.from_line({"key": KEY.to_json(), "status": "completed", "reward": 1}).error == ""


@pytest.mark.parametrize("status", [*(s for s, *_ in STATUSES)])
def test_facts_know_every_status(status: str) -> None:
    assert Facts.from_line({"key": KEY.to_json(), "status": status}).status == status


@pytest.mark.parametrize(
    "bad",
    [
        {"reward": "1.0"},
        {"reward": True},
        {"reward": [1]},
        {"rewards": {"exact": "1"}},
        {"status": "done"},
        {"status": "error"},
        {"status": "error:"},
        {"status": "truncated:turns\n"},
        {"status": "error:a b"},
        {"status": 7},
        {"status": None},
    ],
)
def test_what_is_no_episode_line_has_no_facts(bad: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Facts.from_line({"key": KEY.to_json(), "status": "completed", "reward": 0.5} | bad)


def test_request_digest_covers_messages_tools_and_sampling() -> None:
    def message(content: object) -> Message:
        return Message({"role": "user", "content": content})

    tools = ActionSet((ActionSpec("open", "", {"type": "object", "properties": {}}),))
    image = {"type": "image", "asset": "00", "view": [], "size": [1, 1]}
    requests = [
        Request([message("a")]),
        Request([message("b")]),
        Request([message("a"), message("b")]),
        Request([message("ab")]),
        Request([message("a")], tools),
        Request([message("a")], None, {"temperature": 0}),
        Request([message([image])]),
        Request([message([{**image, "asset": "01"}])]),
    ]
    assert len({r.digest() for r in requests}) == len(requests)
    assert Request([message("a")]).digest() == requests[0].digest()


def test_user_error_is_one_line() -> None:
    assert UserError("is\nbad", where="a.yaml:1:2", hint="mend  it").line() == "a.yaml:1:2: is bad (mend it)"
    assert closest("limt", ["limit", "samples"]) == "did you mean 'limit'?"
    assert closest("zzz", ["limit", "samples"]) == "known: limit, samples"
