"""reveal by a path that is chosen while playing: what it finds, and what it never shows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.env.verbs_show import found_at
from agentharness.env.world import World
from agentharness.errors import UserError

TEXT = """
corpus: {rows: {source: {file: rows.jsonl}, key: id}}
columns:
  rows: {id: public, record: public, record.diagnosis: gold, "record.visits[].by": hidden, age: public, name: hidden}
episode: {each: rows}
observe: "A patient."
actions:
  read:
    args: {path: string}
    do:
      - reveal: {path: args.path, in: record, of: row}
    else: "Nothing there."
  labs:
    args: {name: {type: string, enum: row.record.labs | keys}}
    do:
      - reveal: {path: "['labs', args.name]", in: record, of: row}
  column:
    args: {name: string}
    do:
      - reveal: {path: args.name, of: row}
    else: "No such column."
  glucose:
    do:
      - reveal: {field: record.labs.glucose, of: row}
"""
ROWS: list[dict[str, Any]] = [
    {
        "id": "p",
        "record": {
            "labs": {"glucose": "5.1", "T.S.H": 2, "urine": {"colour": "clear", "ph": None}},
            "visits": [{"on": "May", "by": "Ann"}, {"on": "June", "by": "Bob"}],
            "diagnosis": "gout",
            "": "empty name",
        },
        "age": 40,
        "name": "Smith",
    }
]


@pytest.fixture
def clinic(make_world: Any) -> World:
    return make_world(TEXT, {"rows.jsonl": ROWS})  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("labs.glucose", "5.1"),
        ("labs.urine.colour", "clear"),
        ("labs.urine", '{"colour":"clear","ph":null}'),
        ("visits.1.on", "June"),
        ("visits", '[{"on":"May"},{"on":"June"}]'),
        ("", "empty name"),
        ("labs.urine.ph", None),
        ("labs.none", None),
        ("labs.glucose.x", None),
        ("visits.2", None),
        ("visits.-1", None),
        ("visits.١", None),
        ("visits.0.by", None),
        ("diagnosis", None),
        (".", None),
        ("labs..glucose", None),
        ("visits.99999999999999999999", None),
    ],
)
async def test_what_stands_there(clinic: World, begin: Any, path: str, shown: str | None) -> None:
    play = await begin(clinic, "p")
    out = await play.do("read", path=path)
    assert (out.verdict, play.text) == (("missing", "Nothing there.") if shown is None else ("ok", shown))
    assert play.state["seen"] == ([] if shown is None else [f"rows/p/record.{path}"])


async def test_names_with_full_stops_and_legal_sections(clinic: World, begin: Any) -> None:
    play = await begin(clinic, "p")
    assert (await play.do("labs", name="T.S.H")).parts == [{"type": "text", "text": "2"}]
    assert play.state["seen"] == ["rows/p/record.labs.T.S.H"]
    assert (await play.do("read", path="labs.T.S.H")).verdict == "missing"
    assert (await play.do("labs", name="diagnosis")).verdict == "invalid"
    assert (await play.do("glucose")).parts == [{"type": "text", "text": "5.1"}]


async def test_a_column_of_the_row(clinic: World, begin: Any) -> None:
    play = await begin(clinic, "p")
    assert (await play.do("column", name="age")).parts == [{"type": "text", "text": "40"}]
    assert (await play.do("column", name="record.visits.0.on")).parts == [{"type": "text", "text": "May"}]
    for secret in ("name", "record.diagnosis", "record.visits.0.by", "nothing"):
        await play.do("column", name=secret)
        assert play.text == "No such column."
    await play.do("column", name="record")
    assert "gout" not in play.text
    assert "Ann" not in play.text


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("in: record, of: row}\n    else", "in: name, of: row}\n    else", "'name' of rows is hidden: rules show public fields only"),
        ("in: record, of: row}\n    else", "in: record.diagnosis, of: row}\n    else", "'record.diagnosis' of rows is gold"),
        ("in: record, of: row}\n    else", "in: record, of: at}\n    else", "no rule goes anywhere"),
        ("path: args.name, of: row", "path: args.name, of: at", "no rule goes anywhere"),
        ("path: args.path", "path: row.name", "row.name is hidden"),
    ],
)
def test_mistakes(make_world: Any, old: str, new: str, part: str) -> None:
    assert old in TEXT
    with pytest.raises(UserError, match=r"task.yaml:\d+:\d+") as e:
        make_world(TEXT.replace(old, new, 1), {"rows.jsonl": ROWS})
    assert part in str(e.value)


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=3), lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3), max_leaves=12
)


@given(JSON, st.text(max_size=8) | st.lists(st.text(max_size=3) | st.integers(-2, 3), max_size=4) | JSON)
def test_a_path_never_raises(value: Any, path: Any) -> None:
    found_at(value, path)


@given(JSON, st.data())
def test_every_place_has_a_path(value: Any, data: st.DataObject) -> None:
    path: list[Any] = []
    at = value
    while isinstance(at, dict | list) and at:
        name = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        path.append(name)
        at = at[name]
    if path:
        assert found_at(value, path) == at
