"""What models write: bad calls are observations that are counted, strange text is kept, both protocols and pictures reach the server as its API wants them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from harness import Done, JsonDict, episodes, play, run, shown, sums, table, write
from PIL import Image
from spawn import Server, serve

from agentharness.store.reader import texts

REPLIES = (
    "calc|badjson",
    "calc|doubled",
    "calc|unknown-tool",
    "calc|extra-arg",
    "say:",
    "plain|null",
    "say:x|surrogate",
    "say:<think>7</think>{sum}",
    "say:0|length",
)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, server: Server) -> tuple[Done, dict[str, JsonDict]]:
    """A grid with one model for each kind of reply: what it printed, and each one's only episode."""
    cwd = tmp_path_factory.mktemp("replies")
    sums(cwd, 1)
    before = server.stats()["invalid"]
    done = run(cwd, "task=sums", "agent=tools", f"model={json.dumps(REPLIES)}", f"base_url={server.url}", "out=grid")
    assert server.stats()["invalid"] == before
    cells = [row.name for row in sorted((cwd / "grid").iterdir(), key=lambda p: (p / "manifest.json").stat().st_mtime_ns)]
    lines = [episodes(cwd / "grid" / cell)[0] for cell in cells]
    return done, {line["model"]["name"]: line for line in lines}


def test_every_kind_of_reply_ends_in_a_scored_episode(played: tuple[Done, dict[str, JsonDict]]) -> None:
    done, lines = played
    assert set(lines) == set(REPLIES)
    assert {row["model"]: row["errors"] for row in table(done)} == {row["model"]: "0" for row in table(done)}
    assert {name: line["status"] for name, line in lines.items()} == {
        **dict.fromkeys(REPLIES, "completed"),
        "say:": "truncated:turns",
        "plain|null": "truncated:turns",
    }


@pytest.mark.parametrize(
    ("model", "metrics", "verdicts", "told"),
    [
        ("calc|badjson", {"malformed": 1, "parse_retries": 1}, ["malformed", "ok"], "arguments are not JSON: "),
        ("calc|doubled", {"malformed": 1, "parse_retries": 1}, ["malformed", "ok"], "arguments are not JSON: "),
        ("calc|unknown-tool", {"unknown": 1}, ["unknown", "ok"], "add, answer"),
        ("calc|extra-arg", {"invalid": 1}, ["invalid", "ok"], "extra"),
    ],
)
def test_a_bad_call_is_an_observation_and_counted(
    played: tuple[Done, dict[str, JsonDict]], model: str, metrics: dict[str, int], verdicts: list[str], told: str
) -> None:
    line = played[1][model]
    assert {name: n for name, n in line["metrics"].items() if name in ("turns", "malformed", "unknown", "invalid", "parse_retries")} == {"turns": 2, **metrics}
    assert [step.get("verdict", "ok") for step in line["steps"][1:]] == verdicts
    assert told in shown(line)[1]
    # The model saw it: its next words are that text.
    assert line["final_state"]["submission"] == line["messages"][line["steps"][1]["message"]]["content"]


def test_an_empty_reply_is_a_turn_that_is_nudged_and_counted(played: tuple[Done, dict[str, JsonDict]]) -> None:
    for model, content in (("say:", ""), ("plain|null", None)):
        line = played[1][model]
        assert (line["metrics"]["turns"], line["metrics"]["prose"], len(line["steps"])) == (6, 6, 1)
        assert line["reward"] == 0.0
        assert [line["messages"][call["reply"]]["content"] for call in line["calls"]] == [content] * 6
    assert "actions: 6 unparsed" in played[0].out


def test_a_lone_surrogate_is_kept_in_strict_json(played: tuple[Done, dict[str, JsonDict]]) -> None:
    line = played[1]["say:x|surrogate"]
    assert line["final_state"]["submission"] == "x\ud800"
    assert line["messages"][-1] == {"role": "assistant", "content": "x\ud800"}


def test_thoughts_are_no_answer_and_the_finish_reason_is_kept(played: tuple[Done, dict[str, JsonDict]]) -> None:
    line = played[1]["say:<think>7</think>{sum}"]
    assert (line["final_state"]["submission"], line["reward"]) == ("0", 1.0)
    assert [call["finish"] for call in played[1]["say:0|length"]["calls"]] == ["length"]


def test_the_text_protocol_plays_without_tools(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 3)
    right = 'say:I add. ```json {"action": "answer", "args": {"text": "{sum}"}} ``` The env says: right!'
    words = ("task=sums", "agent=tools", f"base_url={server.url}", "agent.protocol=text", "out=grid")
    done = play(tmp_path, *words, f"model={json.dumps([right, 'say:7'])}")
    assert [(row["mean"], row["truncated"]) for row in table(done)] == [("1.000", "0"), ("0.000", "0")]
    body = server.last()["body"]
    assert "tools" not in body
    assert "add(a: integer, b: integer)" in body["messages"][0]["content"] or '"add"' in body["messages"][0]["content"]
    (cell,) = [cell for cell in (tmp_path / "grid").iterdir() if "7" not in cell.name]
    line = episodes(cell)[1]
    assert [step.get("action") for step in line["steps"]] == [None, "answer"]
    assert line["steps"][1]["raw"] == '{"action": "answer", "args": {"text": "3"}}'
    assert line["messages"][0]["sha256"] in texts(cell)


def picture(colour: str, size: tuple[int, int] = (40, 30)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return out.getvalue()


LOOK: dict[str, str | bytes] = {
    "task.yaml": """\
data: {images: pics, labels: labels.json}
preset: look
ask: "Which colour is this? One of: {{ labels }}"
answer: label
reward: exact
turns: 3
licence: CC0-1.0
""",
    "labels.json": '{"a": "blue", "b": "green", "c": "red"}',
    "pics/a.png": picture("blue"),
    "pics/b.png": picture("green"),
    "pics/c.png": picture("red", (700, 600)),
}
ZOOM = 'call:zoom:{"x0": 5, "y0": 5, "x1": 25, "y1": 15}|say:red'


def test_pictures_reach_the_model_as_data_urls_and_are_stored_once(tmp_path: Path, server: Server) -> None:
    write(tmp_path / "tasks/colours", LOOK)
    before = server.stats()
    done = play(tmp_path, "task=colours", "agent=tools", f"model={json.dumps([ZOOM])}", f"base_url={server.url}", "samples=2", "out=r")
    assert (table(done)[0]["n"], table(done)[0]["mean"]) == ("6", "0.333")
    after = server.stats()
    assert after["invalid"] == before["invalid"]
    assert after["images"] - before["images"] == 6 * (1 + 2)
    lines = episodes(tmp_path / "r")
    assert [line["reward"] for line in lines] == [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    parts = [step["parts"] if "parts" in step else lines[4]["messages"][step["message"]]["content"] for step in lines[4]["steps"]]
    opening, zoomed = (next(p for p in each if p["type"] == "image") for each in parts[:2])
    assert (opening["view"], opening["size"]) == ([{"fit": [256, 256]}], [256, 219])
    assert (zoomed["view"], zoomed["size"]) == ([{"crop": [5, 5, 25, 15]}, {"fit": [256, 256]}], [20, 10])
    pictures = {p.name for p in (tmp_path / "r/assets").iterdir()} - {"texts.jsonl"}
    assert len(pictures) == 3
    assert opening["asset"] == zoomed["asset"]
    assert opening["asset"] in pictures
    assert table(play(tmp_path, "task=colours", "out=oracle"))[0]["mean"] == "1.000"


def test_a_corrupt_picture_fails_its_own_episode_only(tmp_path: Path, server: Server) -> None:
    write(tmp_path / "tasks/colours", {**LOOK, "pics/b.png": picture("green", (300, 300))[:200]})
    words = ("task=colours", "agent=tools", "model=say:red", f"base_url={server.url}", "out=r")
    done = play(tmp_path, *words, code=1)
    assert (table(done)[0]["n"], table(done)[0]["errors"]) == ("2", "1 env")
    (line,) = [line for line in episodes(tmp_path / "r", attempts=True) if line["status"] != "completed"]
    assert (line["status"], line["reward"]) == ("error:env", None)
    assert "b.png" in line["error"]["message"]


@pytest.mark.parametrize(
    ("model", "limit", "status", "reward"),
    [
        ("calc", "turns=1", "truncated:turns", 0.0),
        ("calc", "tokens=10", "truncated:tokens", 0.0),
        ("say:{sum}|slow-3000", "time=0.3", "truncated:time", 0.0),
        ("say:{sum}|fault-context", "turns=6", "truncated:context", 0.0),
        # Waiting is not working: it uses up `wall`, not `time`.
        ("say:{sum}|fault-429x1|retry-after-1", "time=0.8", "completed", 1.0),
        ("say:{sum}|fault-429x1|retry-after-1|other", "wall=0.8", "truncated:wall", 0.0),
    ],
)
def test_limits_are_told_apart_and_scored(model: str, limit: str, status: str, reward: float, tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 2)
    done = play(tmp_path, "task=sums", "agent=tools", f"model={model}", f"base_url={server.url}", f"task.limits.{limit}", "out=r")
    lines = episodes(tmp_path / "r")
    assert [(line["status"], line["reward"]) for line in lines] == [(status, reward)] * 2
    cut = status.partition(":")[2]
    assert table(done)[0]["truncated"] == (f"2 {cut}" if cut else "0")
    assert table(done)[0]["n"] == "2"
    if status == "completed":
        assert all(line["clock"]["waited_s"] >= 1 > line["clock"]["seconds"] for line in lines)


def test_a_history_with_broken_arguments_goes_to_servers_that_refuse_it(tmp_path: Path) -> None:
    sums(tmp_path, 2)
    with serve("--tool", "add", "--strict-args") as server:
        done = play(tmp_path, "task=sums", "agent=tools", "model=calc|badjson", f"base_url={server.url}", "out=r")
    assert (table(done)[0]["n"], table(done)[0]["errors"]) == ("2", "0")
    assert [line["metrics"]["malformed"] for line in episodes(tmp_path / "r")] == [1, 1]
