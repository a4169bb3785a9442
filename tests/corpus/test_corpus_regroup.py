"""Tables made of several rows of another, joins, and declared cleaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import play, refused, table, write

from agentharness.corpus.load import Corpus, load
from agentharness.corpus.spec import Level, TableSpec
from agentharness.errors import UserError

LOG: list[dict[str, Any]] = [
    {"user": "ann", "at": "2026-01-01T10:00:00", "page": "home", "buy": None},
    {"user": "bob", "at": "2026-01-01T10:01:00", "page": "home", "buy": None},
    {"user": "ann", "at": "2026-01-01T10:20:00", "page": "shop", "buy": "tea"},
    {"user": "ann", "at": "2026-01-01T12:00:00", "page": "home", "buy": None},
    {"user": "ann", "at": "2026-01-01T10:05:00", "page": "list", "buy": None},
]
PUBLIC: dict[str, Level] = {"user": "public", "at": "public", "page": "public", "buy": "gold"}


def made(folder: Path, rows: list[dict[str, Any]], levels: dict[str, Level] | None = None, base: dict[str, Level] | None = None, **spec: Any) -> Corpus:
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    tables = {"log": TableSpec.model_validate({"source": {"file": "log.jsonl"}, "key": "row"}), "out": TableSpec.model_validate({"from": "log", **spec})}
    return load(tables, {"log": PUBLIC if base is None else base, "out": levels or {}}, folder, root="out")


def rows(corpus: Corpus, name: str = "out") -> list[dict[str, Any]]:
    return [row for _, _, row in corpus.tables[name]]


def fault(call: Any) -> str:
    with pytest.raises(UserError) as e:
        call()
    return e.value.line()


def test_a_log_is_cut_into_sessions(tmp_path: Path) -> None:
    corpus = made(tmp_path, LOG, {"events[].page": "public"}, sessions={"by": "user", "at": "at", "gap": "30m"})
    assert [(r["user"], r["session"], r["count"], [e["page"] for e in r["events"]]) for r in rows(corpus)] == [
        ("ann", 0, 3, ["home", "list", "shop"]),
        ("ann", 1, 1, ["home"]),
        ("bob", 0, 1, ["home"]),
    ]
    assert (rows(corpus)[0]["start"], rows(corpus)[0]["end"]) == ("2026-01-01T10:00:00", "2026-01-01T10:20:00")
    assert list(corpus.tables["out"].keys()) == ['["ann",0]', '["ann",1]', '["bob",0]']
    assert corpus.tables["out"].view('["ann",1]') == {"events": [{"page": "home"}]}
    assert corpus.tables["out"].levels["events[].buy"] == "gold"
    one = made(tmp_path, LOG, sessions={"by": "user", "at": "at", "gap": 7200.0})
    assert [r["count"] for r in rows(one)] == [4, 1]
    numbers = [{"user": "a", "at": at} for at in (0, 10, 40)]
    found = made(tmp_path, numbers, base={"user": "public"}, sessions={"by": "user", "at": "at", "gap": 10})
    assert [r["count"] for r in rows(found)] == [2, 1]


def test_groups_windows_and_pairs(tmp_path: Path) -> None:
    groups = rows(made(tmp_path, LOG, group={"by": "page", "as": "visits"}))
    assert [(g["page"], g["count"], [v["user"] for v in g["visits"]]) for g in groups] == [
        ("home", 3, ["ann", "bob", "ann"]),
        ("shop", 1, ["ann"]),
        ("list", 1, ["ann"]),
    ]
    windows = rows(made(tmp_path, LOG, windows={"size": 2, "step": 1, "by": "user"}))
    assert [(w["user"], w["start"], [i["page"] for i in w["items"]]) for w in windows] == [
        ("ann", 0, ["home", "shop"]),
        ("ann", 1, ["shop", "home"]),
        ("ann", 2, ["home", "list"]),
    ]
    pairs = made(tmp_path, LOG, pairs={"by": "page", "first": "left", "second": "right"})
    assert [(p["page"], p["pair"], p["left"]["user"], p["right"]["user"]) for p in rows(pairs)] == [
        ("home", 0, "ann", "bob"),
        ("home", 1, "ann", "ann"),
        ("home", 2, "bob", "ann"),
    ]
    assert pairs.tables["out"].levels["left.buy"] == "gold"
    assert len(rows(made(tmp_path, LOG, windows={"size": 2, "step": 2}))) == 2


def test_what_is_gold_stays_gold(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"group": {"by": "user"}}, "items[].buy"),
        ({"pairs": {"by": "page"}}, "a.buy"),
        ({"group": {"by": "buy", "as": "x"}}, "buy"),
    ]
    for spec, path in cases:
        told = fault(lambda: made(tmp_path, LOG, {path: "public"}, **spec))  # noqa: B023
        assert "is gold in log and cannot be public (leave it gold, or make buy of log public)" in told


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ({"group": {"by": "usr"}}, "corpus.out.group.by: log has no column 'usr' (did you mean 'user'?)"),
        ({"sessions": {"by": "user", "at": "page", "gap": "1h"}}, "'home' in 'page' (the group of '0') is no time"),
        ({"sessions": {"by": "user", "at": "at", "gap": "soon"}}, "'soon' is no length of time (30m, 2h, 1d, or a number of seconds)"),
        ({"group": {"by": "user"}, "explode": "page"}, "table 'out' has explode and group (one of them; a second table may be derived from the first)"),
        ({"pairs": {"by": "user"}, "scope": "row"}, "table 'out' has pairs and scope"),
        ({"join": {"table": "lgo", "on": "user", "as": "x"}}, "no table 'lgo' (did you mean 'log'?)"),
        ({"join": {"table": "out", "on": "user", "as": "x"}}, "out are derived from each other"),
    ],
)
def test_mistakes(tmp_path: Path, spec: dict[str, Any], line: str) -> None:
    assert line in fault(lambda: made(tmp_path, LOG, **spec))


def joined(folder: Path, levels: dict[str, dict[str, Level]] | None = None, **join: Any) -> Corpus:
    (folder / "orders.jsonl").write_text('{"id": 1, "who": "a"}\n{"id": 2, "who": "b"}\n{"id": 3, "who": "z"}\n')
    (folder / "people.jsonl").write_text(
        '{"name": "a", "town": "Ulm", "pin": 1}\n{"name": "b", "town": "Bonn", "pin": 2}\n{"name": "b", "town": "Kiel", "pin": 3}\n'
    )
    specs = {
        "orders": TableSpec.model_validate({"source": {"file": "orders.jsonl"}, "key": "id", "join": {"table": "people", "as": "person", **join}}),
        "people": TableSpec.model_validate({"source": {"file": "people.jsonl"}, "key": "row"}),
    }
    columns = levels or {"orders": {"id": "public", "person[].town": "public"}, "people": {"name": "public", "town": "public", "pin": "gold"}}
    return load(specs, columns, folder, root="orders")


def test_a_join_brings_partners(tmp_path: Path) -> None:
    corpus = joined(tmp_path, on={"who": "name"}, many=True)
    assert [[p["town"] for p in row["person"] or []] for row in rows(corpus, "orders")] == [["Ulm"], ["Bonn", "Kiel"], []]
    assert corpus.tables["orders"].view("2") == {"id": 2, "person": [{"town": "Bonn"}, {"town": "Kiel"}]}
    dropped = joined(tmp_path, on={"who": "name"}, many=True, missing="drop")
    assert len(rows(dropped, "orders")) == 2
    assert "orders: 1 rows without a partner in people left out (missing: drop)" in dropped.notes
    assert "2 rows of people have name = ['b']" in fault(lambda: joined(tmp_path, on={"who": "name"}))
    assert "no row of people has name = ['z']" in fault(lambda: joined(tmp_path, on={"who": "name"}, many=True, missing="error"))
    assert "people has no column 'nmae' (did you mean 'name'?)" in fault(lambda: joined(tmp_path, on={"who": "nmae"}))
    gold: dict[str, dict[str, Level]] = {"orders": {"person[].pin": "public"}, "people": {"pin": "gold"}}
    assert "is gold in people and cannot be public" in fault(lambda: joined(tmp_path, gold, on={"who": "name"}, many=True))


TIDY = """\
data: {from: rows.jsonl, key: id}
preset: qa
ask: q
answer: a
reward: exact
tidy:
  - strip: [q, a]
  - filled: a
  - dedupe: q
  - filter: row.score >= 2
licence: MIT
"""
DIRTY = [
    {"id": "1", "q": " What  is it?", "a": "x", "score": 3},
    {"id": "2", "q": "What is it?", "a": "x ", "score": 3},
    {"id": "3", "q": "Who?", "a": None, "score": 3},
    {"id": "4", "q": "Where?", "a": "y", "score": 1},
    {"id": "5", "q": "When?", "a": "z", "score": 2},
]


def test_cleaning_is_declared_counted_and_part_of_the_world(tmp_path: Path) -> None:
    def task(text: str) -> None:
        write(tmp_path / "tasks/t", {"task.yaml": text, "rows.jsonl": "".join(json.dumps(row) + "\n" for row in DIRTY)})

    task(TIDY)
    done = play(tmp_path, "task=t", "out=r")
    assert table(done)[0]["n"] == "2"
    for line in (
        "strip: 2 of 5 rows changed",
        "filled: 1 of 5 rows dropped",
        "dedupe: 1 of 4 rows dropped",
        "filter: 1 of 3 rows dropped",
    ):
        assert f"tidy {line}" in done.out + done.err
    worlds = set()
    for text in (TIDY, TIDY.replace(">= 2", ">= 1 + 1"), TIDY.replace("  - dedupe: q\n", "")):
        task(text)
        play(tmp_path, "task=t", "out=w", "fresh=true")
        worlds.add(json.loads((tmp_path / "w/manifest.json").read_bytes())["env"]["world"])
    assert len(worlds) == 3
    task(TIDY.replace("row.score", "row.scroe"))
    assert "did you mean 'score'?" in refused(tmp_path, "task=t")
    task(TIDY.replace("dedupe: q", "dedupe: qq"))
    assert "task.yaml:9" in refused(tmp_path, "task=t")
    task(TIDY.replace(">= 2", "> 99"))
    assert "no row of rows is left" in refused(tmp_path, "task=t")
