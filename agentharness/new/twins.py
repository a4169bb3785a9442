"""Near-duplicates across a split: the same question in other letters, the same picture in another file, on both sides of train and test."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from agentharness.corpus.assets import Assets
from agentharness.corpus.images import decode
from agentharness.new.profile import Column
from agentharness.types.part import JsonDict

_SPLITS = ("split", "set", "subset", "fold", "partition")
_TEST = re.compile(r"(?:^|[/_-])(train|training|test|testing|val|valid|validation|dev|eval)(?:[/_-]|\Z)", re.IGNORECASE)
_LETTERS = re.compile(r"[\W_]+")
SIDE = 9
"""Columns of the picture that a difference hash compares: 8 x 8 neighbours, 64 bits."""
MOST = 20_000
"""Rows that are compared."""


def across(rows: Sequence[JsonDict], columns: Sequence[Column], aside: set[str], assets: Assets) -> str | None:
    """What to say of rows that stand, nearly, on both sides of a split; None where there is no split, or no such row. `aside`: columns that do not count."""
    split = next((c for c in columns if c.labels and c.name.lower() in _SPLITS and any(_TEST.search(str(v)) for v in c.values)), None)
    labelled = next((c for c in columns if c.name == "label" and any(_TEST.search(str(v)) for v in c.values)), None)
    if split is None and labelled is None:
        return None
    aside = aside | ({split.name} if split is not None else set())
    image = next((c.name for c in columns if c.kind == "image"), None)
    sides: dict[Hashable, set[str]] = {}
    names: set[str] = set()
    for row in rows[:MOST]:
        side = str(row.get(split.name)) if split is not None else _side(str(row.get("label")))
        if side is None:
            continue
        names.add(side)
        mark = (
            _picture(row.get(image), assets)
            if image
            else _text(value for name, value in row.items() if name not in aside and (split is None or name != split.name))
        )
        sides.setdefault(mark, set()).add(side)
    both = sum(len(found) > 1 for found in sides.values())
    what = "pictures" if image else "questions"
    return f"! {both:,} {what} stand, alike or nearly, on both sides of {'/'.join(sorted(names))}" if both else None


def _side(label: str) -> str | None:
    found = _TEST.search(label)
    return found[1].lower() if found else None


def _text(values: Iterable[Any]) -> str:
    return "\0".join(_LETTERS.sub(" ", str(value).casefold()).strip() for value in values)


def _picture(cell: Any, assets: Assets) -> Hashable:
    """A difference hash: whether each pixel of a 9 x 8 grey miniature is brighter than its right neighbour (Krawetz 2013, "Kind of Like That"), with the mean
    grey in 16 steps, for flat pictures have no differences."""
    if not isinstance(cell, dict):
        return None
    small = decode(assets.raw(cell["asset"]), assets.info(cell["asset"]).header).convert("L").resize((SIDE, SIDE - 1))
    grey = list(small.tobytes())
    bits = tuple(grey[r * SIDE + c] > grey[r * SIDE + c + 1] for r in range(SIDE - 1) for c in range(SIDE - 1))
    return bits, sum(grey) // len(grey) // 16
