"""Views of a picture: the right colour lies at the right place, and one view does what two did one after the other."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from agentharness.corpus.assets import Assets
from agentharness.corpus.load import load
from agentharness.corpus.regions import Region, compose, natural, part_of, recipe, region, to_source
from agentharness.corpus.spec import Source, TableSpec

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
View = list[dict[str, Any]]


def quadrants(width: int = 60, height: int = 40) -> Image.Image:
    """Red and green above, blue and white below."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(GREEN, (width // 2, 0, width, height // 2))
    image.paste(BLUE, (0, height // 2, width // 2, height))
    image.paste(WHITE, (width // 2, height // 2, width, height))
    return image


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def shown(image: Image.Image, view: View) -> Image.Image:
    """What a model gets of a view, decoded."""
    assets = Assets()
    part = assets.part(assets.add_bytes(saved(image)), view)
    found = Image.open(io.BytesIO(assets.render(part)[1])).convert("RGB")
    assert list(found.size) == part["size"]
    return found


def corners(image: Image.Image) -> list[Any]:
    """Colours a quarter of the way in from each corner: upper left, upper right, lower left, lower right."""
    width, height = image.size
    return [image.getpixel((width * x // 4, height * y // 4)) for y in (1, 3) for x in (1, 3)]


@pytest.mark.parametrize(
    ("view", "size", "colours"),
    [
        ([], (60, 40), [RED, GREEN, BLUE, WHITE]),
        ([{"rotate": 90}], (40, 60), [BLUE, RED, WHITE, GREEN]),
        ([{"rotate": 180}], (60, 40), [WHITE, BLUE, GREEN, RED]),
        ([{"rotate": 270}], (40, 60), [GREEN, WHITE, RED, BLUE]),
        ([{"rotate": -90}], (40, 60), [GREEN, WHITE, RED, BLUE]),
        ([{"rotate": 270}, {"rotate": 180}], (40, 60), [BLUE, RED, WHITE, GREEN]),
        ([{"crop": [20, 10, 40, 30]}, {"rotate": 90}, {"scale": [200, 200]}], (200, 200), [BLUE, RED, WHITE, GREEN]),
        ([{"crop": [30, 10, 40, 30]}, {"rotate": 90}], (20, 10), [WHITE, GREEN, WHITE, GREEN]),
        ([{"rotate": 90}, {"crop": [30, 10, 40, 30]}], (20, 10), [WHITE, GREEN, WHITE, GREEN]),
        ([{"rotate": 90}, {"fit": [20, 20]}], (13, 20), [BLUE, RED, WHITE, GREEN]),
        ([{"scale": [30, 80]}, {"rotate": 270}], (80, 30), [GREEN, WHITE, RED, BLUE]),
    ],
)
def test_the_right_colour_lies_at_the_right_place(view: View, size: tuple[int, int], colours: list[Any]) -> None:
    image = shown(quadrants(), view)
    assert (image.size, corners(image)) == (size, colours)


def test_one_pixel() -> None:
    one = Image.new("RGB", (1, 1), GREEN)
    views: list[View] = [[], [{"crop": [0, 0, 1, 1]}], [{"rotate": 90}], [{"crop": [-3, -3, 9, 9]}, {"rotate": 180}, {"scale": [5, 5]}], [{"fit": [1, 1]}]]
    for view in views:
        image = shown(one, view)
        assert {image.getpixel((x, y)) for x in range(image.width) for y in range(image.height)} == {GREEN}
    assert compose((1, 1), [{"scale": [7, 7]}], [{"crop": [2, 2, 3, 3]}]) == []


@pytest.mark.parametrize("degrees", [45, 1, 90.5, math.nan, math.inf, True, None, "90"])
def test_only_quarter_turns(degrees: Any) -> None:
    with pytest.raises(ValueError, match="turned by 90, 180 or 270 degrees"):
        region((4, 4), [{"rotate": degrees}])


@pytest.mark.parametrize(
    ("view", "point", "source"),
    [
        ([], (3, 4), (3, 4)),
        ([{"rotate": 90}], (0, 0), (0, 40)),
        ([{"rotate": 90}], (40, 60), (60, 0)),
        ([{"rotate": 180}], (1, 2), (59, 38)),
        ([{"rotate": 270}], (1, 2), (58, 1)),
        ([{"crop": [10, 10, 30, 20]}, {"scale": [40, 40]}], (20, 20), (20, 15)),
        ([{"crop": [10, 10, 30, 20]}], (-5, 99), (10, 20)),
    ],
)
def test_points(view: View, point: tuple[float, float], source: tuple[float, float]) -> None:
    assert to_source(region((60, 40), view), *point) == source


def test_a_zoom_of_a_zoom_in_the_pixels_that_are_seen() -> None:
    seen: View = [{"fit": [30, 20]}]  # half as large as it is
    now = compose((60, 40), seen, [{"crop": [10, 5, 30, 20]}])
    assert now == [{"crop": [20, 10, 60, 40]}]
    now = compose((60, 40), now, [{"rotate": 90}])
    assert now == [{"crop": [20, 10, 60, 40]}, {"rotate": 90}]
    # 30 x 40 are seen now, the source's lower left corner at the upper left; its upper half is the source's left one
    now = compose((60, 40), now, [{"crop": [0, 0, 15, 20]}, {"fit": [6, 100]}])
    assert now == [{"crop": [20, 25, 40, 40]}, {"rotate": 90}, {"scale": [6, 8]}]
    assert corners(shown(quadrants(), now)) == [BLUE, BLUE, WHITE, WHITE]


def noise(width: int, height: int) -> Image.Image:
    """A picture whose every pixel has a colour of its own."""
    return Image.frombytes("RGB", (width, height), bytes(b for i in range(width * height) for b in (i % 251, i // 251, (7 * i) % 256)))


BOX = st.tuples(*[st.floats(-2, 14, allow_nan=False)] * 4).map(lambda b: {"crop": [min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])]})
WHOLE = st.tuples(*[st.integers(0, 14)] * 4).map(lambda b: {"crop": [min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]) + 1, max(b[1], b[3]) + 1]})
TURN = st.sampled_from([90, 180, 270, -90, 0]).map(lambda d: {"rotate": d})
SCALE = st.tuples(st.integers(1, 40), st.integers(1, 40)).map(lambda s: {"scale": list(s)})
FIT = st.tuples(st.integers(1, 12), st.integers(1, 12)).map(lambda s: {"fit": list(s)})


@given(st.integers(1, 13), st.integers(1, 13), st.lists(WHOLE | TURN, max_size=3), st.lists(WHOLE | TURN, max_size=3))
def test_one_view_shows_what_two_show_one_after_the_other(width: int, height: int, first: View, then: View) -> None:
    """At full size pixel for pixel: the second view is of the picture that the first one made."""
    image = noise(width, height)
    try:
        a = compose((width, height), [], first)
    except ValueError:
        return
    between = shown(image, a)
    try:
        b = compose(between.size, [], then)
    except ValueError:
        with pytest.raises(ValueError, match="holds no pixel"):
            compose((width, height), a, then)
        return
    once = shown(image, compose((width, height), a, then))
    assert (once.size, once.tobytes()) == (shown(between, b).size, shown(between, b).tobytes())


@given(st.integers(1, 30), st.integers(1, 30), st.lists(BOX | TURN | SCALE | FIT, max_size=4), st.lists(BOX | TURN | SCALE | FIT, max_size=4))
def test_recipes_are_one_for_one_sight(width: int, height: int, first: View, then: View) -> None:
    size = (width, height)
    try:
        a = compose(size, [], first)
        b = compose(size, a, then)
    except ValueError:
        return
    now = region(size, b)
    assert recipe(size, now) == b
    assert compose(size, b, []) == b
    assert [next(iter(operation)) for operation in b] == [name for name in ("crop", "rotate", "scale") if any(name in o for o in b)]
    x0, y0, x1, y1 = now.box
    assert 0 <= x0 < x1 <= width
    assert 0 <= y0 < y1 <= height
    if not any("crop" in o for o in then):
        assert now.box == region(size, a).box


REGION = st.builds(
    lambda box, turn, size: Region((box[0], box[1], box[0] + box[2], box[1] + box[3]), turn, size),
    st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(1, 99), st.integers(1, 99)),
    st.integers(0, 3),
    st.tuples(st.integers(1, 300), st.integers(1, 300)),
)


@given(REGION, st.tuples(*[st.floats(0, 1)] * 4))
def test_a_box_of_what_is_seen_holds_its_own_source_pixels(now: Region, at: tuple[float, float, float, float]) -> None:
    box = [at[0] * now.size[0], at[1] * now.size[1], at[2] * now.size[0], at[3] * now.size[1]]
    x0, y0, x1, y1 = part_of(now, box)
    for x in (box[0], box[2]):
        for y in (box[1], box[3]):
            sx, sy = to_source(now, x, y)
            assert x0 <= sx <= x1
            assert y0 <= sy <= y1
    assert now.box[0] <= x0 <= x1 <= now.box[2]
    assert now.box[1] <= y0 <= y1 <= now.box[3]


@given(REGION)
def test_all_that_is_seen_is_the_box(now: Region) -> None:
    assert part_of(now, [0, 0, *now.size]) == list(now.box)
    assert sorted(natural(now.box, now.turn)) == sorted((now.box[2] - now.box[0], now.box[3] - now.box[1]))


def test_source_pixels_of_a_photo_are_those_of_the_upright_picture() -> None:
    """A camera held on its side: the file is 40 wide and 60 high, what people see is 60 x 40. Orientation 8: to be turned against the clock."""
    exif = Image.Exif()
    exif[0x0112] = 8
    file = quadrants().transpose(Image.Transpose.ROTATE_270)
    assets = Assets()
    sha = assets.add_bytes(saved(file, "JPEG", exif=exif, quality=95, subsampling=0))
    assert assets.part(sha)["size"] == [60, 40]
    mime, data = assets.render(assets.part(sha, [{"crop": [30, 0, 60, 20]}]))
    red, green, blue = Image.open(io.BytesIO(data)).getpixel((15, 10))  # type: ignore[misc]
    assert mime == "image/jpeg"
    assert (red < 30, green > 220, blue < 30) == (True, True, True)


def test_a_file_is_what_its_bytes_are(tmp_path: Path) -> None:
    folder = tmp_path / "pics"
    folder.mkdir()
    (folder / "one.jpg").write_bytes(saved(quadrants()))
    (folder / "two.png").write_bytes(saved(quadrants(), "JPEG"))
    (folder / "text.png").write_text("This is a note, not a picture.\n")
    (folder / "empty.jpg").write_bytes(b"")
    corpus = load({"rows": TableSpec(source=Source(images="pics"), key="name")}, {"rows": {"image": "public"}}, tmp_path, root="rows", trusted=True)
    table = corpus.tables["rows"]
    assert corpus.notes == ["pics: 2 files skipped, no image: empty.jpg, text.png"]
    keys = list(table.keys())
    assert keys == ["one", "two"]
    found = {key: view["image"] for key in keys if (view := table.view(key))}
    assert {key: corpus.assets.render(part)[0] for key, part in found.items()} == {"one": "image/png", "two": "image/jpeg"}
