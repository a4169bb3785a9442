"""Replies from outside (models, responders): served from the journal while the episode follows its recorded path, journalled when new."""

from __future__ import annotations

from typing import Any

from agentharness import canon
from agentharness.errors import EpisodeError
from agentharness.session.clock import Clock
from agentharness.session.ports import Journal, Responder
from agentharness.types.episode import JournalEntry
from agentharness.types.move import Need
from agentharness.types.part import JsonDict


class Outside:
    """Counts an episode's outside replies, all roles together."""

    __slots__ = ("_attempt", "_entries", "_journal", "_key", "ordinal", "orphaned", "replayed")

    def __init__(self, key: str, attempt: int, entries: list[JournalEntry], journal: Journal) -> None:
        self._key, self._attempt, self._entries, self._journal = key, attempt, entries, journal
        self.ordinal = 0
        self.replayed = 0
        self.orphaned = 0

    def served(self, role: str, request: str) -> JournalEntry | None:
        """The recorded reply to this request, or None: from the first mismatch on nothing recorded is served."""
        if self.ordinal >= len(self._entries):
            return None
        entry = self._entries[self.ordinal]
        if entry.role == role and entry.request == request:
            self.ordinal += 1
            self.replayed += 1
            return entry
        self.orphaned = len(self._entries) - self.ordinal
        self._journal.orphan(self._key, self.ordinal)
        self._entries = self._entries[: self.ordinal]
        return None

    def keep(self, role: str, request: str, reply: Any, clock: JsonDict, *, finite: bool = False) -> None:
        """Journals a new reply; `finite`: its floats are known to be. Raises StoreFull."""
        self._journal.record(JournalEntry(self._key, self._attempt, role, self.ordinal, request, reply, clock, finite))
        self.ordinal += 1


def asker(outside: Outside, respond: Responder | None, clock: Clock) -> Any:
    """The `ask` of a base env: a Need is answered from the journal, else by the responder."""

    async def ask(need: Need) -> Any:
        request = canon.digest([need.role, need.request])
        entry = outside.served(need.role, request)
        if entry is not None:
            clock.spend(entry.clock.get("latency_s", 0.0))
            return entry.reply
        if respond is None:
            raise EpisodeError("responder", f"the world asks for a {need.role!r}, and the run has no responder")
        clock.check()
        before = clock.seconds
        try:
            reply = await respond(need)
        except EpisodeError as e:
            raise EpisodeError("responder", e.message, fatal=e.fatal) from e
        except Exception as e:
            raise EpisodeError("responder", f"{need.role}: {type(e).__name__}: {e}") from e
        outside.keep(need.role, request, reply, {"latency_s": round(clock.seconds - before, 6)})
        return reply

    return ask
