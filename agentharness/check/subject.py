"""What is under check: a world, the rows that are looked at, and the settings of the check."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentharness.canon import derive_seed
from agentharness.config.run_config import RunConfig
from agentharness.env.world import World
from agentharness.types.face import Face

ROWS = 200
"""Rows that are played where no limit is given: a rate over them is known to 7 points or better."""


@dataclass(slots=True)
class Subject:
    """One task under check."""

    ref: str
    """The task as the user named it."""
    world: World
    config: RunConfig
    rows: list[str]
    """Keys of the rows that are looked at, in the corpus's order."""
    root: Path
    """Folder of the run folders."""
    cwd: Path
    face: Face
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Split -> keys of its rows, where the task declares a split."""


def sample(world: World, limit: int | None, seed: int) -> list[str]:
    """Keys of at most `limit` rows, in the corpus's order. Samples of one seed are nested: a larger limit keeps the rows of a smaller one, so that what was
    played for it counts. None: all rows."""
    keys = list(world.keys())
    if limit is None or limit >= len(keys):
        return keys
    order: Callable[[str], int] = lambda key: derive_seed("check", seed, key)  # noqa: E731  (a key function)
    chosen = set(heapq.nsmallest(limit, keys, key=order))
    return [key for key in keys if key in chosen]


class Copy(World):
    """A world that can be changed for one play: shares all with the one that it is made from."""

    def __init__(self, world: World) -> None:
        self.__dict__.update(world.__dict__)
