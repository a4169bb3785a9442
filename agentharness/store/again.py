"""Final episodes that are to be played again: their lines move from episodes.jsonl to attempts.jsonl, so that none is lost and each key is final once."""

from __future__ import annotations

from pathlib import Path

from agentharness.store import disk
from agentharness.store.appender import Appender, plain, read_lines


def set_back(episodes: Path, attempts: Path, statuses: frozenset[str]) -> int:
    """Moves the lines with one of these statuses; how many. Call it before episodes.jsonl is opened for writing. Raises StoreFull.

    The lines are on disk in attempts.jsonl before they leave episodes.jsonl: a crash in between leaves them in both, where the final one counts.
    """
    moved = [raw for _, _, raw in read_lines(episodes) if plain(raw).get("status") in statuses] if statuses and episodes.exists() else []
    if not moved:
        return 0
    target = Appender(attempts)
    try:
        for raw in moved:
            target.append(raw)
        target.sync()
    finally:
        target.close()
    gone = set(moved)
    disk.write_atomic(episodes, b"".join(raw for _, _, raw in read_lines(episodes) if raw not in gone))
    return len(moved)
