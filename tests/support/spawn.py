"""Starts servers for tests as real processes on a free port, and always stops them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener


@dataclass(frozen=True)
class Server:
    """A running llmserver."""

    port: int

    @property
    def url(self) -> str:
        """The base_url."""
        return f"http://127.0.0.1:{self.port}/v1"

    def stats(self) -> dict[str, Any]:
        """The counters."""
        data: dict[str, Any] = self._get("stats")
        return data

    def last(self) -> dict[str, Any]:
        """{headers, body} of the last chat request."""
        data: dict[str, Any] = self._get("last")
        return data

    def log(self) -> list[tuple[str, float, float]]:
        """(sha256 of the body, begun, ended) of every chat request that is over, by time.monotonic()."""
        return [(sha, begun, ended) for sha, begun, ended in self._get("log")]

    def _get(self, path: str) -> Any:
        with build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{self.port}/{path}", timeout=10) as answer:
            return json.load(answer)


@contextmanager
def serve(*flags: str) -> Iterator[Server]:
    """An llmserver with these flags, stopped at the end. Flags and model names that steer it: the docstring of llmserver.py."""
    command = [sys.executable, str(Path(__file__).with_name("llmserver.py")), "--with-stdin", *flags]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Server(int(process.stdout.readline()))
        finally:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
