"""Installed packs: packages that bring tasks or agents, found by their entry points. Nothing of a pack is imported to find it.

A pack says in its pyproject.toml which of its folders holds them:

    [project.entry-points."agentharness.tasks"]
    zoo = "zoo_pack.tasks"          # site-packages/zoo_pack/tasks/NAME/task.yaml
"""

from __future__ import annotations

from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from pathlib import Path

GROUP = "agentharness."


@cache
def packs(kind: str) -> tuple[tuple[str, Path], ...]:
    """(name, folder) of each installed pack of `tasks` or `agents`, by name; one whose folder is not there is passed by."""
    out: dict[str, Path] = {}
    for point in sorted(entry_points(group=GROUP + kind), key=lambda one: one.name):
        package, *inside = point.value.partition(":")[0].split(".")
        spec = PathFinder.find_spec(package)  # a package without a dot is found, not run
        places = list(spec.submodule_search_locations or ()) if spec is not None else []
        folder = next((found for place in places if (found := Path(place, *inside).resolve()).is_dir()), None)
        if folder is not None:
            out.setdefault(point.name, folder)
    return tuple(out.items())
