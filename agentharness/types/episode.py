"""The record: episode key, status, episode line and journal entry (DESIGN section 6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agentharness import canon
from agentharness.types.part import JsonDict

SCHEMA_VERSION = 1
MARK = "v1:"

_STATUS = re.compile(r"completed|cancelled|(?:truncated|error):[a-z_]+")


@dataclass(frozen=True)
class Key:
    """Says which episode: two with one key are the same episode, played again."""

    world: str
    row: str
    seed: int
    sample: int
    agent: str
    round: int = 0

    @cached_property
    def id(self) -> str:
        """32 hex digits over all six."""
        return canon.digest([self.world, self.row, self.seed, self.sample, self.agent, self.round])[:32]

    @cached_property
    def group(self) -> str:
        """16 hex digits over all but the sample: the episodes that a baseline is taken over."""
        return canon.digest([self.world, self.row, self.seed, self.agent, self.round])[:16]

    def to_json(self) -> JsonDict:
        return {"world": self.world, "row": self.row, "seed": self.seed, "sample": self.sample, "agent": self.agent, "round": self.round}

    @classmethod
    def from_json(cls, data: JsonDict) -> Key:
        return cls(data["world"], data["row"], data["seed"], data["sample"], data["agent"], data["round"])


def final(status: str) -> bool:
    """Whether an episode with this status is final: it enters episodes.jsonl and is not played again. All others enter attempts.jsonl."""
    return status == "completed" or (status.startswith("truncated:") and status != "truncated:run_budget") or status == "error:agent"


def scored(status: str) -> bool:
    """Whether an episode with this status counts in n."""
    return final(status) and status != "error:agent"


def retried(status: str) -> bool:
    """Whether a resume plays it again unasked; error:env, error:layer and error:scorer only with `retry=…`."""
    return not final(status) and status not in ("error:env", "error:layer", "error:scorer")


@dataclass(slots=True)
class Facts:
    """What resume, statistics and tables read of an episode line, attempts included."""

    id: str
    row: str
    sample: int
    status: str
    reward: float | None
    rewards: dict[str, float | None]
    metrics: dict[str, float]
    usage: dict[str, int]
    cost: float
    seconds: float
    slices: JsonDict
    error: str = ""
    """What the episode's error says; "" where it has none."""

    @classmethod
    def from_line(cls, line: JsonDict, key: Key | None = None) -> Facts:
        """Facts of an episode line; what the line lacks is empty. `key`: the line's, where it is at hand.

        Raises KeyError or TypeError for what is no episode line: no status of the status table, a reward that is neither a number nor null.
        """
        key = key or Key.from_json(line["key"])
        status, reward, rewards = line["status"], line.get("reward"), line.get("rewards") or {}
        if not _STATUS.fullmatch(status):
            raise TypeError(f"{status!r} is no status")
        for value in (reward, *rewards.values()):
            if value is not None and type(value) is not float and type(value) is not int:
                raise TypeError(f"a reward is {value!r}")
        return cls(
            key.id,
            key.row,
            key.sample,
            status,
            reward,
            rewards,
            line.get("metrics") or {},
            line.get("usage") or {},
            line.get("cost") or 0.0,
            (line.get("clock") or {}).get("seconds", 0.0),
            line.get("slices") or {},
            str(error.get("message") or "") if isinstance(error := line.get("error"), dict) else "",
        )


@dataclass(slots=True)
class JournalEntry:
    """One outside reply, written before the session goes on."""

    key: str
    """Key.id"""
    attempt: int
    role: str
    ordinal: int
    """Counts the episode's outside replies, all roles together, from 0."""
    request: str
    """Digest of the request: an entry serves only a request of the same digest."""
    reply: Any
    """JSON: Reply.to_json() of a model, the bare answer of a responder; to be written, canonical bytes as an orjson.Fragment will do in any place of it."""
    clock: JsonDict
    """Finite numbers and text."""
    finite: bool = False
    """Whether every float in the reply is known to be finite."""

    def line(self) -> bytes:
        return canon.dumps(
            {
                "key": self.key,
                "attempt": self.attempt,
                "role": self.role,
                "ordinal": self.ordinal,
                "request": self.request,
                "reply": self.reply,
                "clock": self.clock,
            },
            newline=True,
            finite=self.finite,
        )

    @classmethod
    def from_json(cls, data: JsonDict) -> JournalEntry:
        return cls(data["key"], data["attempt"], data["role"], data["ordinal"], data["request"], data["reply"], data.get("clock") or {})
