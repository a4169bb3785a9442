"""The running digest of a growing transcript is the digest of the request."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentharness.session.seat import Table
from agentharness.types.model import Message, Request
from agentharness.types.move import ActionSet, ActionSpec

TOOLS = ActionSet((ActionSpec("open", "", {"type": "object", "properties": {}}),))


@given(st.lists(st.text(max_size=3) | st.none(), max_size=8), st.sampled_from([None, TOOLS, ActionSet(())]), st.sampled_from([{}, {"seed": 1}, {"seed": 2}]))
def test_a_message_is_hashed_once_and_the_digest_is_the_request_s(said: list[str | None], tools: ActionSet | None, sampling: dict[str, int]) -> None:
    # None: a call is made here; the others are messages.
    table = Table()
    for text in [*said, None, None]:
        if text is not None:
            table.add({"role": "user", "content": text})
        else:
            assert table.digest(tools, dict(sampling)) == Request(table.messages.copy(), tools, dict(sampling)).digest()


def test_what_differs_has_another_digest() -> None:
    a, b = Message({"role": "user", "content": "a"}), Message({"role": "user", "content": "b"})
    requests = [
        Request([a, b]),
        Request([b, a]),
        Request([a]),
        Request([]),
        Request([a, b], TOOLS),
        Request([a, b], None, {"seed": 1}),
        Request([a, b], TOOLS, {"seed": 1}),
    ]
    assert len({r.digest() for r in requests}) == len(requests)
