"""The long form as YAML reads back as the same spec; the table of keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentharness.config.yaml import load, parse
from agentharness.env.expand import expand, to_yaml
from agentharness.env.keys import key_table, within
from agentharness.env.shape import check
from agentharness.env.spec import EdgeSpec, Limits, TaskSpec
from agentharness.env.task import Places

FIXTURES = Path(__file__).parents[1] / "fixtures" / "task_language"

words = ["no", "yes", "null", "~", "", "true", "00123", "12", "1e3", "0x1f", "0o17", ".5", "2020-01-01", "1:30", "<<", "=", "é … 😀"]
marks = ["-", "- a", "a: b", "a #b", "# a", "{{ row.x }}", "[a]", "'", '"', "it's", "!x", "&x", "*x", "%x", "@x", "`x`", "?", "? a", ":", "|", ">"]
spaces = ["a\nb", "a\n\n b\n", " a ", "a\\nb", "a\tb", "\x85", "\u2028"]
tricky = st.sampled_from(words + marks + spaces)
text = tricky | st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
name = st.sampled_from(["rows", "no", "1", "two words", "a.b", "é"]) | st.text("abcx_", min_size=1, max_size=5)
number = st.integers(-5, 5) | st.sampled_from([0.5, 1e20, 1e-7, 2.0])
plain = st.recursive(
    st.none() | st.booleans() | number | text, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3), max_leaves=6
)
expression = text.filter(bool)
verb = st.one_of(
    st.fixed_dictionaries({"end": expression}),
    st.fixed_dictionaries({"reveal": expression}),
    st.fixed_dictionaries({"goto": st.dictionaries(name, expression, min_size=1, max_size=1)}),
    st.fixed_dictionaries({"set": st.dictionaries(name, expression | number, min_size=1, max_size=2)}),
    st.fixed_dictionaries({"query": st.fixed_dictionaries({"filter": expression, "in": name}, optional={"limit": st.integers(1, 9)})}),
)
action = st.fixed_dictionaries(
    {},
    optional={
        "description": text,
        "args": st.dictionaries(name, st.just("string") | st.fixed_dictionaries({"type": st.just("integer"), "minimum": number}), max_size=2),
        "when": text,
        "do": st.lists(verb, max_size=3),
        "say": text,
        "else": text,
        "cost": text | number,
        "heavy": st.booleans(),
    },
)
table = st.fixed_dictionaries({}, optional={"source": st.fixed_dictionaries({"file": text}), "from": name, "key": name | st.lists(name)})
spec = st.fixed_dictionaries(
    {
        "corpus": st.dictionaries(name, table, max_size=2),
        "columns": st.dictionaries(name, st.dictionaries(name, st.sampled_from(["public", "hidden", "gold"]), max_size=3), max_size=2),
        "episode": st.fixed_dictionaries({"each": name}),
        "observe": text,
    },
    optional={
        "description": text,
        "vars": st.dictionaries(name, plain, max_size=3),
        "start": st.lists(verb, max_size=2),
        "actions": st.dictionaries(name, action, max_size=3),
        "limits": st.fixed_dictionaries({}, optional={"turns": st.integers(1, 9), "time": st.floats(0.1, 1e9)}),
        "rewards": st.dictionaries(name, st.fixed_dictionaries({"scorer": name}, optional={"options": st.dictionaries(name, plain, max_size=2)}), max_size=2),
        "oracle": st.none() | st.fixed_dictionaries({"then": st.dictionaries(name, st.dictionaries(name, text, max_size=2), max_size=2)}),
        "licence": text,
    },
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(spec)
def test_round_trip(data: dict[str, Any]) -> None:
    task = TaskSpec.model_validate(data)
    check(task, Places("x"))
    written = to_yaml(task)
    assert TaskSpec.model_validate(parse(written).data) == task


@pytest.mark.parametrize("fixture", ["hotpotqa_short", "hotpotqa_long"])
def test_the_fixture_reads_back(fixture: str) -> None:
    document = load(FIXTURES / f"{fixture}.yaml")
    task = TaskSpec.model_validate(expand(document)[0] if fixture.endswith("short") else document.data)
    written = to_yaml(task)
    assert TaskSpec.model_validate(parse(written).data) == task
    assert "  rows: {question: public, answer: gold, supporting_facts: gold, type: hidden, level: hidden}\n" in written
    assert "    say: \"{{ results | join(' … ') }}\"\n" in written
    assert "prose" not in written
    assert written.index("corpus:") < written.index("actions:") < written.index("licence: CC-BY-SA-4.0")


def test_every_key_has_a_type_and_a_description() -> None:
    table = key_table()
    assert all(kind and about for _, kind, about in table), [key for key, kind, about in table if not (kind and about)]
    assert len({key for key, _, _ in table}) == len(table)
    rows = {key: (kind, about) for key, kind, about in table}
    assert rows["limits.turns"] == ("whole number", "turns, invalid ones too")
    assert rows["actions.ACTION.else"][0] == "text"
    assert rows["actions.ACTION.cost"][0] == "text or number"
    assert rows["actions.ACTION.do"][0] == "list of mapping of any"
    assert rows["corpus.TABLE.source.match"][0] == "exact | lower"
    assert rows["corpus.TABLE.key"][0] == "text or list of text"
    assert rows["columns"][0] == "mapping of mapping of public | hidden | gold"
    assert rows["oracle.path.edge"][0] == "text"
    assert rows["limits"] == ("mapping", "Limits of the world: an episode that meets one is truncated, and scored")
    assert rows["episode"] == ("mapping", "Which rows are episodes")


def test_what_stands_at_a_path() -> None:
    assert within(("limits",)) is Limits
    assert within(("edges", "borders")) is EdgeSpec
    assert within(("edges", "borders", "to")) is str
    assert within(("edges", "borders", "nothing")) is None
    assert within(("vars", "x", "y")) is None
