"""Zip archives as sources: read without unpacking, refused by what they claim."""

from __future__ import annotations

import io
import json
import sqlite3
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agentharness.corpus.archive import FREE, RATIO, Archive
from agentharness.corpus.load import Corpus, load
from agentharness.corpus.spec import Source, TableSpec
from agentharness.errors import EpisodeError, UserError


def png(color: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 6), color).save(out, "PNG")
    return out.getvalue()


def pack(path: Path, members: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return path


def claim(path: Path, size: int) -> None:
    """Rewrites the size that the first member's central header claims."""
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, size)
    path.write_bytes(data)


def read(folder: Path, **source: Any) -> Corpus:
    return load({"rows": TableSpec(source=Source(**source), key="row")}, {}, folder, root="rows")


def rows(corpus: Corpus) -> list[dict[str, Any]]:
    return [row for _, _, row in corpus.tables["rows"]]


def line(folder: Path, **source: Any) -> str:
    with pytest.raises(UserError) as e:
        read(folder, **source)
    return e.value.line()


def test_the_one_file_of_rows_is_read(tmp_path: Path) -> None:
    pack(tmp_path / "a.zip", {"set/README.md": "about", "__MACOSX/set/._d.csv": "x", "set/d.csv": "id,n\n007,1\nx,2\n"})
    found = read(tmp_path, file="a.zip")
    assert rows(found) == [{"id": "007", "n": 1}, {"id": "x", "n": 2}]
    assert found.notes == ["a.zip: rows are read from set/d.csv (change with member:)", "a.zip/set/d.csv: read n as int (keep text with types: {n: text})"]
    assert found.origin["rows"]["member"] == "set/d.csv"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zip"]


def test_a_member_is_named_where_there_are_several(tmp_path: Path) -> None:
    pack(tmp_path / "a.zip", {"a.jsonl": '{"x": 1}\n', "b.json": '{"rows": [{"x": 2}]}', "c.txt": "no"})
    assert line(tmp_path, file="a.zip") == "corpus.rows.source.file: a.zip: holds 2 files of rows (member: a.jsonl | b.json)"
    assert rows(read(tmp_path, file="a.zip", member="b.json", path="rows")) == [{"x": 2}]
    assert "has no member 'a.json' (did you mean 'a.jsonl'?)" in line(tmp_path, file="a.zip", member="a.json")
    assert "a.zip/c.txt: no reader for .txt" in line(tmp_path, file="a.zip", member="c.txt")
    pack(tmp_path / "none.zip", {"c.txt": "no"})
    assert line(tmp_path, file="none.zip") == "corpus.rows.source.file: none.zip: holds no file of rows (it holds c.txt)"
    (tmp_path / "x.csv").write_text("a\n1\n")
    assert "is no zip: `member` names a file in one" in line(tmp_path, file="x.csv", member="y")


def test_databases_workbooks_and_parquet_in_an_archive(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "d.db")
    db.execute("create table t (a, pic)")
    db.execute("insert into t values ('01', ?)", (png("red"),))
    db.commit()
    db.close()
    pack(tmp_path / "d.zip", {"in/d.db": (tmp_path / "d.db").read_bytes()})
    (row,) = rows(read(tmp_path, file="d.zip"))
    assert (row["a"], row["pic"]["size"]) == ("01", [8, 6])
    openpyxl = pytest.importorskip("openpyxl", reason="the extra `xlsx` is not installed")
    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.active.append(["01"])
    book.save(tmp_path / "b.xlsx")
    pack(tmp_path / "b.zip", {"b.xlsx": (tmp_path / "b.xlsx").read_bytes()})
    assert rows(read(tmp_path, file="b.zip")) == [{"a": "01"}]
    pa = pytest.importorskip("pyarrow", reason="the extra `arrow` is not installed")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": ["01"]}), tmp_path / "p.parquet")
    pack(tmp_path / "p.zip", {"p.parquet": (tmp_path / "p.parquet").read_bytes()})
    assert rows(read(tmp_path, file="p.zip")) == [{"a": "01"}]


def test_pictures_stay_packed(tmp_path: Path) -> None:
    pack(tmp_path / "p.zip", {"cats/1.png": png("red"), "dogs/2.png": png("blue"), "dogs/n.txt": "x", "__MACOSX/cats/._1.png": "x"})
    found = read(tmp_path, images="p.zip")
    assert [(row["name"], row["label"], row["image"]["size"]) for row in rows(found)] == [("1", "cats", [8, 6]), ("2", "dogs", [8, 6])]
    assert found.notes == ["p.zip: 1 file skipped, no image: dogs/n.txt"]
    sha = rows(found)[0]["image"]["asset"]
    assert found.assets.info(sha).data is None
    assert found.assets.raw(sha) == png("red")
    assert found.assets.render(found.assets.part(sha)) == ("image/png", png("red"))
    assert [p.name for p in tmp_path.iterdir()] == ["p.zip"]


def test_one_folder_around_all_pictures_is_no_label(tmp_path: Path) -> None:
    pack(tmp_path / "p.zip", {"all/1.png": png("red"), "all/2.png": png("blue")})
    (tmp_path / "l.json").write_text(json.dumps({"1": "red", "2": "blue"}))
    assert [row["label"] for row in rows(read(tmp_path, images="p.zip", labels="l.json"))] == ["red", "blue"]
    plain = read(tmp_path, images="p.zip")
    assert ["label" in row for row in rows(plain)] == [False, False]
    assert plain.notes == ["p.zip: all lies in the folder all/, which is no label (a zip of several folders has labels)"]


def test_a_picture_damaged_in_its_archive_fails_its_own_episode(tmp_path: Path) -> None:
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("1.png", png("red"))
        out.writestr("z.bin", b"0" * 100_000)  # read last: what was read of the picture is no longer held
    found = read(tmp_path, images="p.zip")
    data = path.read_bytes()
    at = data.index(png("red"))
    with path.open("r+b") as file:
        file.seek(at + 40)
        file.write(b"\xff\xff\xff")
    with pytest.raises(EpisodeError, match=r"image 1\.png cannot be read: it cannot be unpacked: Bad CRC-32"):
        found.assets.raw(rows(found)[0]["image"]["asset"])


@pytest.mark.parametrize("name", ["../x.csv", "a/../../x.csv", "/etc/x.csv", "C:x.csv", "..\\x.csv"])
def test_names_that_lead_outside_are_refused(tmp_path: Path, name: str) -> None:
    pack(tmp_path / "a.zip", {name: "a\n1\n"})
    assert f"a.zip: has a member that names a place outside: {name!r} (pack it anew, with plain names)" in line(tmp_path, file="a.zip")
    assert "names a place outside" in line(tmp_path, images="a.zip")


def test_what_claims_too_much_is_refused_unread(tmp_path: Path) -> None:
    pack(tmp_path / "a.zip", {"a.csv": b"0" * (FREE + 1)})
    with pytest.raises(UserError, match=rf"its member 'a\.csv' claims {FREE + 1:,} bytes out of [0-9,]+ packed: refused"):
        Archive(tmp_path / "a.zip", "a.zip")
    pack(tmp_path / "b.zip", {f"{n}.csv": b"0" * (FREE - 1) for n in range(3)})
    with pytest.raises(UserError, match=r"its members claim"):
        Archive(tmp_path / "b.zip", "b.zip")
    assert RATIO * 1000 < FREE


def test_a_false_claim_is_found_out(tmp_path: Path) -> None:
    pack(tmp_path / "a.zip", {"a.csv": "a\n" + "1\n" * 1000})
    claim(tmp_path / "a.zip", 10)
    assert "cannot be unpacked" in line(tmp_path, file="a.zip")


def test_what_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"no archive")
    assert line(tmp_path, file="a.zip") == "corpus.rows.source.file: a.zip: is no zip archive that can be read: File is not a zip file (fetch it again)"
    pack(tmp_path / "b.zip", {"a.csv": "a\n1\n"})
    data = bytearray((tmp_path / "b.zip").read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "b.zip").write_bytes(data)
    assert "its member 'a.csv' is encrypted" in line(tmp_path, file="b.zip")
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as out:
        out.writestr("a.csv", "a\n1\n")
        with pytest.warns(UserWarning, match="Duplicate name"):
            out.writestr("a.csv", "a\n2\n")
    assert "has two members called 'a.csv'" in line(tmp_path, file="c.zip")
