"""The page of `play web=true` in a real browser: boxes that are dragged, points that are clicked, forms, texts that stay texts."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from harness import episodes, sums, write
from PIL import Image
from webplay import WebPlay

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = next((p for p in (Path("/usr/bin/chromium"), Path("/usr/bin/chromium-browser")) if p.exists()), None)
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
LOOK = """\
data: {{images: pics, labels: names.csv}}
preset: look
{more}ask: "What is it?"
answer: label
reward: exact
licence: private
"""
POINT = """\
data: rows.py:rows
preset: point
ask: "Click on the green part."
licence: private
"""
ROWS = """\
def rows():
    from PIL import Image

    image = Image.open({path!r})
    image.load()
    yield {{"image": image, "box": [300, 0, 600, 200]}}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking"]
        found = playwright.chromium.launch(executable_path=str(CHROMIUM), args=flags)
        yield found
        found.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.set_default_timeout(20_000)
    yield page
    page.close()
    assert wrong == []


def four(path: Path) -> Path:
    """A picture of 600 x 400: red and green above, blue and white below."""
    image = Image.new("RGB", (600, 400), RED)
    for colour, box in ((GREEN, (300, 0, 600, 200)), (BLUE, (0, 200, 300, 400)), (WHITE, (300, 200, 600, 400))):
        image.paste(colour, box)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)
    return path


def look(cwd: Path, more: str) -> None:
    write(cwd / "tasks/look", {"task.yaml": LOOK.format(more=more), "names.csv": "four,flag\n"})
    four(cwd / "tasks/look/pics/four.png")


def opened(tab: Page, play: WebPlay, turn: int = 1) -> None:
    tab.goto(play.url)
    ready(tab, turn)


def ready(tab: Page, turn: int) -> None:
    """Waits until this turn of the page's is the person's, and the picture is there."""
    tab.wait_for_function("n => turn === n && (seen === null || ($('picture').complete && $('picture').src.endsWith(seen.picture)))", arg=turn)


def spot(tab: Page, x: float, y: float) -> tuple[float, float]:
    """A place of the picture, as shares of its sides, on the screen."""
    box = tab.locator("#picture").bounding_box()
    assert box is not None
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def drag(tab: Page, x0: float, y0: float, x1: float, y1: float) -> None:
    tab.mouse.move(*spot(tab, x0, y0))
    tab.mouse.down()
    tab.mouse.move(*spot(tab, x1, y1), steps=4)
    tab.mouse.up()


def colours(tab: Page) -> list[Any]:
    """What a person sees a quarter of the way in from each corner of the picture."""
    image = Image.open(io.BytesIO(tab.locator("#picture").screenshot())).convert("RGB")
    return [image.getpixel((image.width * x // 4, image.height * y // 4)) for y in (1, 3) for x in (1, 3)]


def stop(tab: Page, play: WebPlay) -> None:
    tab.click("#stop")
    tab.wait_for_selector("text=The run has ended.")
    assert play.done()[0] == 130


def actions(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    (line,) = episodes(folder)
    return [(step["action"], step["args"]) for step in line["steps"] if "action" in step]


def near(found: dict[str, Any], **wanted: float) -> bool:
    return found.keys() == wanted.keys() and all(abs(found[k] - v) <= 3 for k, v in wanted.items())


@pytest.mark.parametrize("frame", ["source", "shown"])
def test_a_box_that_is_dragged_zooms_in_and_in_again(frame: str, tab: Page, tmp_path: Path) -> None:
    look(tmp_path, "frame: shown\n" if frame == "shown" else "")
    with WebPlay(tmp_path, "task=look", "out=r") as play:
        opened(tab, play)
        assert colours(tab) == [RED, GREEN, BLUE, WHITE]
        assert tab.inner_text("#caption") == "256 × 171 pixels: the whole picture of 600 × 400"
        drag(tab, 0.25, 0.25, 0.75, 0.75)
        ready(tab, 2)
        assert colours(tab) == [RED, GREEN, BLUE, WHITE]
        drag(tab, 0.98, 0.45, 0.55, 0.02)  # from its lower right corner to its upper left one
        ready(tab, 3)
        assert colours(tab) == [GREEN] * 4
        tab.fill("textarea[name=text]", "flag")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(".end.good")
        assert tab.inner_text(".end") == "The episode is over: reward 1"
        assert play.done()[0] == 0
    (one, first), (two, second), (three, last) = actions(tmp_path / "r")
    assert (one, two, three, last) == ("zoom", "zoom", "answer", {"text": "flag"})
    if frame == "source":
        assert near(first, x0=150, y0=100, x1=450, y1=300)
        assert near(second, x0=315, y0=104, x1=444, y1=190)
    else:
        assert near(first, x0=64, y0=43, x1=192, y1=128)
        assert near(second, x0=141, y0=3, x1=251, y1=77)


def test_a_click_points_and_waits_for_the_button(tab: Page, tmp_path: Path) -> None:
    path = four(tmp_path / "four.png")
    write(tmp_path / "tasks/spot", {"task.yaml": POINT, "rows.py": ROWS.format(path=str(path))})
    with WebPlay(tmp_path, "task=spot", "out=r") as play:
        opened(tab, play)
        tab.mouse.click(*spot(tab, 0.25, 0.25))
        tab.mouse.click(*spot(tab, 0.75, 0.25))
        assert tab.is_visible("#dot")
        assert abs(float(tab.input_value("input[name=x]")) - 450) <= 2
        assert abs(float(tab.input_value("input[name=y]")) - 100) <= 2
        tab.click("button[type=submit]")
        tab.wait_for_selector(".end.good")
        assert play.done()[0] == 0
    assert [name for name, _ in actions(tmp_path / "r")] == ["click"]


def test_forms_fields_and_what_cannot_be_read(tab: Page, tmp_path: Path) -> None:
    more = """\
  pick:
    args: {what: {type: string, enum: [left, right]}}
    say: "You went {{ args.what }}."
  mix:
    args: {flag: boolean, count: {type: integer, optional: true}, list: {type: array, items: number}, way: {type: string, enum: [up, down], optional: true}}
    say: "{{ args.flag }} {{ args.count }} {{ args.list }} {{ args.way }}"
"""
    sums(tmp_path, 1, more)
    with WebPlay(tmp_path, "task=sums", "out=r") as play:
        opened(tab, play)
        assert tab.locator("#actions h2").all_inner_texts() == ["add", "mix", "pick", "answer\nends the episode"]
        tab.click("text=right")
        ready(tab, 2)
        assert tab.locator("#log .text").last.inner_text() == "You went right."
        tab.fill("input[name=list]", "[1, 2.5")
        tab.click("form:has-text('mix') button")
        assert tab.inner_text(".wrong") == "list cannot be read: [1, 2.5"
        tab.fill("input[name=list]", "[1, 2.5]")
        tab.select_option("select[name=flag]", "false")
        tab.select_option("select[name=way]", label="down")
        tab.click("form:has-text('mix') button")
        ready(tab, 3)
        tab.fill("input[name=a]", "4")
        tab.click("form:has-text('add') button")
        assert tab.inner_text(".wrong") == "b is empty"
        tab.fill("input[name=b]", "38")
        tab.keyboard.press("Enter")
        ready(tab, 4)
        assert tab.locator("#log .text").last.inner_text() == "42"
        tab.fill("textarea[name=text]", "0")
        tab.click("form:has-text('answer') button")
        tab.wait_for_selector(".end.good")
        tab.wait_for_selector("text=The run has ended.")
        assert tab.inner_text("#state") == "ended"
        assert play.done()[0] == 0
    wanted = [("pick", {"what": "right"}), ("mix", {"flag": False, "list": [1, 2.5], "way": "down"}), ("add", {"a": 4, "b": 38}), ("answer", {"text": "0"})]
    assert actions(tmp_path / "r") == wanted


def test_texts_of_a_corpus_stay_texts(tab: Page, tmp_path: Path) -> None:
    text = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script> {{ 1 }}"
    task = "data: rows.jsonl\npreset: qa\nask: question\nanswer: a\nreward: exact\nlicence: private\n"
    write(tmp_path / "tasks/odd", {"task.yaml": task, "rows.jsonl": json.dumps({"question": text, "a": "x"}) + "\n"})
    with WebPlay(tmp_path, "task=odd", "out=r") as play:
        opened(tab, play)
        assert tab.inner_text("#log .text") == text
        assert (tab.title(), tab.locator("#log img").count()) == ("play odd", 0)
        stop(tab, play)


def test_a_page_that_is_loaded_anew_shows_all_and_goes_on(tab: Page, tmp_path: Path) -> None:
    sums(tmp_path, 2)
    with WebPlay(tmp_path, "task=sums", "out=r") as play:
        opened(tab, play)
        tab.fill("textarea[name=text]", "0")
        tab.keyboard.press("Enter")
        ready(tab, 2)
        tab.reload()
        ready(tab, 2)
        assert tab.locator("#log .mark").all_inner_texts() == ["Episode 1", "Episode 2"]
        assert tab.inner_text("#where") == "episode 2 · turn 1"
        stop(tab, play)


def test_it_is_readable_by_day_and_by_night(tab: Page, tmp_path: Path) -> None:
    sums(tmp_path, 1)
    with WebPlay(tmp_path, "task=sums", "out=r") as play:
        opened(tab, play)

        def tones(selector: str) -> list[int]:
            """Brightness, 0 to 255, of its letters and its ground."""
            found = tab.eval_on_selector(selector, "n => [getComputedStyle(n).color, getComputedStyle(n).backgroundColor]")
            return [sum(int(float(n)) for n in said[said.index("(") + 1 : -1].split(",")[:3]) // 3 for said in found]

        for scheme, dark in (("light", False), ("dark", True)):
            tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            for selector in ("#log .text", "#actions button[type=submit]", "textarea", "header"):
                ink, ground = tones(selector)
                assert abs(ink - ground) > 90, (scheme, selector, ink, ground)
            assert (tones("#log .text")[1] < 128) == dark
        stop(tab, play)
