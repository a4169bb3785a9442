"""`lock`: writes env.lock beside task.yaml, so that a run can refuse a corpus that is not the one that was meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentharness.config.run_config import RunConfig
from agentharness.env import lock as lock_file
from agentharness.env.world import data_name
from agentharness.errors import UserError
from agentharness.run.prepare import make_world

FORMAT = 1


def lock(config: RunConfig, say: Callable[[str], None]) -> int:
    """Locks each named task with the data that the config names. Raises UserError where an override would make another world."""
    if config.source or config.rename or config.task.options:
        raise UserError("locks the task as it stands", where="lock", hint="leave out source=, rename= and task.…")
    for ref in config.task.names:
        world = make_world(ref, config.model_copy(update={"relock": True}), say, Path.cwd())
        path = world.folder / lock_file.FILE
        name = data_name(world.spec, config.data)
        section = {**lock_file.section(world.version), "rows": len(world), "licence": world.spec.licence}
        content = {"format": FORMAT, "data": {**lock_file.read(world.folder), name: section}}
        write_lock(path, content)
        say(f"{path}: {name}: {len(world):,} rows, world {world.world[:15]}, scoring {world.scoring[:15]}")
    return 0


def write_lock(path: Path, content: dict[str, Any]) -> None:
    """Writes through a second file, so that no reader ever sees half a lock."""
    import tomli_w

    half = path.with_suffix(".lock.tmp")
    try:
        half.write_text(tomli_w.dumps(content), encoding="utf-8")
        half.replace(path)
    except OSError as e:
        raise UserError(f"cannot be written: {e.strerror}", where=str(path), hint="free space, or mend the folder's permissions") from None
