"""N workers pull keys from a lazy plan: one task group, sessions isolated, Ctrl-C once drains and twice stops now."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from agentharness.errors import BrokenOff, StoreFull
from agentharness.run.kept import Kept
from agentharness.session.ports import Cast, Job
from agentharness.session.session import play_episode
from agentharness.store.folder import RunFolder
from agentharness.types.episode import Facts, Key

SYNC_S = 2.0
REFUSED = 20
"""So many episodes, and at least one for each session, end in an error of the model before the first that does not: the run ends, for others would too."""
BREATH_S = 0.01
"""At most so long, and one episode more, the loop is held by sessions that never wait."""


@dataclass(slots=True)
class Progress:
    """What the engine tells while it runs, and why it stopped."""

    in_flight: int = 0
    interrupted: bool = False
    trouble: str = ""
    """One line that ended the run: a wrong key, a full disk."""
    failed: list[BaseException] = field(default_factory=list)


class Engine:
    """Plays one cell's open keys."""

    def __init__(self, cast: Cast, folder: RunFolder, kept: Kept, keys: Iterator[Key], concurrency: int, on_facts: Callable[[Facts], None]) -> None:
        self._cast, self._folder, self._kept, self._keys, self._concurrency, self._on_facts = cast, folder, kept, keys, concurrency, on_facts
        self.progress = Progress()
        self._breath = 0.0
        self._refused = 0

    async def run(self, tick: Callable[[Progress], None], say: Callable[[str], None] = lambda _: None) -> Progress:
        """Returns once the plan is played, drained or stopped. `say` gets a line for the user at the first Ctrl-C. Raises what is a bug."""
        async with anyio.create_task_group() as outer:
            outer.start_soon(self._signals, outer, say)
            outer.start_soon(self._housekeeping, tick)
            async with anyio.create_task_group() as workers:
                for _ in range(self._concurrency):
                    workers.start_soon(self._worker, workers)
            outer.cancel_scope.cancel()
        if self.progress.failed:
            raise self.progress.failed[0]
        return self.progress

    def stop(self) -> None:
        """No new session starts; running ones end by themselves."""
        self._keys = iter(())

    async def _worker(self, workers: TaskGroup) -> None:
        while (key := next(self._keys, None)) is not None:
            self.progress.in_flight += 1
            try:
                await self._play(key, workers)
            finally:
                self.progress.in_flight -= 1
            # Sessions that never wait must still let the loop see signals and deadlines.
            if time.monotonic() >= self._breath:
                await anyio.lowlevel.checkpoint()
                self._breath = time.monotonic() + BREATH_S

    async def _play(self, key: Key, workers: TaskGroup) -> None:
        folder, id_ = self._folder, key.id
        try:
            job = Job(key, folder.begin(id_), folder.journal(id_))
            played = await play_episode(self._cast, job)
            if played.pictures:
                await self._kept.pictures(played.pictures)
            folder.finish(played.line, played.facts)
        except StoreFull as e:
            self._end(e.line(), workers)
        except BrokenOff:
            self.progress.interrupted = True
            self._end("", workers)  # before the loop comes to the next session, which may hold it too
        except Exception as e:  # noqa: BLE001  (a bug: kept for the end, so that no other session is torn down half-way through its line)
            self.progress.failed.append(e)
            self._end("", workers)
        else:
            self._on_facts(played.facts)
            if played.fatal or self._hopeless(played.facts):
                self._end(played.fatal or f"the first {self._refused} episodes ended in an error of the model: {played.facts.error}", workers)

    def _hopeless(self, facts: Facts) -> bool:
        if self._refused >= 0:
            self._refused = self._refused + 1 if facts.status == "error:model" else -1
        return self._refused >= max(REFUSED, self._concurrency)

    def _end(self, line: str, workers: TaskGroup) -> None:
        self.progress.trouble = self.progress.trouble or line
        self.stop()
        workers.cancel_scope.cancel()

    async def _signals(self, outer: TaskGroup, say: Callable[[str], None]) -> None:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            _break_off(after=2)
            async for _ in signals:
                if self.progress.interrupted:
                    outer.cancel_scope.cancel()
                    return
                self.progress.interrupted = True
                self.stop()
                again = "again: stop now, and resume them later; a third time: break off code that holds on"
                say(f"no new session starts; {self.progress.in_flight} play to their end ({again})")

    async def _housekeeping(self, tick: Callable[[Progress], None]) -> None:
        beats = 0
        while True:
            await anyio.sleep(0.25)
            tick(self.progress)
            beats += 1
            if beats % int(SYNC_S / 0.25) == 0:
                await anyio.to_thread.run_sync(self._folder.sync)


def _break_off(after: int) -> None:
    """From the signal after so many on, BrokenOff is raised where the main thread is: an agent or hook that holds the loop lets it see no signal at all.

    The receiver's own way is untouched: it is woken by the interpreter's wakeup descriptor, beside this handler.
    """
    seen = 0

    def handle(_number: int, _frame: object) -> None:
        nonlocal seen
        seen += 1
        if seen > after:
            raise BrokenOff

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)
