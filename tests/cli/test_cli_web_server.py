"""`play web=true` without a browser: what the server tells, takes and refuses, and that the run stays one run."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from harness import ENV, command, episodes, here, sums, write
from PIL import Image
from webplay import WebPlay

LOOK = """\
data: {images: pics, labels: names.csv}
preset: look
frame: shown
ask: "What is it?"
answer: label
reward: exact
licence: private
"""


def look(cwd: Path) -> Path:
    """tasks/look: one picture of four colours, 600 x 400."""
    image = Image.new("RGB", (600, 400), (255, 0, 0))
    for colour, box in (((0, 255, 0), (300, 0, 600, 200)), ((0, 0, 255), (0, 200, 300, 400)), ((255, 255, 255), (300, 200, 600, 400))):
        image.paste(colour, box)
    folder = write(cwd / "tasks/look", {"task.yaml": LOOK, "names.csv": "four,flag\n"})
    (folder / "pics").mkdir()
    image.save(folder / "pics/four.png")
    return folder


def test_a_person_plays_at_a_page(tmp_path: Path) -> None:
    sums(tmp_path, 2)
    with WebPlay(tmp_path, "task=sums", "out=r") as page:
        news = page.turn(1)
        assert (news["title"], news["next"]) == ("sums", 2)
        assert news["entries"] == [
            {"kind": "episode", "number": 1},
            {"kind": "shown", "action": None, "parts": [{"type": "text", "text": "What is 0 + 0?"}]},
        ]
        assert [(a["name"], a["ends"], sorted(a["parameters"]["properties"])) for a in news["actions"]] == [
            ("add", False, ["a", "b"]),
            ("answer", True, ["text"]),
        ]
        assert page.act(1, "add", a=1, b="two")
        news = page.turn(2)
        assert news["entries"][2:] == [
            {"kind": "shown", "action": {"name": "add", "args": {"a": 1, "b": "two"}}, "parts": [{"type": "text", "text": "b must be an integer"}]}
        ]
        assert page.news(after=3, turn=0)["entries"] == []
        assert not page.act(1, "answer", text="0")  # a page that came too late
        assert page.act(2, "answer", text="0")
        news = page.turn(3)
        end = {"kind": "end", "status": "completed", "reward": 1.0, "rewards": {"exact": 1.0}, "error": ""}
        assert news["entries"][3:5] == [end, {"kind": "episode", "number": 2}]
        assert page.act(3, "answer", text="7")
        code, out = page.done()
    assert code == 0
    assert "play config=r/manifest.json web=true" in out
    lines = episodes(tmp_path / "r")
    assert [(line["agent"]["name"], line["reward"], len(line["steps"])) for line in lines] == [("human", 1.0, 3), ("human", 0.0, 2)]
    assert page.url.rstrip("/").rpartition("/")[2] not in (tmp_path / "r/manifest.json").read_text()


def test_the_end_is_told_before_the_page_is_left(tmp_path: Path) -> None:
    sums(tmp_path, 1)
    with WebPlay(tmp_path, "task=sums", "out=r") as page:
        assert page.act(page.turn(1)["turn"], "answer", text="0")
        kinds: list[str] = []
        while "over" not in kinds:
            kinds += [entry["kind"] for entry in page.news(after=2 + len(kinds), turn=0)["entries"]]
        assert kinds == ["end", "over"]
        assert page.done()[0] == 0


def test_ctrl_c_and_stop_leave_a_run_that_goes_on_anywhere(tmp_path: Path) -> None:
    sums(tmp_path, 3)
    with WebPlay(tmp_path, "task=sums", "out=r") as page:
        page.act(page.turn(1)["turn"], "answer", text="0")
        page.turn(2)
        page.interrupt()
        while "no new session starts" not in (said := page._process.stdout.readline()):  # type: ignore[union-attr]
            assert said or page._process.poll() is None
        page.interrupt()
        assert page.done()[0] == 130
    with WebPlay(tmp_path, "config=r/manifest.json") as page:
        assert page.turn(1)["entries"][1]["parts"] == [{"type": "text", "text": "What is 1 + 2?"}]
        page.act(1, "answer", text="3")
        page.turn(2)
        assert page.ask("stop", {})[0] == 200
        assert page.done()[0] == 130
    done = subprocess.run(
        command("play", "config=r/manifest.json"), cwd=tmp_path, env=ENV, input="answer 6\n", capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert [line["reward"] for line in episodes(tmp_path / "r")] == [1.0, 1.0, 1.0]


def test_pictures_are_shown_as_a_model_would_see_them(tmp_path: Path) -> None:
    look(tmp_path)
    with WebPlay(tmp_path, "task=look", "out=r") as page:
        (one,) = (p for p in page.turn(1)["entries"][1]["parts"] if p["type"] == "image")
        assert {k: one[k] for k in ("size", "box", "turn", "source", "frame")} == {
            "size": [256, 171],
            "box": [0, 0, 600, 400],
            "turn": 0,
            "source": [600, 400],
            "frame": "shown",
        }
        page.act(1, "zoom", x0=128, y0=0, x1=256, y1=85)
        (one,) = page.turn(2)["entries"][2]["parts"]
        assert (one["box"], one["size"]) == ([300, 0, 600, 199], [256, 170])
        status, body, headers = page.ask(f"picture/{one['picture']}")
        image = Image.open(io.BytesIO(body)).convert("RGB")
        assert (status, headers["Content-Type"], image.size, image.getpixel((128, 85))) == (200, "image/png", (256, 170), (0, 255, 0))
        assert page.ask("picture/00")[0] == 404


def test_only_who_has_the_address_is_answered(tmp_path: Path) -> None:
    sums(tmp_path, 1)
    with WebPlay(tmp_path, "task=sums", "out=r") as page:
        page.turn(1)
        at = urlsplit(page.url)
        assert at.hostname == "127.0.0.1"
        assert len(at.path) > 30
        for path in (
            "/",
            "/news",
            f"/{'x' * 32}/",
            "/%E2%98%83/news",
            f"{at.path}nothing",
            f"{at.path}..%2fserver.py",
            f"{at.path}picture/..%2f..%2fserver.py",
        ):
            assert page.ask(path)[0] == 404, path
        assert page.ask("", Host=f"evil.example:{at.port}")[0] == 404
        assert page.ask("act", {"turn": 1, "name": "answer", "args": {"text": "9"}}, Origin="http://evil.example")[0] == 404
        status, body, headers = page.ask("", Origin=f"http://127.0.0.1:{at.port}")
        assert status == 200
        assert body.startswith(b"<!doctype html>")
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")
        assert (headers["Referrer-Policy"], headers["X-Content-Type-Options"]) == ("no-referrer", "nosniff")
        for wrong in (
            b"",
            b"{",
            b"[]",
            b'{"turn": 1}',
            b'{"turn": "1", "name": "answer", "args": {}}',
            b'{"turn": 1, "name": "answer", "args": {"text": NaN}}',
            b"[" * 100_000,
        ):
            assert page.ask("act", wrong)[0] == 400, wrong[:40]
        assert page.ask("act", b" " * (2 << 20))[0] == 413
        assert page.ask("news?after=x")[0] == 400
        assert page.act(1, "answer", text="0")  # and it still plays
        assert page.done()[0] == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("web=maybe",), "web: must be true or false, is 'maybe'"),
        (("port=80",), "port: is the page's (add web=true)"),
        (("web=true", "port=99999"), "port: must be a number from 0 to 65535, is '99999' (leave it out for a free one)"),
        (("web=true", "agent=random"), "agent: play is for one person (leave agent out; `run` plays agents)"),
    ],
)
def test_mistakes(words: tuple[str, ...], line: str, tmp_path: Path) -> None:
    sums(tmp_path, 1)
    assert here(tmp_path, "play", "task=sums", *words, code=2).mistake == line


def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    sums(tmp_path, 1)
    with WebPlay(tmp_path, "task=sums", "out=r") as page:
        port = urlsplit(page.url).port
        done = here(tmp_path, "play", "task=sums", "out=s", "web=true", f"port={port}", code=2)
        assert done.mistake.startswith(f"port: cannot listen on port {port}: ")
        assert json.loads(page.ask("news?after=0&turn=-1")[1])["turn"] in (0, 1)
