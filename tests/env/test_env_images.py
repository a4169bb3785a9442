"""Pictures: the opening's, crops in source pixels, fits; parts are recipes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agentharness.canon import sha256
from agentharness.env.world import World
from agentharness.errors import EpisodeError, UserError
from agentharness.types.part import text

TEXT = """
modality: image
corpus: {rows: {source: {images: pics}, key: name}}
columns: {rows: {image: public, name: public, label: gold}}
episode: {each: rows}
observe: "What is it?"
images: [image]
start:
  - reveal: {image: image, of: row, fit: [5, 5]}
actions:
  zoom:
    args:
      box: {type: array, items: number}
    do:
      - reveal: {image: image, of: row, crop: args.box, fit: [4, 100]}
    else: "No such part."
  show:
    do:
      - reveal: {image: image}
    say: "Here."
  both:
    do:
      - reveal: name
      - reveal: {image: image, crop: "[0, 0, 1, 1]"}
"""


@pytest.fixture
def look(make_world: Any, tmp_path: Path) -> World:
    for name, size in (("wide", (20, 10)), ("tall", (3, 9))):
        folder = tmp_path / "tiny" / "pics" / name
        folder.mkdir(parents=True)
        Image.new("RGB", size, "red").save(folder / f"{name}.png")
    return make_world(TEXT, {})  # type: ignore[no-any-return]


def sha(world: World, name: str) -> str:
    return sha256((world.folder / "pics" / name / f"{name}.png").read_bytes())


async def test_opening(look: World, begin: Any) -> None:
    play = await begin(look, "wide")
    asset = sha(look, "wide")
    assert play.last.parts == [
        text("What is it?"),
        {"type": "image", "asset": asset, "view": [], "size": [20, 10]},
        {"type": "image", "asset": asset, "view": [{"fit": [5, 5]}], "size": [5, 2]},
    ]
    assert play.state["seen"] == ["rows/wide/image"]


@pytest.mark.parametrize(
    ("box", "crop", "size"),
    [
        ([2, 1, 6, 4], [2, 1, 6, 4], [4, 3]),
        ([6, 4, 2, 1], [2, 1, 6, 4], [4, 3]),
        ([0.5, 0.5, 2.5, 1], [0, 0, 3, 1], [3, 1]),
        ([-5, -5, 100, 100], [0, 0, 20, 10], [4, 2]),
        ([2, 1, 2, 4], None, None),
        ([30, 1, 40, 4], None, None),
        ([1, 2, 3], None, None),
        ([], None, None),
    ],
)
async def test_crop(look: World, begin: Any, box: list[float], crop: list[int] | None, size: list[int] | None) -> None:
    play = await begin(look, "wide")
    out = await play.do("zoom", box=box)
    if crop is None:
        assert (out.verdict, play.text) == ("missing", "No such part.")
    else:
        assert out.parts == [{"type": "image", "asset": sha(look, "wide"), "view": [{"crop": crop}, {"fit": [4, 100]}], "size": size}]


async def test_text_then_images(look: World, begin: Any) -> None:
    play = await begin(look, "tall")
    whole = {"type": "image", "asset": sha(look, "tall"), "view": [], "size": [3, 9]}
    assert (await play.do("show")).parts == [text("Here."), whole]
    assert (await play.do("both")).parts == [text("tall"), {**whole, "view": [{"crop": [0, 0, 1, 1]}], "size": [1, 1]}]


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("fit: [5, 5]", "fit: [5]", "fit takes width and height in pixels"),
        ("images: [image]", "images: [label]", "'label' of rows is gold: rules show public fields only"),
        ("of: row, fit", "of: there, fit", "`of` is one of at, row, results"),
        ("reveal: {image: image}", "reveal: {span: args.box, in: name, of: results}", "`of` is one of at, row"),
        ("- reveal: name", "- reveal: image", "'image' holds pictures, and would be shown as text (reveal: {image: image})"),
    ],
)
def test_mistakes(look: World, make_world: Any, old: str, new: str, part: str) -> None:
    with pytest.raises(UserError, match=r"task.yaml:\d+:\d+") as e:
        make_world(TEXT.replace(old, new), {})
    assert part in str(e.value)


async def test_the_pictures_that_a_query_found(make_world: Any, look: World, begin: Any) -> None:
    text = TEXT.replace(
        "      - reveal: {image: image}\n", "      - query: {filter: item.name != 'none', in: rows}\n      - reveal: {image: image, of: results, fit: [3, 3]}\n"
    )
    play = await begin(make_world(text, {}), "wide")
    shown = (await play.do("show")).parts
    assert [(p["asset"], p["size"]) for p in shown if p["type"] == "image"] == [(sha(look, "tall"), [1, 3]), (sha(look, "wide"), [3, 2])]
    assert play.state["seen"] == ["rows/tall/image", "rows/wide/image"]


async def test_a_path_to_a_picture_shows_it(look: World, make_world: Any, begin: Any) -> None:
    world = make_world(TEXT.replace("- reveal: name", "- reveal: {path: \"'image'\", of: row}"), {})
    play = await begin(world, "tall")
    whole = {"type": "image", "asset": sha(look, "tall"), "view": [], "size": [3, 9]}
    assert (await play.do("both")).parts[0] == whole
    assert play.state["seen"] == ["rows/tall/image"]


async def test_a_field_without_a_picture(look: World, make_world: Any, begin: Any) -> None:
    world = make_world(TEXT.replace("images: [image]", "images: [name]"), {})
    with pytest.raises(EpisodeError, match=r"env: start: row 'wide' has no picture in 'name'"):
        await begin(world, "wide")
