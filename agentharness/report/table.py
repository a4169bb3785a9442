"""The table at the end of a run: one line for each cell of the grid, and below it all that a mean alone would hide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentharness.report.plain import Column, table
from agentharness.stats.cell import Cell
from agentharness.stats.summary import Summary

LONGEST = 160
"""Characters of a note that shows an error's message."""

_COLUMNS = (
    Column("task", least=6),
    Column("agent", least=6),
    Column("model", least=6),
    Column("n", right=True),
    Column("mean", right=True),
    Column("95%", least=6),
    Column("un-\nscored", right=True),
    Column("errors", least=7),
    Column("trun-\ncated", least=7),
    Column("turns", right=True),
    Column("tokens\nin/out", right=True, least=6),
    Column("cost", right=True),
    Column("time", right=True),
)


def render(cells: Sequence[Cell], width: int = 100) -> str:
    """The table and its notes as plain text. `width`: columns of the terminal."""
    shown = [i for i, column in enumerate(_COLUMNS) if column.title not in ("model", "cost") or any(_cells(cell)[i] for cell in cells)]
    body = [[_cells(cell)[i] for i in shown] for cell in cells]
    parts = [table([_COLUMNS[i] for i in shown], body, width)]
    for cell in cells:
        if lines := notes(cell):
            parts.append("\n".join([f"{label(cell)}:", *(f"  {line}" for line in lines)]))
    return "\n\n".join(parts)


def label(cell: Cell) -> str:
    """The row's names in one word."""
    return " · ".join(name for name in (cell.task, cell.agent, cell.model) if name)


def notes(cell: Cell) -> list[str]:
    """What must stand beside the row's mean, a line each."""
    s = cell.summary
    out: list[str] = []
    if not cell.rewarded:
        out.append("! the task has no reward")
    elif s.partial:
        out.append(f"! coverage {_percent(s.coverage)}: {s.n} of {s.planned} episodes are scored")
    if cell.locked == "unlocked":
        out.append("! unlocked: this world is in no env.lock, so its numbers compare with no other run's")
    if s.agent_errors:
        beside = f"; counted as 0 the mean is {_number(s.mean_with_agent_errors)}" if s.mean_with_agent_errors is not None else ""
        out.append(f"! {s.agent_errors} ended by the agent's own error, not in n{beside} (retry=agent plays them again)")
    out += [_one_line(f"! {n} {cause}: {s.messages[cause]}") for cause, n in _causes(s).items() if cause in s.messages]
    if s.cut_off:
        out.append(f"! {s.cut_off} replies were cut off at their token limit (agent.max_tokens, or the server's own)")
    counts = {"invalid": s.invalid, "malformed": s.malformed, "off-corpus": s.off_corpus, "unparsed": s.unparsed}
    if any(counts.values()):
        out.append("actions: " + ", ".join(f"{n} {name}" for name, n in counts.items() if n))
    if len(s.rewards) > 1:
        out.append("rewards: " + ", ".join(f"{name} {_number(value)}" for name, value in s.rewards.items()))
    if s.rows and s.rows != s.n:
        out.append(f"the mean is over {s.rows} rows, each the mean of its samples")
    if cell.before:
        played = "nothing was played" if cell.before >= s.planned else "the time is that of the others"
        out.append(f"{cell.before} of {s.planned} episodes were there already: {played}")
    if cell.folder:
        out.append(f"results: {cell.folder}")
    if cell.resume:
        out.append(f"resume: {cell.resume}")
    return out


def _cells(cell: Cell) -> list[str]:
    s = cell.summary
    # A model that was asked has used tokens, whether or not its server says how many.
    tokens = f"{short(s.tokens_in)}/{short(s.tokens_out)}" if s.tokens_in or s.tokens_out else "—" if cell.model and s.turns else "0"
    return [
        cell.task,
        cell.agent,
        cell.model,
        str(s.n),
        _number(s.mean),
        _interval(s),
        str(s.unscored),
        _counts(_causes(s)),
        _counts(s.truncated),
        f"{s.turns:.1f}" if s.turns is not None else "—",
        tokens,
        f"{s.cost:.4g}" if s.cost else "",
        duration(s.seconds),
    ]


def _causes(s: Summary) -> dict[str, int]:
    return {**({"agent": s.agent_errors} if s.agent_errors else {}), **s.errors}


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def _interval(s: Summary) -> str:
    if s.interval is None:
        return "—"
    low, high = s.interval
    return f"{_number(low)} – {_number(high)}"


def _counts(counts: Mapping[str, int]) -> str:
    return "\n".join(f"{n} {name}" for name, n in counts.items() if n) or "0"


def _number(value: float | None) -> str:
    if value is None:
        return "—"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.4g}"


def _percent(share: float) -> str:
    # A share just under the whole never reads as the whole.
    return f"{min(share * 100, 99.9):.1f} %".replace(".0 %", " %")


def short(n: float) -> str:
    """1234 as 1.2k: four characters or so."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= size:
            return f"{n / size:.0f}{unit}" if n >= 100 * size else f"{n / size:.1f}{unit}"
    return f"{n:.0f}"


def duration(seconds: float) -> str:
    """Seconds as 0.4s, 12s, 3m05s, 2h10m."""
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
