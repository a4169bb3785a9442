"""`agents`: the list of agents."""

from __future__ import annotations

import ast
from pathlib import Path

from agentharness.cli.tasks_command import options
from agentharness.plugins.find import Found, list_agents
from agentharness.report.plain import Column, table


def agents(words: list[str]) -> int:
    """Prints the engine's baselines and the agents of the content roots. Runs no agent's code."""
    root = options(words, "agents_root").get("agents_root")
    from agentharness.agent.baselines import BASELINES

    rows = [[name, "engine", _first(made.__doc__)] for name, made in BASELINES.items()]
    rows += [[found.name, found.origin, _about(found)] for found in list_agents(Path.cwd(), root)]
    print(table([Column("name", least=12), Column("origin"), Column("about", least=20)], rows))
    return 0


def _about(found: Found) -> str:
    try:
        return _first(ast.get_docstring(ast.parse((found.folder / "agent.py").read_bytes())))
    except (OSError, SyntaxError, ValueError) as e:
        return f"broken: {e}"


def _first(doc: str | None) -> str:
    """The first sentence or line of a docstring."""
    return (doc or "").strip().split("\n")[0].split(". ")[0].rstrip(".")
