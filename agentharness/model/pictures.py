"""Pictures for the wire: an image part's recipe -> the bytes of its `image_url` part, rendered off the loop, kept by recipe within a bound."""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TypeAlias

import anyio
import orjson
from anyio import to_thread

from agentharness.errors import EpisodeError
from agentharness.types.model import Message
from agentharness.types.part import Part

Picture: TypeAlias = Callable[[Part], tuple[str, bytes]]
"""An image part -> (MIME, bytes of the file that shows it)."""

KEEP = 64 << 20


def recipe(part: Part) -> bytes:
    """What decides the bytes: asset and view."""
    return orjson.dumps([part["asset"], part.get("view") or []])


class Pictures:
    """Renders each recipe once while it is in use; keeps the latest, `keep` bytes in all."""

    def __init__(self, picture: Picture | None, keep: int = KEEP) -> None:
        self._picture, self._keep, self._size = picture, keep, 0
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._busy: dict[bytes, anyio.Event] = {}

    async def gather(self, messages: Iterable[Message]) -> dict[bytes, bytes]:
        """Recipe -> wire bytes for all images in the messages. Raises what `picture` raises."""
        out: dict[bytes, bytes] = {}
        for message in messages:
            if message.has_images:
                for part in message.data["content"]:
                    if part.get("type") == "image" and (key := recipe(part)) not in out:
                        out[key] = await self._get(key, part)
        return out

    async def _get(self, key: bytes, part: Part) -> bytes:
        while (wire := self._kept.get(key)) is None and (busy := self._busy.get(key)):
            await busy.wait()
        if wire is not None:
            self._kept.move_to_end(key)
            return wire
        if self._picture is None:
            raise EpisodeError("model", "the prompt holds an image, and this model was opened without a way to render one")
        done = self._busy[key] = anyio.Event()
        try:
            wire = await to_thread.run_sync(self._render, self._picture, part)
            self._store(key, wire)
        finally:
            del self._busy[key]
            done.set()
        return wire

    @staticmethod
    def _render(picture: Picture, part: Part) -> bytes:
        mime, data = picture(part)
        return b'{"type":"image_url","image_url":{"url":"data:%b;base64,%b"}}' % (mime.encode(), base64.b64encode(data))

    def _store(self, key: bytes, wire: bytes) -> None:
        self._kept[key] = wire
        self._size += len(wire)
        while self._size > self._keep and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1])
