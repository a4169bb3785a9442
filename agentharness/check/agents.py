"""Players that know nothing of the row: what they win, a reward gives away."""

from __future__ import annotations

from pathlib import Path

from agentharness.types import part
from agentharness.types.agent import Player, Seat
from agentharness.types.move import Action, Move, Observation
from agentharness.types.part import JsonDict

FIXED = "agentharness.check.agents:Fixed"
ECHO = "agentharness.check.agents:Echo"


class _OneAnswer:
    """Gives one answer in its first turn, and does nothing after that. Options: `action`, and `arg`, the argument that takes the text (none: no argument)."""

    name = ""
    version = 1
    needs_model = False
    privileged = False

    def __init__(self, options: JsonDict, folder: Path) -> None:
        self.options = options

    def identity(self) -> JsonDict:
        return {"name": self.name, "version": self.version, **self.options}

    def sit(self, seat: Seat) -> Player:
        return _Player(self)

    def says(self, observation: Observation) -> str:
        """The answer."""
        raise NotImplementedError


class Fixed(_OneAnswer):
    """Says the option `text`, whatever the row."""

    name = "fixed"

    def says(self, observation: Observation) -> str:
        return str(self.options.get("text", ""))


class Echo(_OneAnswer):
    """Says what it was shown."""

    name = "echo"

    def says(self, observation: Observation) -> str:
        return part.plain(observation.parts)


class _Player:
    __slots__ = ("agent", "done")

    def __init__(self, agent: _OneAnswer) -> None:
        self.agent, self.done = agent, False

    async def act(self, observation: Observation) -> Move:
        if self.done:
            return Move()
        self.done = True
        options = self.agent.options
        arg = options.get("arg")
        return Move([Action(str(options["action"]), {} if arg is None else {str(arg): self.agent.says(observation)})])
