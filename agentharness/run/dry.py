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
from agentharness.session.seat import SessionSeat
from agentharness.types import part
from agentharness.types.model import Reply, Request
from agentharness.types.part import JsonDict

LOOK = 8
"""Rows whose first request is measured for the estimate."""
BYTES_PER_TOKEN = 4
PIXELS_PER_TOKEN = 750
REPLY_TOKENS = 100
ANSWER_TOKENS = 100
"""What one reply, and the answer to it, add to the history at a guess."""


def describe(cells: list[Cell], config: RunConfig) -> str:
    """Text for the screen."""
    lines = [canon.dumps(to_config(config)).decode(), ""]
    for cell in cells:
        lines.append(f"{cell.task} · {cell.agent.name} · {cell.model_ref or 'no model'} -> {cell.folder}")
        lines.append(
            f"  world {cell.played[:15]} ({cell.world.locked}), rows {cell.total // config.samples} x samples {config.samples} = {cell.total} episodes"
        )
        if cell.agent.needs_model:
            calls, tokens = estimate(cell)
            lines.append(f"  at most {calls:,} calls and about {tokens:,} prompt tokens, if every episode uses all of its {cell.world.limits.turns} turns")
        else:
            lines.append("  no model calls")
    return "\n".join(lines)


def estimate(cell: Cell) -> tuple[int, int]:
    """(calls at most, prompt tokens, about) if every episode used all of its turns, and every turn all the calls that the agent may make in one.

    An episode of `turns` turns has n = turns * `calls_per_turn` calls (an attribute of the agent, 1 where it has none). Each call sends the first request
    again, and what every call before it added: a reply (`max_tokens` where the agent has it in `sampling`, else 100) and an answer (as long as the first
    request, at most 100). So an episode has n * first + (reply + answer) * n * (n - 1) / 2 tokens. `first` is the longest of the first requests of a few rows,
    at four bytes a token, and 750 pixels.
    """
    first = anyio.run(_first, cell)
    n = cell.world.limits.turns * _whole(getattr(cell.agent, "calls_per_turn", None), 1)
    sampling = getattr(cell.agent, "sampling", None)
    reply = _whole(sampling.get("max_tokens") if isinstance(sampling, dict) else None, REPLY_TOKENS)
    growth = reply + min(first, ANSWER_TOKENS)
    return cell.total * n, cell.total * (n * first + growth * n * (n - 1) // 2)


def _whole(value: Any, default: int) -> int:
    return value if type(value) is int and value > 0 else default


class _Asked(BaseException):
    """An agent asks its model: its first request is known. No `except Exception` of an agent's stops it."""


class _Ear:
    """A model that hears a request and answers nothing."""

    name = "dry"
    tokens = 0

    def identity(self) -> JsonDict:
        return {}

    async def complete(self, request: Request, *, limit_s: float | None = None, waiting: Any = None) -> Reply:
        tools = len(request.tools.wire) if request.tools is not None else 0
        pixels = sum(p["size"][0] * p["size"][1] for m in request.messages if m.has_images for p in part.images(m.data["content"]))
        self.tokens = (sum(len(m.wire) for m in request.messages) + tools) // BYTES_PER_TOKEN + pixels // PIXELS_PER_TOKEN
        raise _Asked

    async def close(self) -> None:
        """Nothing is held."""


async def _first(cell: Cell) -> int:
    """Tokens of the longest first request."""
    longest = 0
    for key in islice(cell.plan(), LOOK):
        ear, clock = _Ear(), Clock(None, None)
        outside = Outside(key.id, 0, [], NoJournal())
        play = Play(cell.world, key.row, 0, asker(outside, _silent, clock))
        try:
            seen = await play.reset()
            longest = max(longest, (len(part.plain(seen.parts).encode("utf-8", "replace")) + len(seen.actions.wire)) // BYTES_PER_TOKEN)
            seat = SessionSeat(ear, outside, clock, seed=0)
            seat.legal = seen.actions
            await cell.agent.sit(seat).act(seen)
        except (_Asked, Exception):  # noqa: BLE001  (what fails here fails in its own episode, once it is played)
            longest = max(longest, ear.tokens)
        finally:
            await play.close()
    return longest


async def _silent(need: Any) -> Any:
    return ""
