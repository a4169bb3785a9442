"""One model server for all tests of the room: models' names steer it, and tests compare its counters before and after."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from spawn import Server, serve


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Calls `add` four times at most by its script, then says the last result: a right episode of `harness.sums` has as many calls as `--turns` says."""
    with serve("--tool", "add", "--turns", "2") as running:
        yield running
