"""The short level: what each key becomes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentharness.config.yaml import load, parse
from agentharness.env.expand import expand, is_short, short_keys
from agentharness.env.reading import read_task
from agentharness.env.short import columns_in
from agentharness.env.spec import TaskSpec
from agentharness.env.task import Task

FIXTURES = Path(__file__).parents[1] / "fixtures" / "task_language"
Read = Callable[[str], Task]


def long(text: str) -> dict[str, Any]:
    return expand(parse(text, "task.yaml"))[0]


def contains(whole: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and contains(whole[key], value) for key, value in part.items())
    return bool(whole == part)


def test_the_first_block_expands_to_the_fixture() -> None:
    found, _ = expand(load(FIXTURES / "hotpotqa_short.yaml"))
    assert found == load(FIXTURES / "hotpotqa_long.yaml").data


def test_the_first_block_holds_all_that_the_long_block_shows() -> None:
    shortened = load(FIXTURES / "hotpotqa_long_shortened.yaml").data
    found, _ = expand(load(FIXTURES / "hotpotqa_short.yaml"))
    assert contains(found, shortened)
    assert list(found["columns"]["rows"].items()) == list(shortened["columns"]["rows"].items())
    assert TaskSpec.model_validate(shortened).actions["look_up"].when == "at"


def test_the_flags_block_expands(read: Read) -> None:
    spec = read((FIXTURES / "flags_short.yaml").read_text(encoding="utf-8")).spec
    assert spec.test is not None
    assert spec.test.share == "20%"
    source = spec.corpus["rows"].source
    assert source is not None
    assert (source.images, source.labels, source.match) == ("png100px", "countries.json", "lower")
    assert spec.columns == {"rows": {"label": "gold", "image": "public"}}
    assert spec.derive["labels"].distinct == "label"
    assert spec.observe == "Which country's flag is this? One of: {{ labels }}"
    assert spec.start == [{"reveal": {"image": "image", "of": "row", "fit": [256, 256]}}]
    assert spec.actions["zoom"].do[0]["reveal"]["crop"] == "[args.x0, args.y0, args.x1, args.y1]"
    assert {a["type"] for a in spec.actions["zoom"].args.values()} == {"integer"}
    assert (spec.modality, spec.licence, spec.prose) == ("image", "private", "answer")
    assert spec.oracle is not None
    assert spec.oracle.then == {"answer": {"text": "row.label"}}


def test_five_lines_over_a_csv(read: Read) -> None:
    task = read('data: capitals.csv\npreset: qa\nask: "What is the capital of {{ row.country }}?"\nanswer: capital\nreward: exact\n')
    spec = task.spec
    assert task.name == "capitals"
    assert spec.model_dump(by_alias=True, exclude_defaults=True) == {
        "corpus": {"rows": {"source": {"file": "capitals.csv"}}},
        "columns": {"rows": {"country": "public", "capital": "gold"}},
        "episode": {"each": "rows"},
        "observe": "What is the capital of {{ row.country }}?",
        "prose": "answer",
        "actions": {"answer": {"description": "Give the final answer. This ends the episode.", "args": {"text": "string"}, "do": [{"end": "args.text"}]}},
        "rewards": {"exact": {"scorer": "exact", "against": "row.capital"}},
        "oracle": {"then": {"answer": {"text": "row.capital"}}},
    }


QA = "preset: qa\nask: q\nanswer: a\n"


@pytest.mark.parametrize(
    ("written", "source"),
    [
        ("rows.jsonl", {"file": "rows.jsonl"}),
        ("data/Rows.PARQUET", {"file": "data/Rows.PARQUET"}),
        ("a/b/rows.csv.gz", {"file": "a/b/rows.csv.gz"}),
        ("openai/gsm8k", {"hub": "openai/gsm8k"}),
        ("Qwen/Qwen2.5-set", {"hub": "Qwen/Qwen2.5-set"}),
        ("rows.py:load", {"python": "rows.py:load"}),
        ("package.module:load", {"python": "package.module:load"}),
        ("{from: x.csv, delimiter: ';', types: {n: int}}", {"file": "x.csv", "delimiter": ";", "types": {"n": "int"}}),
        ("{images: flags}", {"images": "flags"}),
        ("{hub: squad, split: dev}", {"hub": "squad", "split": "dev"}),
    ],
)
def test_where_rows_come_from(written: str, source: dict[str, Any]) -> None:
    assert long(f"data: {written}\n{QA}")["corpus"] == {"rows": {"source": source}}


def test_data_carries_the_tables_own_keys() -> None:
    rows = long(f"data: {{from: x.json, path: examples, key: [a, b], unique: first, rename: {{Q: q}}}}\n{QA}")["corpus"]["rows"]
    assert rows == {"source": {"file": "x.json", "path": "examples"}, "key": ["a", "b"], "unique": "first", "rename": {"Q": "q"}}


@pytest.mark.parametrize(
    ("written", "rewards"),
    [
        ("exact", {"exact": {"scorer": "exact", "against": "row.a"}}),
        ("[exact, f1]", {"exact": {"scorer": "exact", "against": "row.a"}, "f1": {"scorer": "f1", "against": "row.a"}}),
        ("{exact: 2, f1: 0.5}", {"exact": {"scorer": "exact", "against": "row.a", "weight": 2}, "f1": {"scorer": "f1", "against": "row.a", "weight": 0.5}}),
        ("{near: {scorer: number, options: {tolerance: 0.1}}}", {"near": {"scorer": "number", "against": "row.a", "options": {"tolerance": 0.1}}}),
    ],
)
def test_reward(written: str, rewards: dict[str, Any]) -> None:
    assert long(f"data: x.csv\n{QA}reward: {written}\n")["rewards"] == rewards


def test_paths_into_lists_stay_paths_and_the_oracle_takes_the_first() -> None:
    found = long("data: x.jsonl\npreset: qa\nask: question_text\nanswer: answers_objects[].spans[]\nreward: f1\n")
    assert found["rewards"]["f1"]["against"] == "row.answers_objects | map('spans') | flatten"
    assert found["oracle"]["then"]["answer"]["text"] == "row.answers_objects[0].spans[0]"
    assert found["columns"]["rows"] == {"question_text": "public", "answers_objects[].spans[]": "gold"}


@pytest.mark.parametrize(
    ("path", "expression"),
    [
        ("a", "row.a"),
        ("a.b", "row.a.b"),
        ("a[]", "row.a"),
        ("a[].b", "row.a | map('b')"),
        ("a[].b.c", "row.a | map('b.c')"),
        ("x y.z[].b[].c", "row['x y'].z | map('b') | flatten | map('c')"),
    ],
)
def test_what_a_path_is_compared_with(path: str, expression: str) -> None:
    found = long(f"data: x.jsonl\npreset: qa\nask: q\nanswer: {path}\nreward: f1\n")
    assert found["rewards"]["f1"]["against"] == expression


@pytest.mark.parametrize(
    ("options", "listed"),
    [("opts", "row.opts"), ("a.b", "row.a.b"), ("row.opts | values", "row.opts | values"), ("the options", "row['the options']")],
)
def test_options_are_lettered_and_chosen_from(options: str, listed: str) -> None:
    found = long(f"data: x.jsonl\npreset: choice\nask: q\noptions: {options}\nanswer: right\nreward: choice\n")
    assert found["rewards"]["choice"]["against"] == f"{{'answer': row.right, 'choices': {listed}}}"
    assert f"{{% for option in {listed} %}}" in found["observe"]
    assert found["columns"]["rows"]["right"] == "gold"
    assert found["columns"]["rows"]["q"] == "public"
    assert set(found["columns"]["rows"].values()) == {"public", "gold"}
    assert found["oracle"]["then"]["answer"]["letter"].startswith("('ABC")


def test_names_that_are_no_words_are_quoted() -> None:
    found = long("data: x.csv\npreset: qa\nask: \"{{ row['the question'] }}\"\nanswer: the 'right' one\nreward: exact\n")
    assert found["columns"]["rows"] == {"the question": "public", "the 'right' one": "gold"}
    assert found["rewards"]["exact"]["against"] == "row['the \\'right\\' one']"


def test_an_answer_may_be_an_expression() -> None:
    found = long("data: x.csv\npreset: qa\nask: q\nanswer: \"row.a | split('####') | last\"\nreward: number\n")
    assert found["columns"]["rows"] == {"q": "public", "a": "gold"}
    assert found["rewards"]["number"]["against"] == "row.a | split('####') | last" == found["oracle"]["then"]["answer"]["text"]


@pytest.mark.parametrize(
    ("template", "columns", "labels"),
    [
        ("row.a is no block", [], False),
        ("{{ row.a }} {{row.b.c|upper}} {{ row.a }}", ["a", "b.c"], False),
        ("{{ row['a b'] }}{{ row[\"c\"].d }}", ["a b", "c.d"], False),
        ("{{ 'row.a' }} {{ at.row.b }} {{ arrow.c }}", [], False),
        ("{% if row.x %}{{ labels }}{% endif %}", ["x"], True),
        ("{{ row.labels }} {{ 'labels' }}", ["labels"], False),
        ("labels", [], False),
    ],
)
def test_columns_that_a_text_names(template: str, columns: list[str], labels: bool) -> None:
    assert columns_in(template) == (columns, labels)


def test_levels_gold_is_strictest_and_a_shown_slice_is_public() -> None:
    found = long("data: x.csv\npreset: qa\nask: '{{ row.q }} {{ row.kind }} {{ row.a }}'\nanswer: a\nslices: kind\ngold: why\n")
    assert found["columns"]["rows"] == {"q": "public", "kind": "public", "a": "gold", "why": "gold"}
    assert found["slices"] == ["kind"]


def test_a_preset_never_shows_a_column_that_is_gold() -> None:
    found = long("data: {images: x}\npreset: look\nask: What is it, in one word?\nanswer: image\n")
    assert found["columns"]["rows"] == {"image": "gold"}


def test_long_keys_extend_replace_and_remove() -> None:
    found = long(
        "data: {from: x.jsonl}\npreset: pages\ndocuments: {from: ctx}\nask: q\nanswer: a\nturns: 5\nlimits: {tokens: 100}\n"
        "columns: {rows: {hint: public}}\ndescription: d\n"
        "actions: {hint: {do: [{reveal: hint}]}, look_up: null, open: {else: Nothing there.}}\noracle: {then: {answer: {text: row.a}}}\n"
    )
    assert list(found["actions"]) == ["open", "answer", "hint"]
    assert found["actions"]["open"]["else"] == "Nothing there."
    assert found["actions"]["open"]["do"][1] == {"reveal": "text"}
    assert found["limits"] == {"turns": 5, "tokens": 100}
    assert found["columns"]["rows"] == {"q": "public", "a": "gold", "hint": "public"}
    assert found["oracle"] == {"then": {"answer": {"text": "row.a"}}}
    assert found["description"] == "d"


def test_no_preset_needs_only_rows_and_a_question() -> None:
    found = long("data: x.csv\nask: q\nactions: {say: {args: {t: string}, do: [{end: args.t}]}}\n")
    assert found == {
        "corpus": {"rows": {"source": {"file": "x.csv"}}},
        "columns": {"rows": {"q": "public"}},
        "episode": {"each": "rows"},
        "observe": "{{ row.q }}",
        "actions": {"say": {"args": {"t": "string"}, "do": [{"end": "args.t"}]}},
    }


def test_rows_and_opening_may_come_from_long_keys() -> None:
    found = long("preset: qa\ncorpus: {rows: {source: {file: x.csv}}}\nobserve: Guess.\nanswer: a\n")
    assert found["corpus"] == {"rows": {"source": {"file": "x.csv"}}}
    assert found["observe"] == "Guess."


def test_no_is_a_word() -> None:
    found = long("data: x.csv\npreset: qa\nask: no\nanswer: yes\nlicence: off\nslices: [on, 'null']\n")
    assert found["columns"]["rows"] == {"no": "public", "yes": "gold", "on": "hidden", "null": "hidden"}
    assert found["observe"] == "{{ row.no }}"
    assert found["licence"] == "off"


def test_expanding_twice_gives_equal_and_separate_values() -> None:
    document = parse(f"data: {{from: x.csv, types: {{n: int}}}}\n{QA}")
    first, _ = expand(document)
    first["corpus"]["rows"]["source"]["types"]["n"] = "text"
    first["actions"]["answer"]["do"].clear()
    second, _ = expand(document)
    assert second["corpus"]["rows"]["source"]["types"] == {"n": "int"}
    assert second["actions"]["answer"]["do"] == [{"end": "args.text"}]


def test_which_level() -> None:
    assert is_short({"data": "x.csv"})
    assert is_short({"documents": {}})
    assert not is_short({"corpus": {}, "slices": [], "licence": "MIT"})
    assert short_keys()["documents"] == ["pages", "search"]
    assert "slices" not in short_keys()


def test_the_long_form_is_read_as_it_stands() -> None:
    task = read_task_of("hotpotqa_long.yaml")
    assert task.corpus["pages"].from_ == "rows"
    assert task.actions["open"].else_ == "No such page."


def read_task_of(name: str) -> TaskSpec:
    document = load(FIXTURES / name)
    return TaskSpec.model_validate(document.data)


def test_read_task_names_the_folder_and_the_trust(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text((FIXTURES / "hotpotqa_short.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    task = read_task(tmp_path, name="hotpot", trusted=False)
    assert (task.name, task.folder, task.trusted, task.changed) == ("hotpot", tmp_path, False, [])
    assert task.spec == read_task_of("hotpotqa_long.yaml")
