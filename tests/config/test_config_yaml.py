"""YAML by the 1.2 core schema: values, places, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentharness.config import yaml
from agentharness.errors import UserError

SCALARS: list[tuple[str, Any]] = [
    ("no", "no"),
    ("on", "on"),
    ("yes", "yes"),
    ("off", "off"),
    ("true", True),
    ("False", False),
    ("TRUE", True),
    ("tRUE", "tRUE"),
    ("null", None),
    ("Null", None),
    ("~", None),
    ("nULL", "nULL"),
    ("NA", "NA"),
    ("0", 0),
    ("-0", 0),
    ("+12", 12),
    ("-7", -7),
    ("012", "012"),
    ("00123", "00123"),
    ("0x1F", 31),
    ("0o17", 15),
    ("-0x1F", "-0x1F"),
    ("0b11", "0b11"),
    ("1_000", "1_000"),
    ("1,000", "1,000"),
    ("1e3", 1000.0),
    ("1E-2", 0.01),
    (".5", 0.5),
    ("-.5", -0.5),
    ("1.", 1.0),
    ("1.50", 1.5),
    ("01.5", "01.5"),
    ("1.2.3", "1.2.3"),
    (".", "."),
    ("e3", "e3"),
    (".inf", math.inf),
    ("-.INF", -math.inf),
    ("inf", "inf"),
    ("nan", "nan"),
    ("12:30", "12:30"),
    ("2024-01-31", "2024-01-31"),
    ("=", "="),
    ("1 2", "1 2"),
]


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_a_plain_scalar_is_read_by_the_core_schema(text: str, value: Any) -> None:
    for got in (yaml.scalar(text), yaml.parse(f"a: {text}").data["a"]):
        assert (got, type(got)) == (value, type(value))


def test_not_a_number_is_a_float() -> None:
    assert math.isnan(yaml.scalar(".nan"))
    assert yaml.scalar("-.nan") == "-.nan"


def test_quotes_and_blocks_are_text_and_nothing_is_null() -> None:
    data = yaml.parse("a: 'null'\nb: \"12\"\nc: |\n  7\nd: >\n  true\ne:\nf: ''\n").data
    assert data == {"a": "null", "b": "12", "c": "7\n", "d": "true\n", "e": None, "f": ""}


def test_keys_are_always_text() -> None:
    assert yaml.parse("no: 1\n12: 2\ntrue: 3\n'x y': 4\n<<: 5\n").data == {"no": 1, "12": 2, "true": 3, "x y": 4, "<<": 5}


def test_an_empty_file_is_null() -> None:
    assert yaml.parse("").data is None
    assert yaml.parse("# only a word\n").data is None


def test_a_number_too_long_to_be_one_stays_text() -> None:
    digits = "9" * 5000
    assert yaml.scalar(digits) == digits


def test_aliases_repeat_their_value() -> None:
    document = yaml.parse("a: &x {b: 1}\nc: *x\n")
    assert document.data == {"a": {"b": 1}, "c": {"b": 1}}


def test_places_name_line_and_column_of_the_value() -> None:
    document = yaml.parse("a: 1\nb:\n  - x\n  - {c: yes}\n", "f.yaml")
    assert str(document.place(("a",))) == "f.yaml:1:4"
    assert str(document.place(("b", 0))) == "f.yaml:3:5"
    assert str(document.place(("b", 1, "c"))) == "f.yaml:4:9"
    assert str(document.place(("b", 1, "absent", "deeper"))) == "f.yaml:4:5"
    assert str(yaml.Document(None, "f.yaml").place(("a",))) == "f.yaml"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\na: 2\n", "<text>:2:1: the key 'a' stands twice (remove one)"),
        ("a: {b: 1, b: 2}", "<text>:1:11: the key 'b' stands twice (remove one)"),
        ("1: x\n'1': y\n", "<text>:2:1: the key '1' stands twice (remove one)"),
        ("a: {{ row.x }}", "<text>:1:5: a key must be a word (quote text that holds { } or [ ])"),
        ("a: !!str 12", "<text>:1:4: has a tag, 'tag:yaml.org,2002:str' (write the bare value; quotes make it text)"),
        ("a: !!python/object/apply:os.system [ls]", "<text>:1:4: has a tag"),
        ("a: &a [*a]", "<text>:1:4: is nested deeper than 60 levels"),
        ("[" * 200, "<text>:1:61: is nested deeper than 60 levels"),
        ("a: [1", "<text>:2:1: is not YAML: "),
        ("a: b: c", "<text>:1:5: is not YAML: mapping values are not allowed"),
        ("a:\n\tb: 1", "<text>:2:1: is not YAML: found character that cannot start any token"),
        ("a: 1\n---\nb: 2", "<text>:2:1: is not YAML: but found another document"),
        ("a: *b", "<text>:1:4: is not YAML: found undefined alias"),
        ("a: \x01", "<text>: is not YAML: "),
        ("a: \ud800", "<text>: is not YAML: "),
    ],
)
def test_what_is_no_plain_data_is_one_line_with_its_place(text: str, line: str) -> None:
    with pytest.raises(UserError) as e:
        yaml.parse(text)
    assert e.value.line().startswith(line)
    assert "\n" not in e.value.line()


def test_sixty_levels_are_read() -> None:
    assert yaml.parse("[" * 60 + "]" * 60).data is not None
    with pytest.raises(UserError, match="nested deeper"):
        yaml.parse("[" * 61 + "]" * 61)


def test_an_alias_bomb_ends_with_a_users_error() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    with pytest.raises(UserError, match=r"holds more than 200000 values .*an alias counts each time"):
        yaml.parse("\n".join(lines))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"task\.yaml: cannot be read: No such file"):
        yaml.load(tmp_path / "task.yaml", "task.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"a: caf\xe9")
    with pytest.raises(UserError, match=r"latin\.yaml: is not UTF-8 \(byte 6\) \(save it as UTF-8\)"):
        yaml.load(tmp_path / "latin.yaml", "latin.yaml")


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    (tmp_path / "bom.yaml").write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert yaml.load(tmp_path / "bom.yaml").data == {"a": 1}


PLAIN = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False) | PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=50)
@given(JSON)
def test_json_is_yaml(value: Any) -> None:
    assert yaml.parse(json.dumps(value)).data == value


@settings(max_examples=50)
@given(st.text(alphabet="ab:-{}[]&*!|>'\"#%@`,? \n\t0", max_size=40))
def test_any_text_is_data_or_a_users_error(text: str) -> None:
    try:
        document = yaml.parse(text)
    except UserError as e:
        line = e.line()
        assert "\n" not in line
    else:
        assert () in document.places or document.data is None
