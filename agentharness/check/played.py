"""The baselines' episodes over the rows that are checked: ordinary runs in ordinary folders, so that a second check, or one that was killed, plays only what is
missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentharness import canon
from agentharness.config.run_config import Ref, RunConfig
from agentharness.env.world import World
from agentharness.run.main import play
from agentharness.run.prepare import make_world
from agentharness.stats.cell import Cell
from agentharness.store.reader import read_episodes
from agentharness.types.episode import Facts
from agentharness.types.part import JsonDict

AGENTS = ("oracle", "random", "noop")


@dataclass(slots=True)
class Played:
    """A task's world, and what the baselines did in it."""

    world: World
    keys: list[str]
    """Of the rows that were played, in order."""
    lines: dict[str, dict[str, JsonDict]]
    """Agent -> row key -> episode line."""
    seed: int

    def rewards(self, agent: str) -> dict[str, float]:
        """Row key -> reward; 0 where an episode has none."""
        return {key: line.get("reward") or 0.0 for key, line in self.lines[agent].items()}


class _Quiet:
    """A face that shows nothing but what must be said."""

    def say(self, text: str) -> None:
        pass

    @contextmanager
    def live(self, total: int) -> Iterator[_Quiet]:
        yield self

    def table(self, cells: Sequence[Cell]) -> None:
        pass

    def update(self, facts: Facts) -> None:
        pass

    def tick(self, **counts: float) -> None:
        pass


def played(config: RunConfig, name: str, limit: int | None, say: Callable[[str], None], cwd: Path) -> Played:
    """Plays one task by all baselines. Raises UserError."""
    config = config.model_copy(update={"task": Ref(names=(name,), options=config.task.options), "limit": limit})
    world = make_world(name, config, say, cwd)
    root = Path(config.out or "results/check")
    out = root / f"{world.name}-{canon.digest([world.world, world.scoring, config.seed])[:8]}"
    play(config.model_copy(update={"agent": Ref(names=AGENTS), "out": str(out), "quiet": True}), argv=["check"], face=_Quiet())
    keys = [key for key, _ in zip(world.keys(), range(limit if limit is not None else len(world)), strict=False)]
    return Played(world, keys, {agent: _lines(out / f"{world.name}-{agent}") for agent in AGENTS}, config.seed)


def _lines(folder: Path) -> dict[str, JsonDict]:
    return {line["key"]["row"]: line for line in read_episodes(folder, attempts=True) if line["key"]["sample"] == 0}


def shown(line: JsonDict) -> list[str]:
    """The texts that an episode's agent saw, step by step; what came with the end is left out."""
    steps: list[Any] = line.get("steps") or []
    return ["\n".join(p["text"] for p in step.get("parts") or () if p.get("type") == "text") for step in steps if not step.get("terminated")]
