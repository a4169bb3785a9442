"""The agent's place in a session: its transcript, its calls, its counters."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import orjson

from agentharness import canon
from agentharness.errors import Bug, EpisodeError, Truncated
from agentharness.session.clock import Clock
from agentharness.session.outside import Outside
from agentharness.types.agent import Transcript
from agentharness.types.model import Message, Model, Reply, Request, request_digest
from agentharness.types.move import ActionSet, Move, Shown
from agentharness.types.part import JsonDict


class Table:
    """The messages of one session."""

    __slots__ = ("_hash", "_hashed", "messages")

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._hash = hashlib.sha256()
        self._hashed = 0

    def add(self, data: JsonDict, shown: Shown | None = None) -> int:
        """Appends a message; its index."""
        index = len(self.messages)
        self.messages.append(Message(data))
        if shown is not None:
            shown.message = index
        return index

    def digest(self, tools: ActionSet | None, sampling: JsonDict) -> str:
        """`Request.digest` of a request with all messages. Each message is hashed once, however many calls send it."""
        hashed = self._hash
        for message in self.messages[self._hashed :]:
            hashed.update(message.wire + b"\n")
        self._hashed = len(self.messages)
        return request_digest(hashed.copy(), tools, sampling)


class SessionSeat:
    """One agent's seat. See `types.agent.Seat`."""

    def __init__(
        self, model: Model | None, outside: Outside, clock: Clock, *, seed: int, tokens: int | None = None, plan: Callable[[], Move | None] | None = None
    ) -> None:
        self.seed = seed
        self._table = Table()
        self.transcript: Transcript = self._table
        self.calls: list[JsonDict] = []
        self.clocks: list[JsonDict] = []
        self.usage: dict[str, int] = {}
        self.metrics: dict[str, float] = {}
        self.turn = 0
        self.legal: ActionSet | None = None
        """What is legal in this turn: calls that send just this need not say so."""
        self.tools: dict[str, ActionSet] = {}
        self._model, self._outside, self._clock, self._tokens, self._plan = model, outside, clock, tokens, plan
        self._ids: list[int] | None = None

    async def ask(self, tools: ActionSet | None = None, *, prompt: list[list[int]] | None = None, role: str = "policy", **sampling: Any) -> Reply:
        """One call. `seed=True` in `sampling` sends a seed derived from the agent's and the call's ordinal."""
        if self._model is None:
            raise EpisodeError("agent", "the agent asks a model, and the run has none")
        if self._tokens is not None and self.usage.get("prompt_tokens", 0) + self.usage.get("completion_tokens", 0) >= self._tokens:
            raise Truncated("tokens")
        if sampling.get("seed") is True:
            sampling["seed"] = canon.derive_seed(self.seed, self._outside.ordinal)
        messages = self._table.messages
        if prompt is None:
            prompt = [[0, len(messages)]]
            request = Request(messages.copy(), tools, sampling)
            digest = self._table.digest(tools, sampling)
        else:
            request = Request([m for start, end in prompt for m in messages[start:end]], tools, sampling)
            digest = request.digest()
        entry = self._outside.served(role, digest)
        if entry is not None:
            reply = Reply.from_json(entry.reply, entry.clock)
            self._clock.spend(reply.clock.get("latency_s", 0.0))
            self.transcript.add(reply.message)
        else:
            self._clock.check()
            try:
                reply = await self._model.complete(request, waiting=self._clock.waiting)
            except (EpisodeError, Truncated):
                raise
            except Exception as e:
                raise Bug(f"the model client failed: {type(e).__name__}: {e}") from e
            self.transcript.add(reply.message)
            kept = reply.to_json()
            kept["message"] = orjson.Fragment(messages[-1].wire)
            self._outside.keep(role, digest, kept, reply.clock, finite=True)  # a reply was JSON
        self._note(reply, prompt, role, tools)
        return reply

    def unused(self) -> None:
        """Marks the last reply as not used."""
        if self.calls:
            self.calls[-1]["used"] = False

    def count(self, metric: str, n: float = 1) -> None:
        """Adds to a counted metric."""
        self.metrics[metric] = self.metrics.get(metric, 0) + n

    def oracle(self) -> Move | None:
        """The task's next move, for privileged agents."""
        if self._plan is None:
            raise PermissionError("only a privileged agent may ask for the task's own moves")
        return self._plan()

    def _note(self, reply: Reply, prompt: list[list[int]], role: str, tools: ActionSet | None) -> None:
        # What most calls share is left out: role `policy`, a prompt of all messages before the reply, the legal actions as tools.
        index = len(self.transcript.messages) - 1
        call: JsonDict = {"turn": self.turn + 1, "reply": index, "finish": reply.finish}
        if reply.finish == "length":
            self.count("cut_off")
        if role != "policy":
            call["role"] = role
        if prompt != [[0, index]]:
            call["prompt"] = prompt
        if tools is not self.legal:
            call["tools"] = tools.digest if tools is not None else None
            if tools is not None:
                self.tools[tools.digest] = tools
        if reply.usage:
            call["usage"] = reply.usage
            used = self.usage
            for name, n in reply.usage.items():
                used[name] = used.get(name, 0) + n
        if reply.reasoning is not None:
            call["reasoning"] = reply.reasoning
        if reply.completion_ids is not None and reply.prompt_ids is not None:
            call.update(self._tokens_of(reply))
        self.calls.append(call)
        self.clocks.append(reply.clock)

    def _tokens_of(self, reply: Reply) -> JsonDict:
        prompt, completion = reply.prompt_ids or [], reply.completion_ids or []
        before = self._ids
        self._ids = prompt + completion
        out: JsonDict = {"completion_ids": completion}
        # The prompt's ids are kept once: most prompts begin with all that the call before saw and sampled.
        if before is not None and prompt[: len(before)] == before:
            out["prompt_ids"] = {"extends": len(self.calls) - 1, "new": prompt[len(before) :]}
        else:
            out["prompt_ids"] = {"new": prompt}
        if reply.logprobs is not None:
            out["logprobs"] = reply.logprobs
        return out
