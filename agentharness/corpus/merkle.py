"""Content digests of tables: a Merkle tree over blocks of 1,024 rows, in order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from agentharness import canon
from agentharness.corpus.table import Table

BLOCK = 1024


@dataclass(slots=True, frozen=True)
class TableDigest:
    """`open`: keys with public and hidden paths. `gold`: gold paths alone, by the rows' order: a key may be a digest of open cells, and a mended question is no
    other answer. 64 hex digits each."""

    rows: int
    open: str
    gold: str


def digest_table(table: Table) -> TableDigest:
    """Digests of a table. An image counts by its asset's sha256, which its part holds."""
    open_leaves: list[bytes] = []
    gold_leaves: list[bytes] = []
    non_gold, gold = table.projections.non_gold, table.projections.gold
    for block in _blocks(table):
        open_leaves.append(_leaf([[key, non_gold(row)] for key, row in block]))
        gold_leaves.append(_leaf([gold(row) for _, row in block]))
    return TableDigest(len(table), root(open_leaves).hex(), root(gold_leaves).hex())


def root(leaves: list[bytes]) -> bytes:
    """Root over leaf hashes: pairs are hashed with a mark of their own, an odd one goes up as it is. No leaf: the hash of nothing."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    level = leaves
    while len(level) > 1:
        paired = [hashlib.sha256(b"\x01" + a + b).digest() for a, b in zip(level[::2], level[1::2], strict=False)]
        level = paired + level[len(paired) * 2 :]
    return level[0]


def _leaf(block: list[Any]) -> bytes:
    return hashlib.sha256(b"\x00" + canonical(block)).digest()


def canonical(block: list[Any]) -> bytes:
    """`canon.dumps(block)`, the same bytes at orjson's speed: only rows that may need a mark (a null may be NaN, a key may start with $) go there."""
    out = _plain(block)
    return out if out is not None else b"[" + b",".join(_plain(item) or canon.dumps(item) for item in block) + b"]"


def _plain(value: Any) -> bytes | None:
    try:
        out = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return None
    # Quotes inside text are escaped, so `{"$` and `,"$` stand only where a key or an item starts with $; what looks like a null in text costs time, no more.
    if _preceded(out, b"$", (b'{"', b',"')) or _preceded(out, b"null", (b":", b",", b"[")):
        return None
    return out


def _preceded(data: bytes, word: bytes, before: tuple[bytes, ...]) -> bool:
    """Whether `word` stands somewhere right after one of `before`: a search by the rarer word, many times faster than one for each pair."""
    at = data.find(word)
    while at >= 0:
        if data.endswith(before, 0, at):
            return True
        at = data.find(word, at + 1)
    return False


def _blocks(table: Table) -> Iterator[list[tuple[Any, Any]]]:
    rows: Iterable[tuple[Any, Any]] = ((key if scope is None else [scope, key], row) for scope, key, row in table)
    numbered = iter(rows)
    while block := list(islice(numbered, BLOCK)):
        yield block
