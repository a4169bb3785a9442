"""`play`: a person plays a task, in the terminal or in a page of their browser; recorded like any other episode, by agent `human`."""

from __future__ import annotations

import sys
from pathlib import Path

from agentharness.agent.human import Human
from agentharness.cli.face import Terminal
from agentharness.config.args import parse
from agentharness.config.run_config import RunConfig
from agentharness.env.world import World
from agentharness.errors import UserError
from agentharness.run.main import play as run
from agentharness.run.prepare import make_world
from agentharness.types.part import Part

_OTHERS = ("agent", "model", "base_url", "samples", "concurrency", "dry")
_PAGE = ("web", "port")
WIDTH = 72
"""Columns of a picture."""


def play(words: list[str]) -> int:
    """Plays row by row until the input ends. Raises UserError."""
    port = _port(words)
    words = [word for word in words if word.partition("=")[0] not in _PAGE]
    for word in words:
        key = word.partition("=")[0].partition(".")[0]
        if key in _OTHERS:
            raise UserError("play is for one person", where=key, hint=f"leave {key} out; `run` plays agents")
    config = parse(words)
    if len(config.task.names) != 1:
        raise UserError("one task at a time", where="task")
    world = make_world(config.task.names[0], config, lambda _: None, Path.cwd())
    config = config.model_copy(update={"concurrency": 1, "quiet": True})
    if port is not None:
        return _in_page(world, config, words, port)
    human = Human(lambda: input("> "), lambda parts, news: _show(world, parts, news))
    print("One action a line; an empty line lists them, the end of the input (Ctrl-D) stops, and the same command goes on from there.")
    return run(config, argv=words, face=Terminal(quiet=True), human=human)


def _port(words: list[str]) -> int | None:
    """The port of the page that is asked for, 0 for any; None where the terminal is."""
    said = dict(word.partition("=")[::2] for word in words if word.partition("=")[0] in _PAGE)
    web = said.get("web", "false")
    if web not in ("true", "false"):
        raise UserError(f"must be true or false, is {web!r}", where="web")
    if web == "false":
        if "port" in said:
            raise UserError("is the page's", where="port", hint="add web=true")
        return None
    port = said.get("port", "0")
    if not (port.isascii() and port.isdigit() and len(port) < 6 and int(port) < 65536):
        raise UserError(f"must be a number from 0 to 65535, is {port!r}", where="port", hint="leave it out for a free one")
    return int(port)


def _in_page(world: World, config: RunConfig, words: list[str], port: int) -> int:
    from agentharness.cli.web.person import page

    with page(world, port) as (url, person, face):
        print(f"Play in your browser: {url}\nThe page is for this machine alone. Ctrl-C stops, and the same command goes on from there.", flush=True)
        return run(config, argv=words, face=face, human=person)


def _show(world: World, parts: list[Part], news: str) -> None:
    for part in parts:
        if part["type"] == "text":
            print(part["text"])
        elif part["type"] == "image":
            print(_picture(world, part))
        else:
            print(f"[{part['type']}]")
    if news:
        print(news)
    sys.stdout.flush()


def _picture(world: World, part: Part) -> str:
    """A picture as a file that a viewer can open, and where the terminal can show it, as half blocks."""
    mime, data = world.corpus.assets.render(part)
    path = Path("results") / f"shown.{mime.rpartition('/')[2]}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    said = f"[a picture of {part['size'][0]} x {part['size'][1]} pixels: {path}]"
    return f"{_blocks(data)}\n{said}" if sys.stdout.isatty() else said


def _blocks(data: bytes) -> str:
    """Two pixels a letter: the upper one as ink, the lower one as ground."""
    import io

    from PIL import Image

    image = Image.open(io.BytesIO(data)).convert("RGB")
    width = min(WIDTH, image.width)
    height = max(2, round(image.height * width / image.width / 2) * 2)
    small = image.resize((width, height))
    rows = []
    for y in range(0, height, 2):
        line = ""
        for x in range(width):
            upper, lower = small.getpixel((x, y)), small.getpixel((x, y + 1))
            line += "\x1b[38;2;{};{};{}m\x1b[48;2;{};{};{}m▀".format(*upper, *lower)  # type: ignore[misc]
        rows.append(line + "\x1b[0m")
    return "\n".join(rows)
