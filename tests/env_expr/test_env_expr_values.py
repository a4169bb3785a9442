"""What expressions and templates give, what they read, and how mistakes are told."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.config.yaml import Place
from agentharness.env.expr import FILTERS, Compiled, ExprError, ListOf, OneOf, Record, Value, expression, template
from agentharness.errors import UserError

PLACE = Place("task.yaml", 12, 9)
PAGES = Record("pages", {"title": "public", "text": "public", "year": "public"}, columns=["title", "text", "year"])
NAMES = {"args": Value(), "vars": Value(), "results": Value(), "pages": ListOf(PAGES), "at": PAGES, "t": Value(number=True)}
ENV: dict[str, Any] = {
    "args": {"title": "Beta", "n": 3, "text": " one two  three "},
    "vars": {"list": [3, 1, 2], "flag": True, "none": None, "price": 2.5, "words": ["b", "A", "a"]},
    "results": ["Alpha", "Beta"],
    "pages": [{"title": "Alpha", "text": "x", "year": 1990}, {"title": "beta", "text": "y", "year": 2001}, {"title": "Gamma", "text": "x", "year": 1985}],
    "at": None,
    "t": 4,
}


def make(source: str) -> Compiled:
    return expression(source, NAMES, PLACE, key="when")


VALUES: list[tuple[str, Any]] = [
    ("args.title in results", True),
    ("args['title'] not in results", False),
    ("at", None),
    ("at.title", None),
    ("results[5]", None),
    ("results[-1]", "Beta"),
    ("results[0][0]", "A"),
    ("vars.missing.deeper", None),
    ("'Be' in args.title", True),
    ("{'a': 1, 'b': 2} | merge({'b': 3, args.title: [4]})", {"a": 1, "b": 3, "Beta": [4]}),
    ("vars.none | merge({'a': 1}) | merge(none)", {"a": 1}),
    ("{'a': 1, 'b': 2, 'c': 3} | without(['a', 'c', 'x'])", {"b": 2}),
    ("{'Beta': 1, 'b': 2} | without(args.title)", {"b": 2}),
    ("vars.none | without('a')", {}),
    ("none in args.title", False),
    ("args.title in vars.none", False),
    ("'title' in args", True),
    ("1 + 2 * 3 - 4 // 3 % 2", 6),
    ("7 / 2", 3.5),
    ("2 ** 10", 1024),
    ("-args.n + +1", -2),
    ("'a' + 'b'", "ab"),
    ("'ab' * 3", "ababab"),
    ("[1] + [2]", [1, 2]),
    ("2 * [0]", [0, 0]),
    ("'a' ~ 1 ~ none ~ true ~ 2.0 ~ [1, 'x']", 'a1true2.0[1,"x"]'),
    ("1 < 2 < 3", True),
    ("1 < 3 < 2", False),
    ("t >= 4 and not vars.flag", False),
    ("vars.none or 'x'", "x"),
    ("'yes' if vars.flag else 'no'", "yes"),
    ("'yes' if vars.none", None),
    ("[1, 2, 3][1:]", [2, 3]),
    ("args.title[::-1]", "ateB"),
    ("{'a': args.n}.a", 3),
    ("(1, 2)", [1, 2]),
    ("range(2, 8, 3)", [2, 5]),
    ("range(3, 0, -1)", [3, 2, 1]),
    ("range(args.n) | list", [0, 1, 2]),
    ("(-3) | abs", 3),
    ("2.567 | round(1)", 2.6),
    ("2.1 | round(method='ceil')", 3.0),
    ("'12' | int", 12),
    ("'x' | int", 0),
    ("'x' | int(7)", 7),
    ("'2.5' | float", 2.5),
    ("'nan' | float", 0.0),
    ("12 | string", "12"),
    ("vars.list | length", 3),
    ("vars.none | count", 0),
    ("'ab' | upper | lower | title", "Ab"),
    ('"they\'re in-time" | title', "They're In-Time"),
    ("'hELLO' | capitalize", "Hello"),
    ("args.text | trim", "one two  three"),
    ("'xxaxx' | trim('x')", "a"),
    ("'aXbX' | replace('X', '-')", "a-b-"),
    ("'aXbX' | replace('X', '-', 1)", "a-bX"),
    ("'one two three' | truncate(9)", "one..."),
    ("'one two three' | truncate(9, true, '…')", "one two …"),
    ("vars.list | join('-')", "3-1-2"),
    ("pages | join(', ', attribute='year')", "1990, 2001, 1985"),
    ("vars.list | first", 3),
    ("vars.none | last", None),
    ("vars.list | last", 2),
    ("vars.list | min", 1),
    ("pages | max(attribute='year') | tojson", '{"text":"y","title":"beta","year":2001}'),
    ("vars.list | sum", 6),
    ("pages | sum(attribute='year')", 5976),
    ("vars.list | sort(reverse=true)", [3, 2, 1]),
    ("pages | sort(attribute='title') | map('title')", ["Alpha", "beta", "Gamma"]),
    ("pages | sort(case_sensitive=true, attribute='title') | map('title')", ["Alpha", "Gamma", "beta"]),
    ("vars.list | reverse", [2, 1, 3]),
    ("'abc' | reverse", "cba"),
    ("[[1, 2], 3, [], [[4]]] | flatten", [1, 2, 3, [4]]),
    ("vars.none | flatten", []),
    ("vars.words | unique", ["b", "A"]),
    ("pages | unique(attribute='text') | map('title')", ["Alpha", "beta"]),
    ("pages | map('title') | map('upper') | join(' ')", "ALPHA BETA GAMMA"),
    ("[pages] | map('sort', attribute='year') | first | map('year')", [1985, 1990, 2001]),
    ("results | map('replace', 'a', 'o')", ["Alpho", "Beto"]),
    ("[args, vars] | map(attribute='price', default='?')", ["?", 2.5]),
    ("vars.list | select('gt', 1)", [3, 2]),
    ("vars.list | reject('odd')", [2]),
    ("vars.list | select", [3, 1, 2]),
    ("pages | selectattr('year', '<', 2000) | map(attribute='title')", ["Alpha", "Gamma"]),
    ("pages | rejectattr('text', 'eq', 'x') | map('title')", ["beta"]),
    ("pages | selectattr('title') | length", 3),
    ("(pages | groupby('text'))[0][0]", "x"),
    ("(pages | groupby('text'))[0][1] | map('title')", ["Alpha", "Gamma"]),
    ("vars.list | batch(2)", [[3, 1], [2]]),
    ("args | list", ["title", "n", "text"]),
    ("'ab' | list", ["a", "b"]),
    ("{'a': 1} | keys", ["a"]),
    ("{'a': 1} | values", [1]),
    ("{'a': 1} | items", [["a", 1]]),
    ("vars.none | default('x')", "x"),
    ("'' | d('x')", ""),
    ("'' | d('x', true)", "x"),
    ("args.text | words", ["one", "two", "three"]),
    ("'a,b' | split(',')", ["a", "b"]),
    ("'a\nb' | lines", ["a", "b"]),
    ("'abc' | contains('b')", True),
    ("'abc' | startswith('a')", True),
    ("'abc' | endswith('a')", False),
    (r"'a12b' | regex_search('\d+')", "12"),
    (r"'a12b' | regex_search('a(\d)', 1)", "1"),
    ("'ab' | regex_search('c')", None),
    (r"'a1b22' | regex_replace('(\d)+', '<\1>')", "a<1>b<2>"),
    ("'abc' | regex_test('^a.c$')", True),
    ("'6/2' | calc", 3),
    ("'six' | calc", None),
    ("1 is odd", True),
    ("t is even and t is divisibleby 2", True),
    ("vars.none is none and vars.none is not defined", True),
    ("args is mapping and results is sequence and 'a' is string", True),
    ("vars.flag is boolean and vars.flag is not number", True),
    ("2 is in vars.list", True),
    ("'abc' is startingwith('a') and 'abc' is not endingwith('a')", True),
    ("t is ge(4)", True),
    (r"'\d\n' | length", 3),
]


@pytest.mark.parametrize(("source", "value"), VALUES, ids=[source for source, _ in VALUES])
def test_value(source: str, value: Any) -> None:
    got = make(source)(ENV)
    assert got == value
    assert type(got) is type(value)


TEMPLATES = [
    ("Title: {{ args.title }}, turn {{ t }}.", "Title: Beta, turn 4."),
    ("{{ none }}{{ true }} {{ 3.0 }} {{ [1, none] }} {{ {'b': 'é'} }}", 'true 3.0 [1,null] {"b":"é"}'),
    ("{{ vars.price }}{{ at }}|{{ vars.flag }}|{{ results }}", '2.5|true|["Alpha","Beta"]'),
    ("{% for p in pages %}{{ loop.index }}/{{ loop.length }} {{ p.title }}{% if not loop.last %}, {% endif %}{% endfor %}", "1/3 Alpha, 2/3 beta, 3/3 Gamma"),
    ("{% for p in pages if p.year < 2000 %}{{ loop.index0 }}{{ p.title }}{{ loop.first }} {% endfor %}", "0Alphatrue 1Gammafalse "),
    ("{% for x in at %}{{ x }}{% else %}none{% endfor %}", "none"),
    ("{% for k, v in {'a': 1, 'b': 2} | items %}{{ k }}={{ v }};{% endfor %}", "a=1;b=2;"),
    ("{% if t > 9 %}a{% elif t > 3 %}b{% else %}c{% endif %}", "b"),
    ("{% set x = 2 %}{% set x = x * t %}{{ x }}", "8"),
    ("{% set x = 1 %}{% for i in range(3) %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}", "1231"),
    ("{% if t > 9 %}{% set results = 'no' %}{% endif %}{{ results }}", '["Alpha","Beta"]'),
    ("{% for results in [1, 2] %}{{ results }}{% endfor %}{{ results | length }}", "122"),
    ("{% for a in [1, 2] %}{% for b in [3, 4] %}{{ loop.index }}{% endfor %}{{ loop.index }};{% endfor %}", "121;122;"),
    ("a\n  {% if t %}\n  b\n  {% endif %}\nc\n", "a\n  b\nc"),
    ("{% raw %}{{ x }}{% endraw %}{# unseen #}", "{{ x }}"),
    ("", ""),
    ("{{ 'a' }}{{ 1 + 1 }}", "a2"),
]


@pytest.mark.parametrize(("source", "value"), TEMPLATES, ids=[source for source, _ in TEMPLATES])
def test_template(source: str, value: str) -> None:
    assert template(source, NAMES, PLACE)(ENV) == value


FAILS = [
    ("1 / 0", "divides by zero"),
    ("5 % 0", "divides by zero"),
    ("0 ** -1", "divides by zero"),
    ("1 + 'a'", "cannot add a number and a text"),
    ("args.title - 1", "cannot subtract a text and a number"),
    ("1 < 'a'", "cannot compare a number and a text"),
    ("vars.none < 1", "cannot compare null and a number"),
    ("1 in args.title", "looks for a number in a text"),
    ("1 in t", "looks inside a number"),
    ("results['x']", "a list has no field 'x'"),
    ("args[0]", "an object has no number index"),
    ("t.x", "a number has no field 'x'"),
    ("'%s' % 3", "% takes numbers only"),
    ("(-8) ** 0.5", "too large"),
    ("vars.words | sum", "sum takes numbers"),
    ("[1, 'a'] | sort", "cannot compare"),
    ("t | join", "takes a list, not a number"),
    ("'a' is even", "whole number"),
    ("'a' | split('')", "not empty"),
    ("results | first | items", "takes an object"),
    ("-results", "cannot negate a list"),
    ("t[1:]", "a number has no slices"),
    ("results[::0]", "no step of 0"),
    ("{t: 1}", "keys are texts"),
    (r"'\ud800' | regex_test('a')", "fails on these values"),
]


@pytest.mark.parametrize(("source", "message"), FAILS, ids=[source for source, _ in FAILS])
def test_trouble_while_playing_is_one_kind_of_error(source: str, message: str) -> None:
    with pytest.raises(ExprError, match=message.replace("(", r"\(")) as e:
        make(source)(ENV)
    assert (e.value.source, e.value.place) == (source, PLACE)
    assert str(e.value).startswith("task.yaml:12:9: ")


def test_a_name_that_the_environment_lacks() -> None:
    with pytest.raises(ExprError, match="the environment has no 'args'"):
        make("args.title")({})


MISTAKES = [
    ("{{ args.title in results }}", "task.yaml:12:9: `when` takes an expression, not a template: write it without {{ }} (write: args.title in results)"),
    ("Page {{ args.title }}", "task.yaml:12:14: `when` takes an expression, not a template"),
    ("  ", "`when` is empty"),
    ("argz.title", "task.yaml:12:9: unknown name 'argz' (did you mean 'args'?)"),
    ("t and pages[0].titel", "task.yaml:12:15: pages[] has no field 'titel' (did you mean 'title'?)"),
    ("t + at.yaer", "task.yaml:12:13: at has no field 'yaer' (did you mean 'year'?)"),
    ("pages | map('titel')", "task.yaml:12:21: pages[] has no field 'titel'"),
    ("pages.title", "a list has no field 'title' (take one item with [0], or that field of each with | map('title'))"),
    ("args.title | uper", "task.yaml:12:22: unknown filter 'uper' (did you mean 'upper'?)"),
    ("t is evn", "unknown test 'evn' (did you mean 'even'?)"),
    ("args.title.upper()", "calls are not part of the language: upper(…) (write it as a filter: … | upper)"),
    ("len(results)", "(write it as a filter: … | length)"),
    ("t = 3", "compare with =="),
    ("t == 3 4", "task.yaml:12:16: cannot be read: did not expect '4' here"),
    ("(t", "cannot be read"),
    ("t ? 1 : 2", "task.yaml:12:11: cannot be read"),
    ("'abc", "cannot be read"),
    ("args.x | regex_test('(')", "task.yaml:12:29: the pattern '(' cannot be read"),
    ("args.x | regex_test(args.y)", "constant pattern"),
    (r"args.x | regex_test('(a)\1')", "re2's"),
    ("args.x | truncate(1, 2, 3, 4)", "truncate takes 3 arguments at most"),
    ("args.x | truncate(size=1)", "truncate has no argument 'size'"),
    ("args.x | replace('a')", "replace needs 'new'"),
    ("args.x | replace('a', old='b', new='c')", "given 'old' twice"),
    ("args.x | join(*results)", "one by one"),
    ("args.__class__", "__class__ is not a field"),
    ("args['__class__']", "__class__ is not a field"),
    ("range(2, end=3)", "range takes one to three numbers"),
    ("results | map", "map needs the name"),
    ("results | map('uper', 1)", "unknown filter 'uper'"),
    ("results | select('gt')", "takes one argument"),
    ("results | selectattr", "takes a field"),
    ("9" * 5000, "too many digits"),
    ("2 + 36893488147419103232", "too large"),
    ("1e999", "too large"),
    ("x" * 70000, "longer than 65536"),
    ("(" * 3000 + "1" + ")" * 3000, "nested too deep"),
    ("-" * 3000 + "1", "nested too deep"),
    ("1" + "+t" * 3000, "nested too deep"),
]


@pytest.mark.parametrize(("source", "line"), MISTAKES, ids=[source[:40] for source, _ in MISTAKES])
def test_mistake_is_one_line_with_place_and_hint(source: str, line: str) -> None:
    with pytest.raises(UserError) as e:
        make(source)
    assert line in e.value.line()
    assert e.value.where.startswith("task.yaml:12:")


TEMPLATE_MISTAKES = [
    ("a\n{{ argz }}", "task.yaml:13:12: unknown name 'argz'"),
    ("a\n\n  {% if t %}{{ at.titel }}{% endif %}", "task.yaml:14:24: at has no field 'titel'"),
    ("{% include 'x' %}", "include is not part of the language"),
    ("{% macro f() %}{% endmacro %}", "macro is not part of the language"),
    ("{% set x %}a{% endset %}", "assignblock is not part"),
    ("{% block a %}{% endblock %}", "block is not part"),
    ("{% extends 'x' %}", "extends is not part"),
    ("{% from 'a' import b %}", "fromimport is not part"),
    ("{% with a = 1 %}{{ a }}{% endwith %}", "with is not part"),
    ("{% filter upper %}a{% endfilter %}", "filterblock is not part"),
    ("{% call f() %}{% endcall %}", "callblock is not part"),
    ("{% for x in results recursive %}{% endfor %}", "recursive loops"),
    ("{% set a, b = 1, 2 %}", "set takes one name"),
    ("{% set ns.x = 1 %}", "set takes one name"),
    ("{% for loop in results %}{% endfor %}", "loop cannot be set"),
    ("{% for x in results %}{{ loop }}{% endfor %}", "loop is no value"),
    ("{% for x in results %}{{ loop.indx }}{% endfor %}", "loop has no field 'indx' (did you mean 'index'?)"),
    ("{{ loop.index }}", "unknown name 'loop'"),
    ("{% for x in results %}{% endfor %}{{ x }}", "unknown name 'x'"),
    ("{% trans %}", "unknown tag"),
    ("{% if t %}", "cannot be read"),
    ("{{ }}", "cannot be read"),
    ("{% if t %}" * 400 + "{% endif %}" * 400, "nested too deep"),
]


@pytest.mark.parametrize(("source", "line"), TEMPLATE_MISTAKES, ids=[source[:40] for source, _ in TEMPLATE_MISTAKES])
def test_template_mistake(source: str, line: str) -> None:
    with pytest.raises(UserError) as e:
        template(source, NAMES, PLACE)
    assert line in e.value.line()


def test_braces_inside_a_text_are_no_mistake() -> None:
    assert make("'{{' in args.title")(ENV) is False
    assert make("{'a': {'b': 1}}")(ENV) == {"a": {"b": 1}}


def test_a_place_without_a_line() -> None:
    with pytest.raises(UserError) as e:
        expression("nope", NAMES, Place("preset qa"))
    assert e.value.where == "preset qa"


def test_what_it_reads() -> None:
    c = template("{{ args.x }}{% for p in pages | sort(attribute='year') %}{% set t = p.title %}{{ t | upper }}{% endfor %}", NAMES, PLACE)
    assert c.names == {"args", "pages"}
    assert c.paths == {("pages", "title"), ("pages", "year")}
    assert c.filters == {"sort", "upper"}
    assert make("at").paths == {("pages",)}
    assert make("results | map('upper')").filters == {"map", "upper"}
    assert make("pages | map('title')").filters == {"map"}
    assert make("1 + 1").names == frozenset()
    assert make("at.title").source == "at.title"
    assert "at.title" in repr(make("at.title"))


def test_rows_or_texts_in_one_list() -> None:
    names = {"results": ListOf(OneOf((PAGES, Value())))}
    mixed = {"results": [{"title": "a"}, "b"]}
    assert expression("results | map('title') | join(' ')", names, PLACE)(mixed) == "a B"
    assert expression("results[0].title", names, PLACE)(mixed) == "a"
    assert expression("results | map('upper')", names, PLACE)({"results": ["a"]}) == ["A"]


def test_every_filter_has_a_version() -> None:
    assert all(info.version >= 1 for info in FILTERS.values())
    assert {"map", "join", "calc", "regex_search"} <= FILTERS.keys()
