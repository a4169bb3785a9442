"""What an expression may cost: each attack ends in ExprError or in a result within the bounds; random text never raises anything else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentharness.config.yaml import Place
from agentharness.env.expr import Compiled, ExprError, ListOf, Record, Value, calc, expression, template
from agentharness.env.expr.budget import RESULT, STEPS
from agentharness.errors import UserError

PLACE = Place("task.yaml", 1, 1)
ROW = Record("rows", {"q": "public", "a": "gold"}, columns=["q", "a"])
NAMES = {"x": Value(), "s": Value(), "big": Value(), "n": Value(), "row": ROW, "rows": ListOf(ROW)}
ENV: dict[str, Any] = {"x": [1, 2, 3], "s": "ab c" * 10_000, "big": list(range(20_000)), "n": 10**9, "row": {"q": "w"}, "rows": [{"q": "v"}, {"q": "w"}]}

ATTACKS = [
    "'a' * 10 ** 9",
    "n * 'ab'",
    "[0] * n",
    "s * n",
    "2 ** 2 ** 2 ** 2 ** 2 ** 2",
    "9 ** 9 ** 9",
    "n ** 9",
    "n * n * n * n",
    "2.0 ** 100000",
    "1e308 * 10",
    "range(n) | list",
    "range(0, n, 1) | sum",
    "range(-n, n)",
    "range(n * n * n)",
    "s ~ s ~ s",
    "s + s + s + s",
    "s | replace('a', s)",
    "s | replace('', s)",
    "big | join(s)",
    "big | map('string') | join(s)",
    "range(99999) | map('string') | map('length') | sum",
    "big | batch(1) | batch(1) | batch(1) | batch(1)",
    "[[[[0] * 999] * 999] * 999] * 999",
    "[[[[0] * 999] * 999] * 999] * 999 | tojson",
    "([[[0] * 999] * 999] * 999) == ([[[0] * 999] * 999] * 999)",
    "[[[0] * 999] * 999] * 999 in [[[[0] * 999] * 999] * 999]",
    "big | map('default', big) | map('map', 'default', big) | tojson",
    "big | map('default', big) | flatten | map('default', big) | flatten",
    "big | select('in', big)",
    "big | map('contains', 1)",
    "(s | split('a')) * 99 | unique",
    "big * 4 | sort | reverse | sort",
    "s | regex_replace('a|b|c', s)",
    "s | regex_replace('', 'xxxxxxxx')",
    "s * 1 | regex_test('(a*)*(a*)*(a*)*b$')",
    "s | list | list | list",
    "s | truncate(99999, true, s * 9)",
    "('(' * 999) | calc",
    "('9**' * 300 ~ '9') | calc",
    "'9999999999' * 400 | int",
    "s | upper | title | lower | words | length",
]
TEMPLATE_ATTACKS = [
    "{% for a in big %}{% for b in big %}{% for c in big %}x{% endfor %}{% endfor %}{% endfor %}",
    "{% for a in big %}{% for b in big %}{% endfor %}{% endfor %}",
    "{% for a in big %}{{ s }}{% endfor %}",
    "{{ s }}{{ s }}",
    "{% for a in range(n) %}{% endfor %}",
    "{% set a = s %}" + "{% set a = a + a %}" * 40 + "{{ a | length }}",
    "{% set a = [1] %}" + "{% set a = a + a %}" * 40 + "{{ a | length }}",
    "{% set a = [x, x] %}" + "{% set a = [a, a] %}" * 60 + "{{ a }}",
    "{% set a = [x, x] %}{% set b = [x, x] %}" + "{% set a = [a, a] %}{% set b = [b, b] %}" * 60 + "{{ a == b }}",
    "{% set a = [x, x] %}" + "{% set a = {'k': a, 'l': a} %}" * 60 + "{{ a | tojson | length }}",
    "{% set a = x %}" + "{% set a = [a] %}" * 900 + "{{ a }}",
    "{% set a = x %}" + "{% set a = [a] %}" * 900 + "{{ a == [a] }}",
    "{% for a in big if s * 1 | contains('zzz') %}{% endfor %}",
    "{% for a in big %}{% if s | regex_test('zzz') %}{% endif %}{% endfor %}",
    "{% for a in big %}{% if big == big + [] %}{% endif %}{% endfor %}",
]


def bounded(compiled: Compiled) -> None:
    try:
        value, steps = compiled.measured(ENV)
    except ExprError:
        with pytest.raises(ExprError):
            compiled(ENV)
        return
    assert 0 <= steps <= STEPS
    assert len(value if isinstance(value, str) else json.dumps(value)) <= 32 * RESULT
    assert compiled(ENV) == value


@pytest.mark.parametrize("source", ATTACKS)
def test_attack(source: str) -> None:
    bounded(expression(source, NAMES, PLACE))


@pytest.mark.parametrize("source", TEMPLATE_ATTACKS, ids=[source[:60] for source in TEMPLATE_ATTACKS])
def test_template_attack(source: str) -> None:
    compiled = template(source, NAMES, PLACE)
    bounded(compiled)


def test_what_is_charged() -> None:
    assert expression("x | sum", NAMES, PLACE).measured(ENV) == (6, 4)
    assert expression("x == [1, 2, 3]", NAMES, PLACE)(ENV) is True
    _, few = template("{% for a in x %}{{ a }}{% endfor %}", NAMES, PLACE).measured(ENV)
    _, more = template("{% for a in x + x %}{{ a }}{% endfor %}", NAMES, PLACE).measured(ENV)
    assert (few, more) == (9, 18 + 7)
    with pytest.raises(ExprError, match="takes more than 100000 steps"):
        expression("range(100000)", NAMES, PLACE)(ENV)
    with pytest.raises(ExprError, match="more than 65536"):
        template("{{ s }}{{ s }}", NAMES, PLACE)(ENV)


SCRAPS = st.sampled_from(
    [
        *[
            "x",
            "s",
            "big",
            "n",
            "row",
            "rows",
            ".q",
            ".a",
            "[0]",
            "['q']",
            "[n]",
            "[x]",
            "|",
            "map",
            "('q')",
            "(attribute='q')",
            "join",
            "sort",
            "length",
            "upper",
        ],
        *[
            "first",
            "groupby",
            "('x')",
            "calc",
            "default",
            "(row)",
            "int",
            "batch(2)",
            "select",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            "'",
            "'q'",
            "1",
            "2.5",
            "-",
            "+",
            "*",
        ],
        *[
            "**",
            "/",
            "//",
            "%",
            "~",
            "==",
            "<",
            "in",
            "not",
            "and",
            "or",
            "if",
            "else",
            "is",
            "none",
            "even",
            ",",
            ":",
            "{{",
            "}}",
            "{%",
            "%}",
            "for",
            "endfor",
            "set",
        ],
        *["=", "endif", "loop", ".index", "range(3)", "replace('a','b')", "regex_search('a+')", "\n", " ", "é", "\\", "#", "$", "true", "99999999999999999999"],
    ]
)


@settings(max_examples=250, deadline=None)
@given(st.lists(SCRAPS, max_size=14).map(" ".join) | st.text(max_size=30))
def test_random_text_raises_only_our_errors(source: str) -> None:
    for build in (expression, template):
        mistake, value = "", None
        try:
            value = build(source, NAMES, PLACE)(ENV)
        except UserError as e:
            mistake = e.line()
        except ExprError as e:
            mistake = str(e)
        assert "\n" not in mistake
        assert mistake or build is expression or isinstance(value, str)


LEAF = st.integers(0, 999).map(str) | st.sampled_from(["0.5", "2.25", "10.0"])
ARITHMETIC = st.recursive(
    LEAF,
    lambda inner: (
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner).map(lambda p: f"({p[0]}) {p[1]} ({p[2]})")
        | inner.map(lambda e: f"-({e})")
        | st.tuples(st.integers(0, 9), st.integers(0, 4)).map(lambda p: f"{p[0]}**{p[1]}")
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(ARITHMETIC)
def test_calc_agrees_with_python(source: str) -> None:
    try:
        wanted = eval(source, {"__builtins__": {}})
    except ZeroDivisionError:
        wanted = None
    got = calc(source)
    assert got == pytest.approx(wanted) if wanted is not None else got is None


CALCS: list[tuple[Any, Any]] = [
    ("6/2", 3),
    ("7/2", 3.5),
    ("2+3*4", 14),
    ("2-3-4", -5),
    ("2**3**2", 512),
    ("-2**2", -4),
    ("2**-1", 0.5),
    ("1,234.5 + $2", 1236.5),
    ("20% * 50", 10.0),
    ("7 % 4", 3),
    ("7 % (4)", 3),
    ("3 × 4 ÷ 6 − 1", 1),
    ("2^10", 1024),
    (".5 * 4", 2.0),
    ("100,000,000,000 * 100,000,000,000", 10**22),
    (12, 12),
    (None, None),
    (True, None),
    ("", None),
    ("1 +", None),
    ("(1", None),
    ("1)", None),
    ("1 2", None),
    ("1/0", None),
    ("1 % 0", None),
    ("0 ** -1", None),
    ("(-8) ** 0.5", None),
    ("x + 1", None),
    ("__import__('os')", None),
    ("9**999999999", None),
    ("1e99 * 100", None),
    ("1e999", None),
    ("9" * 200, None),
    ("1" * 1001, None),
    ("(" * 51 + "1" + ")" * 51, None),
    ("(" * 50 + "1" + ")" * 50, 1),
    ("-" * 60 + "1", None),
    ("1²", None),
]


@pytest.mark.parametrize(("source", "value"), CALCS, ids=[str(source)[:30] for source, _ in CALCS])
def test_calc(source: Any, value: Any) -> None:
    got = calc(source)
    assert got == value
    assert type(got) is type(value)
