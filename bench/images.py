"""Views of pictures a second: played with whole records and no encoding, and encoded as a model gets them. `python bench/images.py`.

Pictures are of one megapixel, with the grain of a photograph; views are crops of 256 x 256 of them. Prints a line of JSON for each figure.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image, ImageDraw

from agentharness.corpus.assets import Assets

SIZE = (1184, 848)
TASK = """\
data: {images: pics, labels: names.csv}
preset: look
ask: "What is it?"
answer: label
reward: exact
turns: 40
licence: private
actions:
  answer: {when: t >= 38}
  zoom:
    suggest: {x0: "[0, 100, 200, 300]", y0: "[0, 50, 100]", x1: "[456, 500, 700]", y1: "[306, 400, 600]"}
"""


def photograph(seed: int) -> Image.Image:
    """Soft shapes under fine grain: about 200 KB as JPEG."""
    draw = random.Random(seed)
    small = Image.new("RGB", (24, 16))
    small.putdata([tuple(draw.randrange(256) for _ in range(3)) for _ in range(24 * 16)])
    grain = Image.effect_noise(SIZE, 40).convert("RGB")
    return Image.blend(small.resize(SIZE, Image.Resampling.BICUBIC), grain, 0.11)


def page(seed: int) -> Image.Image:
    """Black small print on white."""
    draw = random.Random(seed)
    image = Image.new("RGB", SIZE, "white")
    pen = ImageDraw.Draw(image)
    for y in range(20, SIZE[1] - 20, 14):
        pen.text((20, y), " ".join("".join(draw.choice("abcdefghijklmnoprstuvw") for _ in range(draw.randrange(2, 9))) for _ in range(32)), fill="black")
    return image


def played(folder: Path, samples: int) -> dict[str, float]:
    """Steps of random play that show a picture, start-up taken off."""
    write = [sys.executable, "-m", "agentharness", "run", "task=views", "agent=random", "quiet=true"]
    seconds = {}
    for name, more in (("one", ["limit=1", "task.limits.turns=1"]), ("run", [f"samples={samples}"])):
        began = time.monotonic()
        done = subprocess.run([*write, *more, f"out={name}"], cwd=folder, stdout=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, done.returncode
        seconds[name] = time.monotonic() - began
    views = steps = 0
    with (folder / "run/episodes.jsonl").open("rb") as lines:
        for line in lines:
            for step in json.loads(line)["steps"]:
                steps += 1
                views += any(part["type"] == "image" for part in step.get("parts", ()))
    wall = seconds["run"] - seconds["one"]
    return {"views": views, "steps": steps, "wall_s": round(wall, 2), "views_s": round(views / wall)}


def encoded(folder: Path, suffix: str, pictures: int, views: int, threads: int) -> dict[str, float]:
    """Views rendered by so many threads, each another box: from `pictures` pictures in turn."""
    assets = Assets()
    known = [assets.add_file(path) for path in sorted(folder.glob(f"*{suffix}"))[:pictures]]
    draw = random.Random(1)
    parts = []
    for i in range(views):
        x, y = draw.randrange(SIZE[0] - 256), draw.randrange(SIZE[1] - 256)
        parts.append(assets.part(known[i % len(known)], [{"crop": [x, y, x + 256, y + 256]}]))
    began, before = time.monotonic(), time.process_time()
    with ThreadPoolExecutor(threads) as pool:
        sizes = list(pool.map(lambda part: len(assets.render(part)[1]), parts))
    wall, cpu = time.monotonic() - began, time.process_time() - before
    figures = {"views": views, "wall_s": round(wall, 2), "views_s": round(views / wall), "views_cpu_s": round(views / cpu)}
    return {"pictures": len(known), "threads": threads, **figures, "bytes": round(sum(sizes) / views)}


def main() -> None:
    """Makes the pictures, then measures."""
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--pictures", type=int, default=100)
    flags.add_argument("--samples", type=int, default=4)
    flags.add_argument("--views", type=int, default=1000)
    said = flags.parse_args()
    cwd = Path(tempfile.mkdtemp())
    try:
        task = cwd / "tasks/views"
        (task / "pics").mkdir(parents=True)
        (task / "task.yaml").write_text(TASK)
        (task / "names.csv").write_text("".join(f"p{i:04},thing {i % 7}\n" for i in range(said.pictures)))
        for kind in ("photo", "page"):
            (cwd / kind).mkdir()
        for i in range(said.pictures):
            image = photograph(i)
            image.save(task / f"pics/p{i:04}.jpg", quality=88)
            if i < 10:
                image.save(cwd / f"photo/p{i:04}.png", compress_level=1)
                page(i).save(cwd / f"page/p{i:04}.png")
        files = [p.stat().st_size for p in (task / "pics").iterdir()]
        print(json.dumps({"pictures": said.pictures, "megapixels": round(SIZE[0] * SIZE[1] / 1e6, 2), "kb": round(sum(files) / len(files) / 1024)}))
        print(json.dumps({"what": "played, not encoded", **played(cwd, said.samples)}))
        for what, folder, suffix, count in (
            ("encoded, pictures decoded before (JPEG)", task / "pics", ".jpg", 10),
            ("encoded, every picture decoded anew (JPEG)", task / "pics", ".jpg", said.pictures),
            ("encoded, pictures decoded before (PNG of photographs)", cwd / "photo", ".png", 10),
            ("encoded, pictures decoded before (PNG of pages)", cwd / "page", ".png", 10),
        ):
            for threads in (1, 2):
                print(json.dumps({"what": what, **encoded(folder, suffix, count, said.views, threads)}))
        print(json.dumps({"what": "peak memory", "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))
    finally:
        shutil.rmtree(cwd)


if __name__ == "__main__":
    main()
