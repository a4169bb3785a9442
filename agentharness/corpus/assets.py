"""Pictures by sha256: known by hash, kind and size; bytes are read, decoded and encoded only when a model is to see them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from agentharness import canon
from agentharness.corpus import images, regions
from agentharness.corpus.images import Header
from agentharness.corpus.lru import Lru
from agentharness.errors import EpisodeError, UserError
from agentharness.types.part import Part

MB = 1 << 20


@dataclass(slots=True, frozen=True)
class Asset:
    """A known picture. Its bytes lie in `path`, in `data` where they came from inside a table, or behind `read` where they lie packed."""

    sha256: str
    length: int
    header: Header
    path: Path | None
    data: bytes | None
    made: bool = False
    """Made from raw pixels and not compressed: encoded anew for a model."""
    read: Callable[[], bytes] | None = None
    """Gives the bytes anew, from an archive or from memory; raises OSError. `path` then only names them."""


class Assets:
    """All pictures of a corpus. Filled while it loads, then read by many threads. Three caches, bounded in bytes: file bytes, pixels, encoded views."""

    def __init__(self, *, raw: int = 64 * MB, decoded: int = 128 * MB, encoded: int = 128 * MB) -> None:
        self._known: dict[str, Asset] = {}
        self._raw: Lru[bytes] = Lru(raw)
        self._decoded: Lru[Any] = Lru(decoded)
        self._encoded: Lru[tuple[str, bytes]] = Lru(encoded)
        self._sound: set[str] = set()

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __contains__(self, sha: str) -> bool:
        return sha in self._known

    def add_file(self, path: Path) -> str:
        """Makes a file known; its sha256. The bytes are not kept. Raises UserError where it cannot be read."""
        try:
            data = path.read_bytes()
        except OSError as e:
            raise UserError(f"cannot be read: {e.strerror}", where=path.name, hint="check the path and its permissions") from None
        return self._add(data, path, False)

    def add_bytes(self, data: bytes) -> str:
        """Keeps bytes that came from inside a table; their sha256."""
        return self._add(data, None, False)

    def add_packed(self, data: bytes, path: Path, read: Callable[[], bytes], *, made: bool = False) -> str:
        """Makes bytes known that `read` gives anew whenever they are wanted; their sha256. The bytes are not kept. `path`: how messages name them."""
        return self._add(data, path, made, read)

    def add_pixels(self, width: int, height: int, channels: int, pixels: bytes) -> str:
        """Keeps raw 8-bit pixels (1, 3 or 4 channels) as a PNG; its sha256."""
        return self._made(images.png_of_pixels(width, height, channels, pixels))

    def add_image(self, image: Any) -> str:
        """Keeps the pixels of a Pillow image as a PNG; its sha256."""
        return self._made(images.png_of_image(image))

    def info(self, sha: str) -> Asset:
        """What is known of a picture. Raises EpisodeError("env") where it is unknown."""
        try:
            return self._known[sha]
        except KeyError:
            raise EpisodeError("env", f"no image {sha[:12]} in this corpus") from None

    def part(self, sha: str, view: Sequence[Mapping[str, Any]] = ()) -> Part:
        """The image part of a picture, or of a view of it; `size` is what the view shows. Raises ValueError for a view that shows nothing."""
        size = regions.region(self.info(sha).header.size, view).size
        return {"type": "image", "asset": sha, "view": [dict(operation) for operation in view], "size": list(size)}

    def raw(self, sha: str) -> bytes:
        """The bytes as they came. Raises EpisodeError("env") where the file is gone or has changed since it was loaded."""
        asset = self.info(sha)
        if asset.data is not None:
            return asset.data
        data = self._raw.get(sha)
        if data is None:
            assert asset.path is not None
            try:
                data = asset.read() if asset.read is not None else asset.path.read_bytes()
            except OSError as e:
                raise EpisodeError("env", f"image {asset.path.name} cannot be read: {e.strerror or e}") from None
            if len(data) != asset.length or canon.sha256(data) != sha:
                raise EpisodeError("env", f"image {asset.path.name} has changed since the corpus was loaded")
            self._raw.put(sha, data, len(data))
        return data

    def render(self, part: Part, *, longest: int | None = None) -> tuple[str, bytes]:
        """MIME type and bytes of an image part for a model, no side above `longest` pixels. Blocking: call it from a thread.

        The file's own bytes where the whole picture is shown and every server can read them; else PNG (JPEG for photographs). Raises EpisodeError("env") for a
        damaged picture, one above 100 megapixels, and a view that shows nothing.
        """
        asset = self.info(part["asset"])
        try:
            seen = regions.region(asset.header.size, part.get("view") or ())
        except (ValueError, TypeError) as e:
            raise EpisodeError("env", f"an image view cannot be shown: {e}") from None
        if longest is not None and max(seen.size) > longest:
            seen = seen._replace(size=regions.shrink(seen.size, longest, longest))
        key = (asset.sha256, *seen)
        done = self._encoded.get(key)
        if done is not None:
            return done
        whole = not part.get("view") and seen.size == asset.header.size
        if whole and asset.header.plain and not asset.made:
            if asset.sha256 not in self._sound:  # a truncated file has a good header: decode once before a model gets the bytes
                self._pixels(asset)
            return asset.header.mime, self.raw(asset.sha256)
        image = images.show(self._pixels(asset), seen)
        done = images.encode(image, photograph=asset.header.mime == "image/jpeg")
        self._encoded.put(key, done, len(done[1]))
        return done

    def _pixels(self, asset: Asset) -> Any:
        image = self._decoded.get(asset.sha256)
        if image is None:
            try:
                image = images.decode(self.raw(asset.sha256), asset.header)
            except EpisodeError as e:
                raise EpisodeError(e.cause, f"{asset.path.name if asset.path else asset.sha256[:12]}: {e.message}") from None
            self._decoded.put(asset.sha256, image, image.width * image.height * len(image.getbands()))
            self._sound.add(asset.sha256)
        return image

    def _made(self, png: bytes) -> str:
        # The plain PNG is what is hashed, the same with every zlib; what is kept is its packed form, for a drawn page is mostly white.
        return self._add(png, Path("a picture made of pixels"), True, partial(zlib.decompress, zlib.compress(png, 1)))

    def _add(self, data: bytes, path: Path | None, made: bool, read: Callable[[], bytes] | None = None) -> str:
        sha = canon.sha256(data)
        if sha not in self._known:
            self._known[sha] = Asset(sha, len(data), images.read_header(data), path, None if path else data, made, read)
        return sha
