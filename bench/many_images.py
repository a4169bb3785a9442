"""Whether memory stays flat over a run through very many pictures: `python bench/many_images.py [images=20000] [kilobytes=200]`.

Writes one picture so many times under different bytes (a JPEG may be followed by anything), opens them as a task, then takes every row in turn: opening,
and the picture's bytes as a model would be sent them. Prints the resident memory once the corpus is open, and after each tenth of the rows.
"""

from __future__ import annotations

import io
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TASK = "data: {images: pictures}\npreset: look\nask: Which folder?\nanswer: label\nreward: exact\nlicence: CC0-1.0\n"


def main(words: list[str]) -> int:
    """Writes, opens, plays, prints."""
    said = dict(word.split("=", 1) for word in words)
    images, size = int(said.get("images", 20_000)), int(said.get("kilobytes", 200)) << 10
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "task.yaml").write_text(TASK)
        write(folder / "pictures", images, size)
        play(folder)
    return 0


def write(folder: Path, images: int, size: int) -> None:
    """Noise as a JPEG of nearly `size` bytes, filled up to it."""
    from PIL import Image

    side = 64
    data = b""
    while len(data) < size - 4096:
        side += 16
        out = io.BytesIO()
        Image.frombytes("RGB", (side, side), random.Random(side).randbytes(side * side * 3)).save(out, "JPEG", quality=90)
        if out.tell() > size - 16:
            break
        data = out.getvalue()
    for i in range(images):
        path = folder / f"label{i % 10}" / f"{i}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data + i.to_bytes(8, "big") * ((size - len(data)) // 8))


def play(folder: Path) -> None:
    """Each row once, in one process."""
    import anyio

    from agentharness.config.args import parse
    from agentharness.run.prepare import make_world

    began = time.perf_counter()
    before = resident()
    world = make_world(str(folder), parse([f"task={folder}"]), lambda _: None, Path.cwd())
    opened = resident()
    print(f"{len(world):,} pictures opened in {time.perf_counter() - began:.1f} s: {before:.0f} MB before, {opened:.0f} MB after")

    async def ask(_: Any) -> Any:
        raise AssertionError("nobody is asked")

    async def run() -> None:
        keys = list(world.keys())
        start = time.perf_counter()
        for i, key in enumerate(keys, 1):
            env = world.open(key, 0, ask)
            for part in (await env.reset()).parts:
                if part["type"] == "image":
                    world.corpus.assets.render({**part, "view": []})
            if i % (len(keys) // 10) == 0:
                print(f"after {i:>7,}: {resident():.0f} MB, {i / (time.perf_counter() - start):,.0f} a second")

    anyio.run(run)


def resident() -> float:
    """Megabytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
