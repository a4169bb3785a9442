from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentharness.corpus.cells import guess
from agentharness.corpus.formats_csv import read_csv, sniff
from agentharness.corpus.formats_json import read_jsonl
from agentharness.corpus.load import Corpus, load
from agentharness.corpus.spec import Source, TableSpec
from agentharness.errors import UserError

One = Callable[..., Corpus]
All = Callable[[Corpus], list[dict[str, Any]]]


@pytest.fixture
def one(tmp_path: Path) -> One:
    """Writes a file and loads it as the table `rows`: one("a.csv", "x,y\\n1,2\\n", key="x", source={"types": …}, columns={…})."""

    def build(name: str, content: str | bytes, *, columns: dict[str, Any] | None = None, source: dict[str, Any] | None = None, **spec: Any) -> Corpus:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        table = TableSpec(source=Source(file=name, **(source or {})), **spec)
        return load({"rows": table}, {"rows": columns or {}}, tmp_path, root="rows")

    return build


@pytest.fixture
def rows() -> All:
    """All full rows of the table `rows`."""
    return lambda corpus: [row for _, _, row in corpus.tables["rows"]]


def fails(call: Callable[[], object]) -> str:
    with pytest.raises(UserError) as e:
        call()
    return e.value.line()


def test_cells_are_text_until_a_guess_over_the_column(one: One, rows: All) -> None:
    corpus = one("a.csv", "code,zip,n,price,ok,word,gap\nNA,00123,1,1.5,true,yes,\nDE,4,-2,2,false,no,\n")
    assert rows(corpus) == [
        {"code": "NA", "zip": "00123", "n": 1, "price": 1.5, "ok": True, "word": "yes", "gap": None},
        {"code": "DE", "zip": "4", "n": -2, "price": 2.0, "ok": False, "word": "no", "gap": None},
    ]
    assert corpus.notes == ["a.csv: read n as int; price as float; ok as bool (keep text with types: {n: text})"]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "", "-20"], "int"),
        (["00123"], "text"),
        (["+49"], "text"),
        (["9" * 19], "text"),
        (["1.5", "2"], "float"),
        (["1e3"], "float"),
        (["1e999"], "text"),
        (["nan"], "text"),
        (["0." + "1" * 20], "text"),
        (["."], "text"),
        (["true", "false"], "bool"),
        (["True"], "text"),
        (["yes", "no"], "text"),
        (["", ""], "text"),
        (["1", "NA"], "text"),
        (["-"], "text"),
        (["1_000"], "text"),
        (["١"], "text"),
    ],
)
def test_guess(cells: list[str], kind: str) -> None:
    assert guess(cells) == kind


@settings(max_examples=40)
@given(st.lists(st.integers(-(10**17), 10**17).map(str) | st.just(""), min_size=1))
def test_a_guessed_int_reads_back_the_same(cells: list[str]) -> None:
    text = "c,d\n" + "".join(f"{c},x\n" for c in cells)
    values = [row["c"] for row in read_csv(text, "a.csv", ",", lambda _: None, types={}).rows]
    assert ["" if v is None else str(v) for v in values] == cells


def test_types_decide_and_say_where_they_fail(one: One, rows: All) -> None:
    content = 'n,t,j,b\n007,1,"[1, {""a"": null}]",TRUE\n'
    corpus = one("a.csv", content, source={"types": {"n": "int", "t": "text", "j": "json", "b": "bool"}})
    assert rows(corpus) == [{"n": 7, "t": "1", "j": [1, {"a": None}], "b": True}]
    assert corpus.notes == []
    line = fails(lambda: one("a.csv", 'a,n\n"x\ny",1\n,2x\n', source={"types": {"n": "int"}}))
    assert line == "a.csv:4: '2x' in column 'n' is not a whole number (mend the cell, or types: {n: text})"
    assert "did you mean 'n'?" in fails(lambda: one("a.csv", "n\n1\n", source={"types": {"nn": "int"}}))
    assert rows(one("a.jsonl", '{"id": 7, "n": "8"}\n', source={"types": {"id": "text", "n": "int"}})) == [{"id": "7", "n": 8}]


def test_a_key_column_is_never_guessed(one: One) -> None:
    assert list(one("a.csv", "v,x\n1.10,1\n1.1,2\n", key="v").tables["rows"].keys()) == ["1.10", "1.1"]
    assert list(one("a.csv", "ver,x\n1.10,1\n1.1,2\n", key="v", rename={"ver": "v"}).tables["rows"].keys()) == ["1.10", "1.1"]


def test_a_gold_column_is_never_guessed(one: One, rows: All) -> None:
    content = "id,price,a\n1,3.50,3.50\n2,4.0,1.10\n"
    for name, text in (("a.csv", content), ("a.tsv", content.replace(",", "\t"))):
        corpus = one(name, text, key="id", columns={"a": "gold", "price": "public"})
        assert rows(corpus) == [{"id": "1", "price": 3.5, "a": "3.50"}, {"id": "2", "price": 4.0, "a": "1.10"}]
        assert corpus.notes == [f"{name}: read price as float (keep text with types: {{price: text}})"]
    typed = one("a.csv", content, key="id", columns={"a": "gold"}, source={"types": {"a": "float"}})
    assert [row["a"] for row in rows(typed)] == [3.5, 1.1]
    renamed = one("a.csv", content, key="id", columns={"answer": "gold"}, rename={"a": "answer"})
    assert [row["answer"] for row in rows(renamed)] == ["3.50", "1.10"]


def test_gold_of_a_file_in_the_sources_place_is_not_guessed_either(one: One, rows: All, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("nr,said\n1,2.50\n")
    table = TableSpec(source=Source(file="a.csv"), key="id", rename={"a": "answer"})
    corpus = load({"rows": table}, {"rows": {"answer": "gold"}}, tmp_path, root="rows", source=str(tmp_path / "b.csv"), rename={"nr": "id", "said": "a"})
    assert rows(corpus) == [{"id": "1", "answer": "2.50"}]


def test_what_is_no_regular_file_is_said_before_it_is_opened(one: One, tmp_path: Path) -> None:
    def line(name: str) -> str:
        return fails(lambda: load({"rows": TableSpec(source=Source(file=name))}, {"rows": {}}, tmp_path, root="rows"))

    for suffix in ("csv", "jsonl", "parquet"):
        os.mkfifo(tmp_path / f"p.{suffix}")
        assert line(f"p.{suffix}") == f"corpus.rows.source.file: p.{suffix}: is no regular file but a pipe (copy what it gives into a file)"
    (tmp_path / "f.csv").mkdir()
    assert line("f.csv").startswith("corpus.rows.source.file: f.csv: is no regular file but a folder")
    (tmp_path / "l.csv").symlink_to("l.csv")
    assert line("l.csv") == "corpus.rows.source.file: l.csv: cannot be read: Too many levels of symbolic links (check the path and its permissions)"
    assert line("nn.csv").startswith("corpus.rows.source.file: nn.csv: no such file (")


def test_faults_of_csv_name_file_and_line(one: One) -> None:
    assert fails(lambda: one("a.csv", 'a,b\n"1\n2",3\n4,5,6\n')) == (
        "a.csv:4: 3 fields, the header has 2 (quote fields that hold the delimiter, or say delimiter:)"
    )
    assert fails(lambda: one("a.csv", "a,b,a\n1,2,3\n")).startswith("a.csv:1: two columns are called 'a'")
    assert fails(lambda: one("a.csv", 'a,b\n"1,2\n')).startswith("a.csv:2: is not CSV:")
    assert fails(lambda: one("a.csv", "a,b\n")) == "corpus.rows.source.file: a.csv holds no rows (a table needs at least one)"
    assert "one character" in fails(lambda: one("a.csv", "a,b\n1,2\n", source={"delimiter": "ab"}))


def test_delimiters_are_sniffed(one: One, rows: All) -> None:
    corpus = one("a.csv", "a;b\n1,5;x\n2,5;y\n")
    assert rows(corpus) == [{"a": "1,5", "b": "x"}, {"a": "2,5", "b": "y"}]
    assert corpus.notes == ["a.csv: fields are parted by ';' (change with delimiter:)"]
    assert sniff("a\tb\n1\t2\n") == "\t"
    assert sniff("a|b\n1|2\n") == "|"
    assert sniff("word\nx\n") == ","
    assert sniff("a,b\n" + "1,2\n" * 40000) == ","


def test_tsv_with_unpaired_quotes(one: One, rows: All) -> None:
    corpus = one("a.tsv", 'a\tb\n"x\t1\n')
    assert rows(corpus) == [{"a": '"x', "b": 1}]
    assert corpus.notes[0] == "a.tsv: quotes are read as text, they do not pair"
    assert rows(one("a.tsv", 'a\tb\n"x\ty"\t1\n')) == [{"a": "x\ty", "b": 1}]


def test_a_column_without_a_name(one: One, rows: All) -> None:
    corpus = one("a.csv", ",b\n0,x\n")
    assert rows(corpus) == [{"_1": 0, "b": "x"}]
    assert corpus.notes[0] == "a.csv:1: column 1 has no name, called _1"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_by_mark(one: One, rows: All, encoding: str) -> None:
    corpus = one("a.csv", "name,x\nÅland,é\n".encode(encoding))
    assert rows(corpus) == [{"name": "Åland", "x": "é"}]
    assert corpus.notes == []
    assert rows(one("a.jsonl", '{"name": "Åland"}\n'.encode(encoding))) == [{"name": "Åland"}]


def test_another_encoding_is_guessed_and_noted(one: One, rows: All) -> None:
    text = "stadt,satz\n" + "".join(f"Köln {i},Die Straße führt über die Brücke nach Süden\n" for i in range(20))
    corpus = one("a.csv", text.encode("cp1252"))
    assert rows(corpus)[0]["satz"] == "Die Straße führt über die Brücke nach Süden"
    assert corpus.notes[0].startswith("a.csv: is not UTF-8, read as ")
    assert rows(one("a.csv", text.encode("cp1252"), source={"encoding": "latin-1"}))[0]["stadt"] == "Köln 0"


def test_damaged_utf8_is_not_guessed_away(one: One) -> None:
    data = ("a,b\n" + "é" * 50 + ",1\n").encode() + b"\xff,2\n"
    assert fails(lambda: one("a.csv", data)) == ("a.csv:3: is UTF-8 but for 1 damaged place, the first at byte 107 (mend it there, or say encoding:)")
    assert "a.csv:3: is not utf-8 at byte 107" in fails(lambda: one("a.csv", data, source={"encoding": "utf-8"}))
    assert "no encoding 'utf8x'" in fails(lambda: one("a.csv", data, source={"encoding": "utf8x"}))


def test_jsonl(one: One, rows: All) -> None:
    text = '{"a": "NA", "s": "\\ud800", "u": "\u2028"}\r\n\n{"a": NaN, "big": 123456789012345678901234567890}\n'
    got = rows(one("a.jsonl", text))
    assert got[0] == {"a": "NA", "s": "\ud800", "u": "\u2028"}
    assert math.isnan(got[1]["a"])
    assert got[1]["big"] == 123456789012345678901234567890
    assert rows(one("a.jsonl.gz", gzip.compress(b'{"a": {"$text": "kept"}}'))) == [{"a": {"$text": "kept"}}]
    assert "is not a whole gzip file" in fails(lambda: one("a.jsonl.gz", gzip.compress(b"{}" * 99)[:-9]))


def test_faults_of_jsonl_name_file_and_line(one: One) -> None:
    assert fails(lambda: one("a.jsonl", '{"a": 1}\n\n{"a": }\n')).startswith("a.jsonl:3:7: is not JSON: Expecting value")
    assert fails(lambda: one("a.jsonl", '{"a": 1}\n[2]\n')).startswith("a.jsonl:2: a line holds a list, not an object")
    assert "a JSON list is named .json" in fails(lambda: one("a.jsonl", '[\n{"a": 1}]'))
    assert "nested too deep" in fails(lambda: one("a.jsonl", "[" * 100_000))


@settings(max_examples=40)
@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none() | st.floats(allow_nan=False)), min_size=1))
def test_jsonl_reads_back_what_python_writes(rows: list[dict[str, Any]]) -> None:
    text = "\n".join(json.dumps(row) for row in rows)
    assert read_jsonl(text.encode(), "a.jsonl", None, lambda _: None).rows == rows


def test_json_shapes(one: One, rows: All) -> None:
    assert rows(one("a.json", '[{"a": 1}]')) == [{"a": 1}]
    assert rows(one("a.json", '{"x": {"y": [{"a": 1}]}}', source={"path": "x.y"})) == [{"a": 1}]
    assert rows(one("a.json", '{"u1": {"a": 1}, "u2": {"a": 2}}')) == [{"_name": "u1", "a": 1}, {"_name": "u2", "a": 2}]
    assert rows(one("a.json", '["x", 2]')) == [{"value": "x"}, {"value": 2}]
    corpus = one("a.json", '{"a": 1}\n{"a": 2}\n')
    assert rows(corpus) == [{"a": 1}, {"a": 2}]
    assert corpus.notes == ["a.json: holds one object a line, read as JSON Lines (name it .jsonl)"]


def test_faults_of_json(one: One) -> None:
    assert fails(lambda: one("a.json", '[\n {"a": 1},,\n]')).startswith("a.json:2:11: is not JSON")
    assert fails(lambda: one("a.json", '{"v": 1, "examples": []}')) == "corpus.rows.source.file: a.json: holds an object, not a list of rows (path: examples)"
    assert "did you mean 'examples'?" in fails(lambda: one("a.json", '{"v": 1, "examples": []}', source={"path": "example"}))
    assert "a.json, row 1: holds a number among objects" in fails(lambda: one("a.json", '[{"a": 1}, 2]'))
    assert "have a field '_name' of their own" in fails(lambda: one("a.json", '{"u": {"_name": 1}}'))


def test_files_that_cannot_be_read(one: One, tmp_path: Path) -> None:
    assert "no reader for .pdf" in fails(lambda: one("a.pdf", ""))
    (tmp_path / "flags.json").write_text("[]")
    assert fails(lambda: one("b.csv", "a\n1\n", source={"hub": "x/y"})) == "source: a source names hub and file (exactly one of hub, file, images, pdf, python)"
