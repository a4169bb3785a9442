"""What a set of episodes comes to: every mean stands beside what is not in it."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from agentharness.stats import intervals
from agentharness.types.episode import Facts, final, scored

_DIGITS = re.compile(r"\d+")
_LONGEST = 400
"""Characters of a message that are kept."""


@dataclass(slots=True)
class Summary:
    """Numbers over the episodes of one cell. Means are over rows: a row's value is the mean of its samples."""

    planned: int
    n: int = 0
    """Scored episodes that have a reward: what the means are over."""
    rows: int = 0
    mean: float | None = None
    interval: tuple[float, float] | None = None
    """95%, over rows; None for fewer than two."""
    method: str = ""
    """`wilson` where each row's value is 0 or 1, else `normal`."""
    standard_error: float | None = None
    """Over rows."""
    rewards: dict[str, float] = field(default_factory=dict)
    """Name -> mean; a reward that no episode has is left out."""
    unscored: int = 0
    """Episodes that ended but have no reward: a scorer that reached no verdict, a reward that is no number."""
    errors: dict[str, int] = field(default_factory=dict)
    """Cause -> count, `cancelled` included, `agent` not; the last attempt of each episode counts."""
    messages: dict[str, str] = field(default_factory=dict)
    """Cause, `agent` included -> an example of its commonest message. Messages that differ in numbers only are one."""
    agent_errors: int = 0
    mean_with_agent_errors: float | None = None
    """The mean with each agent error as 0, where there are any and the policy is zero."""
    truncated: dict[str, int] = field(default_factory=dict)
    """Limit -> count. All but `run_budget` are scored."""
    coverage: float = 0.0
    """n / planned."""
    metrics: dict[str, float] = field(default_factory=dict)
    """Counted metric -> sum over the episodes that ended."""
    turns: float | None = None
    """Mean."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    """What the run took where the caller says it; else the sum over episodes, which is more where sessions run side by side."""

    @property
    def invalid(self) -> int:
        """Actions outside their schema, or that do not exist."""
        return int(self.metrics.get("invalid", 0) + self.metrics.get("unknown", 0))

    @property
    def malformed(self) -> int:
        """Actions that could not be read."""
        return int(self.metrics.get("malformed", 0))

    @property
    def off_corpus(self) -> int:
        """Actions for which the corpus had nothing."""
        return int(self.metrics.get("missing", 0))

    @property
    def unparsed(self) -> int:
        """Replies without an action in them, and answers from which nothing could be taken."""
        return int(self.metrics.get("prose", 0) + self.metrics.get("unparsed", 0))

    @property
    def cut_off(self) -> int:
        """Replies that ended at their token limit."""
        return int(self.metrics.get("cut_off", 0))

    @property
    def failed(self) -> int:
        """Episodes that ended in an error, the agent's own included."""
        return sum(self.errors.values()) + self.agent_errors

    @property
    def missing(self) -> int:
        """Planned episodes that have not ended."""
        return max(0, self.planned - self.n - self.unscored - self.agent_errors)

    @property
    def partial(self) -> bool:
        """Whether fewer episodes are scored than were planned."""
        return self.n < self.planned


class _Rows:
    """Values by row, summed exactly at the end: the order in which episodes end changes no bit."""

    def __init__(self) -> None:
        self.values: dict[str, array[float]] = {}
        self.n = 0

    def add(self, row: str, value: float) -> None:
        self.n += 1
        self.values.setdefault(row, array("d")).append(value)

    def means(self) -> list[float]:
        return [math.fsum(v) / len(v) for v in self.values.values()]


class Tally:
    """Takes facts one by one, in any order and attempts included, and sums them up when asked. Of each episode the final line counts, else the last attempt."""

    def __init__(self, agent_errors: Literal["zero", "none"] = "zero") -> None:
        self._zero = agent_errors == "zero"
        self._done: set[str] = set()
        self._pending: dict[str, Facts] = {}
        self._reward, self._named = _Rows(), dict[str, _Rows]()
        self._failed: Counter[str] = Counter()
        self._said = _Messages()
        self._unscored = 0
        self._metrics: dict[str, array[float]] = {}
        self._spent = _Spent()
        self._truncated: Counter[str] = Counter()

    def add(self, facts: Facts) -> None:
        """Counts an episode line or attempt."""
        if facts.id in self._done:
            return
        if not final(facts.status):
            self._pending[facts.id] = facts
            return
        self._pending.pop(facts.id, None)
        self._done.add(facts.id)
        self._spent.add(facts)
        for name, value in facts.metrics.items():
            if math.isfinite(value):
                found = self._metrics.get(name)
                if found is None:
                    found = self._metrics[name] = array("d")
                found.append(value)
        kind, _, cause = facts.status.partition(":")
        if kind == "truncated":
            self._truncated[cause] += 1
        if scored(facts.status):
            self._score(facts)
        else:
            self._failed[facts.row] += 1
            self._said.add("agent", facts.error)

    def _score(self, facts: Facts) -> None:
        if facts.reward is None or not math.isfinite(facts.reward):
            self._unscored += 1
        else:
            self._reward.add(facts.row, facts.reward)
        for name, value in facts.rewards.items():
            if value is not None and math.isfinite(value):
                if name not in self._named:
                    self._named[name] = _Rows()
                self._named[name].add(facts.row, value)

    def summary(self, planned: int, seconds: float | None = None) -> Summary:
        """The numbers so far; `planned`: episodes that the run would have when complete; `seconds`: what it took so far, as the caller measured."""
        spent, errors, truncated, said = self._spent.copy(), Counter[str](), self._truncated.copy(), self._said.copy()
        for facts in self._pending.values():
            spent.add(facts)
            kind, _, cause = facts.status.partition(":")
            (truncated if kind == "truncated" else errors)[cause or kind] += 1
            said.add(cause or kind, facts.error)
        values = self._reward.means()
        found, method = intervals.interval(values)
        turns = self._metrics.get("turns")
        return Summary(
            planned=planned,
            n=self._reward.n,
            rows=len(values),
            mean=intervals.mean(values),
            interval=found,
            method=method,
            standard_error=intervals.standard_error(values),
            rewards={name: math.fsum(m) / len(m) for name, rows in sorted(self._named.items()) if (m := rows.means())},
            unscored=self._unscored,
            errors=dict(sorted(errors.items())),
            messages=said.commonest(),
            agent_errors=self._failed.total(),
            mean_with_agent_errors=self._with_zeros() if self._zero and self._failed else None,
            truncated=dict(sorted(truncated.items())),
            coverage=self._reward.n / planned if planned else 0.0,
            metrics={name: math.fsum(v) for name, v in sorted(self._metrics.items()) if name != "turns"},
            turns=math.fsum(turns) / len(turns) if turns else None,
            tokens_in=spent.tokens["prompt_tokens"],
            tokens_out=spent.tokens["completion_tokens"],
            cost=math.fsum(spent.cost),
            seconds=math.fsum(spent.seconds) if seconds is None else seconds,
        )

    def _with_zeros(self) -> float | None:
        rows = dict.fromkeys([*self._reward.values, *self._failed])
        return intervals.mean([math.fsum(v := self._reward.values.get(row, ())) / (len(v) + self._failed[row]) for row in rows])


class _Messages:
    """Messages by cause, and by their text without its numbers: how many, and the first of them by the alphabet, so that no order of episodes shows."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[int, str]] = {}

    def copy(self) -> _Messages:
        out = _Messages()
        out._found = self._found.copy()
        return out

    def add(self, cause: str, message: str) -> None:
        if message:
            message = message[:_LONGEST]
            folded = cause, _DIGITS.sub("0", message)
            n, example = self._found.get(folded, (0, message))
            self._found[folded] = n + 1, min(example, message)

    def commonest(self) -> dict[str, str]:
        best: dict[str, tuple[int, str]] = {}
        for (cause, _), (n, example) in sorted(self._found.items()):
            if n > best.get(cause, (0, ""))[0]:
                best[cause] = n, example
        return {cause: example for cause, (_, example) in best.items()}


class _Spent:
    def __init__(self) -> None:
        self.tokens: Counter[str] = Counter()
        self.cost, self.seconds = array("d"), array("d")

    def copy(self) -> _Spent:
        out = _Spent()
        out.tokens, out.cost, out.seconds = self.tokens.copy(), self.cost[:], self.seconds[:]
        return out

    def add(self, facts: Facts) -> None:
        for name in ("prompt_tokens", "completion_tokens"):
            if isinstance(n := facts.usage.get(name), int):
                self.tokens[name] += n
        self.cost.append(facts.cost if math.isfinite(facts.cost) else 0.0)
        self.seconds.append(facts.seconds)


def summarise(facts: Iterable[Facts], planned: int, *, seconds: float | None = None, agent_errors: Literal["zero", "none"] = "zero") -> Summary:
    """One pass over facts, in any order and attempts included.

    `planned`: episodes that the run would have when complete. `seconds`: what the run took, as the caller measured; the sum over episodes where absent.
    `agent_errors`: whether an agent's error counts as 0 in `mean_with_agent_errors`; it is never in `mean`.
    """
    tally = Tally(agent_errors)
    for f in facts:
        tally.add(f)
    return tally.summary(planned, seconds)
