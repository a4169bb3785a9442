"""The journal's promise inside one episode: recorded replies serve the same requests, and nothing is served past the first mismatch."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness import canon
from agentharness.errors import EpisodeError, Truncated
from agentharness.session.clock import Clock
from agentharness.session.outside import Outside, asker
from agentharness.session.seat import SessionSeat
from agentharness.types.episode import JournalEntry
from agentharness.types.model import Reply, Request
from agentharness.types.move import ActionSet, ActionSpec, Need

OPEN = ActionSet((ActionSpec("open", "", {"type": "object", "properties": {}}),))


class Memory:
    """A journal in a list: entries go through their line, as they do on disk."""

    def __init__(self) -> None:
        self.entries: list[JournalEntry] = []
        self.orphaned: list[tuple[str, int]] = []

    def record(self, entry: JournalEntry) -> None:
        self.entries.append(JournalEntry.from_json(canon.loads(entry.line())))

    def orphan(self, key_id: str, ordinal: int) -> int:
        self.orphaned.append((key_id, ordinal))
        return 1


class Echo:
    """A model that answers with the number of its call, and counts."""

    name = "echo"

    def __init__(self, **reply: Any) -> None:
        self.requests: list[Request] = []
        self._reply = reply

    def identity(self) -> dict[str, Any]:
        return {"model": "echo"}

    async def complete(self, request: Request, *, limit_s: float | None = None, waiting: Any = None) -> Reply:
        self.requests.append(request)
        n = len(self.requests)
        return Reply(
            {"role": "assistant", "content": f"reply {n}"}, "stop", {"prompt_tokens": 10, "completion_tokens": 2}, clock={"latency_s": 0.25}, **self._reply
        )

    async def close(self) -> None:
        """Nothing to free."""


def seat_with(model: Echo, journal: Memory, replay: list[JournalEntry], **options: Any) -> tuple[SessionSeat, Outside]:
    outside = Outside("key", 2, replay, journal)
    return SessionSeat(model, outside, Clock(None, None), seed=7, **options), outside


async def play(seat: SessionSeat, questions: list[str]) -> list[str]:
    said = []
    for question in questions:
        seat.transcript.add({"role": "user", "content": question})
        said.append((await seat.ask(OPEN)).message["content"])
    return said


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), st.integers(0, 5), st.integers(0, 5))
async def test_a_cut_journal_serves_its_part_and_the_rest_is_asked(questions: list[str], cut: int, change_at: int) -> None:
    journal, model = Memory(), Echo()
    first = await play(seat_with(model, journal, [])[0], questions)
    kept = journal.entries[:cut]
    asked = [*questions]
    if change_at < len(asked):
        asked[change_at] = "changed"
    again, later = Echo(), Memory()
    seat, outside = seat_with(again, later, kept)
    said = await play(seat, asked)
    served = min(cut, len(asked), change_at)
    assert outside.replayed == served
    assert len(again.requests) == len(asked) - served
    assert said[:served] == first[:served]
    assert outside.orphaned == max(0, min(cut, len(questions)) - served)
    assert later.orphaned == ([("key", served)] if outside.orphaned else [])
    assert [e.ordinal for e in later.entries] == list(range(served, len(asked)))
    assert seat.usage == {"prompt_tokens": 10 * len(asked), "completion_tokens": 2 * len(asked)}


async def test_replayed_calls_bring_their_recorded_time() -> None:
    journal = Memory()
    await play(seat_with(Echo(), journal, [])[0], ["a", "b"])
    clock = Clock(None, None)
    seat = SessionSeat(Echo(), Outside("key", 2, journal.entries, Memory()), clock, seed=7)
    await play(seat, ["a", "b"])
    assert 0.5 <= clock.seconds < 0.6
    assert [c["latency_s"] for c in seat.clocks] == [0.25, 0.25]


async def test_calls_point_into_the_table_of_messages() -> None:
    seat, _ = seat_with(Echo(), Memory(), [])
    await play(seat, ["a", "b"])
    assert [(c["reply"], c["finish"], "prompt" in c) for c in seat.calls] == [(1, "stop", False), (3, "stop", False)]
    assert [c["tools"] for c in seat.calls] == [OPEN.digest, OPEN.digest]
    seat.transcript.add({"role": "user", "content": "c"})
    seat.legal = OPEN
    await seat.ask(prompt=[[0, 1], [4, 5]])
    seat.unused()
    assert (seat.calls[2]["prompt"], seat.calls[2]["used"], seat.calls[2]["tools"]) == ([[0, 1], [4, 5]], False, None)
    await seat.ask(OPEN)
    assert "tools" not in seat.calls[3]


async def test_prompt_ids_are_kept_once_where_the_prefix_is_exact() -> None:
    seat, _ = seat_with(Echo(prompt_ids=[1, 2], completion_ids=[3], logprobs=[-0.5]), Memory(), [])
    await play(seat, ["a"])
    seat._model = Echo(prompt_ids=[1, 2, 3, 4], completion_ids=[5])
    await play(seat, ["b"])
    seat._model = Echo(prompt_ids=[9], completion_ids=[6])
    await play(seat, ["c"])
    assert [c["prompt_ids"] for c in seat.calls] == [{"new": [1, 2]}, {"extends": 0, "new": [4]}, {"new": [9]}]
    assert seat.calls[0]["logprobs"] == [-0.5]


async def test_request_seeds_are_derived_only_when_asked_for() -> None:
    model = Echo()
    seat, _ = seat_with(model, Memory(), [])
    await seat.ask()
    await seat.ask(seed=True)
    await seat.ask(seed=True)
    seeds = [r.sampling.get("seed") for r in model.requests]
    assert seeds[0] is None
    assert isinstance(seeds[1], int)
    assert seeds[1] != seeds[2]


async def test_the_token_limit_is_met_before_the_next_call_is_paid_for() -> None:
    model = Echo()
    seat, _ = seat_with(model, Memory(), [], tokens=20)
    await play(seat, ["a", "b"])
    with pytest.raises(Truncated, match="tokens"):
        await play(seat, ["c"])
    assert len(model.requests) == 2


async def test_an_agent_without_privilege_gets_no_oracle() -> None:
    seat, _ = seat_with(Echo(), Memory(), [])
    with pytest.raises(PermissionError):
        seat.oracle()


async def test_needs_share_the_journal_with_calls() -> None:
    journal = Memory()
    outside = Outside("key", 1, [], journal)
    asked = []

    async def respond(need: Need) -> str:
        asked.append(need)
        return "it hurts here"

    need = Need("patient", {"question": "where?"})
    assert await asker(outside, respond, Clock(None, None))(need) == "it hurts here"
    assert journal.entries[0].role == "patient"
    again = Outside("key", 2, journal.entries, Memory())
    assert await asker(again, None, Clock(None, None))(need) == "it hurts here"
    assert len(asked) == 1
    with pytest.raises(EpisodeError, match="responder"):
        await asker(again, None, Clock(None, None))(need)
