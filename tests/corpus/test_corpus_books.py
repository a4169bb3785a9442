"""SQLite files and workbooks."""

from __future__ import annotations

import datetime
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from agentharness.corpus.load import Corpus, load
from agentharness.corpus.spec import Source, TableSpec
from agentharness.errors import UserError

openpyxl = pytest.importorskip("openpyxl", reason="the extra `xlsx` is not installed")


def read(folder: Path, **source: Any) -> Corpus:
    return load({"rows": TableSpec(source=Source(**source), key="row")}, {}, folder, root="rows")


def rows(corpus: Corpus) -> list[dict[str, Any]]:
    return [row for _, _, row in corpus.tables["rows"]]


def database(path: Path, *statements: str) -> None:
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


def book(path: Path, **sheets: list[list[Any]]) -> None:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, cells in sheets.items():
        sheet = made.create_sheet(name)
        for row in cells:
            sheet.append(row)
    made.save(path)


def line(folder: Path, **source: Any) -> str:
    with pytest.raises(UserError) as e:
        read(folder, **source)
    return e.value.line()


def test_a_sqlite_table(tmp_path: Path) -> None:
    database(
        tmp_path / "a.db",
        "create table films (title text, year integer, score real, poster blob, note)",
        "insert into films values ('Alien', 1979, 8.5, x'00ff', null), ('007', 1962, 7.25, null, '')",
        "create view old as select title from films where year < 1970",
    )
    found = read(tmp_path, file="a.db", table="films")
    assert rows(found) == [{"title": "Alien", "year": 1979, "score": 8.5, "note": None}, {"title": "007", "year": 1962, "score": 7.25, "note": ""}]
    assert found.origin["rows"]["file"] == "a.db"
    assert rows(read(tmp_path, file="a.db", table="old")) == [{"title": "007"}]
    assert line(tmp_path, file="a.db") == "corpus.rows.source.file: a.db: holds 2 tables (table: films | old)"
    assert line(tmp_path, file="a.db", table="film") == "corpus.rows.source.file: a.db: has no table 'film' (did you mean 'films'?)"


def test_one_table_needs_no_name_and_odd_names_are_quoted(tmp_path: Path) -> None:
    database(
        tmp_path / "a b?.sqlite",
        'create table "se""lect" ("from" integer primary key, x) without rowid',
        "insert into \"se\"\"lect\" values (2, 'b'), (1, 'a')",
    )
    assert rows(read(tmp_path, file="a b?.sqlite")) == [{"from": 1, "x": "a"}, {"from": 2, "x": "b"}]


def test_what_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_bytes(b"no database at all, but long enough to be looked at" * 40)
    assert line(tmp_path, file="bad.db").startswith("corpus.rows.source.file: bad.db: is no SQLite file that can be read: ")
    database(tmp_path / "none.sqlite3")
    assert "none.sqlite3: holds no table" in line(tmp_path, file="none.sqlite3")
    assert not list(tmp_path.glob("*-journal"))


def test_a_sheet(tmp_path: Path) -> None:
    day = datetime.datetime(2024, 5, 17)
    first: list[Any] = ["NA", 3, day, day.replace(hour=9, minute=30), True]
    cells: list[list[Any]] = [[None, None], ["name", "n", "when", "at", "ok"], first, [], ["007", 2.5, None, None, False]]
    book(tmp_path / "a.xlsx", Data=cells, Empty=[])
    found = read(tmp_path, file="a.xlsx")
    assert rows(found) == [
        {"name": "NA", "n": 3, "when": "2024-05-17", "at": "2024-05-17T09:30:00", "ok": True},
        {"name": "007", "n": 2.5, "when": None, "at": None, "ok": False},
    ]


def test_faults_of_workbooks(tmp_path: Path) -> None:
    book(tmp_path / "two.xlsx", One=[["a"], [1]], Two=[["b"], [2]])
    assert line(tmp_path, file="two.xlsx") == "corpus.rows.source.file: two.xlsx: has 2 sheets with cells (sheet: One | Two)"
    assert rows(read(tmp_path, file="two.xlsx", sheet="Two")) == [{"b": 2}]
    assert "has no sheet 'Tow' (did you mean 'Two'?)" in line(tmp_path, file="two.xlsx", sheet="Tow")
    book(tmp_path / "twice.xlsx", S=[["a", "a"], [1, 2]])
    assert line(tmp_path, file="twice.xlsx") == "twice.xlsx:1: two columns are called 'a' (give each column a name of its own)"
    book(tmp_path / "wide.xlsx", S=[["a"], [1, 2]])
    assert line(tmp_path, file="wide.xlsx") == "wide.xlsx:2: has a cell to the right of the header's last (give that column a name)"
    (tmp_path / "bad.xlsx").write_bytes(b"PK no archive")
    assert "bad.xlsx: is no workbook that can be read: " in line(tmp_path, file="bad.xlsx")
    book(tmp_path / "none.xlsx", S=[])
    assert line(tmp_path, file="none.xlsx") == "corpus.rows.source.file: none.xlsx holds no rows (a table needs at least one)"
