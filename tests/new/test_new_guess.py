"""Which column is taken for what: by names first, then by what the cells say."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.errors import UserError
from agentharness.new.guess import Plan, plan
from agentharness.new.profile import Column, opened, profile

Rows = list[dict[str, Any]]


def of(rows: Rows, **said: str | None) -> Plan:
    return plan(profile(rows), **said)


def test_profiles_say_what_cells_hold() -> None:
    rows: Rows = [
        {"q": "what is it?", "n": "1,200", "t": True, "l": ["a", "b"], "r": {"x": 1}, "rs": [{"x": 1}], "ls": {"a": [1], "b": [2]}, "e": ""},
        {"q": "and this?", "n": 3, "t": False, "l": [], "r": {"x": 2}, "rs": [], "ls": {"a": [], "b": []}, "e": None},
    ]
    found = {c.name: c for c in profile(rows)}
    kinds = {name: c.kind for name, c in found.items()}
    assert kinds == {"q": "text", "n": "text", "t": "truth", "l": "texts", "r": "record", "rs": "records", "ls": "lists", "e": "empty"}
    assert (found["q"].words, found["q"].distinct, found["q"].unique, found["n"].numeric) == (2.5, 2, True, 1.0)
    assert (found["l"].filled, found["l"].rows, found["l"].words) == (0.5, 1, 2.0)
    assert profile([{"m": [{"role": "user", "content": "hi"}]}])[0].kind == "messages"


def test_a_label_is_few_values_that_come_again() -> None:
    def column(values: list[Any]) -> Column:
        return profile([{"x": v} for v in values])[0]

    assert column(["a", "b", "c"] * 10).labels
    assert not column(["a", "b", "c"]).labels
    assert not column(["a"] * 99 + ["b"]).labels
    assert not column([f"the {w} of all the many words" for w in "ab"] * 9).labels
    assert (column(["a", "a", "b", "a"]).top, column([None]).top) == (0.75, 0.0)


@pytest.mark.parametrize(
    ("row", "want"),
    [
        ({"question": "How many?", "answer": "I count. #### 7"}, ("qa", "question", "answer", "numeric")),
        ({"input": "Sort: b a", "target": "a b"}, ("qa", "input", "target", "exact")),
        (
            {"question_text": "Who?", "answers_objects": [{"spans": ["Ann"]}]},
            ("qa", "question_text", "answers_objects[].spans[]", "exact"),
        ),
        ({"context": "long", "question": "Where?", "answers": {"text": ["Rome"], "answer_start": [3]}}, ("qa", "question", "answers.text", "exact")),
        ({"prompt": "Say why.", "completion": "because it is so, and has been for a long time"}, ("qa", "prompt", "completion", "squad_f1")),
        ({"problem": "2 + 2", "solution": "4", "hint": "add"}, ("qa", "problem", "solution", "numeric")),
        ({"text": "A headline of some length", "sentiment": "bad"}, ("qa", "text", "sentiment", "exact")),
    ],
)
def test_names_decide(row: dict[str, Any], want: tuple[str, ...]) -> None:
    found = of([row, row])
    assert (found.preset, found.ask, found.answer, found.reward) == want


def test_options_make_a_choice() -> None:
    found = of([{"id": i, "question": f"Which {i}?", "options": ["red", "blue"], "answer": "blue"} for i in range(9)])
    assert (found.reward, found.key) == ("choice", "id")
    assert found.against == "{'answer': row.answer, 'choices': row.options}"
    assert found.ask == "{{ row.question }} Options: {{ row.options | join(' | ') }}"


def test_rows_with_documents_are_pages() -> None:
    lists = {"title": ["A", "B"], "sentences": [["a."], ["b."]]}
    found = of([{"question": "Who?", "answer": "Ann", "context": lists}] * 2)
    assert (found.preset, found.extra["documents"]) == ("pages", {"from": "context", "title": "title", "text": "sentences"})
    found = of([{"question": "Who?", "answer": "Ann", "docs": [{"name": "A", "content": "a"}]}] * 2)
    assert found.extra["documents"] == {"from": "docs", "title": "name", "text": "content"}


def test_a_plain_table_asks_for_its_class() -> None:
    rows: Rows = [{"id": f"p{i}", "length mm": i / 7, "sex": None if i % 5 else "f", "kind": ("cat", "dog")[i % 2]} for i in range(40)]
    found = of(rows)
    assert (found.answer, found.reward, found.key) == ("kind", "exact", "id")
    assert found.ask == "length mm: {{ row['length mm'] }}. What is the kind? One of: {{ labels | join(', ') }}."
    numbers = of([{"a": i, "b": i * 1.5} for i in range(40)], answer="b")
    assert (numbers.ask, numbers.reward, numbers.options) == ("a: {{ row.a }}. What is the b?", "numeric", {"relative": 0.01})


def test_rows_without_an_answer_are_left_out() -> None:
    found = of([{"question": "a?", "answer": "x"}, {"question": "b?", "answer": None}, {"question": "c?", "answer": "y"}])
    assert found.where == "row.answer"
    assert "rows without a 'answer' are left out" in found.said


def test_records_are_opened_where_nothing_else_is_there() -> None:
    rows: Rows = [{"case": {"Objective": "Find out what it is and say so", "Correct_Diagnosis": "flu", "exam": {"x": 1}}}] * 2
    columns = profile(rows)
    with pytest.raises(UserError, match=r"^from: no column looks like an answer \(name it: answer=COLUMN\)$"):
        plan(columns)
    found = plan(opened(rows, columns))
    assert (found.ask, found.answer) == ("case.Objective", "case.Correct_Diagnosis")


def test_what_the_user_says_stands() -> None:
    rows: Rows = [{"q": "one?", "r": "two?", "a": "x", "b": "y"}] * 3
    found = of(rows, ask="{{ row.r }}", answer="b", reward="contains", key="a")
    assert (found.ask, found.answer, found.reward, found.key) == ("{{ row.r }}", "b", "contains", "a")
    for name in ("answer", "key"):
        with pytest.raises(UserError, match=rf"^{name}: there is no column 'c' \(known: a, b, q, r\)"):
            of(rows, **{name: "c"})


def test_slices_are_classes_with_a_known_name() -> None:
    rows: Rows = [{"question": f"q{i}?", "answer": f"a{i}", "level": ("easy", "hard")[i % 2], "shade": ("x", "y")[i % 2]} for i in range(20)]
    assert of(rows).slices == ["level"]
