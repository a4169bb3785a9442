"""The test split: which rows are kept apart. Pure; a row's side depends on that row alone, so that rows which come later move none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from agentharness import canon
from agentharness.canon import derive_seed
from agentharness.corpus.paths import LIST, parse, values
from agentharness.corpus.table import Table
from agentharness.env.maker import Maker
from agentharness.env.spec import SplitSpec
from agentharness.errors import closest
from agentharness.types.part import JsonDict

Side: TypeAlias = Literal["train", "test"]
SIDES: tuple[Side, Side] = ("train", "test")
_SHARE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(%?)\Z")
_SEEDS = 2**63


def splitter(make: Maker) -> Callable[[str, JsonDict], Side] | None:
    """(row key, whole row) -> its side; None where the task has no `test`. Raises UserError."""
    spec = make.spec.test
    if spec is None:
        return None
    if (spec.share is None) == (spec.column is None):
        raise make.fail("`test` says a share of the rows, or a column that tells them", ("test",), "test: {share: 20%}, or test: {column: split, is: test}")
    table = make.corpus.tables[make.each]
    together = [spec.keep_together] if isinstance(spec.keep_together, str) else spec.keep_together or []
    paths = [_path(make, table, name, "test", "keep_together") for name in together]
    if spec.column is not None:
        if together:
            raise make.fail("rows that a column tells apart are not kept together by another", ("test", "keep_together"), "leave it out, or use `share`")
        return _by_column(make, table, spec)
    if spec.is_ is not None:
        raise make.fail("`is` says which values of `column` are the test", ("test", "is"), "leave it out, or name `column`")
    share = _share(make, spec.share)

    def side(key: str, row: JsonDict) -> Side:
        group = [key] if not paths else [list(values(row, path)) for path in paths]
        return "test" if derive_seed("test", *group) < share * _SEEDS else "train"

    return side


def _by_column(make: Maker, table: Table, spec: SplitSpec) -> Callable[[str, JsonDict], Side]:
    path = _path(make, table, spec.column or "", "test", "column")
    wanted = {canon.dumps(value) for value in (spec.is_ if isinstance(spec.is_, list) else ["test" if spec.is_ is None else spec.is_])}
    found = {canon.dumps(value): value for _, _, row in table for value in values(row, path)}
    if missing := [value for value in wanted if value not in found]:
        known = [str(value) for value in list(found.values())[:20]]
        hint = closest(str(canon.loads(missing[0])), known)
        raise make.fail(f"no row has {canon.loads(missing[0])!r} in {spec.column!r}", ("test", "is" if spec.is_ is not None else "column"), hint)

    def side(key: str, row: JsonDict) -> Side:
        return "test" if any(canon.dumps(value) in wanted for value in values(row, path)) else "train"

    return side


def _path(make: Maker, table: Table, name: str, *place: str) -> tuple[str, ...]:
    tokens = parse(name, table.columns)
    if tokens[0] not in table.columns or LIST in tokens:
        raise make.fail(f"{table.name} has no column {name!r}", place, closest(name, table.columns))
    return tokens


def _share(make: Maker, said: Any) -> float:
    """A share in (0, 1): 0.2 or `20%`."""
    found = _SHARE.match(str(said)) if not isinstance(said, bool) else None
    value = 0.0 if found is None else float(found[1]) / (100 if found[2] else 1)
    if not 0 < value < 1:
        raise make.fail(f"{said!r} is no share of the rows", ("test", "share"), "20%, or 0.2")
    return value
