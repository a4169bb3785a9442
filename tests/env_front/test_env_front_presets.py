"""Presets: the notation of holes, and the presets of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from agentharness.config.yaml import parse
from agentharness.env import presets
from agentharness.env.expand import expand
from agentharness.env.presets import Filled, Hole, Missing, access, fill
from agentharness.env.task import Task
from agentharness.errors import UserError

Read = Callable[[str], Task]


def long(text: str) -> dict[str, Any]:
    return expand(parse(text, "task.yaml"))[0]


def test_names() -> None:
    assert {"bare", "choice", "graph", "guess", "look", "pages", "point", "qa", "replay", "reveal", "search", "sql", "table"} <= set(presets.names())
    for name in presets.names():
        assert re.fullmatch(r"[a-z].{10,80}", presets.get(name).about)


def test_unknown_preset() -> None:
    with pytest.raises(UserError) as e:
        presets.get("page", "task.yaml:2:9")
    assert e.value.line() == "task.yaml:2:9: there is no preset 'page' (did you mean 'pages'?)"


def test_holes() -> None:
    holes = {
        "a": Hole("col", {(): ("k", "a")}),
        "list": Hole([1, 2], {(): ("l",), (1,): ("l", 1)}),
        "none": Hole(None),
        "b.c": Hole("two words", {(): ("b", "c")}),
    }
    form = {
        "whole": "<list>",
        "text": "x.<a> '<b.c>' <a>",
        "<a>": "row.<b.c>",
        "gone": "<none?>",
        "kept": "<list?>",
        "if <?a>": 1,
        "if <!none>": 2,
        "if <?none>": 3,
        "unless <!a>": 4,
        "deep": [{"end": "<none>"}, 5],
    }
    filled = fill(form, holes)
    assert filled == Filled(
        {
            "whole": [1, 2],
            "text": "x.col 'two words' col",
            "col": "row['two words']",
            "kept": [1, 2],
            "if": 2,
            "deep": [{"end": Missing("none")}, 5],
        },
        {
            ("whole",): ("l",),
            ("whole", 1): ("l", 1),
            ("text",): ("k", "a"),
            ("col",): ("b", "c"),
            ("kept",): ("l",),
            ("kept", 1): ("l", 1),
        },
    )


def test_a_full_stop_behind_a_block_is_text() -> None:
    assert fill("{{ x }}.<a> r[0].<a>", {"a": Hole("b c")}).data == "{{ x }}.b c r[0]['b c']"


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("a", ".a"),
        ("a.b", ".a.b"),
        ("a[].b[]", ".a[].b[]"),
        ("two words", "['two words']"),
        ("a.b c[].d", ".a['b c'][].d"),
        ("it's", "['it\\'s']"),
        ("9", "['9']"),
    ],
)
def test_access(path: str, written: str) -> None:
    assert access(path) == written


PAGES = "data: x.jsonl\npreset: pages\nask: question_text\nanswer: a\n"


def test_pages_over_lists_of_records_with_evidence_as_an_expression() -> None:
    found = long(
        PAGES + "documents: {from: contexts, text: paragraph_text}\ngold: ['contexts[].is_supporting']\n"
        "evidence: \"row.contexts | selectattr('is_supporting') | map('title')\"\n"
    )
    assert found["corpus"]["pages"] == {"from": "rows", "explode": "contexts", "scope": "row", "key": "title", "unique": "error"}
    assert found["columns"]["pages"] == {"title": "public", "paragraph_text": "public"}
    assert found["columns"]["rows"] == {"question_text": "public", "a": "gold", "contexts[].is_supporting": "gold"}
    assert found["oracle"]["each"] == "row.contexts | selectattr('is_supporting') | map('title')"


@pytest.mark.parametrize(
    ("written", "each"),
    [
        ("gold: [facts]", "row.facts.title"),
        ("gold: facts", "row.facts.title"),
        ("evidence: proof.titles", "row.proof.titles"),
        ("evidence: proof[].title", "row.proof | map('title')"),
        ("gold: [facts]\nevidence: null", None),
        ("gold: ['facts[].x']", None),
    ],
)
def test_evidence(written: str, each: str | None) -> None:
    oracle = long(f"{PAGES}documents: contexts\n{written}\n")["oracle"]
    assert oracle.get("each") == each
    assert ("move" in oracle) == (each is not None)
    assert oracle["then"] == {"answer": {"text": "row.a"}}


def test_pages_of_the_whole_corpus_are_not_listed() -> None:
    found = long(PAGES + "documents: {from: contexts, scope: null}\n")
    assert found["corpus"]["pages"] == {"from": "rows", "explode": "contexts", "key": "title", "unique": "first"}
    assert found["observe"] == "{{ row.question_text }}"
    assert "suggest" not in found["actions"]["open"]


def test_a_title_column_with_an_apostrophe() -> None:
    found = long(PAGES + "documents: {from: c, title: the page's name}\n")
    assert found["observe"] == "{{ row.question_text }}\nPages: {{ pages | map('the page\\'s name') | join(', ') }}"


def test_graph(read: Read) -> None:
    spec = read(
        "data: trips.jsonl\npreset: graph\nnodes: {from: countries.json, table: countries, edge: borders, show: [capital, 'the region'], path: all}\n"
        'ask: "You start in {{ row.start }}. {{ row.clues }}"\nanswer: goal\nreward: exact\n'
    ).spec
    source = spec.corpus["countries"].source
    assert source is not None
    assert (source.file, source.path, spec.corpus["countries"].key) == ("countries.json", "all", "name")
    assert spec.columns == {
        "rows": {"start": "public", "clues": "public", "goal": "gold"},
        "countries": {"name": "public", "borders": "public", "capital": "public", "the region": "public"},
    }
    assert spec.edges["borders"].to == "countries"
    assert spec.start == [{"goto": {"countries": "row.start"}}]
    here = "You are in {{ at.name }}.\ncapital: {{ at.capital }}\nthe region: {{ at['the region'] }}\nborders: {{ at.borders | join(', ') }}"
    assert spec.observe == "You start in {{ row.start }}. {{ row.clues }}\n" + here
    assert spec.actions["travel"].say == here
    assert spec.actions["travel"].args == {"to": {"type": "string", "enum": "at.borders"}}
    assert spec.actions["travel"].do == [{"goto": {"borders": "args.to"}}]
    assert spec.actions["look_up"].do == [{"query": {"key": "args.name", "in": "countries"}}]
    there = "{{ results[0].name }}\ncapital: {{ results[0].capital }}\nthe region: {{ results[0]['the region'] }}\n"
    assert spec.actions["look_up"].say == there + "borders: {{ results[0].borders | join(', ') }}"
    oracle = spec.oracle
    assert oracle is not None
    assert oracle.path is not None
    assert (oracle.path.edge, oracle.path.to) == ("borders", "row.goal")
    assert (oracle.move, oracle.then) == ({"travel": {"to": "each"}}, {"answer": {"text": "row.goal"}})


def test_qa_without_an_answer_has_no_oracle_and_nothing_to_compare_with() -> None:
    found = long("data: x.csv\npreset: qa\nask: q\nreward: length\n")
    assert "oracle" not in found
    assert found["rewards"] == {"length": {"scorer": "length"}}


def test_look_takes_another_column() -> None:
    found = long("data: owner/pictures\npreset: look\nimage: photo\nask: What is it, in one word?\nanswer: label\n")
    assert found["columns"]["rows"] == {"label": "gold", "photo": "public"}
    assert found["start"] == [{"reveal": {"image": "photo", "of": "row", "fit": [256, 256]}}]
