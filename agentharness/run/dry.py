"""`dry=true`: the plan, the resolved config, and what it would cost in calls and tokens."""

from __future__ import annotations

from itertools import islice
from typing import Any

import anyio

from agentharness import canon
from agentharness.config.run_config import RunConfig, to_config
from agentharness.run.cell import Cell
from agentharness.session.clock import Clock
from agentharness.session.outside import Outside, asker
from agentharness.session.play import Play
from agentharness.session.ports import NoJournal
from agentharness.types import part

LOOK = 8
"""Rows whose opening is measured for the estimate."""
CHARS_PER_TOKEN = 4
REPLY_TOKENS = 100
"""What one reply and its answer add to the history, at a guess."""


def describe(cells: list[Cell], config: RunConfig) -> str:
    """Text for the screen."""
    lines = [canon.dumps(to_config(config)).decode(), ""]
    for cell in cells:
        lines.append(f"{cell.task} · {cell.agent.name} · {cell.model_ref or 'no model'} -> {cell.folder}")
        lines.append(
            f"  world {cell.world.world[:15]} ({cell.world.locked}), rows {cell.total // config.samples} x samples {config.samples} = {cell.total} episodes"
        )
        if cell.agent.needs_model:
            calls, tokens = estimate(cell)
            lines.append(f"  at most {calls:,} calls and about {tokens:,} prompt tokens, if every episode uses all of its {cell.world.limits.turns} turns")
        else:
            lines.append("  no model calls")
    return "\n".join(lines)


def estimate(cell: Cell) -> tuple[int, int]:
    """(calls, prompt tokens) if every episode used all its turns: openings of the first rows, four characters a token, whole history each call."""
    opening = anyio.run(_openings, cell)
    turns = cell.world.limits.turns
    per_episode = turns * opening + REPLY_TOKENS * turns * (turns - 1) // 2
    return cell.total * turns, cell.total * per_episode


async def _openings(cell: Cell) -> int:
    sizes: list[int] = []
    for key in islice(cell.plan(), LOOK):
        clock = Clock(None, None)
        play = Play(cell.world, key.row, 0, asker(Outside(key.id, 0, [], NoJournal()), _silent, clock))
        seen = await play.reset()
        sizes.append((len(part.plain(seen.parts)) + len(seen.actions.wire)) // CHARS_PER_TOKEN)
        await play.close()
    return sum(sizes) // max(1, len(sizes))


async def _silent(need: Any) -> Any:
    return ""
