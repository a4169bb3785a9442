"""What models have said in episodes that still go on: a live line counts it before the first of them ends."""

from __future__ import annotations

from agentharness.session.ports import Journal
from agentharness.types.episode import Facts, JournalEntry


class Heard:
    """A journal that counts the tokens of the replies it takes, until their episode ends."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._open: dict[str, int] = {}
        self.tokens = 0
        """Of all episodes that go on; replies that are served from the journal are not counted again."""

    def record(self, entry: JournalEntry) -> None:
        """Writes one entry. Raises StoreFull."""
        self._journal.record(entry)
        usage = entry.reply.get("usage") if isinstance(entry.reply, dict) else None
        if usage:
            n = usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)
            self._open[entry.key] = self._open.get(entry.key, 0) + n
            self.tokens += n

    def orphan(self, key_id: str, ordinal: int) -> int:
        """See `Journal`."""
        return self._journal.orphan(key_id, ordinal)

    def ended(self, facts: Facts) -> None:
        """An episode's own line counts its tokens from here on."""
        self.tokens -= self._open.pop(facts.id, 0)
