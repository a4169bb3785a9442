"""agents/tools over a scripted model."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from agentharness.errors import UserError
from agentharness.types import part
from agentharness.types.model import Message, Reply
from agentharness.types.move import Action, ActionSet, ActionSpec, Move, Observation, Shown

FOLDER = Path(__file__).parents[2] / "agents" / "tools"
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
ACTIONS = ActionSet((ActionSpec("answer", "Ends it.", TEXT), ActionSpec("wait", "", {"type": "object", "properties": {}})))
IMAGE = {"type": "image", "asset": "a" * 64, "view": [], "size": [4, 4]}


def load() -> Any:
    found = importlib.util.spec_from_file_location("agents_tools_under_test", FOLDER / "agent.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


make = load().make


class Transcript:
    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.shown: list[Shown | None] = []

    def add(self, data: dict[str, Any], shown: Shown | None = None) -> int:
        self.messages.append(Message(data))
        self.shown.append(shown)
        return len(self.messages) - 1


class Seat:
    """Plays a script of replies; notes what each call was sent."""

    def __init__(self, *script: dict[str, Any]) -> None:
        self.seed, self.transcript, self.script = 1, Transcript(), list(script)
        self.sent: list[tuple[ActionSet | None, dict[str, Any]]] = []
        self.unused_at: list[int] = []
        self.metrics: dict[str, float] = {}

    async def ask(self, tools: ActionSet | None = None, *, prompt: Any = None, role: str = "policy", **sampling: Any) -> Reply:
        self.sent.append((tools, sampling))
        message = {"role": "assistant", "content": None, **self.script.pop(0)}
        self.transcript.add(message)
        return Reply(message, "stop")

    def unused(self) -> None:
        self.unused_at.append(len(self.transcript.messages) - 1)

    def count(self, metric: str, n: float = 1) -> None:
        self.metrics[metric] = self.metrics.get(metric, 0) + n

    def oracle(self) -> Move | None:
        raise PermissionError

    @property
    def chat(self) -> list[tuple[str, Any]]:
        return [(m.data["role"], m.data.get("content")) for m in self.transcript.messages]


def calls(*items: tuple[str, str, str]) -> dict[str, Any]:
    return {"tool_calls": [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in items]}


def opening(*parts: part.Part, actions: ActionSet = ACTIONS) -> Observation:
    return Observation([Shown(list(parts) or [part.text("Question?")])], actions)


def answers(move: Move, *texts: str, more: list[Shown] | None = None, actions: ActionSet = ACTIONS) -> Observation:
    return Observation([Shown([part.text(t)], a) for t, a in zip(texts, move.actions, strict=False)] + (more or []), actions)


async def test_a_native_game() -> None:
    seat = Seat(calls(("a", "wait", "{}"), ("b", "wait", "")), {"content": "hm"}, calls(("c", "answer", '{"text": "x"}')))
    agent = make({"temperature": 0, "max_tokens": 9, "stop": ["\n"], "system": "Be brief."}, FOLDER)
    player = agent.sit(seat)
    first = opening()
    move = await player.act(first)
    assert [(a.name, a.id) for a in move.actions] == [("wait", "a"), ("wait", "b")]
    seen = answers(move, "one", "two", more=[Shown([part.text("Mind the time.")])])
    assert await player.act(seen) == Move([], "hm")
    nudge = Observation([Shown([part.text("Act!")])], ACTIONS)
    assert (await player.act(nudge)).actions[0].args == {"text": "x"}
    assert seat.chat == [
        ("system", "Be brief."),
        ("user", "Question?"),
        ("assistant", None),
        ("tool", "one"),
        ("tool", "two"),
        ("user", "Mind the time."),
        ("assistant", "hm"),
        ("user", "Act!"),
        ("assistant", None),
    ]
    assert [m.data.get("tool_call_id") for m in seat.transcript.messages[3:5]] == ["a", "b"]
    assert seat.transcript.shown == [None, first.shown[0], None, *seen.shown, None, nudge.shown[0], None]
    assert seat.sent == [(ACTIONS, {"max_tokens": 9, "temperature": 0, "stop": ["\n"]})] * 3


async def test_a_reply_that_cannot_be_read_is_asked_for_again() -> None:
    seat = Seat(calls(("a", "answer", '{}""'), ("b", "answer", "{")), calls(("c", "wait", "{}")))
    move = await make({}, FOLDER).sit(seat).act(opening())
    assert [a.name for a in move.actions] == ["wait"]
    assert (seat.unused_at, seat.metrics) == ([2], {"parse_retries": 1})
    roles = [m.data["role"] for m in seat.transcript.messages]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user", "assistant"]
    assert [m.data.get("tool_call_id") for m in seat.transcript.messages[3:5]] == ["a", "b"]
    assert "arguments are not JSON" in seat.chat[5][1]


@pytest.mark.parametrize("retries", [0, 2])
async def test_after_the_bound_the_move_carries_the_error(retries: int) -> None:
    seat = Seat(*[calls(("a", "answer", "{"))] * (retries + 1))
    player = make({"retries": retries}, FOLDER).sit(seat)
    move = await player.act(opening())
    assert move.actions[0].error is not None
    assert (move.actions[0].raw, move.actions[0].id) == ("{", "a")
    assert seat.metrics.get("parse_retries", 0) == retries == len(seat.unused_at)
    assert seat.script == []


async def test_a_mixed_reply_is_used() -> None:
    seat = Seat(calls(("a", "wait", "{"), ("b", "wait", "{}")))
    move = await make({}, FOLDER).sit(seat).act(opening())
    assert [a.error is None for a in move.actions] == [False, True]
    assert seat.metrics == {}


async def test_every_id_is_answered_even_where_the_env_did_not() -> None:
    seat = Seat(calls(("a", "wait", "{}"), ("b", "wait", "{}"), ("b", "wait", "{}")), {"content": ""})
    player = make({}, FOLDER).sit(seat)
    await player.act(opening())
    await player.act(Observation([Shown([part.text("only b")], Action("wait", {}, "b"))], ACTIONS))
    assert [(m.data["tool_call_id"], m.data["content"]) for m in seat.transcript.messages[3:6]] == [("a", "No answer."), ("b", "only b"), ("b", "No answer.")]


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"content": ""},
        {"content": None, "refusal": "no"},
        {"content": "la " * 5000},
        {"content": [{"type": "text", "text": "x"}]},
        {"tool_calls": None},
        {"tool_calls": [None]},
    ],
)
async def test_odd_replies_are_moves(reply: dict[str, Any]) -> None:
    seat = Seat(*[reply] * 6)
    player = make({}, FOLDER).sit(seat)
    for _ in range(2):
        move = await player.act(opening())
        assert all(a.error for a in move.actions)
    await player.act(Observation([], ACTIONS))
    assert seat.chat[-2 if not seat.metrics else -4] == ("user", "Go on with the next action.")


async def test_images_are_parts_of_the_message() -> None:
    blob = {"type": "blob", "mime": "audio/wav", "sha256": "b" * 64, "meta": {}}
    seat = Seat(calls(("a", "wait", "{}")), calls(("b", "wait", "{}")))
    player = make({}, FOLDER).sit(seat)
    move = await player.act(opening(part.text("Look:"), IMAGE))
    assert seat.chat[1] == ("user", [part.text("Look:"), IMAGE])
    assert seat.transcript.shown[1] is not None
    await player.act(Observation([Shown([IMAGE, blob], move.actions[0])], ACTIONS))
    assert seat.chat[3] == ("tool", [IMAGE, part.text("[blob]")])
    assert seat.transcript.shown[3] is None


async def test_parts_that_a_message_cannot_give_back_stay_in_the_record() -> None:
    seat = Seat({"content": "x"}, {"content": "x"})
    player = make({}, FOLDER).sit(seat)
    await player.act(opening(part.text("a"), part.text("b")))
    await player.act(Observation([Shown([part.text("c")]), Shown([part.text("d")])], ACTIONS))
    assert [c for r, c in seat.chat if r == "user"] == ["a\nb", "c\nd"]
    assert seat.transcript.shown == [None] * 5


def block(text: str) -> dict[str, Any]:
    return {"content": f"I do this.\n```json\n{text}\n```\nThe environment says: done."}


async def test_a_text_game() -> None:
    fewer = ActionSet(ACTIONS.specs[:1])
    seat = Seat({"content": "no block"}, block('{"action": "wait"}'), block('{"action": "answer", "args": {"text": "x"}}'))
    player = make({"protocol": "text", "system": ""}, FOLDER).sit(seat)
    move = await player.act(opening())
    assert [(a.name, a.id, a.raw) for a in move.actions] == [("wait", None, '{"action": "wait"}')]
    assert move.prose == "I do this."
    system = seat.chat[0][1]
    assert "- answer(text): Ends it.\n    text: string" in system
    assert '```json\n{"action": "answer", "args": {"text": "…"}}\n```' in system
    assert [r for r, _ in seat.chat] == ["system", "user", "assistant", "user", "assistant"]
    assert seat.unused_at == [2]
    await player.act(answers(move, "one", actions=fewer))
    assert seat.chat[5] == ("user", "one\nNo longer possible: wait")
    assert seat.transcript.shown[5] is None
    assert all(tools is None for tools, _ in seat.sent)


async def test_text_prose_after_the_bound_and_plain_answers() -> None:
    seat = Seat({"content": "Paris"}, {"content": "Paris"}, block('{"action": "wait"}'))
    player = make({"protocol": "text"}, FOLDER).sit(seat)
    assert await player.act(opening()) == Move([], "Paris")
    seen = Observation([Shown([part.text("Act!")])], ACTIONS)
    await player.act(seen)
    assert seat.transcript.shown[-2] is seen.shown[0]


async def test_no_tools_are_sent_where_there_are_none() -> None:
    seat = Seat({"content": "x"})
    await make({}, FOLDER).sit(seat).act(opening(actions=ActionSet(())))
    assert seat.sent[0][0] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protokol": "text"}, "did you mean 'protocol'"),
        ({"protocol": "xml"}, "native or text"),
        ({"retries": -1}, "retries cannot be -1"),
        ({"retries": None}, "retries cannot be None"),
        ({"max_tokens": 1.5}, "a whole number from 1"),
        ({"temperature": "hot"}, "temperature cannot be 'hot'"),
        ({"temperature": True}, "temperature cannot be True"),
        ({"top_p": float("nan")}, "top_p cannot be nan"),
        ({"seed": 1}, "seed cannot be 1"),
        ({"stop": 5}, "a text, or a list of texts"),
        ({"system": 5}, "system cannot be 5"),
        ({"system": "gone.txt"}, "cannot read the prompt gone.txt"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make(options, FOLDER)


def test_identity_holds_all_that_decides_a_request(tmp_path: Path) -> None:
    base = make({}, FOLDER).identity()
    assert base == make({"protocol": "native", "retries": 1}, FOLDER).identity()
    other: list[dict[str, Any]] = [{"protocol": "text"}, {"retries": 2}, {"temperature": 0}, {"seed": True}, {"system": "x"}, {"stop": "x"}]
    assert len({repr(make(o, FOLDER).identity()) for o in other} | {repr(base)}) == 7
    for path in FOLDER.glob("*.txt"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert make({}, tmp_path).identity() == base
    (tmp_path / "retry.txt").write_text("Again: {error}", encoding="utf-8")
    assert make({}, tmp_path).identity() != base
    assert str(tmp_path) not in repr(make({}, tmp_path).identity())


async def test_a_seed_is_sent_when_asked_for() -> None:
    seat = Seat({"content": "x"})
    await make({"seed": True}, FOLDER).sit(seat).act(opening())
    assert seat.sent[0][1] == {"seed": True}
