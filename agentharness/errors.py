"""The three channels of trouble: a user's mistake, a bad episode, and (everything else) a bug.

A `UserError` becomes one line and exit code 2. An `EpisodeError` becomes that episode's status. Any other exception is a bug: a traceback, and a run that can
be resumed.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Literal

Cause = Literal["model", "store", "responder", "agent", "env", "layer", "scorer"]


class UserError(Exception):
    """A mistake that the user can mend: what is wrong, where (file:line:column, key), and what to do."""

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what, self.where, self.hint = what, where, hint
        super().__init__(self.line())

    def line(self) -> str:
        """The one line that the user sees."""
        place = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return " ".join(f"{place}{self.what}{hint}".split())


class EpisodeError(Exception):
    """An episode that cannot go on: recorded as `error: <cause>`, other episodes are not touched."""

    def __init__(self, cause: Cause, message: str, *, fatal: bool = False) -> None:
        self.cause, self.message, self.fatal = cause, message, fatal
        """`fatal`: every other episode would meet the same (a wrong key, an unknown model): the run ends with this as its one line."""
        super().__init__(f"{cause}: {message}")


class Truncated(Exception):
    """An episode that met one of its limits; `by` is the limit: turns, context, tokens, time, wall, budget, run_budget."""

    def __init__(self, by: str) -> None:
        self.by = by
        super().__init__(by)


class BrokenOff(KeyboardInterrupt):
    """The user's last word: raised by a signal wherever the main thread is, and caught by the command line alone."""


class Bug(Exception):
    """An exception that the harness did not expect of itself, carried through code that is not its own (an agent's): the run ends with it, and resumes."""


class StoreFull(UserError):
    """The run folder cannot take another byte: no new call is made, the run ends, and resumes once there is room."""


def closest(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word: `did you mean 'limit'?`, or the list when nothing is near."""
    names = sorted(set(known))
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names[:20])}{', …' if len(names) > 20 else ''}" if names else "none are known here"
