"""A cache bounded in bytes: the least recently used goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class Lru(Generic[V]):
    """Holds at most `bound` bytes of values. Safe in threads; two threads may compute the same value, which costs time only."""

    def __init__(self, bound: int) -> None:
        self.bound, self.held = bound, 0
        self._items: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: Hashable) -> V | None:
        """The value, or None where it is not held."""
        with self._lock:
            item = self._items.get(key)
            if item is None:
                return None
            self._items.move_to_end(key)
            return item[0]

    def put(self, key: Hashable, value: V, size: int) -> None:
        """Keeps a value of `size` bytes; one larger than the bound is not kept."""
        with self._lock:
            old = self._items.pop(key, None)
            self.held -= old[1] if old else 0
            if size > self.bound:
                return
            self._items[key] = (value, size)
            self.held += size
            while self.held > self.bound:
                self.held -= self._items.popitem(last=False)[1][1]
