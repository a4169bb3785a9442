"""What a run keeps once: action sets and system prompts in assets/texts.jsonl, pictures by sha256 beside it."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import anyio

from agentharness import canon
from agentharness.corpus.assets import Assets
from agentharness.errors import EpisodeError
from agentharness.store.appender import Appender
from agentharness.store.folder import RunFolder
from agentharness.store.reader import TEXTS, texts


class Kept:
    """Writes each thing once, whoever shows it first, before the line that names it."""

    def __init__(self, folder: RunFolder, assets: Assets) -> None:
        self._folder, self._assets = folder, assets
        self._texts = Appender(folder.path / TEXTS)
        self._known = set(texts(folder.path))
        self._gone: set[str] = set()

    def text(self, digest: str, value: Any) -> None:
        """Keeps JSON by its digest. Raises StoreFull."""
        if digest not in self._known:
            self._texts.append(canon.dumps({"sha256": digest, "value": value}, newline=True))
            self._known.add(digest)

    async def pictures(self, digests: list[str]) -> None:
        """Keeps pictures' own bytes by their sha256. Raises StoreFull."""
        missing = [d for d in digests if d not in self._gone and not self._folder.has_asset(d)]
        if missing:
            await anyio.to_thread.run_sync(self._write, missing)

    def _write(self, digests: list[str]) -> None:
        for digest in digests:
            try:
                self._folder.asset(digest, self._assets.raw(digest))
            except EpisodeError:
                self._gone.add(digest)  # the file is gone or unreadable: the episode that needed it says so

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._texts.close()
