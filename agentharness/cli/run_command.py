"""`run` and `lock`: from words to the engine."""

from __future__ import annotations

from agentharness.cli.face import Terminal
from agentharness.config.args import parse


def run(words: list[str]) -> int:
    """Plays what the words describe; the exit code. Raises UserError."""
    config = parse(words)
    face = Terminal(quiet=config.quiet)
    if config.relock:
        from agentharness.version.lock import lock as write

        write(config, face.say)
        config = config.model_copy(update={"relock": False})
    from agentharness.run.main import play

    return play(config, argv=words, face=face)


def lock(words: list[str]) -> int:
    """Writes env.lock. Raises UserError."""
    config = parse(words)
    from agentharness.version.lock import lock as write

    return write(config, Terminal().say)
