"""Columns under other names."""

from __future__ import annotations

from collections.abc import Mapping, Set

from agentharness.corpus.batch import Batch
from agentharness.corpus.cells import columns_of
from agentharness.errors import UserError, closest


def check(names: Mapping[str, str], known: Set[str], source: str, where: str) -> None:
    """Raises UserError for a column that is not there, or a new name that another column has. `source`: how messages name it."""
    for old, new in names.items():
        if old not in known:
            raise UserError(f"{source} has no column {old!r} to rename", where=where, hint=closest(old, known))
        if new in known and new not in names:
            raise UserError(f"{source} has a column {new!r} already", where=where, hint=f"rename that one too, or choose another name for {old!r}")
    if len(set(names.values())) < len(names):
        raise UserError("two columns are renamed to one name", where=where, hint="give each its own")


def apply(batch: Batch, names: Mapping[str, str]) -> None:
    """Renames the columns of a batch, in place."""
    if names:
        batch.rows = [{names.get(column, column): value for column, value in row.items()} for row in batch.rows]


def rename(batch: Batch, names: Mapping[str, str], where: str) -> None:
    """Checks, then renames in place."""
    if names:
        check(names, columns_of(batch), batch.name, where)
        apply(batch, names)
