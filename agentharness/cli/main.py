"""The command line: the only place that prints and exits. What a command needs is imported inside it, so that help and lists come at once."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence

from agentharness.errors import UserError, closest

HELP = """\
agentharness: static datasets become stateful environments for agents

  agentharness run task=NAME [key=value …]       play a task, or resume what is left of it
  agentharness tasks                             list the tasks
  agentharness task show NAME [expanded=true]    a task as it is written, or its long form
  agentharness new task NAME from=FILE           make a task from a table or a folder of pictures
  agentharness play task=NAME [web=true]         play it yourself, in the terminal or in your browser
  agentharness check task=NAME                   is it sound? plays it without a model
  agentharness lock task=NAME                    write env.lock: the version of the task's world
  agentharness agents                            list the agents
  agentharness --version

`agentharness COMMAND --help` says more. Exit: 0 clean, 1 some episodes failed or a check is red, 2 a mistake in what was asked, 130 interrupted.
"""

RESUMES = "This is a bug, in agentharness or in code that it loads. What was played is kept: the same command goes on from there."


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that cannot show a letter loses no command
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # `… | head`: whoever reads has read enough. Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except BaseException as e:  # noqa: BLE001  # the last place that can: each kind gets its exit code below
        return _ended(e, words)


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("--help", "-h", "help"):
        print(HELP, end="")
        return 0
    if words[0] in ("--version", "-V", "version"):
        from agentharness import __version__

        print(f"agentharness {__version__}")
        return 0
    command = _COMMANDS.get(words[0])
    if command is None:
        raise UserError(f"unknown command {words[0]!r}", hint=closest(words[0], _COMMANDS))
    return command(words[1:])


def _ended(error: BaseException, words: list[str]) -> int:
    causes = list(_flat(error))
    mistake = next((e for e in causes if isinstance(e, UserError)), None)
    if mistake is not None:
        print(f"error: {mistake.line()}", file=sys.stderr)
        return 2
    if any(isinstance(e, KeyboardInterrupt) for e in causes):
        print("interrupted", file=sys.stderr)
        return 130
    if isinstance(error, SystemExit | GeneratorExit):
        raise error
    import traceback

    # Of a group of errors the first says what there is to know; a user never meets the group.
    traceback.print_exception(causes[0], file=sys.stderr)
    if words[:1] in (["run"], ["check"]):
        print(RESUMES, file=sys.stderr)
    return 1


def _flat(error: BaseException) -> list[BaseException]:
    """The error, or what its groups hold."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _flat(inner)]
    return [error]


def _asks_help(words: list[str]) -> bool:
    return any(word in ("--help", "-h", "help") for word in words)


def _run(words: list[str]) -> int:
    if _asks_help(words):
        from agentharness.config.help import text

        print(text(), end="")
        return 0
    from agentharness.cli.run_command import run

    return run(words)


def _lock(words: list[str]) -> int:
    if _asks_help(words):
        print("agentharness lock task=NAME [data=NAME]\n\nWrites env.lock beside task.yaml: the digests of world and scoring, and the rows, of one named data.")
        return 0
    from agentharness.cli.run_command import lock

    return lock(words)


def _tasks(words: list[str]) -> int:
    if _asks_help(words):
        print("agentharness tasks [tasks_root=FOLDER]\n\nLists the tasks: rows and version are those of env.lock.")
        return 0
    from agentharness.cli.tasks_command import tasks

    return tasks(words)


def _task(words: list[str]) -> int:
    if _asks_help(words):
        print("agentharness task show NAME [expanded=true] [tasks_root=FOLDER]\n\nPrints a task as it is written, or the long form that it stands for.")
        return 0
    from agentharness.cli.tasks_command import task

    return task(words)


def _new(words: list[str]) -> int:
    if _asks_help(words):
        print(
            "agentharness new task NAME from=FILE_OR_FOLDER_OR_HUB_ID [ask=…] [answer=COLUMN] [reward=SCORER] [key=COLUMN]\n"
            "                       [preset=NAME] [labels=FILE] [table=NAME] [sheet=NAME] [member=FILE] [licence=ID]\n"
            "                       [config=… split=…] [trust=true] [tasks_root=FOLDER]\n\n"
            "Reads the data, says what it saw, writes tasks/NAME/task.yaml and a README, and plays the first rows with the task's own solution."
        )
        return 0
    from agentharness.cli.new_command import new

    return new(words)


def _check(words: list[str]) -> int:
    from agentharness.cli.check_command import HELP as CHECK
    from agentharness.cli.check_command import check

    if _asks_help(words):
        print(CHECK, end="")
        return 0
    return check(words)


def _play(words: list[str]) -> int:
    if _asks_help(words):
        print(
            "agentharness play task=NAME [web=true [port=N]] [limit=N] [data=demo] [source=FILE] [out=FOLDER]\n\n"
            "Play a task yourself, in the terminal, or with web=true in a page of your browser, where a box that you drag zooms into a picture and a click\n"
            "points at it. It is recorded like a run."
        )
        return 0
    from agentharness.cli.play_command import play

    return play(words)


def _agents(words: list[str]) -> int:
    if _asks_help(words):
        print("agentharness agents [agents_root=FOLDER]\n\nLists the agents: the engine's baselines, and those of agents/.")
        return 0
    from agentharness.cli.agents_command import agents

    return agents(words)


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "run": _run,
    "tasks": _tasks,
    "task": _task,
    "new": _new,
    "check": _check,
    "play": _play,
    "lock": _lock,
    "agents": _agents,
}
