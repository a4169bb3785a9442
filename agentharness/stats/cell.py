"""One cell of a grid: a task, an agent, a model, and what its episodes came to."""

from __future__ import annotations

from dataclasses import dataclass

from agentharness.stats.summary import Summary


@dataclass(slots=True)
class Cell:
    """What a table shows of one cell."""

    task: str
    agent: str
    model: str
    """"" where the agent needs none."""
    summary: Summary
    folder: str
    """Of the results, as the user would write it."""
    locked: str = ""
    """`locked:<data name>` or `unlocked`."""
    rewarded: bool = True
    """Whether the task has a reward; without one there is nothing to score."""
    resume: str = ""
    """The command that goes on with it: plays what is missing, and nothing where all is played."""
    before: int = 0
    """Episodes that the folder held already: they were not played again."""
