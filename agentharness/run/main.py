"""`run`: config -> cells -> sessions -> records -> one table."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio

from agentharness.agent.baselines import BASELINES
from agentharness.agent.human import NAME as HUMAN
from agentharness.config.run_config import Ref, RunConfig, to_config
from agentharness.errors import UserError
from agentharness.model.refs import Clients
from agentharness.run import dry, prepare
from agentharness.run.cell import Cell
from agentharness.run.collector import quiet_collector
from agentharness.run.engine import Engine, Progress
from agentharness.run.heard import Heard
from agentharness.run.kept import Kept
from agentharness.run.nofile import raise_nofile
from agentharness.session.ports import Cast, Journal
from agentharness.stats.cell import Cell as TableRow
from agentharness.stats.summary import Summary, Tally
from agentharness.store.folder import RunFolder
from agentharness.types.agent import Agent
from agentharness.types.episode import Facts, Key
from agentharness.types.face import Face


def play(config: RunConfig, *, argv: list[str], face: Face, human: Agent | None = None) -> int:
    """Plays a config; the exit code: 0 clean, 1 some episodes failed, 130 interrupted. `human`: an agent that is there already, in place of those that the
    config names. Raises UserError (exit 2)."""
    clients = Clients()
    cells = prepare.cells(config, clients, face.say, cwd=Path.cwd(), env=os.environ, human=human)
    if config.dry:
        face.say(dry.describe(cells, config))
        return 0
    if asking := [cell.total for cell in cells if cell.model]:
        raise_nofile(min(config.concurrency, max(asking)))
    with quiet_collector():
        return anyio.run(_play_all, cells, clients, argv, face, backend_options={"use_uvloop": find_spec("uvloop") is not None})


async def _play_all(cells: list[Cell], clients: Clients, argv: list[str], face: Face) -> int:
    rows: list[TableRow] = []
    code = 0
    try:
        for cell in cells:
            summary, before, progress = await play_cell(cell, argv, face)
            world, rewarded = cell.world, bool(cell.world.rewards)
            resume = resume_command(cell, summary)
            rows.append(TableRow(cell.task, cell.agent.name, cell.model_ref or "", summary, str(cell.folder), world.locked, rewarded, resume, before))
            failed = summary.failed + summary.missing + (summary.unscored if rewarded else 0)
            code = 130 if progress.interrupted else max(code, int(failed > 0))
            if progress.interrupted or progress.trouble:
                break
    finally:
        with anyio.CancelScope(shield=True):
            await clients.close()
    face.table(rows)
    if progress.trouble:
        raise UserError(progress.trouble, hint=f"all that was played is kept; to go on: {rows[-1].resume}")
    return code


async def play_cell(cell: Cell, argv: list[str], face: Face) -> tuple[Summary, int, Progress]:
    """Plays what is left of one cell: what it came to, how many of its episodes were there already, and how it ended. Raises UserError."""
    config, began = cell.config, time.monotonic()
    with RunFolder.open(cell.folder, manifest_of(cell, argv), cell.identity, fresh=config.fresh, retry=frozenset(config.retry)) as folder:
        face.say(f"{cell.folder}/")
        for note in folder.notes:
            face.say(f"  {note}")
        check_scoring(folder, cell)
        tally, heard, before = Tally(config.agent_errors), Heard(folder), 0
        with face.live(cell.total) as live, Kept(folder, cell.world.corpus.assets) as kept:

            def on_facts(facts: Facts) -> None:
                heard.ended(facts)
                tally.add(facts)
                live.update(facts)

            def on_known(facts: Facts) -> None:
                nonlocal before
                before += 1
                on_facts(facts)

            engine = Engine(cast_of(cell, heard, kept.text), folder, kept, open_keys(cell, folder, on_known), min(config.concurrency, cell.total), on_facts)
            progress = await engine.run(lambda p: live.tick(in_flight=p.in_flight, tokens=heard.tokens, **_counters(cell)), face.say)
            live.tick(in_flight=0)
        folder.close(complete=not (progress.trouble or progress.interrupted))
    return tally.summary(cell.total, seconds=time.monotonic() - began), before, progress


def cast_of(cell: Cell, journal: Journal, text: Callable[[str, Any], None] | None = None) -> Cast:
    """What the sessions of a cell share."""
    errors = cell.config.agent_errors
    return Cast(cell.world, cell.agent, cell.model, cell.agent_digest, journal=journal, agent_errors=errors, text=text, respond=cell.voices)


def open_keys(cell: Cell, folder: RunFolder, on_facts: Callable[[Facts], None]) -> Iterator[Key]:
    """The plan minus what the store has; what it has is counted as it is met."""
    for key in cell.plan():
        known = folder.done.get(key.id) or folder.blocked.get(key.id)
        if known is None:
            yield key
        else:
            on_facts(known)


def check_scoring(folder: RunFolder, cell: Cell) -> None:
    """Raises UserError where the folder's episodes were scored by other rewards: two scorings in one table would be no number at all."""
    before = folder.manifest.get("scoring")
    if before is not None and before != cell.world.scoring and folder.done:
        raise UserError(
            f"its episodes were scored by {before[:15]}, the task now scores by {cell.world.scoring[:15]}",
            where=str(cell.folder),
            hint="out=FOLDER or fresh=true plays anew, or put the rewards and gold back",
        )
    if before != cell.world.scoring:
        folder.update({"scoring": cell.world.scoring})


def manifest_of(cell: Cell, argv: list[str]) -> dict[str, Any]:
    """What the run folder's manifest says of this cell: no keys, no secret headers. The scoring is set by `check_scoring`, once it is known to be the one that
    the folder's episodes have."""
    world, config = cell.world, cell.config
    names = {"task": cell.task, "agent": cell.agent_ref, "model": cell.model_ref}
    idle = {"agent": cell.agent_ref in BASELINES, "model": cell.model_ref is None}  # the options are another cell's
    refs = {key: Ref(names=(name,) if name else (), options={} if idle.get(key) else getattr(config, key).options) for key, name in names.items()}
    # A repeated command goes on in the folder where it lies, and never starts it afresh.
    one = config.model_copy(update={**refs, "out": str(cell.folder), "fresh": False, "dry": False, "quiet": False})
    return {
        "config": to_config(one),
        "env": {"name": world.name, "world": cell.played, "locked": world.locked, "licence": world.spec.licence, "rows": len(world)},
        "origin": world.corpus.origin,
        **({"responders": cell.voices.identity()} if cell.voices is not None else {}),
        "agent": {"digest": cell.agent_digest, **cell.agent_identity},
        "invocation": {"argv": argv},
    }


def resume_command(cell: Cell, summary: Summary) -> str:
    """The exact command that resumes this cell; it names the errors that are played again only where that is asked for."""
    left = [cause for cause in ("env", "layer", "scorer") if cause in summary.errors]
    retry = [f"retry={','.join(left)}"] if left else []
    verb = "play" if cell.agent_ref == HUMAN else "run"
    return shlex.join(["python", "-m", "agentharness", verb, f"config={cell.folder}/manifest.json", *retry])


def _counters(cell: Cell) -> dict[str, float]:
    """What the model's client has done so far: something moves before the first episode ends."""
    counters = getattr(cell.model, "counters", None)
    return {} if counters is None else {"calls": counters.replies, "retries": counters.retries.total()}
