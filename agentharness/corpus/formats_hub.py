"""Data sets of the hub, through `datasets`, which keeps them memory-mapped and shared between processes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from agentharness.corpus.batch import Batch, Reading
from agentharness.corpus.formats_arrow import from_table
from agentharness.corpus.spec import Source
from agentharness.errors import UserError


def read_hub(source: Source, reading: Reading) -> Batch:
    """Rows of one split. Every failure is one UserError that says how to go on without the hub."""
    assert source.hub is not None
    way = f"{'data=demo plays the few rows in the task; ' if source.demo else ''}source=FILE plays a local file"
    try:
        import datasets
    except ImportError:
        raise UserError(f"the hub set {source.hub!r} needs `datasets`", where=source.hub, hint=f"pip install 'agentharness[hub]'; {way}") from None
    try:
        data: Any = datasets.load_dataset(source.hub, source.config, split=source.split, revision=source.revision)
    except Exception as e:  # noqa: BLE001  the hub's client raises many kinds: network, names, access, disk
        first = (str(e).strip().splitlines() or [""])[0][:200]
        raise UserError(f"the hub set cannot be loaded: {type(e).__name__}: {first}", where=source.hub, hint=way) from None
    if isinstance(data, dict):
        if len(data) != 1:
            raise UserError("the hub set has several splits", where=source.hub, hint=f"say split: {', '.join(sorted(data))}")
        split, data = next(iter(data.items()))
        reading.note(f"{source.hub}: split {split} (the only one)")
    else:
        split = source.split
    classes = {c: f.names for c, f in (data.features or {}).items() if getattr(f, "names", None)}
    table = data.with_format("arrow")[:]
    batch = from_table(table, source.hub, Path.cwd(), reading, source.types, classes)
    batch.origin = {"hub": source.hub, "config": source.config, "split": str(split), "revision": _revision(data) or source.revision}
    return batch


def _revision(data: Any) -> str | None:
    """The commit that the files came from, as their addresses name it."""
    for address in getattr(getattr(data, "info", None), "download_checksums", None) or {}:
        found = re.search(r"@([0-9a-f]{40})/", str(address))
        if found:
            return found[1]
    return None
