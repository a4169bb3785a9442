"""Any server that speaks OpenAI's chat completions: api.openai.com, vLLM, SGLang, llama.cpp, Ollama, the gateways."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio

from agentharness import canon
from agentharness.errors import EpisodeError, UserError, closest
from agentharness.model import faults, reading
from agentharness.model.pictures import Picture, Pictures
from agentharness.model.retry import Call, Policy, Waiting
from agentharness.model.transport import HttpCall, Transport, TransportError
from agentharness.model.wire import Wire, broken
from agentharness.types.model import Reply, Request
from agentharness.types.part import JsonDict

NO_PICTURES: Mapping[bytes, bytes] = {}


@dataclass(slots=True)
class Counters:
    """What a model's client has done so far; read by the live display."""

    requests: int = 0
    """Attempts sent."""
    replies: int = 0
    """Calls answered."""
    retries: Counter[str] = field(default_factory=Counter)
    """Failed attempts after which another may succeed, by kind: "429", "500", "timeout", "connect", "reset", "not_json" …; counted as they fail, those of
    calls that are then given up too."""
    gave_up: int = 0
    """Calls that met a bound of the policy."""
    waiting: int = 0
    """Calls in a wait at this moment."""
    in_flight: int = 0
    peak: int = 0
    """Most attempts in flight at once."""


class OpenAIModel:
    """A Model over HTTP, shared by all sessions of a run. Calls never wait for one another.

    `sampling`: defaults for what a request does not set. `extra`: further body fields (`return_token_ids`, `chat_template_kwargs` …). `headers`: further HTTP
    headers. `key_name`: the variable that held `key`, for messages. `picture`: see `pictures.Picture`. `owned`: whether `close` closes the transport.
    Raises UserError for a key that no header can hold and for reserved fields.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        transport: Transport,
        key: str | None = None,
        key_name: str = "OPENAI_API_KEY",
        sampling: Mapping[str, Any] | None = None,
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        policy: Policy | None = None,
        picture: Picture | None = None,
        owned: bool = False,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.name, self.base_url, self.policy = name, base_url, policy or Policy()
        self.counters = Counters()
        self._key_name, self._transport, self._owned = key_name, transport, owned
        self._url = f"{base_url}/chat/completions"
        self._headers = _headers(key, key_name, headers)
        self._wire = Wire(name, sampling or {}, extra or {})
        self._pictures = Pictures(picture)
        self._sleep, self._clock, self._now = sleep, clock, now
        self._rng = random.Random(canon.derive_seed("backoff", name))
        self._reached = False
        self._mend = False
        self._asking = anyio.Lock()
        self._lost: str | None = None

    def identity(self) -> JsonDict:
        return {"model": self.name}

    async def complete(self, request: Request, *, limit_s: float | None = None, waiting: Waiting | None = None) -> Reply:
        pictures = NO_PICTURES
        for message in request.messages:
            if message.has_images:
                pictures = await self._pictures.gather(request.messages)
                break
        body = self._wire.body(request, pictures, mend=self._mend)
        seconds, begun = self.policy.first_s(limit_s), self._clock()
        try:
            try:
                reply = await self._send(body, request, pictures, seconds)
            except faults.Transient as first:
                call = Call(partial(self._send, body, request, pictures), self.policy, self._clock, limit_s, begun, first)
                reply = await self._again(call, waiting)
                reply.clock["attempts"], reply.clock["waited_s"] = call.attempts, round(call.waited_s, 4)
                begun = call.begun
        except faults.NotFound as missing:
            raise EpisodeError("model", await self._explain(str(missing)), fatal=True) from None
        self.counters.replies += 1
        reply.clock["latency_s"] = round(self._clock() - begun, 4)
        return reply

    async def close(self) -> None:
        if self._owned:
            await self._transport.close()

    async def _again(self, call: Call[Reply], waiting: Waiting | None) -> Reply:
        try:
            return await call.again(sleep=self._pause, rng=self._rng, waiting=waiting, reached=lambda: self._reached)
        except faults.Transient as last:
            self.counters.gave_up += 1
            raise call.gave_up(last, url=self.base_url, reached=self._reached) from None

    async def _pause(self, seconds: float) -> None:
        self.counters.waiting += 1
        try:
            await self._sleep(seconds)
        finally:
            self.counters.waiting -= 1

    async def _send(self, body: bytes, request: Request, pictures: Mapping[bytes, bytes], timeout_s: float) -> Reply:
        """One attempt. Raises Transient, NotFound, Truncated("context") or EpisodeError."""
        counters = self.counters
        counters.requests += 1
        counters.in_flight += 1
        if counters.in_flight > counters.peak:
            counters.peak = counters.in_flight
        sent = round(self._now(), 3)
        try:
            answer = await self._transport.send(HttpCall("POST", self._url, self._headers, body, timeout_s))
            self._reached = True
            if answer.status in (400, 422) and not self._mend and broken(request.messages):
                mended = self._wire.body(request, pictures, mend=True)
                answer = await self._transport.send(HttpCall("POST", self._url, self._headers, mended, timeout_s))
                self._mend = answer.status == 200
            if answer.status == 200:
                reply = reading.read(answer.body, lambda: self._wire.max_tokens(request))
                reply.clock["sent"] = sent
                return reply
            raise faults.of_status(answer, key_name=self._key_name, max_tokens=self._wire.max_tokens(request), now=self._now)
        except TransportError as error:
            counters.retries[error.kind] += 1
            raise faults.of_transport(error) from None
        except faults.Transient as failure:
            counters.retries[failure.kind] += 1
            raise
        finally:
            counters.in_flight -= 1

    async def _explain(self, message: str) -> str:
        """Why the server answers 404: it has no such model, or nothing at that path. Asks for the list of models once."""
        async with self._asking:
            if self._lost is None:
                self._lost = self._missing(await self._models(), message)
        return self._lost

    async def _models(self) -> list[str] | None:
        try:
            answer = await self._transport.send(HttpCall("GET", f"{self.base_url}/models", self._headers, b"", min(10.0, self.policy.attempt_s)))
            return [str(m["id"]) for m in canon.loads(answer.body)["data"]] if answer.status == 200 else None
        except (TransportError, ValueError, KeyError, TypeError):
            return None

    def _missing(self, models: list[str] | None, message: str) -> str:
        if models is None:
            path = "" if self.base_url.endswith("/v1") else ": should base_url end with /v1?"
            return f"nothing answers at {self._url} (404: {message}){path}"
        if self.name in models:
            return f"the server lists the model {self.name!r} but answers 404 ({message})"
        longer = next((m for m in models if m.endswith(f"/{self.name}")), None)
        hint = f"its name there is {longer!r}; after 'openai/' a name is sent as written" if longer else closest(self.name, models)
        return f"the server has no model {self.name!r} ({hint})"


def _headers(key: str | None, key_name: str, more: Mapping[str, str] | None) -> dict[str, str]:
    headers = {"content-type": "application/json", **{k.lower(): v for k, v in (more or {}).items()}}
    key = (key or "").strip()
    if key:
        if not key.isascii() or not key.isprintable() or " " in key:
            raise UserError("the key is not one word of plain letters", where=key_name, hint="was a line too much pasted?")
        headers["authorization"] = f"Bearer {key}"
    return headers
