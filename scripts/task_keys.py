"""Writes docs/task_keys.md from the code's own descriptions: `python scripts/task_keys.py`."""

from __future__ import annotations

from pathlib import Path

from agentharness.env.expand import short_keys
from agentharness.env.expr import FILTERS
from agentharness.env.keys import key_table
from agentharness.env.presets import get, names
from agentharness.env.short import KEYS
from agentharness.score.registry import SCORERS

TARGET = Path(__file__).parents[1] / "docs" / "task_keys.md"


def page() -> str:
    """The page's text."""
    lines = ["# Keys of task.yaml", "", "Made by `python scripts/task_keys.py`. How they work together: [task_language.md](task_language.md).", ""]
    lines += [
        "## Short level",
        "",
        "Any of these makes a task short; every long key may stand beside them and is merged in.",
        "",
        "| key | what it says |",
        "|---|---|",
    ]
    lines += [f"| `{key}` | {_cell(text)} |" for key, text in KEYS.items()]
    only = {key: presets for key, presets in short_keys().items() if presets}
    lines += [f"| `{key}` | only with {', '.join(f'`{p}`' for p in presets)} |" for key, presets in only.items()]
    lines += ["", "| preset | what it brings |", "|---|---|", *(f"| `{name}` | {_cell(get(name).about)} |" for name in names() if name != "bare")]
    lines += ["", "## Long level", "", "| key | type | what it says |", "|---|---|---|"]
    lines += [f"| `{key}` | {_cell(kind)} | {_cell(text)} |" for key, kind, text in key_table()]
    lines += ["", "## Scorers", "", "| scorer | options | value |", "|---|---|---|"]
    for name, scorer in SCORERS.items():
        about = " ".join((scorer.fn.__doc__ or "").split("\n\n")[0].split())
        lines.append(f"| `{name}` | {', '.join(scorer.options) or '—'} | {_cell(about)} |")
    lines += ["", "## Filters of expressions", "", ", ".join(f"`{name}`" for name in sorted(FILTERS)), ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
