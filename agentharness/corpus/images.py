"""What pictures are made of: kind by magic bytes, size from the header, upright 8-bit pixels, the pixels of a view, encodings.

Pillow is imported here only, on use."""

from __future__ import annotations

import importlib
import io
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentharness.corpus.regions import MAX_PIXELS, Region
from agentharness.errors import EpisodeError

if TYPE_CHECKING:
    from PIL import Image

UNKNOWN = "application/octet-stream"
PASSED = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
"""Kinds that every model server takes."""

# Opened by the plugin of the kind that the bytes say: Image.open would also try others, and its own bomb check warns below our bound.
_OPENERS = {
    "image/png": ("PIL.PngImagePlugin", "PngImageFile"),
    "image/jpeg": ("PIL.JpegImagePlugin", "jpeg_factory"),
    "image/gif": ("PIL.GifImagePlugin", "GifImageFile"),
    "image/webp": ("PIL.WebPImagePlugin", "WebPImageFile"),
    "image/bmp": ("PIL.BmpImagePlugin", "BmpImageFile"),
    "image/tiff": ("PIL.TiffImagePlugin", "TiffImageFile"),
    "image/avif": ("PIL.AvifImagePlugin", "AvifImageFile"),
}
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
)


@dataclass(slots=True, frozen=True)
class Header:
    """What the first bytes of a picture say."""

    mime: str
    size: tuple[int, int]
    """Width and height, upright; (0, 0) where the header cannot be read."""
    orientation: int = 1
    """EXIF orientation that is still to be applied, 1 to 8."""
    plain: bool = False
    """Whether servers may get the bytes as they are: a common kind, upright, 8 bits a channel, one frame."""


def mime_of(data: bytes) -> str:
    """MIME type by magic bytes; `application/octet-stream` where they are no picture's."""
    for magic, mime in _MAGIC:
        if data.startswith(magic):
            return mime
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[:2] == b"BM" and len(data) > 26 and int.from_bytes(data[14:18], "little") in (12, 40, 52, 56, 64, 108, 124):
        return "image/bmp"
    return "image/avif" if data[4:12] in (b"ftypavif", b"ftypavis") else UNKNOWN


def read_header(data: bytes) -> Header:
    """Header of a picture; no pixel is decoded. Never raises: what cannot be read has size (0, 0)."""
    mime = mime_of(data)
    if mime == UNKNOWN:
        return Header(mime, (0, 0))
    try:
        image = _open(data, mime)
        width, height = image.size
        turn = _orientation(image, mime)
        plain = mime in PASSED and turn == 1 and image.mode in ("RGB", "L", "RGBA", "P")
        if mime == "image/png":
            plain = plain and data[24] <= 8  # bits a channel, in IHDR: Pillow shows a 16-bit RGB file as RGB
        if mime != "image/jpeg":
            plain = plain and not getattr(image, "is_animated", False)
    except Exception:  # noqa: BLE001  a damaged header makes a decoder raise almost anything
        return Header(mime, (0, 0))
    return Header(mime, (height, width) if turn >= 5 else (width, height), turn, plain)


def decode(data: bytes, header: Header) -> Image.Image:
    """Upright pixels in L, RGB or RGBA. Raises EpisodeError("env") for a damaged picture, or one above 100 megapixels (before any pixel is decoded)."""
    from PIL import Image

    if header.size[0] * header.size[1] > MAX_PIXELS:
        raise EpisodeError("env", f"an image of {header.size[0]} x {header.size[1]} pixels is above {MAX_PIXELS // 1_000_000} megapixels: make it smaller")
    if header.size == (0, 0):
        raise EpisodeError("env", f"an image cannot be read: its header is damaged ({header.mime})")
    try:
        image = _open(data, header.mime)
        image.load()
        pixels = _eight_bit(image)
        turns = Image.Transpose
        turn = {
            2: turns.FLIP_LEFT_RIGHT,
            3: turns.ROTATE_180,
            4: turns.FLIP_TOP_BOTTOM,
            5: turns.TRANSPOSE,
            6: turns.ROTATE_270,
            7: turns.TRANSVERSE,
            8: turns.ROTATE_90,
        }.get(header.orientation)
        return pixels if turn is None else pixels.transpose(turn)
    except Exception as e:  # noqa: BLE001  a damaged picture makes a decoder raise almost anything
        raise EpisodeError("env", f"an image is damaged: {e}") from None


def show(image: Image.Image, region: Region) -> Image.Image:
    """The pixels of a view: cut, turned, brought to size, in this order."""
    from PIL import Image

    if region.box != (0, 0, *image.size):
        image = image.crop(region.box)
    if region.turn:
        turns = Image.Transpose
        image = image.transpose((turns.ROTATE_270, turns.ROTATE_180, turns.ROTATE_90)[region.turn - 1])  # Pillow counts against the clock
    return image if image.size == region.size else image.resize(region.size)


def encode(image: Image.Image, *, photograph: bool) -> tuple[str, bytes]:
    """MIME type and bytes: JPEG for photographs, PNG for all else."""
    out = io.BytesIO()
    if photograph and image.mode != "RGBA":
        image.save(out, "JPEG", quality=92)
        return "image/jpeg", out.getvalue()
    image.save(out, "PNG", compress_level=1)  # a third less time than the usual 6; a photograph's grain even comes out smaller
    return "image/png", out.getvalue()


def png_of_pixels(width: int, height: int, channels: int, pixels: bytes) -> bytes:
    """A PNG of raw 8-bit pixels (1, 3 or 4 channels, row by row), not compressed: the same bytes with every zlib, as they are hashed into the version."""
    stride = width * channels
    raw = b"".join(b"\0" + pixels[y * stride : (y + 1) * stride] for y in range(height))
    blocks = [raw[i : i + 65535] for i in range(0, len(raw), 65535)]
    stored = b"".join(struct.pack("<BHH", i == len(blocks) - 1, len(b), len(b) ^ 0xFFFF) + b for i, b in enumerate(blocks))
    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    body = b"\x78\x01" + stored + struct.pack(">I", zlib.adler32(raw))
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def png_of_image(image: Image.Image) -> bytes:
    """A PNG of a Pillow image's pixels, upright, 8 bits a channel."""
    from PIL import ImageOps

    pixels = _eight_bit(ImageOps.exif_transpose(image))
    return png_of_pixels(pixels.width, pixels.height, len(pixels.getbands()), pixels.tobytes())


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _open(data: bytes, mime: str) -> Any:
    module, name = _OPENERS[mime]
    return getattr(importlib.import_module(module), name)(io.BytesIO(data), "")


def _orientation(image: Any, mime: str) -> int:
    if mime in ("image/tiff", "image/avif"):
        return 1  # their plugins turn the pixels themselves
    if mime == "image/png" and "exif" not in image.info:
        return 1  # asking on would decode the whole file
    turn = image.getexif().get(0x0112, 1)
    return turn if isinstance(turn, int) and 1 <= turn <= 8 else 1


def _eight_bit(image: Image.Image) -> Image.Image:
    from PIL import Image

    mode = image.mode
    if mode in ("L", "RGB", "RGBA") and "transparency" not in image.info:
        return image
    if mode in ("I;16", "I;16L", "I;16B"):  # the high byte of each value: Pillow's own conversion clips at 255
        high = image.tobytes()[0 if mode == "I;16B" else 1 :: 2]
        return Image.frombytes("L", image.size, high)
    if mode == "I":
        return image.point(lambda v: v * (1 / 256)).convert("L")
    if mode in ("1", "L", "F"):
        return image.convert("RGBA" if "transparency" in image.info and mode == "L" else "L")
    see_through = mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info
    return image.convert("RGBA" if see_through else "RGB")
