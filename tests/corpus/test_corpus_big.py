"""Tables of large files: mapped from the cache, and in nothing else than those in memory."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentharness.corpus import big, cache
from agentharness.corpus.load import Corpus, load
from agentharness.corpus.mapped import MappedKeys, MappedRows, dump_row, load_row, write_keys
from agentharness.corpus.spec import Level, Source, TableSpec
from agentharness.errors import EpisodeError, UserError

LEVELS: dict[str, Level] = {"id": "public", "q": "public", "n": "hidden", "a": "gold"}
LOW, HIGH = "0", str(1 << 60)


def read(folder: Path, above: str, *, key: str | list[str] | None = "id", levels: dict[str, Level] | None = None, unique: Any = None, **source: Any) -> Corpus:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(big.VARIABLE, above)
        spec = TableSpec(source=Source(**source), key=key, **({"unique": unique} if unique else {}))
        return load({"rows": spec}, {"rows": LEVELS if levels is None else levels}, folder, root="rows")


def facts(corpus: Corpus) -> dict[str, Any]:
    table = corpus.tables["rows"]
    keys = list(table.keys())
    return {
        "rows": list(table),
        "keys": keys,
        "views": [table.view(key) for key in keys],
        "full": [table.full(key) for key in keys],
        "counts": table.counts,
        "columns": table.columns,
        "digest": asdict(corpus.digests()["rows"]),
        "origin": corpus.origin,
        "notes": corpus.notes,
    }


def same(folder: Path, **how: Any) -> Corpus:
    """Both ways come to the same, and so does the second opening, from the cache."""
    plain = facts(read(folder, HIGH, **how))
    for _ in range(2):
        made = read(folder, LOW, **how)
        assert facts(made) == plain
    return made


def is_mapped(corpus: Corpus) -> bool:
    return isinstance(corpus.tables["rows"]._rows, MappedRows)


ROWS = [
    {"id": "1", "q": "no", "n": 1, "a": None, "nested": {"x": [1, 2.5]}},
    {"id": "ü\u2028", "q": "", "n": 2**63, "a": "NA"},
    {"id": "3", "q": "x" * 5000, "n": None, "a": [True]},
]


def test_json_lines(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n\n".join(json.dumps(row) for row in ROWS) + "\n", encoding="utf-8")
    corpus = same(tmp_path, file="a.jsonl")
    assert is_mapped(corpus)
    table = corpus.tables["rows"]
    assert table.view("1") == {"id": "1", "q": "no"}
    assert table.full("ü\u2028") == ROWS[1]
    assert table.view("4") is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'id,q,n,a\n007,hello,1,NA\n008,"two\nlines, and a ""quote""",2,x\n009,,,\n'),
        ("a.tsv", "id\tq\tn\ta\n1\tx\t1.5\ttrue\n2\t\ty\tfalse\n"),
        ("b.csv", "\ufeffid;q;n;a\n1;x;3;4\n2;z;;5\n"),
        ("c.csv", "id,q,n,,a\n1,x,3,u,4\n"),
    ],
)
def test_tables_of_text(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    assert is_mapped(same(tmp_path, file=name))
    same(tmp_path, file=name, types={"n": "text"})


def test_columnar_files(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="the extra `arrow` is not installed")
    import pyarrow.parquet as pq

    table = pa.table({"id": [str(i) for i in range(9000)], "q": ["x"] * 9000, "n": list(range(9000)), "a": [[i] for i in range(9000)]})
    pq.write_table(table, tmp_path / "a.parquet")
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as out:
        out.write_table(table)
    for name in ("a.parquet", "a.arrow"):
        corpus = same(tmp_path, file=name)
        assert is_mapped(corpus)
        assert corpus.tables["rows"].full("8999") == {"id": "8999", "q": "x", "n": 8999, "a": [8999]}


def test_what_is_read_as_a_whole_is_mapped_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(ROWS), encoding="utf-8")
    (tmp_path / "latin.csv").write_bytes("id,q,n,a\n1,caf\xe9 na\xefve d\xe9j\xe0 vu,2,3\n".encode("latin-1"))
    (tmp_path / "chat.jsonl").write_text('{"id": "1", "conversations": [{"from": "human", "value": "hi"}]}\n')
    for name in ("a.json", "latin.csv"):
        assert is_mapped(same(tmp_path, file=name))
    corpus = same(tmp_path, file="chat.jsonl", levels={"id": "public", "messages": "public"})
    assert corpus.tables["rows"].view("1") == {"id": "1", "messages": [{"role": "user", "content": "hi"}]}


def test_keys_that_repeat(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "q": "a"}\n{"id": "1", "q": "a"}\n{"id": "2", "q": "b"}\n')
    levels: dict[str, Level] = {"id": "public", "q": "public"}
    corpus = same(tmp_path, key=None, levels=levels, file="a.jsonl")
    assert (len(corpus.tables["rows"]), list(corpus.tables["rows"].counts.values())) == (2, [2])
    assert len(same(tmp_path, key="id", levels=levels, unique="first", file="a.jsonl").tables["rows"]) == 2
    assert list(same(tmp_path, key="row", levels=levels, file="a.jsonl").tables["rows"].keys()) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("name", "text", "how"),
    [
        ("a.jsonl", '{"id": 1}\n{"id": 2,}\n', {}),
        ("a.jsonl", '{"id": 1}\n[2]\n', {}),
        ("a.jsonl", '{"id": 1}\n{"id": 1, "q": "x"}\n', {"unique": "error"}),
        ("a.jsonl", "\n", {}),
        ("a.csv", "id,q,n,a\n1,2,3\n", {}),
        ("a.csv", "id,q\n1,2\n", {"types": {"z": "int"}}),
        ("a.csv", "id,q\n1,2\nx,y\n", {"types": {"q": "int"}}),
        ("a.jsonl", '{"id": "1", "q": "x"}\n', {"levels": {"z": "public"}}),
        ("a.jsonl", '{"id": "1", "q": "x"}\n', {"key": "no"}),
    ],
)
def test_mistakes_are_told_alike(tmp_path: Path, name: str, text: str, how: dict[str, Any]) -> None:
    (tmp_path / name).write_text(text)
    told = []
    for above in (HIGH, LOW):
        with pytest.raises(UserError) as e:
            read(tmp_path, above, **{"levels": {"id": "public"}, **how}, file=name)
        told.append(e.value.line())
    assert told[0] == told[1]


def test_a_threshold_that_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1}\n')
    with pytest.raises(UserError, match="'64MB' is no number of bytes"):
        read(tmp_path, "64MB", levels={}, file="a.jsonl")


def test_a_change_of_the_file_or_of_the_declaration_is_another_table(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "q": "x"}\n')
    levels: dict[str, Level] = {"id": "public", "q": "public"}
    assert read(tmp_path, LOW, levels=levels, file="a.jsonl").tables["rows"].view("1") == {"id": "1", "q": "x"}
    (tmp_path / "a.jsonl").write_text('{"id": "1", "q": "y"}\n')
    assert read(tmp_path, LOW, levels=levels, file="a.jsonl").tables["rows"].view("1") == {"id": "1", "q": "y"}
    assert read(tmp_path, LOW, levels={"id": "public", "q": "gold"}, file="a.jsonl").tables["rows"].view("1") == {"id": "1"}


def test_damage_is_built_anew_and_told_under_our_hands(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "q": "damage me"}\n')
    levels: dict[str, Level] = {"id": "public", "q": "public"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
        opened = read(tmp_path, LOW, levels=levels, file="a.jsonl")
        (file,) = (tmp_path / "cache/tables").glob("*/rows.jsonl")
        with file.open("r+b") as out:  # the same bytes on disk that the open table has mapped
            out.write(b"{{{{")
        with pytest.raises(EpisodeError, match=r"row 0 of .* is damaged: start again"):
            opened.tables["rows"].view("1")
        again = read(tmp_path, LOW, levels=levels, file="a.jsonl")
        assert again.tables["rows"].view("1") == {"id": "1", "q": "damage me"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=5))
def test_any_row_reads_back_as_it_was(row: dict[str, Any]) -> None:
    line = dump_row(row)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert repr(load_row(line)) == repr(row)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(st.text(st.characters(codec=None), max_size=6), unique=True, max_size=40), st.lists(st.text(max_size=6), max_size=10))
def test_any_key_is_found(tmp_path: Path, keys: list[str], others: list[str]) -> None:
    write_keys(tmp_path, keys)
    index = MappedKeys(tmp_path)
    assert [index.ident(i) for i in range(len(index))] == [(None, key) for key in keys]
    assert [index.find(None, key) for key in keys] == list(range(len(keys)))
    assert all(index.find(None, other) is None for other in others if other not in keys)
