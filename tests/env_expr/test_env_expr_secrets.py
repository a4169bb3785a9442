"""No expression names what is not public: evasions refused at load, their harmless twins allowed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentharness.config.yaml import Place
from agentharness.env.expr import ExprError, ListOf, OneOf, Record, Value, expression, template
from agentharness.errors import UserError

PLACE = Place("task.yaml", 3, 5)
ROWS = Record(
    "rows",
    {"question": "public", "answer": "gold", "kind": "hidden", "facts[].title": "public", "facts[].line": "gold", "meta": "public", "meta.by": "gold"},
    columns=["question", "answer", "kind", "level", "facts", "meta"],
    sample={
        "question": "Who?",
        "answer": "Chief of Protocol",
        "kind": "bridge",
        "level": "hard",
        "facts": [{"title": "A", "line": 3}],
        "meta": {"when": 1, "by": "Eve"},
    },
)
PAGES = Record("pages", {"title": "public", "text": "public", "answer": "gold"}, columns=["title", "text", "answer", "rank"])
OPEN = Record("open", {"name": "public", "more": "public"}, columns=["name", "more"])
NAMES = {
    "row": ROWS,
    "at": PAGES,
    "pages": ListOf(PAGES),
    "results": ListOf(OneOf((PAGES, Value()))),
    "args": Value(),
    "vars": Value(),
    "flag": OPEN,
    "t": Value(number=True),
}
ENV: dict[str, Any] = {
    "row": {"question": "Who?", "facts": [{"title": "A"}], "meta": {"when": 1}},
    "at": {"title": "T", "text": "x"},
    "pages": [{"title": "T", "text": "x"}, {"title": "U", "text": "y"}],
    "results": [{"title": "T", "text": "x"}, "text"],
    "args": {"x": "answer", "k": "name", "i": 0},
    "vars": {"list": [1], "answer": "mine"},
    "flag": {"name": "n", "more": {"answer": 1}},
    "t": 0,
}

EVASIONS = [
    "row.answer",
    "row['answer']",
    "row.kind",
    "row.level",
    "row.facts[0].line",
    "row.facts.line",
    "row['facts'][t]['line']",
    "row.meta.by",
    "row['ans' ~ 'wer']",
    "row['ans' + 'wer']",
    "row['rewsna' | reverse]",
    "row['rewsna'[::-1]]",
    "row['ANSWER' | lower]",
    "row['xanswerx' | trim('x')]",
    "row['answer,b' | split(',') | first]",
    "row[['question', 'answer'][1]]",
    "row[{'k': 'answer'}.k]",
    "row['an%' | replace('%', 'swer')]",
    "row[['ans', 'wer'] | join]",
    "row['answer' if t else 'question']",
    "row[args.x]",
    "row['ans' ~ args.x]",
    "row[args.x | lower]",
    "row[row.question]",
    "row.meta[args.x]",
    "row.facts[args.x]",
    "row[vars.list | first | string]",
    "row[none or args.x]",
    "pages | map('answer')",
    "pages | map(attribute='answer')",
    "pages | map(attribute='ans' ~ 'wer')",
    "pages | map(args.x)",
    "pages | map(attribute=args.x)",
    "pages | map('rank')",
    "[row] | map('answer')",
    "[row] | map(attribute='facts.0.line')",
    "row.facts | map('line')",
    "[[row]] | map('map', 'answer')",
    "[[row]] | map('first') | map('answer')",
    "pages | selectattr('answer')",
    "pages | selectattr('answer', 'eq', args.x)",
    "pages | rejectattr('answer', 'in', ['a'])",
    "pages | sort(attribute='answer')",
    "pages | sort(false, false, 'answer') | map('title')",
    "pages | groupby('answer')",
    "(pages | groupby('title'))[0][1][0].answer",
    "(pages | groupby('title') | first | last | first).answer",
    "[pages] | flatten | map('answer')",
    "([[row]] | flatten | flatten | first).answer",
    "pages | unique(attribute='answer')",
    "pages | sum(attribute='answer')",
    "pages | max(attribute='answer')",
    "(pages | min(attribute='title')).answer",
    "pages | join(', ', attribute='answer')",
    "(pages | first).answer",
    "(pages | last)['answer']",
    "(pages | sort(attribute='title') | reverse | list | batch(2) | first | first).answer",
    "pages[0].answer",
    "pages[t].answer",
    "pages[1:][0].answer",
    "results[0].answer",
    "(results + [1])[0].answer",
    "([row] * 2)[0].answer",
    "at.answer",
    "(at or row).kind",
    "(at if t else row).answer",
    "(row if t else {'answer': 1}).answer",
    "(t and row).answer",
    "(vars.x | default(row)).answer",
    "(args.x | int(row)).answer",
    "(none | d(row, true)).answer",
    "([] | map(attribute='x', default=row) | first).answer",
    "{'r': row}.r.answer",
    "{'r': row}['r']['answer']",
    "({'r': row} | values | first).answer",
    "({'r': row} | items | first | last).answer",
    "(row | values | list | first).line",
    "((row | items)[4][1] | first).line",
    "[row][0].answer",
    "(row,)[0].answer",
    "[[row]][0][0].answer",
    "row.answer is defined",
    "row.answer is eq 'x'",
    "'x' is in row.answer",
    "args.x in row.answer",
    "not row.answer",
    "row.answer | length > 3",
    "row.answer | upper | lower",
    "args.x == row['answer'] | string",
    "range(row.answer | length)",
    "(pages | select('mapping') | first).answer",
    "[pages] | map('map', attribute='answer')",
    "[row, at] | map('kind')",
]

TEMPLATE_EVASIONS = [
    "{{ row.answer }}",
    "{% for p in pages %}{{ p.answer }}{% endfor %}",
    "{% for row in pages %}{{ row.answer }}{% endfor %}",
    "{% for f in row.facts %}{{ f.line }}{% endfor %}",
    "{% for x in [row, 1] %}{{ x.answer }}{% endfor %}",
    "{% for k in ['question', 'answer'] %}{{ row[k] }}{% endfor %}",
    "{% for k in row %}{{ row[k] }}{% endfor %}",
    "{% for k in row | keys %}{{ row[k] }}{% endfor %}",
    "{% for k, v in row | items %}{% for f in v %}{{ f.line }}{% endfor %}{% endfor %}",
    "{% for k, g in pages | groupby('title') %}{{ g[0].answer }}{% endfor %}",
    "{% for p in pages if p.answer %}{{ p.title }}{% endfor %}",
    "{% for p in pages %}x{% else %}{{ row.answer }}{% endfor %}",
    "{% set r = row %}{{ r.answer }}",
    "{% set r = row %}{% set s = [r] %}{{ s[0].answer }}",
    "{% set k = 'answer' %}{{ row[k] }}",
    "{% set k = 'ans' %}{% set k = k ~ 'wer' %}{{ row[k] }}",
    "{% if t %}{% set r = row %}{% else %}{% set r = at %}{% endif %}{{ r.kind }}",
    "{% if t %}{% set k = 'answer' %}{% endif %}{{ row[k] }}",
    "{% if t %}{% set vars = row %}{% endif %}{{ vars.answer }}",
    "{% if t %}{% if t %}{% set vars = row %}{% endif %}{% endif %}{{ vars.answer }}",
    "{% if row.answer == args.x %}right{% endif %}",
    "{% if t %}a{% elif row.kind %}b{% endif %}",
    "{% for i in range(3) %}{% set p = pages[i] %}{{ p.answer }}{% endfor %}",
    "{% set x = {'a': {'b': row}} %}{{ x.a.b.answer }}",
    "{% set a = [row] %}" + "{% set a = [a, [a]] %}" * 12 + "{{ a" + "[0]" * 13 + ".answer }}",
]

ALLOWED = [
    ("row.question", "Who?"),
    ("row", ENV["row"]),
    ("row.facts[0].title", "A"),
    ("row.facts | map('title')", ["A"]),
    ("row['ques' ~ 'tion']", "Who?"),
    ("row['question' if t else 'meta']", {"when": 1}),
    ("row.facts[args.i | int].title", "A"),
    ("row.facts", [{"title": "A"}]),
    ("row.meta.when", 1),
    ("row.meta", {"when": 1}),
    ("vars.answer", "mine"),
    ("{'answer': 1}.answer", 1),
    ("(at or {'answer': 1}).title", "T"),
    ("flag[args.k]", "n"),
    ("flag.more.answer", 1),
    ("pages | map('title')", ["T", "U"]),
    ("pages | selectattr('title', 'eq', 'U') | map('text')", ["y"]),
    ("(pages | sort(attribute='text') | last).title", "U"),
    ("(pages | groupby('title'))[0][1][0].text", "x"),
    ("results[0].title", "T"),
    ("results[t + 1]", "text"),
    ("pages[args.i].title", "T"),
    ("row | tojson", '{"facts":[{"title":"A"}],"meta":{"when":1},"question":"Who?"}'),
    ("'answer' in row", False),
    ("'row.answer'", "row.answer"),
    ("([row] | first).question", "Who?"),
    ("row | keys | length", 3),
]


@pytest.mark.parametrize("source", EVASIONS)
def test_refused(source: str) -> None:
    with pytest.raises(UserError) as e:
        expression(source, NAMES, PLACE)
    assert e.value.where.startswith("task.yaml:3:")
    assert any(words in e.value.what for words in (" is gold", " is hidden", "not declared", "not public", "constant"))


@pytest.mark.parametrize("source", TEMPLATE_EVASIONS)
def test_refused_in_a_template(source: str) -> None:
    with pytest.raises(UserError) as e:
        template(source, NAMES, PLACE)
    assert any(words in e.value.what for words in (" is gold", " is hidden", "not declared", "not public"))


@pytest.mark.parametrize(("source", "value"), ALLOWED)
def test_harmless_twin(source: str, value: Any) -> None:
    assert expression(source, NAMES, PLACE)(ENV) == value


def test_harmless_templates() -> None:
    assert template("{% for row in pages %}{{ row.title }}{% endfor %}{{ row.question }}", NAMES, PLACE)(ENV) == "TUWho?"
    assert template("{% for k in ['question', 'meta'] %}{{ row[k] }} {% endfor %}", NAMES, PLACE)(ENV) == 'Who? {"when":1} '
    assert template("{% if t %}{% set k = 'question' %}{% else %}{% set k = 'meta' %}{% endif %}{{ row[k].when }}", NAMES, PLACE)(ENV) == "1"


def refusal(source: str) -> UserError:
    with pytest.raises(UserError) as e:
        expression(source, NAMES, PLACE)
    return e.value


def test_the_line_names_place_field_level_and_value() -> None:
    e = refusal("t and row.answer")
    assert e.where == "task.yaml:3:11"
    assert e.what == "row.answer is gold and cannot be shown to the agent: it would have shown 'Chief of Protocol'"
    assert "only rewards" in e.hint
    e = refusal("row.kind")
    assert e.what == "row.kind is hidden and cannot be shown to the agent: it would have shown 'bridge'"
    assert e.hint == "declare `kind: public` under columns.rows, or leave it out"
    assert refusal("row.level").what == "row.level is not declared, so it is hidden and cannot be shown to the agent: it would have shown 'hard'"
    assert refusal("row.facts | map('line')").what == "row.facts[].line is gold and cannot be shown to the agent: it would have shown 3"
    assert refusal("at.answer").what == "at.answer is gold and cannot be shown to the agent"  # no sample of that table


def test_unknown_columns_are_told_apart_from_secrets() -> None:
    assert refusal("row.anwser").line().endswith("row has no field 'anwser' (did you mean 'answer'?)")
    unknown = {"row": Record("rows", {"a": "public"})}
    with pytest.raises(UserError, match=r"row\.b is not declared, so it is hidden"):
        expression("row.b", unknown, PLACE)
    with pytest.raises(UserError, match="not public"):
        expression("row[args]", {**unknown, "args": Value()}, PLACE)


def test_the_deepest_declared_path_decides() -> None:
    row = Record("rows", {"a": "gold", "a.b": "public", "a.b.c": "hidden"}, columns=["a"])
    names = {"row": row}
    assert expression("row.a.b.d", names, PLACE).paths == {("rows", "a", "b", "d")}
    assert expression("row.a", names, PLACE)({"row": {"a": {"b": 1}}}) == {"b": 1}
    for secret in ("row.a.x", "row.a.b.c"):
        with pytest.raises(UserError, match=r"is gold|is hidden"):
            expression(secret, names, PLACE)


def test_scorers_and_oracle_see_gold_but_no_unknown_column() -> None:
    names = {"row": Record("rows", ROWS.levels, ROWS.columns, ROWS.sample, gold_ok=True), "args": Value()}
    full = {"row": ROWS.sample, "args": {"x": "kind"}}
    assert expression("row.answer", names, PLACE)(full) == "Chief of Protocol"
    assert expression("row.facts | map('line')", names, PLACE)(full) == [3]
    assert expression("row[args.x]", names, PLACE)(full) == "bridge"
    assert expression("row.facts[0].note", names, PLACE)(full) is None  # other rows may have it
    with pytest.raises(UserError, match="did you mean 'answer'"):
        expression("row.anwser", names, PLACE)


LEAKY: dict[str, Any] = {
    "row": {
        "question": "Who?",
        "answer": "SECRET",
        "kind": "SECRET",
        "level": "SECRET",
        "facts": [{"title": "A", "line": "SECRET"}],
        "meta": {"when": 1, "by": "SECRET"},
    },
    "at": {"title": "T", "text": "x", "answer": "SECRET", "rank": "SECRET"},
    "pages": [{"title": "T", "text": "x", "answer": "SECRET", "rank": "SECRET"}],
    "results": [{"title": "T", "text": "x", "answer": "SECRET", "rank": "SECRET"}],
    "args": {"x": "answer", "k": "answer"},
    "vars": {},
    "flag": {"name": "n", "more": {"answer": 1}},
    "t": 0,
}
WHOLE = {("rows",), ("pages",), ("rows", "facts"), ("rows", "meta")}
STARTS = st.sampled_from(["row", "at", "pages", "results", "args.x", "vars", "[row, at]", "{'answer': row}", "(at if t else row)", "'answer'", "t"])
FIELDS = ["answer", "title", "line", "question", "facts", "kind", "meta", "by", "x"]
STEPS = st.one_of(
    st.sampled_from(FIELDS).map(lambda f: f".{f}"),
    st.sampled_from([*(repr(f) for f in FIELDS), "0", "t", "args.x", "'ans' ~ 'wer'", "args.x | int"]).map(lambda k: f"[{k}]"),
    st.sampled_from(FIELDS).map(lambda f: f" | map('{f}')"),
    st.sampled_from(FIELDS).map(lambda f: f" | map('map', attribute='{f}')"),
    st.sampled_from(FIELDS).map(lambda f: f" | groupby('{f}')"),
    st.sampled_from(FIELDS).map(lambda f: f" | max(attribute='{f}')"),
    st.sampled_from(
        ["first", "last", "list", "items", "values", "keys", "batch(1)", "default(row)", "int(row)", "map('first')", "map('values')", "sort", "reverse"]
    ).map(lambda f: f" | {f}"),
)


@settings(max_examples=300, deadline=None)
@given(STARTS, st.lists(STEPS, max_size=5))
def test_what_is_accepted_shows_no_secret_even_of_a_row_that_holds_them(start: str, steps: list[str]) -> None:
    source = start
    for step in steps:
        source = f"({source}){step}"
    try:
        compiled = expression(source, NAMES, PLACE)
        shown = str(compiled(LEAKY))
    except (UserError, ExprError):
        return
    assert "SECRET" not in shown or compiled.paths & WHOLE, source
