"""A person at a page as an agent: the run's loop waits while the server's thread waits for the person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from agentharness.agent.human import NAME
from agentharness.cli.face import Terminal
from agentharness.cli.web.desk import Desk
from agentharness.cli.web.server import Server
from agentharness.env.world import World
from agentharness.errors import BrokenOff
from agentharness.stats.cell import Cell
from agentharness.types.agent import Player, Seat
from agentharness.types.episode import Facts
from agentharness.types.face import Progress
from agentharness.types.move import Action, Move, Observation
from agentharness.types.part import JsonDict

LINGER_S = 1.5
"""At most so long the page may take to fetch how the run ended."""


class Person:
    """The agent `human`, by another way of seeing and acting than the terminal's: its episodes go on in either."""

    name = NAME
    needs_model = False
    privileged = False

    def __init__(self, portal: BlockingPortal, desk: Desk) -> None:
        self._portal, self._desk = portal, desk

    def identity(self) -> JsonDict:
        return {"name": self.name, "version": 1}

    def sit(self, seat: Seat) -> Player:
        self._portal.start_task_soon(self._desk.begin)
        return _Player(self._portal, self._desk)


class _Player:
    def __init__(self, portal: BlockingPortal, desk: Desk) -> None:
        self._server, self._desk = portal, desk

    async def act(self, observation: Observation) -> Move:
        told, said = anyio.Event(), list[Action | BaseException | None]()
        async with BlockingPortal() as here:

            def take(action: Action | BaseException | None) -> None:
                said.append(action)
                with suppress(RuntimeError):  # the run stopped while the person acted
                    here.start_task_soon(told.set)

            def shown(done: Future[None]) -> None:
                if not done.cancelled() and (error := done.exception()) is not None:
                    take(error)

            self._server.start_task_soon(self._desk.offer, observation.shown, observation.actions, take).add_done_callback(shown)
            await told.wait()
        if isinstance(said[0], BaseException):
            raise said[0]
        if said[0] is None:
            raise BrokenOff
        return Move([said[0]])


class Face(Terminal):
    """The terminal, and the page told of each episode's end."""

    def __init__(self, portal: BlockingPortal, desk: Desk) -> None:
        super().__init__(quiet=True)
        self._portal, self._desk = portal, desk

    @contextmanager
    def live(self, total: int) -> Iterator[Progress]:  # type: ignore[override]  # a Live that tells the page as well
        with super().live(total) as line:
            yield _Told(line, lambda facts: self._portal.start_task_soon(self._desk.end, facts))

    def table(self, cells: Sequence[Cell]) -> None:
        super().table([replace(cell, resume=f"{cell.resume} web=true") for cell in cells])


class _Told:
    def __init__(self, line: Progress, tell: Callable[[Facts], object]) -> None:
        self._line, self._tell = line, tell

    def update(self, facts: Facts) -> None:
        self._line.update(facts)
        self._tell(facts)

    def tick(self, **counts: float) -> None:
        self._line.tick(**counts)


@contextmanager
def page(world: World, port: int) -> Iterator[tuple[str, Person, Face]]:
    """Serves a page while the context lives, in a thread of its own; its address, who plays there, and the run's face. Raises UserError for a port that is
    taken."""
    with start_blocking_portal() as portal:
        ending = frozenset(name for name, rule in world.spec.actions.items() if any("end" in verb for verb in rule.do))
        desk = portal.call(Desk, world.corpus.assets, ending)
        server = Server(desk, world.corpus.assets, world.name, world.spec.description)
        portal.call(server.start, port)
        try:
            yield server.url, Person(portal, desk), Face(portal, desk)
        finally:
            portal.call(_leave, server)


async def _leave(server: Server) -> None:
    """Tells the page that the run is over, and gives it the time to fetch that."""
    server.desk.close("The run has ended. The terminal says how it went, and how to go on.")
    await server.desk.read(LINGER_S)
    await server.stop()
