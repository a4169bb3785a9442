"""`new task`: what it writes plays, untouched; what it cannot make it says in one line, and leaves nothing behind."""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from pathlib import Path

import pytest
from harness import Done, episodes, here, play, table, write
from hypothesis import given
from hypothesis import strategies as st

from agentharness.config.yaml import load
from agentharness.new.guess import Plan
from agentharness.new.write import task_yaml


def new(cwd: Path, *words: str, code: int = 0) -> Done:
    return here(cwd, "new", "task", *words, code=code)


def png(shade: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = b"".join(b"\0" + bytes([shade, 0, 255 - shade]) * 4 for _ in range(4))
    head = struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


def test_a_csv_becomes_a_task(tmp_path: Path) -> None:
    write(tmp_path, {"capitals.csv": "country,capital,continent\nFrance,Paris,Europe\nPeru,Lima,America\nKenya,Nairobi,Africa\n"})
    done = new(tmp_path, "caps", "from=capitals.csv", "answer=capital", "licence=CC0-1.0")
    lines = done.out.splitlines()
    assert lines[0].strip() == "3 rows, 3 columns: country (text), capital (text), continent (text)"
    assert "  played 3 of 3 rows: oracle 1.000, noop 0.000" in lines
    assert lines[-1] == "next: python -m agentharness run task=caps agent=oracle,random,noop"
    assert (tmp_path / "tasks/caps/task.yaml").read_text() == (
        "data: data/capitals.csv\n"
        "preset: qa\n"
        'ask: "country: {{ row.country }}; continent: {{ row.continent }}. What is the capital?"\n'
        "answer: capital\n"
        "reward: exact\n"
        "licence: CC0-1.0\n"
    )
    assert (tmp_path / "tasks/caps/data/capitals.csv").read_bytes() == (tmp_path / "capitals.csv").read_bytes()
    readme = (tmp_path / "tasks/caps/README.md").read_text()
    assert readme.startswith("# caps\n\n    country: France; continent: Europe. What is the capital?\n\nRight: Paris\n")
    rows = table(play(tmp_path, "task=caps", "agent=oracle,noop"))
    assert [r["mean"] for r in rows] == ["1.000", "0.000"]
    told = new(tmp_path, "caps", "from=capitals.csv", code=2).mistake
    assert told.endswith("tasks/caps: exists already (choose another name, or remove it)")


def test_a_json_file_with_its_rows_under_a_key(tmp_path: Path) -> None:
    rows = [{"input": f"{i} + 1 =", "target": i + 1} for i in range(5)]
    write(tmp_path, {"d.json": json.dumps({"canary": "x", "examples": rows})})
    new(tmp_path, "plus", "from=d.json")
    assert (tmp_path / "tasks/plus/task.yaml").read_text().splitlines()[0] == "data: {from: data/d.json, path: examples}"
    assert table(play(tmp_path, "task=plus"))[0]["mean"] == "1.000"


def test_a_table_of_a_database(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "zoo.db")
    db.execute("create table animals (name text, legs integer)")
    db.execute("create table visits (day text)")
    db.executemany("insert into animals values (?, ?)", [("ant", 6), ("bird", 2), ("cat", 4)])
    db.commit()
    db.close()
    assert new(tmp_path, "zoo", "from=zoo.db", code=2).mistake == "zoo.db: holds 2 tables (table: animals | visits)"
    new(tmp_path, "zoo", "from=zoo.db", "table=animals", "answer=legs")
    assert (tmp_path / "tasks/zoo/task.yaml").read_text().splitlines()[0] == "data: {from: data/zoo.db, table: animals, key: name}"
    assert table(play(tmp_path, "task=zoo"))[0]["mean"] == "1.000"


def test_an_answer_made_of_the_questions_words_must_be_exact(tmp_path: Path) -> None:
    words = ["pear", "fig", "kiwi", "plum", "lime", "date", "nut"]
    rows = [{"input": "Sort: " + " ".join(words[i:] + words[:i]), "target": " ".join(sorted(words))} for i in range(6)]
    write(tmp_path, {"d.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    assert "the answer, scored by exact, for its words stand in the question" in new(tmp_path, "sort", "from=d.jsonl").out
    assert "reward: exact\n" in (tmp_path / "tasks/sort/task.yaml").read_text()


def test_doubtful_rows_are_counted(tmp_path: Path) -> None:
    rows = [{"id": i, "question": q, "answer": a} for i, (q, a) in enumerate([("a?", "x"), ("a?", "x"), ("a?", "y"), ("b?", "z")])]
    write(tmp_path, {"d.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    done = new(tmp_path, "torn", "from=d.jsonl")
    assert "  2 rows are the same as one before, but for key and answer" in done.out.splitlines()
    assert "  ! 1 of them ask for two different answers" in done.out.splitlines()


def test_pictures_with_a_table_of_names(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for i, name in enumerate(("AA", "BB", "CC")):
        (tmp_path / f"photos/{name.lower()}.png").write_bytes(png(i * 100))
    write(tmp_path, {"names.csv": "AA,Ant\nBB,Bee\nCC,Cat\n"})
    done = new(tmp_path, "zoo", "from=photos")
    assert "3 pictures, 3 labels" in done.out
    text = (tmp_path / "tasks/zoo/task.yaml").read_text()
    assert "data: {images: ../../photos, labels: data/names.csv, match: lower}\npreset: look\n" in text
    assert "One of: {{ labels | join(', ') }}." in text
    assert table(play(tmp_path, "task=zoo"))[0]["mean"] == "1.000"
    (line, *_) = episodes(next((tmp_path / "results").iterdir()))
    assert line["steps"][0]["parts"][1]["type"] == "image"


def test_pictures_in_folders_by_label(tmp_path: Path) -> None:
    for i, name in enumerate(("ant/1", "ant/2", "bee/1")):
        (tmp_path / f"p/{name}.png").parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"p/{name}.png").write_bytes(png(i * 50))
    assert "3 pictures, 2 labels" in new(tmp_path, "zoo", "from=p").out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), "the new task has no name (write new task NAME from=FILE)"),
        (("x",), "from: does not say where the rows come from (from=FILE, a folder of pictures, a hub id, or file.py:function)"),
        (("x", "from=cpitals.csv"), "from: no file, folder or hub id 'cpitals.csv' (did you mean 'capitals.csv'?)"),
        (("x", "from=capitals.csv", "anwser=b"), "unknown key 'anwser' (did you mean 'answer'?)"),
        (("x", "from=capitals.csv", "answer=b"), "answer: there is no column 'b' (known: capital, country)"),
        (("x", "from=capitals.csv", "reward=exat"), "there is no scorer 'exat' (did you mean 'exact'?)"),
        (("x/y", "from=capitals.csv"), "name: 'x/y' cannot be a task's name (letters, digits, - and _)"),
        (("x", "from=one.csv"), "from: no column looks like an answer (name it: answer=COLUMN)"),
        (("x", "from=empty.csv"), "empty.csv: holds no rows (a task needs at least one)"),
        (("x", "from=bad.json"), "bad.json:1:2: is not JSON"),
        (("x", "from=photos"), "photos has neither subfolders nor a table of labels (labels=FILE: a CSV or JSON from image name to label)"),
    ],
)
def test_what_it_cannot_make_is_one_line_and_leaves_nothing(words: tuple[str, ...], line: str, tmp_path: Path) -> None:
    write(tmp_path, {"capitals.csv": "country,capital\nFrance,Paris\n", "one.csv": "a\n1\n2\n", "empty.csv": "", "bad.json": "{a"})
    (tmp_path / "photos").mkdir()
    assert line in new(tmp_path, *words, code=2).mistake
    assert not list(tmp_path.glob("tasks/*"))


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=20)


@given(TEXT, TEXT, TEXT, st.lists(TEXT, max_size=3, unique=True))
def test_any_names_are_written_as_yaml_that_reads_back(ask: str, answer: str, key: str, slices: list[str]) -> None:
    plan = Plan("qa", ask, answer, "exact", key=key, slices=slices, options={"relative": 0.05})
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "task.yaml"
        path.write_text(task_yaml(plan, {"from": "d.csv"}, "private"), encoding="utf-8")
        data = load(path).data
    assert (data["ask"], data["answer"], data["data"]) == (ask, answer, {"from": "d.csv", "key": key})
    assert data.get("slices", []) == slices
    assert data["reward"] == {"exact": {"options": {"relative": 0.05}}}
