"""What the page knows: all that was shown so far, and the actions that are legal now. Lives in the server's loop, and is touched nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import anyio

from agentharness import canon
from agentharness.corpus import regions
from agentharness.corpus.assets import Assets
from agentharness.types.episode import Facts
from agentharness.types.move import Action, ActionSet, Shown
from agentharness.types.part import JsonDict, Part

Take: TypeAlias = Callable[[Action | None], None]
"""Takes what the person does; None: the person stops."""


class Desk:
    """One run's page. Entries are appended and never change, so that a page that is loaded anew reads them from the start."""

    def __init__(self, assets: Assets, ending: frozenset[str]) -> None:
        """`ending`: actions that end an episode."""
        self.entries: list[JsonDict] = []
        self.pictures: dict[str, Part] = {}
        """Digest of what is shown -> the part."""
        self.turn = 0
        self.fetched = 0
        """Entries that a page has fetched."""
        self._assets, self._ending = assets, ending
        self._actions: list[JsonDict] = []
        self._take: Take | None = None
        self._changed, self._read = anyio.Event(), anyio.Event()
        self._played = 0
        self._open = False

    def begin(self) -> None:
        """An episode begins."""
        self._played += 1
        self._open = True
        self._add({"kind": "episode", "number": self._played})

    def offer(self, shown: Sequence[Shown], actions: ActionSet, take: Take) -> None:
        """Shows what a turn begins with, and waits for what the person does."""
        for one in shown:
            action = None if one.action is None else {"name": one.action.name, "args": one.action.args}
            self._add({"kind": "shown", "action": action, "parts": [self._part(part) for part in one.parts]})
        self._actions = [
            {"name": spec.name, "description": spec.description, "parameters": spec.parameters, "ends": spec.name in self._ending} for spec in actions.specs
        ]
        self.turn += 1
        self._take = take
        self._wake()

    def act(self, turn: int, action: Action | None) -> bool:
        """The person acts (None: stops); False where the turn is over already, or has not come."""
        if self._take is None or (action is not None and turn != self.turn):
            return False
        take, self._take = self._take, None
        take(action)
        self._wake()
        return True

    def end(self, facts: Facts) -> None:
        """The episode under way has ended; one that was played another time is not shown."""
        if self._open:
            self._open, self._take = False, None
            self._add({"kind": "end", "status": facts.status, "reward": facts.reward, "rewards": facts.rewards, "error": facts.error})

    def close(self, words: str) -> None:
        """The run is over."""
        self._take = None
        self._add({"kind": "over", "words": words})

    async def news(self, after: int, turn: int, seconds: float) -> JsonDict:
        """Entries from `after` on and the actions of the turn, as soon as there is an entry or another turn; after `seconds` at the latest."""
        with anyio.move_on_after(seconds):
            while len(self.entries) <= after and self._now == turn:
                await self._changed.wait()
        if len(self.entries) > self.fetched:
            self.fetched = len(self.entries)
            self._read.set()
            self._read = anyio.Event()
        return {"entries": self.entries[max(after, 0) :], "next": len(self.entries), "turn": self._now, "actions": self._actions if self._now else []}

    async def read(self, seconds: float) -> None:
        """Returns once a page that is open has fetched all entries; after `seconds` at the latest."""
        with anyio.move_on_after(seconds):
            while 0 < self.fetched < len(self.entries):
                await self._read.wait()

    @property
    def _now(self) -> int:
        """The turn that waits for the person; 0 where none does."""
        return self.turn if self._take is not None else 0

    def _add(self, entry: JsonDict) -> None:
        self.entries.append(entry)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    def _part(self, part: Part) -> JsonDict:
        if part["type"] == "text":
            return {"type": "text", "text": part["text"]}
        if part["type"] != "image":
            return {"type": part["type"]}
        name = canon.digest([part["asset"], part.get("view") or []])[:32]
        self.pictures[name] = part
        source = self._assets.info(part["asset"]).header.size
        region = regions.region(source, part.get("view") or ())
        where: dict[str, Any] = {"size": part["size"], "box": list(region.box), "turn": region.turn, "source": list(source)}
        return {"type": "image", "picture": name, **where, "frame": part.get("frame", "source")}
