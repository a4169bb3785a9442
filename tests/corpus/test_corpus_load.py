from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentharness import canon
from agentharness.corpus.load import Corpus, load
from agentharness.corpus.merkle import canonical, root
from agentharness.corpus.spec import Source, TableSpec
from agentharness.errors import UserError

One = Callable[..., Corpus]
Json = dict[str, Any]


def lines(*rows: Json) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


DATA = (Path(__file__).parents[2] / "../shared/data").resolve()


@pytest.fixture
def data() -> Path:
    if not DATA.is_dir():
        pytest.skip("real data (../shared/data) is not there")
    return DATA


@pytest.fixture
def one(tmp_path: Path) -> One:
    """Writes a file and loads it as the table `rows`: one("a.csv", "x,y\\n1,2\\n", key="x", source={"types": …}, columns={…})."""

    def build(name: str, content: str | bytes, *, columns: dict[str, Any] | None = None, source: dict[str, Any] | None = None, **spec: Any) -> Corpus:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        table = TableSpec(source=Source(file=name, **(source or {})), **spec)
        return load({"rows": table}, {"rows": columns or {}}, tmp_path, root="rows")

    return build


def derived(folder: Path, rows: list[Json], columns: Json | None = None, row_key: str | None = None, /, **pages: Any) -> Corpus:
    """Tables `rows` and, from its column `ctx`, `pages`."""
    (folder / "a.jsonl").write_text(lines(*rows))
    specs = {"rows": TableSpec(source=Source(file="a.jsonl"), key=row_key), "pages": TableSpec(**{"from": "rows", "explode": "ctx", **pages})}
    return load(specs, columns or {}, folder, root="rows")


def line(call: Callable[[], object]) -> str:
    with pytest.raises(UserError) as e:
        call()
    return e.value.line()


# Keys


def test_two_rows_with_one_key_name_it_and_both_places(one: One) -> None:
    text = lines({"id": "x", "v": 1}, {"id": "y"}, {"id": "x", "v": 2}, {"id": "y"})
    assert line(lambda: one("a.jsonl", text, key="id")) == (
        "a.jsonl:3: two rows of rows have the key 'x', the other is at a.jsonl:1 (1 more such row) "
        "(mend the data, choose another key:, or say unique: first or per_row)"
    )
    first = one("a.jsonl", text, key="id", unique="first")
    assert [first.tables["rows"].full(k) for k in ("x", "y")] == [{"id": "x", "v": 1}, {"id": "y"}]
    assert first.notes == ["rows: 2 rows with a key seen before left out (unique: first)"]
    each = one("a.jsonl", lines({"id": "x"}, {"id": "x-2"}, {"id": "x"}, {"id": "x"}), key="id", unique="per_row")
    assert list(each.tables["rows"].keys()) == ["x", "x-2", "x-3", "x-4"]


def test_keys_are_text(one: One) -> None:
    corpus = one("a.jsonl", lines({"a": 1, "b": "x"}, {"a": 2, "b": "y"}), key="a")
    assert list(corpus.tables["rows"].keys()) == ["1", "2"]
    both = one("a.jsonl", lines({"a": 1, "b": "x"}, {"a": 1, "b": "y"}), key=["a", "b"])
    assert list(both.tables["rows"].keys()) == ['[1,"x"]', '[1,"y"]']
    nested = one("a.jsonl", lines({"a": {"id": 7}}), key="a.id")
    assert list(nested.tables["rows"].keys()) == ["7"]
    position = one("a.jsonl", lines({"row": "z"}, {"row": "z"}), key="row")
    assert list(position.tables["rows"].keys()) == ["0", "1"]
    assert list(one("a.jsonl", lines({"row": "z"}), key=["row"]).tables["rows"].keys()) == ["z"]


def test_faults_of_keys(one: One) -> None:
    assert line(lambda: one("a.jsonl", lines({"id": 1}, {"id": None}), key="id")).startswith("a.jsonl:2: a row of rows has no value in its key column 'id'")
    assert line(lambda: one("a.csv", "id,b\n,2\n", key="id")).startswith("a.csv:2: a row of rows has no value")
    assert line(lambda: one("a.json", '[{"id": 1}, {"b": 2}]', key="id")).startswith("a.json, row 1: a row of rows has no value")
    assert line(lambda: one("a.jsonl", lines({"id": 1}), key="ids")) == "corpus.rows.key: rows has no column 'ids' for its key (did you mean 'id'?)"
    assert "key column 'id' of rows is gold" in line(lambda: one("a.jsonl", lines({"id": 1}), key="id", columns={"id": "gold"}))


def test_a_content_key_digests_what_is_not_gold(one: One) -> None:
    text = lines({"q": "a", "y": 1}, {"q": "a", "y": 2}, {"q": "a", "y": 1}, {"q": "b", "y": 1}, {"q": "a", "y": 3})
    table = one("a.jsonl", text, columns={"q": "public", "y": "gold"}).tables["rows"]
    base = canon.digest({"q": "a"})[:16]
    assert list(table.keys()) == [base, f"{base}-2", canon.digest({"q": "b"})[:16], f"{base}-3"]
    assert table.counts == {(None, base): 2}
    assert table.full(f"{base}-2") == {"q": "a", "y": 2}


@settings(max_examples=40)
@given(st.lists(st.fixed_dictionaries({"q": st.integers(0, 2), "y": st.integers(0, 2)}), min_size=1, max_size=12))
def test_content_keys_lose_no_row(tmp_path_factory: pytest.TempPathFactory, rows: list[Json]) -> None:
    folder = tmp_path_factory.mktemp("k")
    (folder / "a.jsonl").write_text(lines(*rows))
    table = load({"rows": TableSpec(source=Source(file="a.jsonl"))}, {"rows": {"y": "gold"}}, folder, root="rows").tables["rows"]
    counted = [(key, row) for scope, key, row in table for _ in range(table.counts.get((scope, key), 1))]
    assert sorted(canon.dumps(row) for _, row in counted) == sorted(canon.dumps(row) for row in rows)
    assert len(set(table.keys())) == len(table) == len({canon.dumps(row) for row in rows})


# Columns


def test_unknown_columns_are_named_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines({"question": "q", "ctx": [{"t": 1}], "opt": None}))
    specs = {"rows": TableSpec(source=Source(file="a.jsonl"))}

    def fault(path: str, **more: Any) -> str:
        return line(lambda: load(specs, {"rows": {path: "public", **more}}, tmp_path, root="rows", place=lambda *p: "task.yaml:7:3"))

    assert fault("questoin") == "task.yaml:7:3: rows has no column 'questoin' (did you mean 'question'?)"
    assert fault("ctx.t") == "task.yaml:7:3: rows has no path 'ctx.t' (write 'ctx[].t': [] goes into a list, and only there)"
    assert fault("ctx[].tt") == "task.yaml:7:3: rows has no column 'ctx[].tt' (did you mean 'ctx[].t'?)"
    assert "are the same path (keep one)" in fault("ctx", **{"ctx[]": "gold"})
    load(specs, {"rows": {"opt.may.be": "public"}}, tmp_path, root="rows")
    assert "no table 'row' (did you mean 'rows'?)" in line(lambda: load(specs, {"row": {}}, tmp_path, root="rows"))


def test_rename(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines({"a": 1, "b": 2}))

    def read(**rename: str) -> Json:
        table = load({"rows": TableSpec(source=Source(file="a.jsonl"), rename=rename)}, {}, tmp_path, root="rows").tables["rows"]
        return next(row for _, _, row in table)

    assert read(a="b", b="a") == {"b": 1, "a": 2}
    assert "no column 'c' to rename" in line(lambda: read(c="d"))
    assert "has a column 'b' already" in line(lambda: read(a="b"))
    assert "renamed to one name" in line(lambda: read(a="x", b="x"))


# Derived tables


def test_explode_takes_records_values_and_parallel_lists(tmp_path: Path) -> None:
    shapes: list[tuple[Any, list[Json]]] = [
        ([{"t": "A"}, {"t": "B"}], [{"t": "A"}, {"t": "B"}]),
        (["x", ["y"]], [{"value": "x"}, {"value": ["y"]}]),
        ({"t": ["A", "B"], "s": [[1], []]}, [{"t": "A", "s": [1]}, {"t": "B", "s": []}]),
    ]
    for value, expected in shapes:
        pages = derived(tmp_path, [{"ctx": value}, {"ctx": None}, {"ctx": []}]).tables["pages"]
        assert [row for _, _, row in pages] == expected


def test_faults_of_explode(tmp_path: Path) -> None:
    def fault(value: Any, **pages: Any) -> str:
        return line(lambda: derived(tmp_path, [{"id": "r1", "ctx": value}], None, "id", **pages))

    assert fault({"t": ["A"], "s": []}) == "corpus.pages.explode: the parallel lists in 'ctx' of rows 'r1' differ in length: t 1, s 0 (mend that row)"
    assert "'ctx' of rows 'r1' is no list" in fault("text")
    assert "mixes records and plain values" in fault([{"t": 1}, 2])
    assert "rows has no column 'cxt' (did you mean 'ctx'?)" in fault([], explode="cxt")


def test_a_scoped_key_counts_within_its_row(tmp_path: Path) -> None:
    rows = [{"id": "r1", "ctx": [{"t": "A", "n": 1}, {"t": "B", "n": 2}]}, {"id": "r2", "ctx": [{"t": "A", "n": 3}]}]
    columns: Json = {"pages": {"t": "public", "n": "public"}}
    by_title = derived(tmp_path, rows, columns, "id", scope="row", key="t").tables["pages"]
    assert by_title.scope
    assert by_title.view("A", "r2") == {"t": "A", "n": 3}
    assert (by_title.view("B", "r2"), by_title.view("A", "r9"), by_title.full("C", "r1")) == (None, None, None)
    assert list(by_title.keys("r1")) == ["A", "B"]
    assert list(by_title.keys()) == ["A", "B", "A"]
    assert (by_title.find("n", 3, "r2"), by_title.find("n", 3, "r1")) == ("A", None)
    with pytest.raises(ValueError, match="is scoped"):
        by_title.view("A")


def test_gold_stays_gold_in_a_derived_table(tmp_path: Path) -> None:
    rows = [{"ctx": [{"t": "A", "is": True, "deep": {"g": 1, "p": 2}}]}]
    levels = {"ctx": "public", "ctx[].is": "gold", "ctx[].deep.g": "gold"}
    pages = derived(tmp_path, rows, {"rows": levels, "pages": {"t": "public", "deep": "public"}}).tables["pages"]
    ((_, key, _),) = pages
    assert pages.levels == {"t": "public", "deep": "public", "is": "gold", "deep.g": "gold"}
    assert pages.view(key) == {"t": "A", "deep": {"p": 2}}
    assert pages.non_gold(key) == {"t": "A", "deep": {"p": 2}}
    for path, told in (("is", "ctx.is"), ("deep.g", "ctx.deep.g")):
        fault = line(lambda path=path: derived(tmp_path, rows, {"rows": levels, "pages": {path: "public"}}))  # type: ignore[misc]
        assert fault == f"columns.pages.{path}: '{path}' of pages is gold in rows and cannot be public (leave it gold, or make {told} of rows public)"
    renamed = {"rows": levels, "pages": {"kind": "public"}}
    assert "is gold in rows" in line(lambda: derived(tmp_path, rows, renamed, rename={"is": "kind"}))
    hidden = derived(tmp_path, rows, {"rows": levels, "pages": {"is": "hidden"}}).tables["pages"]
    assert hidden.levels["is"] == "gold"


def test_gold_values_and_whole_gold_columns(tmp_path: Path) -> None:
    gold = {"ctx": "gold"}
    assert "'value' of pages is gold" in line(lambda: derived(tmp_path, [{"ctx": ["a"]}], {"rows": gold, "pages": {"value": "public"}}))
    assert derived(tmp_path, [{"ctx": [{"a": 1}]}], {"rows": gold}).tables["pages"].levels == {"a": "gold"}
    named = {"rows": {"ctx": "public", "ctx[].value": "gold"}, "pages": {"value": "public"}}
    assert "'value' of pages is gold" in line(lambda: derived(tmp_path, [{"ctx": [{"value": 1}]}], named))
    public = derived(tmp_path, [{"ctx": ["a"]}], {"rows": {"ctx": "public"}, "pages": {"value": "public"}}).tables["pages"]
    assert public.find("value", "a") is not None


def test_tables_in_any_order_but_not_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines({"ctx": [{"s": ["x", "y"]}]}))
    source = TableSpec(source=Source(file="a.jsonl"))
    specs = {
        "sents": TableSpec(**{"from": "pages"}, explode="s", scope="row"),
        "pages": TableSpec(**{"from": "rows"}, explode="ctx", scope="row"),
        "rows": source,
    }
    corpus = load(specs, {}, tmp_path, root="rows")
    (key,) = corpus.tables["rows"].keys()
    assert len(list(corpus.tables["sents"].keys(key))) == 2
    circle = {"a": TableSpec(**{"from": "b"}), "b": TableSpec(**{"from": "a"})}
    assert "a, b are derived from each other" in line(lambda: load(circle, {}, tmp_path, root="a"))
    assert "no table 'row' (did you mean 'rows'?)" in line(lambda: load({"rows": source, "p": TableSpec(**{"from": "row"})}, {}, tmp_path, root="rows"))
    assert "needs a source or a table" in line(lambda: load({"rows": TableSpec()}, {}, tmp_path, root="rows"))
    assert "explode, group, sessions, windows, pairs and scope need `from`" in line(
        lambda: load({"rows": source.model_copy(update={"explode": "ctx"})}, {}, tmp_path, root="rows")
    )
    assert "episode.each: no table 'row'" in line(lambda: load({"rows": source}, {}, tmp_path, root="row"))


# Other data in a source's place


def test_demo_rows_may_be_made_by_code(tmp_path: Path) -> None:
    (tmp_path / "rows.py").write_text("def few():\n    yield {'q': 'made', 'n': 1}\n\n\ndef rows():\n    raise ImportError('not here')\n")
    spec = TableSpec(source=Source(python="rows.py:rows", demo="rows.py:few"), key="q")
    corpus = load({"rows": spec}, {"rows": {"q": "public"}}, tmp_path, root="rows", data="demo")
    assert (list(corpus.tables["rows"].keys()), corpus.origin["rows"]["python"]) == (["made"], "rows.py:few")
    assert "not here" in line(lambda: load({"rows": spec}, {"rows": {"q": "public"}}, tmp_path, root="rows"))
    foreign = lambda: load({"rows": spec}, {"rows": {"q": "public"}}, tmp_path, root="rows", data="demo", trusted=False)  # noqa: E731
    assert "trust=true" in line(foreign)


def test_demo_and_source_replace_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task, work = tmp_path / "task", tmp_path / "work"
    task.mkdir()
    work.mkdir()
    monkeypatch.chdir(work)
    (task / "demo.jsonl").write_text(lines({"q": "demo"}))
    (work / "mine.csv").write_text("ask;n\nmine;7\n")
    (work / "list.json").write_text(json.dumps([{"q": "list"}]))
    spec = TableSpec(source=Source(hub="o/n", demo="demo.jsonl", types={}), key="q")
    specs = {"pages": TableSpec(**{"from": "rows"}), "rows": spec}

    def keys(**options: Any) -> list[str]:
        return list(load(specs, {"rows": {"q": "public"}}, task, root="pages", **options).tables["rows"].keys())

    assert keys(data="demo") == ["demo"]
    assert keys(source="mine.csv", rename={"ask": "q"}) == ["mine"]
    assert keys(source="list.json") == ["list"]
    assert "did you mean 'demo'?" in line(lambda: keys(data="dmo"))
    assert "no column 'asc' to rename (did you mean 'ask'?)" in line(lambda: keys(source="mine.csv", rename={"asc": "q"}))
    assert "both replace the rows" in line(lambda: keys(data="demo", source="mine.csv"))
    assert line(lambda: keys(source="list.jsno")).startswith("list.jsno: no reader for .jsno")
    assert line(lambda: keys(source="lst.json")) == "lst.json: no such file (did you mean 'list.json'?)"
    specs["rows"] = TableSpec(source=Source(file="x.json", path="data.rows"), key="q")
    assert keys(source="list.json") == ["list"]  # a plain list needs no path
    assert "has no demo rows" in line(lambda: keys(data="demo"))


# Tables


def test_lookups(one: One) -> None:
    text = lines({"id": "AO", "name": {"c": "Angola"}, "borders": ["NAM", "ZMB"], "y": 1}, {"id": "NA", "name": {"c": "Namibia"}, "borders": [], "y": 2})
    table = one("a.jsonl", text, key="id", columns={"name": "public", "borders": "public", "y": "gold"}).tables["rows"]
    assert (len(table), table.scope, table.name) == (2, False, "rows")
    assert table.view("NA") is table.view("NA", "any")
    assert table.view("NA") == {"name": {"c": "Namibia"}, "borders": []}
    assert table.non_gold("NA") == {"id": "NA", "name": {"c": "Namibia"}, "borders": []}
    assert table.full("AO", None) == {"id": "AO", "name": {"c": "Angola"}, "borders": ["NAM", "ZMB"], "y": 1}
    assert (table.view("XX"), table.full("XX"), table.non_gold("XX")) == (None, None, None)
    assert (table.find("name.c", "Namibia"), table.find("borders", "ZMB"), table.find("borders[]", "NAM"), table.find("name.c", "x")) == (
        "NA",
        "AO",
        "AO",
        None,
    )
    assert line(lambda: table.find("y", 2)).startswith("columns.rows.y: 'y' is gold: an index holds public columns only")
    assert "has no column 'nam' (did you mean 'name'?)" in line(lambda: table.find("nam", 2))


# Digests


def digests(folder: Path, rows: list[Json], key: str | None = "id") -> tuple[str, str]:
    (folder / "d.jsonl").write_text(lines(*rows))
    corpus = load({"rows": TableSpec(source=Source(file="d.jsonl"), key=key)}, {"rows": {"y": "gold"}}, folder, root="rows")
    found = corpus.digests()["rows"]
    assert corpus.digests()["rows"] is found
    return found.open, found.gold


def test_digests_part_gold_from_the_rest(tmp_path: Path) -> None:
    rows = [{"id": str(i), "q": i, "y": i} for i in range(2500)]
    was = digests(tmp_path, rows)
    mended = digests(tmp_path, [{**row, "y": -1} if row["id"] == "7" else row for row in rows])
    assert (mended[0] == was[0], mended[1] == was[1]) == (True, False)
    changed = digests(tmp_path, [{**row, "q": -1} if row["id"] == "2400" else row for row in rows])
    assert (changed[0] == was[0], changed[1] == was[1]) == (False, True)
    assert digests(tmp_path, [{"y": r["y"], "q": r["q"], "id": r["id"]} for r in rows]) == was  # keys of an object have no order
    assert digests(tmp_path, [rows[1], rows[0], *rows[2:]])[0] != was[0]  # rows have
    assert digests(tmp_path, rows[:-1])[0] != was[0]


def test_a_mended_question_is_no_other_answer_where_keys_are_digests(tmp_path: Path) -> None:
    rows = [{"q": i, "y": i} for i in range(5)]
    was = digests(tmp_path, rows, None)
    changed = digests(tmp_path, [{**row, "q": -1} if row["q"] == 3 else row for row in rows], None)
    assert (changed[0] == was[0], changed[1] == was[1]) == (False, True)


def test_digests_are_fixed(tmp_path: Path) -> None:
    def leaf(value: Any) -> bytes:
        return hashlib.sha256(b"\x00" + canon.dumps(value)).digest()

    rows: list[Json] = [{"id": "a", "q": None, "y": 1}, {"id": "b", "$q": "null"}]
    was = digests(tmp_path, rows)
    assert was[0] == leaf([["a", {"id": "a", "q": None}], ["b", {"id": "b", "$q": "null"}]]).hex()
    assert was[1] == leaf([{"y": 1}, {}]).hex()
    a, b, c = b"a" * 32, b"b" * 32, b"c" * 32
    pair = hashlib.sha256(b"\x01" + a + b).digest()
    assert root([a, b, c]) == hashlib.sha256(b"\x01" + pair + c).digest()
    assert (root([a]), root([])) == (a, hashlib.sha256(b"").digest())


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["$x", "null", ":null,", ',"$', "\ud800"]),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(["a", "$float", "b$", "null"]), v, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40)
@given(st.lists(st.lists(JSON, max_size=3), max_size=4))
def test_the_fast_form_is_the_canonical_form(block: list[list[Any]]) -> None:
    assert canonical(block) == canon.dumps(block)


# Real data


def test_hotpot_as_on_the_hub(data: Path) -> None:
    specs = {
        "rows": TableSpec(source=Source(file="hotpotqa/hub_schema_100.json")),
        "pages": TableSpec(**{"from": "rows"}, explode="context", scope="row", key="title"),
    }
    columns: Any = {"rows": {"question": "public", "answer": "gold", "supporting_facts": "gold"}, "pages": {"title": "public", "sentences": "public"}}
    corpus = load(specs, columns, data, root="rows")
    first = next(iter(corpus.tables["rows"].keys()))
    assert (len(corpus.tables["rows"]), len(corpus.tables["pages"]), len(list(corpus.tables["pages"].keys(first)))) == (100, 992, 10)
    page = corpus.tables["pages"].view("Ed Wood", first)
    assert page is not None
    assert page["sentences"][0].startswith("Edward Davis Wood Jr. (October 10, 1924")
    assert corpus.tables["rows"].view(first) == {"question": "Were Scott Derrickson and Ed Wood of the same nationality?"}


def test_hotpot_with_gold_inside_a_list(data: Path) -> None:
    specs = {
        "rows": TableSpec(source=Source(file="hotpotqa/dev_500.jsonl"), key="question_id"),
        "pages": TableSpec(**{"from": "rows"}, explode="contexts", scope="row", key="title"),
    }
    columns: Any = {"rows": {"contexts": "public", "contexts[].is_supporting": "gold", "answers_objects": "gold"}, "pages": {"title": "public"}}
    corpus = load(specs, columns, data, root="rows")
    assert "is_supporting" not in json.dumps([corpus.tables["rows"].view(k) for k in corpus.tables["rows"].keys()])  # noqa: SIM118
    assert corpus.tables["pages"].levels == {"title": "public", "is_supporting": "gold"}
    assert (len(corpus.tables["rows"]), corpus.tables["rows"].counts) == (500, {})
    columns["pages"]["is_supporting"] = "public"
    assert "is gold in rows and cannot be public" in line(lambda: load(specs, columns, data, root="rows"))
    unscoped = {**specs, "pages": TableSpec(**{"from": "rows"}, explode="contexts", key="title")}
    assert "two rows of pages have the key" in line(lambda: load(unscoped, {}, data, root="rows"))


@pytest.mark.parametrize(("name", "rows", "merged", "twins"), [("sports_understanding", 248, 2, 0), ("causal_judgement", 187, 0, 2)])
def test_bbh_repeats_itself(data: Path, name: str, rows: int, merged: int, twins: int) -> None:
    spec = TableSpec(source=Source(file=f"bbh/{name}.json", path="examples"))
    table = load({"rows": spec}, {"rows": {"input": "public", "target": "gold"}}, data, root="rows").tables["rows"]
    assert (len(table), len(table.counts), sum(k.endswith("-2") for k in table.keys())) == (rows, merged, twins)  # noqa: SIM118


def test_namibia_and_gsm8k(data: Path) -> None:
    columns: Any = {"rows": {"name": "public", "cca3": "public"}}
    countries = load({"rows": TableSpec(source=Source(file="countries/countries.json"), key="cca2")}, columns, data, root="rows").tables["rows"]
    assert countries.find("cca3", "NAM") == "NA"
    assert len(countries) == 250
    users = load({"rows": TableSpec(source=Source(file="tau_airline/users.json"), key="_name")}, {}, data, root="rows").tables["rows"]
    assert (len(users), "mia_li_3668" in users.keys()) == (500, True)  # noqa: SIM118
    maths = load({"rows": TableSpec(source=Source(file="gsm8k/test.jsonl"))}, {"rows": {"question": "public", "answer": "gold"}}, data, root="rows")
    assert (len(maths.tables["rows"]), maths.tables["rows"].counts) == (1319, {})


def test_importing_the_room_imports_nothing_heavy() -> None:
    code = "import agentharness.corpus.load, sys; print([m for m in ('PIL', 'pyarrow', 'datasets', 'numpy', 'charset_normalizer') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert out.stdout.strip() == "[]"
