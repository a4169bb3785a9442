"""Pictures that are zoomed into, turned and magnified: what is seen, what the state keeps, what is answered to a wrong box."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agentharness.env.world import World
from agentharness.errors import UserError

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
TEXT = """
modality: image
corpus: {rows: {source: {images: pics}, key: name}}
columns: {rows: {image: public, name: public}}
episode: {each: rows}
observe: "What is it?"
start:
  - reveal: {image: image, of: row, fit: [30, 30], frame: FRAME}
actions:
  zoom:
    args: {box: {type: array, items: number}}
    do:
      - reveal: {image: image, of: row, crop: args.box, fit: [30, 30], frame: FRAME}
    else: "No such part."
  turn:
    args: {degrees: {type: number}}
    do:
      - reveal: {image: image, of: row, rotate: args.degrees, frame: FRAME}
    else: "Quarter turns only."
  magnify:
    args: {box: {type: array, items: number}, by: number, degrees: {type: integer, optional: true}}
    do:
      - reveal: {image: image, of: row, crop: args.box, rotate: args.degrees, scale: args.by, frame: FRAME}
    else: "Not like that."
  whole:
    do:
      - reveal: {image: image, of: row, frame: FRAME}
  note:
    args: {text: string}
    say: "{{ args.text }}"
"""


@pytest.fixture
def make(make_world: Any, tmp_path: Path) -> Any:
    image = Image.new("RGB", (60, 40), RED)
    image.paste(GREEN, (30, 0, 60, 20))
    image.paste(BLUE, (0, 20, 30, 40))
    image.paste(WHITE, (30, 20, 60, 40))
    folder = tmp_path / "tiny/pics"
    folder.mkdir(parents=True)
    image.save(folder / "four.png")
    Image.new("RGB", (1, 1), BLUE).save(folder / "dot.png")
    return lambda frame, text=TEXT: make_world(text.replace("FRAME", frame), {})


def colours(world: World, part: Any) -> list[Any]:
    """Size, then the colours a quarter of the way in from each corner."""
    image = Image.open(io.BytesIO(world.corpus.assets.render(part)[1])).convert("RGB")
    assert list(image.size) == part["size"]
    return [image.size, *(image.getpixel((image.width * x // 4, image.height * y // 4)) for y in (1, 3) for x in (1, 3))]


async def test_boxes_in_the_pixels_that_are_seen(make: Any, begin: Any) -> None:
    world = make("shown")
    play = await begin(world, "four")
    part = play.last.parts[-1]
    asset = part["asset"]
    assert part == {"type": "image", "asset": asset, "view": [{"scale": [30, 20]}], "size": [30, 20], "frame": "shown"}
    assert play.state["sights"] == {asset: [{"scale": [30, 20]}]}
    # the right half of what is seen, then its lower half, then turned twice
    (part,) = (await play.do("zoom", box=[15, 0, 30, 20])).parts
    assert (part["view"], part["size"]) == ([{"crop": [30, 0, 60, 40]}, {"scale": [22, 30]}], [22, 30])
    assert colours(world, part) == [(22, 30), GREEN, GREEN, WHITE, WHITE]
    (part,) = (await play.do("zoom", box=[0, 15, 22, 30])).parts
    assert (part["view"], part["size"]) == ([{"crop": [30, 20, 60, 40]}], [30, 20])
    (part,) = (await play.do("turn", degrees=90)).parts
    (part,) = (await play.do("turn", degrees=180)).parts
    assert (part["view"], part["size"]) == ([{"crop": [30, 20, 60, 40]}, {"rotate": 270}], [20, 30])
    assert play.state["sights"] == {asset: part["view"]}
    (part,) = (await play.do("whole")).parts
    assert (part["view"], part["size"]) == ([], [60, 40])
    (part,) = (await play.do("turn", degrees=90)).parts
    assert colours(world, part) == [(40, 60), BLUE, RED, WHITE, GREEN]
    (part,) = (await play.do("magnify", box=[10, 20, 30, 40], by=3, degrees=-90)).parts
    assert part["view"] == [{"crop": [20, 10, 40, 30]}, {"scale": [60, 60]}]
    assert colours(world, part) == [(60, 60), RED, GREEN, BLUE, WHITE]


async def test_boxes_in_source_pixels(make: Any, begin: Any) -> None:
    world = make("source")
    play = await begin(world, "four")
    part = play.last.parts[-1]
    assert (part["view"], part["size"], "frame" in part, "sights" in play.state) == ([{"fit": [30, 30]}], [30, 20], False, False)
    for _ in range(2):  # the same box shows the same, whatever was seen before
        (part,) = (await play.do("zoom", box=[30, 0, 60, 40])).parts
        assert part["view"] == [{"crop": [30, 0, 60, 40]}, {"fit": [30, 30]}]
    (part,) = (await play.do("turn", degrees=90)).parts
    assert (part["view"], part["size"]) == ([{"rotate": 90}], [40, 60])
    (part,) = (await play.do("turn", degrees=90)).parts
    assert part["view"] == [{"rotate": 90}]
    (part,) = (await play.do("magnify", box=[20, 10, 40, 30], by=2.5, degrees=90)).parts
    assert (part["view"], part["size"]) == ([{"crop": [20, 10, 40, 30]}, {"rotate": 90}, {"scale": [50, 50]}], [50, 50])
    assert colours(world, part) == [(50, 50), BLUE, RED, WHITE, GREEN]
    (part,) = (await play.do("magnify", box=[20, 10, 40, 30], by=1)).parts
    assert part["view"] == [{"crop": [20, 10, 40, 30]}, {"scale": [20, 20]}]


@pytest.mark.parametrize("frame", ["source", "shown"])
@pytest.mark.parametrize(
    ("name", "args", "verdict", "text"),
    [
        ("zoom", {"box": [100, 0, 120, 10]}, "missing", "No such part."),
        ("zoom", {"box": [-9, -9, -1, -1]}, "missing", "No such part."),
        ("zoom", {"box": [5, 5, 5, 9]}, "missing", "No such part."),
        ("zoom", {"box": [1, 2, 3]}, "missing", "No such part."),
        ("zoom", {"box": [float("nan"), 0, 1, 1]}, "invalid", "box[0] must be a number"),
        ("zoom", {"box": [0, 0, float("inf"), 1]}, "invalid", "box[2] must be a number"),
        ("zoom", {"box": ["0", 0, 1, 1]}, "invalid", "box[0] must be a number"),
        ("turn", {"degrees": 45}, "missing", "Quarter turns only."),
        ("turn", {"degrees": 10**400}, "missing", "Quarter turns only."),
        ("magnify", {"box": [0, 0, 9, 9], "by": 0}, "missing", "Not like that."),
        ("magnify", {"box": [0, 0, 9, 9], "by": -1}, "missing", "Not like that."),
        ("magnify", {"box": [0, 0, 9, 9], "by": 1e300}, "missing", "Not like that."),
        ("magnify", {"box": [0, 0, 9, 9], "by": 10**400}, "missing", "Not like that."),
        ("magnify", {"box": [0, 0, 9, 9], "by": 1000}, "missing", "Not like that."),
    ],
)
async def test_what_cannot_be_shown_is_answered(make: Any, begin: Any, frame: str, name: str, args: Any, verdict: str, text: str) -> None:
    play = await begin(make(frame), "four")
    before = play.state.get("sights")
    out = await play.do(name, **args)
    assert (out.verdict, play.text) == (verdict, text)
    assert play.state.get("sights") == before


@pytest.mark.parametrize("frame", ["source", "shown"])
async def test_corners_in_any_order_and_far_away(make: Any, begin: Any, frame: str) -> None:
    play = await begin(make(frame), "four")
    (part,) = (await play.do("zoom", box=[10**400, 1e300, -5, -7])).parts
    assert part["size"] == [30, 20]
    (part,) = (await play.do("zoom", box=[20, 10, 10, 0])).parts
    assert part["view"][0] == {"crop": [10, 0, 20, 10] if frame == "source" else [20, 0, 40, 20]}


@pytest.mark.parametrize("frame", ["source", "shown"])
async def test_a_picture_of_one_pixel(make: Any, begin: Any, frame: str) -> None:
    world = make(frame)
    play = await begin(world, "dot")
    for name, args in (("zoom", {"box": [0, 0, 1, 1]}), ("turn", {"degrees": 270}), ("magnify", {"box": [0, 0, 1, 1], "by": 8}), ("whole", {})):
        (part,) = (await play.do(name, **args)).parts
        assert set(colours(world, part)[1:]) == {BLUE}


async def test_a_step_that_shows_nothing_keeps_what_is_seen(make: Any, begin: Any) -> None:
    play = await begin(make("shown"), "four")
    await play.do("zoom", box=[0, 0, 15, 20])
    seen = play.state["sights"]
    await play.do("note", text="hm")
    assert play.state["sights"] is seen


def test_a_frame_that_is_the_usual_one_is_the_same_world(make: Any) -> None:
    assert make("source").world == make("", TEXT.replace(", frame: FRAME", "")).world
    assert make("source").world != make("shown").world


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("fit: [30, 30], frame: FRAME}\nactions", "fit: [30, 30]}\nactions", "pictures of 'image' are shown in the frame 'source' elsewhere"),
        ("rotate: args.degrees, frame", "rotate: row.name ~ nothing, frame", "nothing"),
    ],
)
def test_mistakes(make: Any, old: str, new: str, part: str) -> None:
    assert old in TEXT
    with pytest.raises(UserError, match=r"task.yaml:\d+:\d+") as e:
        make("shown", TEXT.replace(old, new, 1))
    assert part in str(e.value)
