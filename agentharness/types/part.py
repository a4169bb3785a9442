"""Parts: what an observation is made of. A tagged union of plain dicts, so that they are JSON as they stand; unknown kinds round-trip."""

from __future__ import annotations

from typing import Any, TypeAlias

JsonDict: TypeAlias = dict[str, Any]
Part: TypeAlias = dict[str, Any]
"""One of
{"type": "text", "text": str}
{"type": "image", "asset": sha256 hex, "view": [operation, …], "size": [width, height]}
    operations, in pixels of the upright source wherever they stand: {"crop": [x0, y0, x1, y1]}, {"rotate": 90 | 180 | 270} (clockwise),
    {"scale": [width, height]}, {"fit": [width, height]} (shrink to fit, never enlarge); empty: the picture as it is, upright. `size` is what the view shows.
    "frame": "shown" beside it where the world takes boxes and points in the pixels of this view; else they are in source pixels
{"type": "blob", "mime": str, "sha256": str, "meta": {…}}                               audio, video, files
"""


def text(value: str) -> Part:
    """A text part."""
    return {"type": "text", "text": value}


def plain(parts: list[Part]) -> str:
    """The text of the parts, images and blobs as a short placeholder, joined by newlines."""
    return "\n".join(p["text"] if p["type"] == "text" else f"[{p['type']}]" for p in parts)


def images(parts: list[Part]) -> list[Part]:
    """The image parts, in order."""
    return [p for p in parts if p["type"] == "image"]
