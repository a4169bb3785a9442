"""Reading a run folder: the released schema, tolerance, prompts, parts, facts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentharness import canon
from agentharness.errors import UserError
from agentharness.store.migrate import MIGRATIONS, migrate
from agentharness.store.reader import facts, parts_of, prompt_of, read_asset, read_episodes
from agentharness.types.episode import SCHEMA_VERSION, Facts, Key
from agentharness.types.part import JsonDict

FIXTURE = Path(__file__).parents[1] / "fixtures/episode_v1.jsonl"


def line(row: str, status: str = "completed", **more: Any) -> JsonDict:
    return {"schema_version": 1, "key": Key("v1:w", row, 0, 0, "a").to_json(), "status": status, **more}


def write(path: Path, *lines: JsonDict, tail: bytes = b"") -> None:
    path.write_bytes(b"".join(canon.dumps(x, newline=True) for x in lines) + tail)


def test_the_released_form() -> None:
    one, two = read_episodes(FIXTURE)
    assert one["key"]["row"] == "FRA"
    assert one["group"] == Key.from_json(one["key"]).group
    assert repr(one["metrics"]["spread"]) == "nan"
    assert two["messages"] == [{"role": "user", "content": "a lone \ud800 and a \\"}]
    assert two["future_field"] == {"kept": True}
    table = one["messages"]
    assert prompt_of(one, one["calls"][0]) == table[:2]
    assert prompt_of(one, one["calls"][1]) == [table[0], table[3]]  # a sliding window
    assert parts_of(one, one["steps"][0]) == [{"type": "text", "text": "Which country borders both? Pages: Andorra, Spain"}]
    assert [p["type"] for p in parts_of(one, one["steps"][1])] == ["text", "image"]
    assert parts_of(one, one["steps"][2]) == [{"type": "text", "text": "Done."}]
    system = {"role": "system", "content": "Answer with the tools."}
    assert prompt_of(one, one["calls"][0], {table[0]["sha256"]: system}) == [system, table[1]]
    assert [step.get("action") for step in one["steps"]] == [None, "open", "answer"]
    a, b = facts(FIXTURE)
    assert (a.id, a.status, a.reward, a.rewards) == (Key.from_json(one["key"]).id, "completed", 1.0, {"exact": 1.0, "judge": None})
    assert (a.usage["prompt_tokens"], a.cost, a.seconds, a.slices) == (312, 0.00042, 3.25, {"region": "Europe"})
    assert repr(a.metrics["spread"]) == "nan"
    assert (b.row, b.sample, b.status, b.reward, b.seconds, b.error) == ("ESP", 1, "error:agent", 0.0, 0.5, 'unreadable plan {"$text"}')


def test_every_schema_version_has_its_migration() -> None:
    assert sorted(MIGRATIONS) == list(range(1, SCHEMA_VERSION + 1))
    assert migrate({"schema_version": 1, "x": 2}, where="f:1") == {"schema_version": 1, "x": 2}


@pytest.mark.parametrize("version", [99, None, 0, "1", True, 1.0])
@pytest.mark.parametrize("read", [lambda p: list(read_episodes(p)), facts])
def test_other_schema_versions_are_refused(tmp_path: Path, version: object, read: Callable[[Path], object]) -> None:
    write(tmp_path / "episodes.jsonl", line("a"), {**line("b"), "schema_version": version})
    with pytest.raises(UserError, match="schema version") as e:
        read(tmp_path)
    assert e.value.where == f"{tmp_path}/episodes.jsonl:2"
    assert (e.value.hint == "install a newer agentharness") == (version == 99)


def test_episodes_then_attempts_of_a_folder_that_is_being_written(tmp_path: Path) -> None:
    write(tmp_path / "episodes.jsonl", line("a", reward=1.0), line("b"), line("a", reward=0.0), tail=b'{"schema_ver')
    write(tmp_path / "attempts.jsonl", line("c", "cancelled"), line("a", "error:model"), line("c", "error:env"), tail=b"\0")
    assert [x["key"]["row"] for x in read_episodes(tmp_path)] == ["a", "b"]
    assert [(x["key"]["row"], x["status"]) for x in read_episodes(tmp_path, attempts=True)] == [
        ("a", "completed"),
        ("b", "completed"),
        ("c", "cancelled"),
        ("a", "error:model"),
        ("c", "error:env"),
    ]
    assert [(f.row, f.status, f.reward) for f in facts(tmp_path)] == [("a", "completed", 1.0), ("b", "completed", None), ("c", "error:env", None)]
    assert [f.row for f in facts(tmp_path, attempts=False)] == ["a", "b"]
    assert [f.row for f in facts(tmp_path / "attempts.jsonl")] == ["c", "a"]


def test_facts_agree_with_the_whole_line() -> None:
    assert repr(facts(FIXTURE)) == repr([Facts.from_line(x) for x in read_episodes(FIXTURE)])


@pytest.mark.parametrize("bad", [b"{\n", b"[]\n", b'{"schema_version":1,"status":"completed"}\n', b'{"schema_version":1,"key":7,"status":"completed"}\n'])
@pytest.mark.parametrize("read", [lambda p: list(read_episodes(p)), facts])
def test_a_corrupt_middle_line(tmp_path: Path, bad: bytes, read: Callable[[Path], object]) -> None:
    good = canon.dumps(line("a"), newline=True)
    (tmp_path / "episodes.jsonl").write_bytes(good + bad + good)
    with pytest.raises(UserError, match="corrupt line") as e:
        read(tmp_path)
    assert e.value.where == f"{tmp_path}/episodes.jsonl:2"
    assert "delete line 2: its episode is played again" in e.value.hint


def test_what_is_no_run_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such run folder"):
        list(read_episodes(tmp_path / "nowhere"))
    with pytest.raises(UserError, match="not a run folder"):
        facts(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    assert facts(tmp_path) == []


def test_a_line_changed_by_hand_is_said_so() -> None:
    one = {**line("a"), "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": None}]}
    assert parts_of(one, {"message": 1}) == []
    assert parts_of(one, {}) == []
    for bad in ([[0, 3]], [[-1, 1]], [[2, 1]]):
        with pytest.raises(UserError, match="of 2") as e:
            prompt_of(one, {"prompt": bad})
        assert e.value.where == "episode row 'a' sample 0"
    with pytest.raises(UserError, match="points at message 2 of 2"):
        parts_of(one, {"message": 2})


def test_assets_are_checked_by_their_hash(tmp_path: Path) -> None:
    name = canon.sha256(b"picture")
    (tmp_path / "assets").mkdir()
    with pytest.raises(UserError, match="no such asset"):
        read_asset(tmp_path, name)
    (tmp_path / "assets" / name).write_bytes(b"picture")
    assert read_asset(tmp_path, name) == b"picture"
    shutil.copy(FIXTURE, tmp_path / "assets" / name)
    with pytest.raises(UserError, match="not those of its name"):
        read_asset(tmp_path, name)
