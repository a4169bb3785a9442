"""CASES 7.11: pictures as they come, and as a model gets them."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from agentharness.corpus.assets import Assets
from agentharness.corpus.images import mime_of, png_of_pixels, read_header
from agentharness.corpus.lru import Lru
from agentharness.corpus.regions import region
from agentharness.errors import EpisodeError, UserError

RED, BLUE = (255, 0, 0), (0, 0, 255)


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def two_colours(width: int = 8, height: int = 4) -> Image.Image:
    """Left half red, right half blue."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (width // 2, 0, width, height))
    return image


def shown(assets: Assets, data: bytes, view: Any = (), **options: Any) -> tuple[str, Image.Image]:
    mime, out = assets.render(assets.part(assets.add_bytes(data), view), **options)
    return mime, Image.open(io.BytesIO(out))


def png_header(width: int, height: int) -> bytes:
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = b"IDAT" + zlib.compress(b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in (head, body))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_common_kinds_pass_as_they_are(kind: str) -> None:
    data = saved(two_colours(), kind)
    assets = Assets()
    part = assets.part(assets.add_bytes(data))
    assert part["size"] == [8, 4]
    assert assets.render(part) == (f"image/{kind.lower()}", data)
    assert assets.render(part, longest=8)[1] == data
    assert assets.render(part, longest=4)[1] != data


def test_webp_under_a_png_name(tmp_path: Path) -> None:
    data = saved(two_colours(), "WEBP")
    (tmp_path / "a.png").write_bytes(data)
    assets = Assets()
    assert assets.render(assets.part(assets.add_file(tmp_path / "a.png"))) == ("image/webp", data)


def test_palette_png_passes_and_crops_in_colour() -> None:
    data = saved(two_colours().convert("P"), "PNG")
    assert shown(Assets(), data)[1].mode == "P"
    mime, crop = shown(Assets(), data, [{"crop": [4, 0, 8, 4]}])
    assert (mime, crop.size, crop.getpixel((0, 0))) == ("image/png", (4, 4), BLUE)


def test_see_through_palette() -> None:
    image = Image.new("P", (2, 2), 1)
    image.putpalette([0, 0, 0, 255, 0, 0])
    data = saved(image, "PNG", transparency=b"\xff\x00")
    assert shown(Assets(), data, [{"crop": [0, 0, 1, 1]}])[1].getpixel((0, 0)) == (255, 0, 0, 0)


@pytest.mark.parametrize(("value", "eight"), [(0, 0), (255, 0), (32768, 128), (65535, 255)])
def test_16_bit_grey(value: int, eight: int) -> None:
    mime, image = shown(Assets(), saved(Image.new("I;16", (2, 2), value), "PNG"))
    assert (mime, image.mode, image.getpixel((0, 0))) == ("image/png", "L", eight)


def test_16_bit_rgb_is_not_passed() -> None:
    raw = b"\0" + struct.pack(">HHH", 65535, 32768, 0)
    head, body = b"IHDR" + struct.pack(">IIBBBBB", 1, 1, 16, 2, 0, 0, 0), b"IDAT" + zlib.compress(raw)
    chunks = (head, body, b"IEND")
    data = b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in chunks)
    mime, image = shown(Assets(), data)
    assert (mime, image.getpixel((0, 0))) == ("image/png", (255, 128, 0))
    assert image.getpixel((0, 0)) == (255, 128, 0)
    assert not read_header(data).plain


def test_one_bit_and_grey_with_alpha() -> None:
    assert shown(Assets(), saved(Image.new("1", (2, 2), 1), "PNG"))[1].getpixel((0, 0)) == 255
    assert shown(Assets(), saved(Image.new("LA", (2, 2), (9, 7)), "PNG"))[1].getpixel((0, 0)) == (9, 9, 9, 7)


def test_cmyk_jpeg_becomes_rgb() -> None:
    mime, image = shown(Assets(), saved(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), "JPEG"))
    assert (mime, image.mode) == ("image/jpeg", "RGB")
    red, green, blue = image.getpixel((8, 8))  # type: ignore[misc]
    assert red > 240
    assert max(green, blue) < 15


@pytest.mark.parametrize("turn", range(1, 9))
def test_exif_rotation(turn: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = turn
    data = saved(two_colours(32, 16), "JPEG", exif=exif, quality=95)
    assets = Assets()
    part = assets.part(assets.add_bytes(data))
    assert part["size"] == ([16, 32] if turn >= 5 else [32, 16])
    mime, out = assets.render(part)
    image = Image.open(io.BytesIO(out))
    assert (mime, list(image.size), out == data) == ("image/jpeg", part["size"], turn == 1)
    # Where the red half lies once upright, by the EXIF table of orientations.
    place = {1: (4, 8), 2: (28, 8), 3: (28, 8), 4: (4, 8), 5: (8, 4), 6: (8, 4), 7: (8, 28), 8: (8, 28)}[turn]
    red, _, blue = image.getpixel(place)  # type: ignore[misc]
    assert red > 200
    assert blue < 60


@pytest.mark.parametrize("kind", ["BMP", "TIFF"])
def test_other_kinds_become_png(kind: str) -> None:
    mime, image = shown(Assets(), saved(two_colours(), kind))
    assert (mime, image.getpixel((7, 0))) == ("image/png", BLUE)


def test_only_the_first_frame_of_an_animation() -> None:
    frames = [Image.new("RGB", (2, 2), c) for c in (RED, BLUE)]
    mime, image = shown(Assets(), saved(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert (mime, image.convert("RGB").getpixel((0, 0))) == ("image/png", RED)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_truncated_file_fails_when_it_is_shown(kind: str) -> None:
    noise = Image.effect_noise((64, 64), 90)
    data = saved(noise.convert("RGB"), kind)[:-700]
    assets = Assets()
    part = assets.part(assets.add_bytes(data))
    with pytest.raises(EpisodeError, match="damaged") as e:
        assets.render(part)
    assert e.value.cause == "env"
    assert shown(assets, saved(two_colours(), "PNG"))[0] == "image/png"


def test_a_damaged_header() -> None:
    assets = Assets()
    part = assets.part(assets.add_bytes(b"\x89PNG\r\n\x1a\nnothing"))
    assert part["size"] == [0, 0]
    with pytest.raises(EpisodeError, match="header is damaged"):
        assets.render(part, longest=10)
    with pytest.raises(EpisodeError, match="cannot be shown"):
        assets.render({**part, "view": [{"crop": [0, 0, 1, 1]}]})


def test_a_decompression_bomb_is_never_decoded() -> None:
    assets = Assets()
    part = assets.part(assets.add_bytes(png_header(20000, 20000)))
    assert part["size"] == [20000, 20000]
    with pytest.raises(EpisodeError, match="above 100 megapixels"):
        assets.render(part, longest=100)


def test_files_are_read_lazily_and_checked(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(saved(two_colours(), "PNG"))
    assets = Assets()
    sha = assets.add_file(file)
    assert assets.info(sha).data is None
    file.write_bytes(b"other")
    with pytest.raises(EpisodeError, match=r"a\.png has changed since"):
        assets.raw(sha)
    file.unlink()
    with pytest.raises(EpisodeError, match=r"a\.png cannot be read"):
        assets.raw(sha)
    with pytest.raises(UserError, match="cannot be read"):
        assets.add_file(file)
    with pytest.raises(EpisodeError, match="no image 000000"):
        assets.part("0" * 64)


def test_one_picture_is_known_once() -> None:
    assets = Assets()
    data = saved(two_colours(), "PNG")
    assert assets.add_bytes(data) == assets.add_bytes(bytes(data))
    assert (len(assets), list(assets), assets.raw(next(iter(assets)))) == (1, [assets.add_bytes(data)], data)
    assert assets.add_bytes(data) in assets


def test_a_view_is_encoded_once() -> None:
    assets = Assets()
    part = assets.part(assets.add_bytes(saved(two_colours(), "PNG")), [{"crop": [0, 0, 4, 4]}, {"fit": [2, 9]}])
    assert part["size"] == [2, 2]
    first = assets.render(part)
    assert assets.render(dict(part))[1] is first[1]
    assert Image.open(io.BytesIO(first[1])).size == (2, 2)


def test_raw_pixels_make_one_png_everywhere() -> None:
    pixels = bytes(range(12))
    data = png_of_pixels(2, 2, 3, pixels)
    assert Image.open(io.BytesIO(data)).tobytes() == pixels
    # Fixed: it is hashed into the version of a world.
    assert Assets().add_bytes(data) == "664fc93c785dc4c415cee8fde6f7e0ff2c0a5d5b706c8654bde19c935862dceb"
    big = bytes(i % 251 for i in range(300 * 300))
    assert Image.open(io.BytesIO(png_of_pixels(300, 300, 1, big))).tobytes() == big
    assets = Assets()
    part = assets.part(assets.add_pixels(300, 300, 1, bytes(90000)))
    mime, out = assets.render(part)
    assert (mime, len(out) < 5000) == ("image/png", True)
    # What is kept of it is packed; what it is called by, and given as, is the plain PNG.
    plain = png_of_pixels(300, 300, 1, bytes(90000))
    assert (part["asset"], assets.raw(part["asset"])) == (Assets().add_bytes(plain), plain)
    assert assets.info(part["asset"]).data is None


@pytest.mark.parametrize(
    ("view", "box", "out"),
    [
        ([], (0, 0, 100, 50), (100, 50)),
        ([{"crop": [10.5, 0, 20.2, 60]}], (10, 0, 21, 50), (11, 50)),
        ([{"fit": [10, 10]}], (0, 0, 100, 50), (10, 5)),
        ([{"fit": [500, 500]}], (0, 0, 100, 50), (100, 50)),
        ([{"crop": [0, 0, 10, 10]}, {"scale": [40, 40]}], (0, 0, 10, 10), (40, 40)),
        ([{"crop": [0, 0, 50, 50]}, {"crop": [-5, 0, 10, 10]}], (0, 0, 10, 10), (10, 10)),
        ([{"fit": [1, 1]}], (0, 0, 100, 50), (1, 1)),
    ],
)
def test_geometry(view: Any, box: tuple[int, ...], out: tuple[int, int]) -> None:
    assert region((100, 50), view) == (box, 0, out)


@pytest.mark.parametrize("view", [[{"crop": [5, 5, 5, 9]}], [{"crop": [200, 0, 300, 9]}], [{"turn": 90}], [{"scale": [20000, 20000]}]])
def test_views_that_show_nothing(view: Any) -> None:
    with pytest.raises(ValueError, match=r"holds no pixel|no view operation|above 100 megapixels"):
        region((100, 50), view)


def test_kinds_by_magic_bytes() -> None:
    assert mime_of(b"RIFF\0\0\0\0WAVE") == "application/octet-stream"
    assert mime_of(b"BMW is a car maker, and this is text") == "application/octet-stream"
    assert mime_of(b"") == "application/octet-stream"
    assert mime_of(b"\0\0\0\x1cftypavif") == "image/avif"


@given(st.binary(max_size=80), st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"II*\x00", b"RIFF\0\0\0\0WEBP"]))
def test_a_header_never_raises(data: bytes, start: bytes) -> None:
    size = read_header(start + data).size
    assert len(size) == 2


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12)), max_size=40))
def test_the_cache_keeps_its_bound(puts: list[tuple[int, int]]) -> None:
    cache: Lru[int] = Lru(20)
    last: dict[int, int] = {}
    for key, size in puts:
        cache.put(key, size, size)
        last[key] = size
        assert cache.held <= 20
        assert cache.get(key) == size
    held = {k: v for k in last if (v := cache.get(k)) is not None}
    assert held == {k: last[k] for k in held}
    assert sum(held.values()) == cache.held


def test_the_cache_drops_the_least_recently_used() -> None:
    cache: Lru[str] = Lru(2)
    cache.put("a", "a", 1)
    cache.put("b", "b", 1)
    cache.get("a")
    cache.put("c", "c", 1)
    assert (cache.get("a"), cache.get("b"), len(cache)) == ("a", None, 2)
    cache.put("a", "big", 9)
    assert (cache.get("a"), cache.held) == (None, 1)
