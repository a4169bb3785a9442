"""The write-ahead journal: what serves, what is dropped, segments, compaction."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentharness import canon
from agentharness.errors import UserError
from agentharness.store.journal import Journal
from agentharness.types.episode import JournalEntry


def entry(key: str, ordinal: int, reply: object = "r", attempt: int = 1) -> JournalEntry:
    return JournalEntry(key, attempt, "policy", ordinal, f"request {ordinal}", reply, {"latency_s": 0.5})


def served(journal: Journal, key: str) -> list[tuple[int, object]]:
    return [(e.ordinal, e.reply) for e in journal.read(key)]


def test_serves_what_was_recorded_now_and_after_reopening(tmp_path: Path) -> None:
    j = Journal(tmp_path / "journal", set())
    odd = {"text": "lone \ud800", "x": float("inf"), "$text": 1}
    j.record(entry("a", 0, odd))
    j.record(entry("b", 0))
    j.record(entry("a", 1))
    assert j.read("a") == [entry("a", 0, odd), entry("a", 1)]
    assert j.read("never") == []
    j.close()
    before = (tmp_path / "journal/000.jsonl").read_bytes()
    j = Journal(tmp_path / "journal", set())
    assert j.read("a") == [entry("a", 0, odd), entry("a", 1)]
    assert (len(j), "b" in j, j.attempts) == (2, True, {"a": 1, "b": 1})
    assert (tmp_path / "journal/000.jsonl").read_bytes() == before
    j.close()


def test_a_later_entry_of_one_ordinal_wins_and_gaps_stay(tmp_path: Path) -> None:
    j = Journal(tmp_path / "journal", set())
    j.record(entry("a", 2, "two"))
    j.record(entry("a", 0, "zero"))
    j.record(entry("a", 2, "two again", attempt=3))
    for _ in range(2):
        assert served(j, "a") == [(0, "zero"), (2, "two again")]
        j.close()
        j = Journal(tmp_path / "journal", set())
    assert j.attempts == {"a": 3}
    assert (tmp_path / "journal/000.jsonl").read_bytes().count(b"\n") == 2
    j.close()


def test_orphans_serve_no_more_after_reopening_either(tmp_path: Path) -> None:
    j = Journal(tmp_path / "journal", set())
    for i in range(4):
        j.record(entry("a", i, f"old {i}"))
    assert j.orphan("a", 2) == 2
    assert j.orphan("a", 2) == 0
    assert j.orphan("never", 0) == 0
    j.record(entry("a", 2, "new 2", attempt=2))
    expected = [(0, "old 0"), (1, "old 1"), (2, "new 2")]
    assert served(j, "a") == expected
    j.close()
    tomb = canon.loads((tmp_path / "journal/000.jsonl").read_bytes().splitlines()[4])
    assert tomb == {"key": "a", "orphan_from": 2}
    j = Journal(tmp_path / "journal", set())
    assert served(j, "a") == expected
    assert (tmp_path / "journal/000.jsonl").read_bytes().count(b"\n") == 3  # compacted
    assert j.orphan("a", 0) == 3
    assert "a" not in j
    j.close()
    j = Journal(tmp_path / "journal", set())
    assert (served(j, "a"), (tmp_path / "journal/000.jsonl").read_bytes()) == ([], b"")
    j.close()


def test_entries_of_final_keys_are_compacted_away(tmp_path: Path) -> None:
    j = Journal(tmp_path / "journal", set())
    for key in "abc":
        for i in range(2):
            j.record(entry(key, i, key * 100))
    j.close()
    (tmp_path / "journal/.000.jsonl.1.tmp").write_bytes(b"left by a crash")
    j = Journal(tmp_path / "journal", {"a", "c"})
    assert (served(j, "a"), served(j, "b")) == ([], [(0, "b" * 100), (1, "b" * 100)])
    assert (tmp_path / "journal/000.jsonl").read_bytes() == entry("b", 0, "b" * 100).line() + entry("b", 1, "b" * 100).line()
    assert [p.name for p in (tmp_path / "journal").iterdir()] == ["000.jsonl"]
    j.close()


def test_segments_are_dropped_once_nobody_needs_them(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    limit = 3 * len(entry("a", 0, "a" * 50).line())
    j = Journal(folder, set(), segment_bytes=limit)

    def names() -> list[str]:
        return sorted(p.name for p in folder.iterdir())

    for key in "abcdef":
        for i in range(3):
            j.record(entry(key, i, key * 50))
    assert names() == ["000.jsonl", "001.jsonl", "002.jsonl", "003.jsonl", "004.jsonl", "005.jsonl"]
    for key in "abde":
        j.forget(key)
    j.drop(j.take_free())
    assert names() == ["002.jsonl", "005.jsonl"]
    assert served(j, "c") == [(i, "c" * 50) for i in range(3)]
    assert j.orphan("c", 1) == 2
    j.record(entry("g", 0))  # the tombstone stands in a segment of its own, which stays while c is unfinished
    j.forget("g")
    j.sync()
    j.drop(j.take_free())
    assert names() == ["002.jsonl", "005.jsonl", "006.jsonl"]
    j.close()
    crashed = tmp_path / "crashed"
    shutil.copytree(folder, crashed)
    j = Journal(folder, set("abdeg"), segment_bytes=limit)
    assert names() == ["007.jsonl"]
    assert (served(j, "c"), served(j, "f")) == ([(0, "c" * 50)], [(i, "f" * 50) for i in range(3)])
    j.close()
    # a crash after the compacted segment got its name, before the older ones were deleted: the same entries
    shutil.copy(folder / "007.jsonl", crashed)
    k = Journal(crashed, set("abdeg"))
    assert (served(k, "c"), served(k, "f")) == ([(0, "c" * 50)], [(i, "f" * 50) for i in range(3)])
    k.clear()
    assert list(crashed.iterdir()) == []


@pytest.mark.parametrize(
    "bad",
    [b"{]\n", b"7\n", b'{"key":"a"}\n', b'{"ordinal":0,"attempt":1}\n', b'{"key":[],"ordinal":0}\n', b'{"key":"a","orphan_from":"x"}\n'],
)
def test_a_corrupt_line_names_file_and_number(tmp_path: Path, bad: bytes) -> None:
    folder = tmp_path / "journal"
    folder.mkdir()
    (folder / "000.jsonl").write_bytes(entry("a", 0).line() + bad + entry("a", 1).line())
    with pytest.raises(UserError, match="corrupt line") as e:
        Journal(folder, set())
    assert e.value.where == f"{folder}/000.jsonl:2"
    assert "the reply it holds is asked for once more" in e.value.hint


def test_a_torn_tail_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    folder.mkdir()
    (folder / "000.jsonl").write_bytes(entry("a", 0).line() + entry("a", 1).line()[:-1])
    j = Journal(folder, set())
    assert j.torn == [(folder / "000.jsonl", len(entry("a", 1).line()) - 1)]
    assert served(j, "a") == [(0, "r")]
    j.close()


def test_the_released_form(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    folder.mkdir()
    shutil.copy(Path(__file__).parents[1] / "fixtures/journal_v1.jsonl", folder / "000.jsonl")
    j = Journal(folder, set())
    key = "05a0936c2a5123501ef0a0c95b6130f6"
    entries = j.read(key)
    assert [(e.role, e.ordinal, e.attempt) for e in entries] == [("policy", 0, 1), ("user", 1, 1), ("policy", 2, 2)]
    assert entries[1].reply == "I meant the northern one."
    assert entries[2].reply["completion_ids"] == [5, 7]
    assert entries[2].clock == {"latency_s": 1.25}
    assert j.attempts == {key: 2}
    j.close()
