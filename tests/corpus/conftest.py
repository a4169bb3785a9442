"""Helpers of the corpus tests: specs in few words, and the shared real data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentharness.corpus.load import Corpus, load
from agentharness.corpus.spec import Source, TableSpec

DATA = (Path(__file__).parents[2] / "../shared/data").resolve()


@pytest.fixture
def data() -> Path:
    if not DATA.is_dir():
        pytest.skip("real data (../shared/data) is not there")
    return DATA


@pytest.fixture
def one(tmp_path: Path) -> Callable[..., Corpus]:
    """Writes a file and loads it as the table `rows`: one("a.csv", "x,y\\n1,2\\n", key="x", source={"types": …}, columns={…})."""

    def build(name: str, content: str | bytes, *, columns: dict[str, Any] | None = None, source: dict[str, Any] | None = None, **spec: Any) -> Corpus:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        table = TableSpec(source=Source(file=name, **(source or {})), **spec)
        return load({"rows": table}, {"rows": columns or {}}, tmp_path, root="rows")

    return build


@pytest.fixture
def rows() -> Callable[[Corpus], list[dict[str, Any]]]:
    """All full rows of the table `rows`."""
    return lambda corpus: [row for _, _, row in corpus.tables["rows"]]
