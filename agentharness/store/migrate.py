"""Episode lines of every released schema, brought to the present one. The only place that knows older forms."""

from __future__ import annotations

from collections.abc import Callable

from agentharness.errors import UserError
from agentharness.types.episode import SCHEMA_VERSION
from agentharness.types.part import JsonDict


def _same(line: JsonDict) -> JsonDict:
    return line


MIGRATIONS: dict[int, Callable[[JsonDict], JsonDict]] = {1: _same}
"""Schema version -> function from a line of that version to a line of the present one."""


def check_version(data: JsonDict, *, where: str) -> int:
    """The schema version of a line or a manifest. Raises UserError for one that this version cannot read."""
    version = data.get("schema_version")
    if type(version) is int and version in MIGRATIONS:
        return version
    if type(version) is int and version > SCHEMA_VERSION:
        raise UserError(f"schema version {version} is newer than this agentharness reads ({SCHEMA_VERSION})", where=where, hint="install a newer agentharness")
    raise UserError(f"unknown schema version {version!r}", where=where, hint=f"known: {', '.join(map(str, sorted(MIGRATIONS)))}")


def migrate(line: JsonDict, *, where: str) -> JsonDict:
    """The line in the present schema; fields it does not know stay. Raises UserError as `check_version`."""
    return MIGRATIONS[check_version(line, where=where)](line)
