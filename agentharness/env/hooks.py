"""Python beside task.yaml, hooks.py and the task's own scorers: loaded by path, only where the task is trusted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from agentharness import canon
from agentharness.env.task import Task
from agentharness.errors import UserError

Hook: TypeAlias = Callable[..., Any]
"""f(view, answers) -> a list of effects, or a Need. Pure: called again with one answer more after each Need. Of a scorer f(subject, reference, **options)."""


class Hooks:
    """The functions of a file in a task's folder, run at the first use; none where there is no such file."""

    def __init__(self, task: Task, file: str = "hooks.py") -> None:
        self.path = task.folder / file
        self._task = task
        self._found: dict[str, Hook] | None = None
        self._source = _read(self.path)

    @property
    def digest(self) -> str | None:
        """sha256 of the source, line ends as in Unix; None without a file."""
        return None if self._source is None else canon.sha256(self._source.replace("\r\n", "\n").encode("utf-8", "surrogatepass"))

    def __call__(self) -> dict[str, Hook]:
        """Name -> function. Raises UserError where the task is not trusted, or the file does not run."""
        if self._found is None:
            self._found = self._load()
        return self._found

    def _load(self) -> dict[str, Hook]:
        if self._source is None:
            return {}
        if not self._task.trusted:
            raise UserError(
                f"the task {self._task.name!r} runs its own code ({self.path.name}), and it is not from this project",
                where=str(self.path),
                hint="read that file, then say trust=true",
            )
        module = ModuleType(f"_hooks_{self.digest}")
        module.__file__ = str(self.path)
        sys.modules[module.__name__] = module  # dataclasses and pickles look their module up there
        try:
            exec(compile(self._source, str(self.path), "exec"), module.__dict__)
        except (Exception, SystemExit) as e:
            raise UserError(f"does not run: {type(e).__name__}: {e}", where=_line(self.path, e)) from e
        return {k: v for k, v in vars(module).items() if callable(v) and not k.startswith("_") and getattr(v, "__module__", None) == module.__name__}


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else None
    except (OSError, UnicodeDecodeError) as e:
        raise UserError(f"cannot be read: {e}", where=str(path)) from None


def _line(path: Path, error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.lineno:
        return f"{path}:{error.lineno}:{error.offset or 1}"
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"{path}:{line}:1" if line else str(path)
