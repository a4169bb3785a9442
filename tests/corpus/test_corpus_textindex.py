"""The text index: what is found, in which order, and that neither depends on how it lies on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentharness.corpus import cache, textindex
from agentharness.corpus.spec import Level
from agentharness.corpus.table import ListRows, Table
from agentharness.corpus.textindex import TextIndex, text_index
from agentharness.corpus.words import analyzer, plain, question

tantivy = pytest.importorskip("tantivy", reason="the extra `search` is not installed")

OPEN: dict[str, Level] = {"title": "public", "text": "public", "secret": "gold", "notes[].text": "public"}


def table(rows: list[dict[str, Any]], scopes: list[str] | None = None) -> Table:
    return Table("t", ListRows(rows), [str(i) for i in range(len(rows))], OPEN, scopes=scopes, columns={c for row in rows for c in row})


def index(rows: list[dict[str, Any]], fields: list[str] | None = None, *, scopes: list[str] | None = None, small: int = 2000, content: str = "c") -> TextIndex:
    return text_index(table(rows, scopes), fields or ["title", "text"], lambda: content, small=small)


ROWS: list[dict[str, Any]] = [
    {"title": "Nile", "text": "The Nile is a long river.", "secret": "hippopotamus"},
    {"title": "Rivers", "text": ["The Rhine is a river. ", "So is the Nile."]},
    {"title": "Tokyo", "text": "東京は日本の首都です。 Côte d'Ivoire, 2,300 km²", "notes": [{"text": "a note", "by": "somebody"}]},
    {"title": None, "text": "Nothing much"},
]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("nile", [0, 1]),
        ("NILE river", [0, 1]),
        ("river nile river nile", [0, 1]),
        ("rivers", [1]),
        ("rhine", [1]),
        ("cote ivoire", [2]),
        ("CÔTE", [2]),
        ("co\u0302te", [2]),
        ("首都", [2]),
        ("300", [2]),
        ("km2", [2]),
        ("hippopotamus", []),
        ("somebody", []),
        ("zebra", []),
        ("zebra much", [3]),
        ("", []),
        ("?! --", []),
        ('title:nile AND (rhine OR "', [0, 1]),
        ("*", []),
        ("\ud800", []),
        ("x" * 1_000_000, []),
        (None, []),
        (7, []),
    ],
)
@pytest.mark.parametrize("small", [0, 2000])
def test_found(asked: Any, found: list[int], small: int) -> None:
    assert index(ROWS, small=small).find(asked, 5) == found


def test_a_path_into_lists_is_a_field() -> None:
    assert index(ROWS, ["notes[].text"]).find("note", 5) == [2]
    assert index(ROWS, ["notes[].text"]).find("somebody", 5) == []


def test_the_best_come_first_and_the_limit_cuts() -> None:
    rows = [{"title": "x", "text": "lake " * n + "word " * (40 - n)} for n in (1, 5, 20)]
    assert index(rows).find("lake", 5) == [2, 1, 0]
    assert index(rows).find("lake", 2) == [2, 1]


def test_equal_hits_stand_in_row_order() -> None:
    rows = [{"title": "a b c", "text": "d e f"}] * 200
    for asked in ("a", "f d a", "c e zzz"):
        assert index(rows).find(asked, 7) == [0, 1, 2, 3, 4, 5, 6]


def test_a_scoped_table_finds_its_rows_own() -> None:
    found = index([ROWS[0], ROWS[1], ROWS[0]], scopes=["q1", "q1", "q2/ü" * 10_000])
    assert found.find("nile", 5, "q1") == [0, 1]
    assert found.find("nile", 5, "q2/ü" * 10_000) == [2]
    assert found.find("nile", 5, "q3") == []


def parts(rows: list[dict[str, Any]], fields: list[str], segments: int) -> TextIndex:
    """The same rows as an index of several segments: what another machine, or another heap, may have built."""
    whole = table(rows)
    build = tantivy.SchemaBuilder()
    for n in range(len(fields)):
        build.add_text_field(f"f{n}", tokenizer_name="words", index_option="freq")
    build.add_text_field("scope", tokenizer_name="raw", index_option="basic")
    build.add_unsigned_field("row", stored=True)
    made = tantivy.Index(build.build())
    made.register_tokenizer("words", analyzer(tantivy))
    writer = made.writer(heap_size=20_000_000, num_threads=1)
    order = [i for part in range(segments) for i in reversed(range(part, len(rows), segments))]
    for n, i in enumerate(order):
        document = tantivy.Document()
        for f, field in enumerate(fields):
            document.add_text(f"f{f}", plain(whole.full(str(i))[field]))  # type: ignore[index]
        document.add_unsigned("row", i)
        writer.add_document(document)
        if n % (len(rows) // segments + 1) == 0:
            writer.commit()
    writer.commit()
    return TextIndex(tantivy, made, len(fields), False)


words = st.sampled_from(["ant", "bee", "cat", "dog", "eel", "fox"])
documents = st.lists(st.fixed_dictionaries({"title": words, "text": st.lists(words, max_size=6).map(" ".join)}), min_size=1, max_size=40)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents, st.lists(words, min_size=1, max_size=5).map(" ".join), st.integers(1, 6))
def test_segments_and_their_order_decide_nothing(rows: list[dict[str, Any]], asked: str, limit: int) -> None:
    one = index(rows)
    assert parts(rows, ["title", "text"], 3).find(asked, limit) == one.find(asked, limit)
    every = one.find(asked, len(rows))
    assert one.find(asked, limit) == every[:limit]
    assert set(every) == {i for i, row in enumerate(rows) if set(asked.split()) & {row["title"], *row["text"].split()}}


def test_many_equal_hits_over_segments() -> None:
    rows = [{"title": "same", "text": "words here"}] * 5000
    assert parts(rows, ["title"], 4).find("same", 3) == [0, 1, 2]


def test_the_cache_is_keyed_by_content_and_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTHARNESS_CACHE", str(tmp_path))
    built: list[str] = []
    for fields, content in ((["title"], "a"), (["title"], "a"), (["text"], "a"), (["title"], "b")):
        text_index(table(ROWS), fields, lambda content=content: content, built.append, small=0)  # type: ignore[misc]
    assert len(built) == 3
    assert built[0] == f"t: a text index over 4 rows is built, once ({tmp_path})"
    assert len([p for p in (tmp_path / "text").iterdir() if p.is_dir()]) == 3


@pytest.mark.parametrize("how", ["cut", "flip", "sealed rubbish"])
def test_a_damaged_index_is_built_again(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTHARNESS_CACHE", str(tmp_path))
    assert index(ROWS, small=0).find("nile", 5) == [0, 1]
    (made,) = (p for p in (tmp_path / "text").iterdir() if p.is_dir())
    file = next(made.glob("*.term"))
    if how == "cut":
        file.write_bytes(file.read_bytes()[:-5])
    elif how == "flip":
        file.write_bytes(bytes(255 - b for b in file.read_bytes()))
    else:
        (made / "meta.json").write_text("{}")
        cache._seal(made)
    assert index(ROWS, small=0).find("nile", 5) == [0, 1]


def test_words() -> None:
    analyze = analyzer(tantivy).analyze
    assert question(analyze, "B a-b, Ünï 2.5 日本") == ("2", "5", "a", "b", "uni", "日", "本")
    assert len(question(analyze, " ".join(f"w{i}" for i in range(500)))) == 64
    assert plain([1, {"a": "x", "b": None}, True, ["y", 2.5]]) == "1 x y 2.5"
    assert plain("a日本b") == "a 日  本 b"


def test_the_semantics_version() -> None:
    """Raise it where the same rows and words come to give another ranking."""
    assert textindex.VERSION == 1
