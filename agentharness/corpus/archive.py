"""Zip archives: members are read one by one, never unpacked to disk. What an archive claims is checked before a byte of it is unpacked.

`zipfile` reads no more of a member than its declared size, so that a bound on what is declared bounds what is read.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import Path

from agentharness.corpus.files import check_file
from agentharness.errors import UserError, closest

RATIO = 200
"""A member may claim this many times its packed size; JSON and tables stay under 50."""
FREE = 64 << 20
"""Bytes that a member, or all of them together, may claim whatever the ratio."""
MOST = 64 << 30
"""Bytes that all members may claim together."""

_LOOSE = re.compile(r"(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\]|^[A-Za-z]:|\x00")
_ASIDE = re.compile(r"(?:^|/)(?:\.|__MACOSX/|Thumbs\.db$)")


class Archive:
    """The members of a zip file that is known to be sound: names, sizes, no secrets."""

    def __init__(self, path: Path, name: str, data: bytes | None = None, kind: str = "zip archive") -> None:
        """`name`: how messages name it. `data`: its bytes, where it lies in another. Raises UserError where it is no archive, or claims what none should."""
        if data is None:
            check_file(path, name)
        self.path, self.name = path, name
        try:
            self._zip = zipfile.ZipFile(path if data is None else io.BytesIO(data))  # kept open: its list of members is long to read; reads are safe in threads
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as e:
            raise UserError(f"is no {kind} that can be read: {e}", where=name, hint="fetch it again") from None
        infos = [info for info in self._zip.infolist() if not info.is_dir()]
        _check(infos, name, path.stat().st_size if data is None else len(data))
        self.members: list[str] = sorted(info.filename for info in infos if not _ASIDE.search(info.filename))
        """Files in order of name, without hidden ones and what systems leave behind."""

    def read(self, member: str) -> bytes:
        """The bytes of a member. Raises OSError where it is damaged."""
        try:
            return self._zip.read(member)
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError, NotImplementedError, ValueError) as e:
            raise OSError(f"it cannot be unpacked: {e}") from None

    def need(self, member: str) -> bytes:
        """The bytes of a member. Raises UserError with the closest name, or where it is damaged."""
        if member not in self.members:
            raise UserError(f"has no member {member!r}", where=self.name, hint=closest(member, self.members))
        try:
            return self.read(member)
        except OSError as e:
            raise UserError(str(e), where=f"{self.name}/{member}", hint="fetch the archive again") from None

    def only(self, suffixes: tuple[str, ...], member: str | None) -> str:
        """`member`, or the one member with such a suffix. Raises UserError where there is none, or more than one."""
        if member is not None:
            return member
        found = [m for m in self.members if m.lower().removesuffix(".gz").endswith(suffixes)]
        if len(found) != 1:
            shown = ", ".join((found or self.members)[:8]) + (", …" if len(found or self.members) > 8 else "")
            what = f"holds {len(found)} files of rows" if found else "holds no file of rows"
            raise UserError(what, where=self.name, hint=f"member: {' | '.join(found[:8])}" if found else f"it holds {shown or 'nothing'}")
        return found[0]


def _check(infos: list[zipfile.ZipInfo], name: str, packed: int) -> None:
    seen: set[str] = set()
    for info in infos:
        if _LOOSE.search(info.filename) or _LOOSE.search(info.orig_filename):
            raise UserError(f"has a member that names a place outside: {info.orig_filename!r}", where=name, hint="pack it anew, with plain names")
        if info.filename in seen:
            raise UserError(f"has two members called {info.filename!r}", where=name, hint="pack it anew")
        seen.add(info.filename)
        if info.flag_bits & 1:
            raise UserError(f"its member {info.filename!r} is encrypted", where=name, hint="pack it anew without a password")
        if info.file_size > max(FREE, RATIO * info.compress_size):
            raise _bomb(f"its member {info.filename!r} claims", info.file_size, info.compress_size, name)
    total = sum(info.file_size for info in infos)
    if total > max(FREE, RATIO * packed) or total > MOST:
        raise _bomb("its members claim", total, packed, name)


def _bomb(what: str, size: int, packed: int, name: str) -> UserError:
    return UserError(f"{what} {size:,} bytes out of {packed:,} packed: refused", where=name, hint="if you trust it, unpack it yourself and name the file")
