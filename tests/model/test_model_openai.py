"""OpenAIModel over a fake transport and a fake clock: what is tried again, when, and how a call ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest

from agentharness.errors import EpisodeError, Truncated, UserError
from agentharness.model.openai_chat import OpenAIModel
from agentharness.model.retry import Policy
from agentharness.model.transport import HttpCall, HttpReply, TransportError
from agentharness.types.model import Message, Request

ASK = Request([Message({"role": "user", "content": "Hi"})])
GOOD = HttpReply(200, json.dumps({"id": "r1", "model": "m-1", "choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}).encode())
REFUSED = TransportError("connect", "connection refused")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp()


def status(code: int, message: str = "no", kind: str | None = None, **headers: str) -> HttpReply:
    return HttpReply(code, json.dumps({"error": {"message": message, "code": kind}}).encode(), {k.replace("_", "-"): v for k, v in headers.items()})


class Fake:
    """Gives the outcomes in order, the last one for ever; each answer takes `takes` seconds, a timeout all it may."""

    def __init__(self, *outcomes: HttpReply | TransportError, takes: float = 1.0) -> None:
        self.outcomes, self.takes, self.t = list(outcomes), takes, 100.0
        self.calls: list[HttpCall] = []
        self.slept: list[float] = []
        self.closed = False

    async def send(self, call: HttpCall) -> HttpReply:
        self.calls.append(call)
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        late = isinstance(outcome, TransportError) and outcome.kind == "timeout"
        self.t += call.timeout_s if late else self.takes
        if isinstance(outcome, TransportError):
            raise outcome
        return outcome

    async def close(self) -> None:
        self.closed = True

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.t += seconds

    def model(self, **more: Any) -> OpenAIModel:
        return OpenAIModel("m", base_url="http://h/v1", transport=self, sleep=self.sleep, clock=lambda: self.t, now=lambda: NOON, **more)


async def test_a_plain_call() -> None:
    fake = Fake(GOOD)
    model = fake.model(key="sk-1", headers={"X-Org": "o"}, sampling={"temperature": 0})
    reply = await model.complete(ASK)
    (call,) = fake.calls
    assert (call.method, call.url, call.timeout_s) == ("POST", "http://h/v1/chat/completions", 120.0)
    assert call.headers == {"content-type": "application/json", "x-org": "o", "authorization": "Bearer sk-1"}
    assert json.loads(call.body) == {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0}
    assert reply.message == {"role": "assistant", "content": "ok"}
    assert reply.clock == {"latency_s": 1.0, "sent": NOON, "server": "r1", "served": "m-1"}
    assert (model.counters.requests, model.counters.replies, model.counters.peak, model.counters.in_flight) == (1, 1, 1, 0)
    assert (model.name, model.identity()) == ("m", {"model": "m"})


@pytest.mark.parametrize("code", [408, 409, 425, 429, 500, 502, 503, 504, 529])
async def test_statuses_that_are_tried_again(code: int) -> None:
    fake = Fake(status(code), status(code), GOOD)
    model = fake.model()
    reply = await model.complete(ASK)
    assert (len(fake.calls), len(fake.slept), reply.clock["attempts"]) == (3, 2, 3)
    assert reply.clock["waited_s"] == pytest.approx(sum(fake.slept), abs=1e-4)
    assert reply.clock["latency_s"] == 1.0
    assert model.counters.retries == {str(code): 2}
    assert 0.25 <= fake.slept[0] <= 0.5 <= fake.slept[1] <= 1.0


async def test_a_server_without_trust_is_not_tried_again() -> None:
    fake = Fake(TransportError("tls", "no certificate"))
    with pytest.raises(EpisodeError, match=r"cannot reach .*try http://") as caught:
        await fake.model().complete(ASK)
    assert (len(fake.calls), caught.value.fatal) == (1, True)


@pytest.mark.parametrize("kind", ["timeout", "reset", "protocol", "connect", "dns"])
async def test_transport_trouble_is_tried_again(kind: Any) -> None:
    fake = Fake(TransportError(kind, "x"), GOOD)
    model = fake.model()
    assert (await model.complete(ASK)).clock["attempts"] == 2
    assert model.counters.retries == {kind: 1}


@pytest.mark.parametrize("code", [400, 405, 413, 422, 451])
async def test_refusals_end_the_episode_at_once(code: int) -> None:
    fake = Fake(status(code, "bad tools"))
    with pytest.raises(EpisodeError, match=rf"the server refuses the request \({code}\): bad tools") as caught:
        await fake.model().complete(ASK)
    assert (caught.value.cause, caught.value.fatal, len(fake.calls), fake.slept) == ("model", False, 1, [])


@pytest.mark.parametrize("code", [401, 403])
async def test_a_refused_key_ends_the_run_and_names_its_variable(code: int) -> None:
    fake = Fake(status(code, "Incorrect API key"))
    with pytest.raises(EpisodeError, match=r"set MY_KEY\. It says: Incorrect API key") as caught:
        await fake.model(key="sk-secret", key_name="MY_KEY").complete(ASK)
    assert caught.value.fatal
    assert "sk-secret" not in str(caught.value)
    assert len(fake.calls) == 1


@pytest.mark.parametrize("answer", [status(402, "pay"), status(429, "pay", "insufficient_quota")])
async def test_no_credit_ends_the_run(answer: HttpReply) -> None:
    with pytest.raises(EpisodeError, match="no credit left") as caught:
        await Fake(answer).model().complete(ASK)
    assert caught.value.fatal


async def test_a_redirect_ends_the_run() -> None:
    with pytest.raises(EpisodeError, match="points to https://h/v1/x: set base_url") as caught:
        await Fake(status(308, location="https://h/v1/x")).model().complete(ASK)
    assert caught.value.fatal


def models(*names: str) -> HttpReply:
    return HttpReply(200, json.dumps({"data": [{"id": n} for n in names]}).encode())


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (models("mm", "zebra"), r"the server has no model 'm' \(did you mean 'mm'\?\)"),
        (models("zebra"), r"the server has no model 'm' \(known: zebra\)"),
        (models("openai/m"), r"the server has no model 'm' \(its name there is 'openai/m'; after 'openai/' a name is sent as written\)"),
        (models("m"), r"the server lists the model 'm' but answers 404 \(nope\)"),
        (status(404), r"nothing answers at http://h/v1/chat/completions \(404: nope\)"),
        (HttpReply(200, b"<html>"), r"nothing answers at http://h/v1/chat/completions"),
        (TransportError("reset", "x"), r"nothing answers at http://h/v1/chat/completions"),
    ],
)
async def test_404_names_the_closest_model_and_asks_once(answer: HttpReply | TransportError, says: str) -> None:
    fake = Fake(status(404, "nope"), answer, status(404, "nope"))
    model = fake.model()
    for _ in range(2):
        with pytest.raises(EpisodeError, match=says) as caught:
            await model.complete(ASK)
        assert caught.value.fatal
    assert [(c.method, c.url) for c in fake.calls[1:]] == [("GET", "http://h/v1/models"), ("POST", "http://h/v1/chat/completions")]


@pytest.mark.parametrize(
    "text",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4900 in the messages, 100 in the completion).",
        "the request exceeds the available context size, try increasing it",
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "`inputs` tokens + `max_new_tokens` must be <= 4096",
        "Please reduce the length of the messages or completion.",
    ],
)
@pytest.mark.parametrize("code", [400, 422, 500])
async def test_a_prompt_too_long_is_truncated_context(text: str, code: int) -> None:
    fake = Fake(status(code, text))
    with pytest.raises(Truncated) as caught:
        await fake.model(sampling={"max_tokens": 100}).complete(ASK)
    assert (caught.value.by, len(fake.calls)) == ("context", 1)


async def test_context_length_by_code_alone() -> None:
    with pytest.raises(Truncated):
        await Fake(status(400, "no", "context_length_exceeded")).model().complete(ASK)


async def test_max_tokens_as_long_as_the_context_is_no_truncation() -> None:
    fake = Fake(status(400, "This model's maximum context length is 4096 tokens. However, you requested 4100 tokens."))
    with pytest.raises(EpisodeError, match="max_tokens=4096 leaves no room for a prompt: the model's context has 4096 tokens") as caught:
        await fake.model(sampling={"max_tokens": 4096}).complete(ASK)
    assert caught.value.fatal


@pytest.mark.parametrize(
    ("headers", "low"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after_ms": "250", "retry_after": "9"}, 0.25),
        ({"retry_after": format_datetime(datetime.fromtimestamp(NOON + 20, UTC), usegmt=True)}, 20.0),
        ({"retry_after": format_datetime(datetime.fromtimestamp(NOON - 20, UTC), usegmt=True)}, 0.0),
        ({"retry_after": "86400"}, 120.0),
    ],
)
async def test_retry_after_is_honoured(headers: dict[str, str], low: float) -> None:
    fake = Fake(status(429, **headers), GOOD)
    await fake.model().complete(ASK)
    assert low <= fake.slept[0] <= low + 0.5


@pytest.mark.parametrize("value", ["soon", "nan", "-inf2", "", "inf"])
async def test_an_unreadable_retry_after_is_passed_over(value: str) -> None:
    fake = Fake(status(429, retry_after=value), GOOD)
    await fake.model().complete(ASK)
    assert 0.25 <= fake.slept[0] <= 0.5


async def test_always_500_ends_after_a_bound_with_growing_jittered_waits() -> None:
    fake, other = Fake(status(500, "oops")), Fake(status(500, "oops"))
    model = fake.model(policy=Policy(cap_s=4))
    with pytest.raises(EpisodeError, match=r"gave up after 8 attempts in \d+\.\d s: 500: oops") as caught:
        await model.complete(ASK)
    assert not caught.value.fatal
    assert len(fake.calls) == 8
    for slept, most in zip(fake.slept, [0.5, 1, 2, 4, 4, 4, 4], strict=True):
        assert most / 2 <= slept <= most
    assert len({s / m for s, m in zip(fake.slept, [0.5, 1, 2, 4, 4, 4, 4], strict=True)}) == 7
    assert (model.counters.retries, model.counters.gave_up, model.counters.waiting) == ({"500": 8}, 1, 0)
    with pytest.raises(EpisodeError):
        await other.model(policy=Policy(cap_s=4)).complete(ASK)
    assert other.slept == fake.slept, "the jitter is derived, not drawn from a global generator"


async def test_a_call_is_bounded_by_its_time_too() -> None:
    fake = Fake(TransportError("timeout", "late"))
    with pytest.raises(EpisodeError, match=r"gave up after 3 attempts in 2.*timeout: late"):
        await fake.model(policy=Policy(attempt_s=100, call_s=250)).complete(ASK)
    assert [c.timeout_s for c in fake.calls[:2]] == [100, 100]
    assert fake.calls[2].timeout_s == pytest.approx(250 - 200 - sum(fake.slept[:2]))
    assert fake.t <= 100 + 250 + 1e-6


async def test_no_wait_that_outlives_the_call() -> None:
    fake = Fake(status(429, retry_after="100"))
    with pytest.raises(EpisodeError, match=r"gave up after 1 attempt in 1\.0 s: 429"):
        await fake.model(policy=Policy(call_s=60)).complete(ASK)
    assert fake.slept == []


async def test_a_server_never_reached_ends_the_run_soon() -> None:
    fake = Fake(REFUSED)
    with pytest.raises(EpisodeError, match=r"cannot reach http://h/v1: is the server running\? \(connection refused\)") as caught:
        await fake.model().complete(ASK)
    assert caught.value.fatal
    assert len(fake.calls) == 3


async def test_a_server_reached_before_may_come_back() -> None:
    fake = Fake(GOOD, *[REFUSED] * 5, GOOD, REFUSED)
    model = fake.model()
    await model.complete(ASK)
    assert (await model.complete(ASK)).clock["attempts"] == 6
    with pytest.raises(EpisodeError, match="gave up after 8 attempts") as caught:
        await model.complete(ASK)
    assert not caught.value.fatal


async def test_waits_are_entered_as_waiting_and_are_not_working_time() -> None:
    fake = Fake(status(503), status(503), GOOD)
    log: list[tuple[str, float]] = []

    @contextmanager
    def waiting() -> Iterator[None]:
        log.append(("wait", fake.t))
        yield
        log.append(("go on", fake.t))

    await fake.model().complete(ASK, limit_s=2.5, waiting=waiting)
    assert [w for w, _ in log] == ["wait", "go on"] * 2
    assert [log[1][1] - log[0][1], log[3][1] - log[2][1]] == pytest.approx(fake.slept)
    assert [c.timeout_s for c in fake.calls] == [2.5, 1.5, 0.5]


@pytest.mark.parametrize("limit", [0.0, -1.0])
async def test_no_time_left_sends_nothing(limit: float) -> None:
    fake = Fake(GOOD)
    with pytest.raises(Truncated) as caught:
        await fake.model().complete(ASK, limit_s=limit)
    assert (caught.value.by, fake.calls) == ("time", [])


async def test_the_episodes_limit_ends_an_attempt_as_truncated_time() -> None:
    fake = Fake(TransportError("timeout", "late"))
    model = fake.model()
    with pytest.raises(Truncated) as caught:
        await model.complete(ASK, limit_s=5)
    assert (caught.value.by, [c.timeout_s for c in fake.calls]) == ("time", [5])


async def test_the_limit_counts_over_attempts() -> None:
    fake = Fake(status(500), takes=2.0)
    with pytest.raises(Truncated) as caught:
        await fake.model().complete(ASK, limit_s=4)
    assert (caught.value.by, [c.timeout_s for c in fake.calls]) == ("time", [4, 2])


async def test_an_attempts_own_timeout_is_tried_again() -> None:
    fake = Fake(TransportError("timeout", "late"), GOOD)
    model = fake.model(policy=Policy(attempt_s=3))
    assert (await model.complete(ASK, limit_s=60)).clock["attempts"] == 2
    assert model.counters.retries == {"timeout": 1}


async def test_odd_bodies_are_tried_again() -> None:
    fake = Fake(HttpReply(200, b"<html>"), HttpReply(200, b'{"choices": []}'), HttpReply(200, b'{"error": {"code": 503}}'), GOOD)
    model = fake.model()
    await model.complete(ASK)
    assert model.counters.retries == {"not_json": 1, "no_choices": 1, "503": 1}


async def test_broken_arguments_are_mended_only_where_a_server_refuses_them() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": '}}
    good = {"id": "d", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    messages = [Message({"role": "assistant", "content": None, "tool_calls": [call, good]})]

    def arguments(call: HttpCall) -> list[str]:
        return [c["function"]["arguments"] for c in json.loads(call.body)["messages"][0]["tool_calls"]]

    lenient = Fake(GOOD)
    await lenient.model().complete(Request(messages))
    assert arguments(lenient.calls[0]) == ['{"a": ', '{"a":1}']
    strict = Fake(status(400, "bad JSON"), GOOD)
    model = strict.model()
    for _ in range(2):
        await model.complete(Request(messages))
    assert [arguments(c) for c in strict.calls] == [['{"a": ', '{"a":1}'], ["{}", '{"a":1}'], ["{}", '{"a":1}']]
    other = Fake(status(400, "bad tools"))
    with pytest.raises(EpisodeError, match="bad tools"):
        await other.model().complete(Request(messages))
    assert (len(other.calls), call["function"]) == (2, {"name": "f", "arguments": '{"a": '})


async def test_a_bug_is_no_trouble_of_the_model() -> None:
    class Broken(Fake):
        async def send(self, call: HttpCall) -> HttpReply:
            raise ZeroDivisionError

    model = Broken(GOOD).model()
    with pytest.raises(ZeroDivisionError):
        await model.complete(ASK)
    assert model.counters.in_flight == 0


@pytest.mark.parametrize("key", ["sk-1\nsk-2", "sk 1", "sk-é"])
def test_a_key_no_header_can_hold(key: str) -> None:
    with pytest.raises(UserError) as caught:
        Fake(GOOD).model(key=key)
    assert caught.value.where == "OPENAI_API_KEY"
    assert key not in caught.value.line()


@pytest.mark.parametrize("owned", [True, False])
async def test_close_closes_what_is_owned(owned: bool) -> None:
    fake = Fake(GOOD)
    await fake.model(owned=owned).close()
    assert fake.closed is owned
