"""`check`: the findings as a table, and an exit code."""

from __future__ import annotations

from pathlib import Path

from agentharness.check.finding import Finding
from agentharness.check.main import check as look
from agentharness.config.args import parse
from agentharness.errors import UserError
from agentharness.report.plain import Column, table

_COLUMNS = (Column("", least=6), Column("check"), Column("what", least=20), Column("rows", least=12), Column("to do", least=20))
_MARKS = {"green": "ok", "yellow": "!", "red": "RED"}
_PLAYED = ("agent", "model", "base_url", "samples", "dry")


def check(words: list[str]) -> int:
    """Checks each task; 1 where a finding is red. Raises UserError."""
    said = dict(word.partition("=")[::2] for word in words)
    for key in _PLAYED:
        if any(word == key or word.startswith(f"{key}.") for word in said):
            raise UserError("check plays the baselines, without a model", where=key, hint=f"leave {key} out")
    if said.get("fix", "false") not in ("true", "false"):
        raise UserError(f"must be true or false, not {said['fix']!r}", where="fix")
    whole = said.get("limit") == "all"
    config = parse([word for word in words if not word.startswith("fix=") and not (whole and word == "limit=all")])
    code = 0
    for name in config.task.names:
        played, findings = look(config, name, whole=whole, mend=said.get("fix") == "true", say=print, cwd=Path.cwd())
        rows = len(played.world)
        print(f"{played.world.name}: {len(played.keys):,} of {rows:,} rows{'' if len(played.keys) == rows else ' (limit=all plays all)'}")
        print(render(findings))
        red = any(f.colour == "red" for f in findings)
        code = max(code, int(red))
    return code


def render(findings: list[Finding]) -> str:
    """The findings as a table."""
    return table(_COLUMNS, [[_MARKS[f.colour], f.check, f.what, ", ".join(f.rows), f.hint] for f in findings], 140)
