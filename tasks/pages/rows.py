"""Photographs and a printed page that scikit-image carries, with the questions of data/questions.jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

QUESTIONS = Path(__file__).parent / "data/questions.jsonl"
"""picture (a file of the package), kind, question, answers (all ways in which the right one may be written)."""


def rows() -> Iterator[dict[str, Any]]:
    """`picture`, `kind`, `question`, `answers`, `image`, `width`, `height`. Raises ImportError without the extra `pages`."""
    from importlib.util import find_spec

    from PIL import Image

    found = find_spec("skimage")  # only its data are wanted: its own code is not run
    if found is None or not found.submodule_search_locations:
        raise ImportError("these pictures come from scikit-image: pip install 'agentharness[pages]'")
    folder = Path(found.submodule_search_locations[0]) / "data"
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        path = folder / row["picture"]
        with Image.open(path) as image:
            yield row | {"image": path, "width": image.width, "height": image.height}


def demo() -> Iterator[dict[str, Any]]:
    """Three questions about a page drawn for this project."""
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("RGB", (400, 300), (244, 242, 236))
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(size=13)
    for i, words in enumerate(
        ("Notice", "The reading room is closed on Thursday", "from 14:30, for the lamps are mended.", "Please return the blue folders to desk 6.")
    ):
        draw.text((60, 60 + 26 * i), words, font=font, fill=(20, 20, 20))
    draw.rectangle((310, 220, 350, 260), fill=(190, 40, 40))
    for question, answers in (
        ("On which day is the reading room closed?", ["Thursday"]),
        ("To which desk are the folders returned?", ["6", "desk 6", "six"]),
        ("What colour is the square at the lower right?", ["red"]),
    ):
        yield {"picture": "demo", "kind": "read", "question": question, "answers": answers, "image": page, "width": page.width, "height": page.height}
