"""Changes by places: one value changes, every other character stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.check.edit import put
from agentharness.config.yaml import parse

TURNS, LICENCE = ("limits", "turns"), ("licence",)


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ("ask: q\nturns: 5 # few\n", TURNS, 9, "ask: q\nturns: 9 # few\n"),
        ("ask: q\n# end\n", TURNS, 9, "ask: q\n# end\nturns: 9\n"),
        ("ask: q", TURNS, 9, "ask: q\nturns: 9\n"),
        ("ask: q\r\nturns: 5\r\n", TURNS, 12, "ask: q\r\nturns: 12\r\n"),
        ("ask: q\r\n", LICENCE, "private", "ask: q\r\nlicence: private\r\n"),
        ("ask: q\nlimits: {turns: 5, time: 3}\n", TURNS, 9, "ask: q\nlimits: {turns: 9, time: 3}\n"),
        ("observe: q\nlimits: {time: 3} # s\n", TURNS, 9, "observe: q\nlimits: {turns: 9, time: 3} # s\n"),
        ("observe: q\nlimits:\n    # working time\n    time: 3\n", TURNS, 9, "observe: q\nlimits:\n    # working time\n    turns: 9\n    time: 3\n"),
        ("observe: q\n", TURNS, 9, "observe: q\nlimits:\n  turns: 9\n"),
        ("ask: q\nlicence:\nturns: 3\n", LICENCE, "private", "ask: q\nlicence: private\nturns: 3\n"),
        ("ask: q\nlicence: ''   # which?\n", LICENCE, "private", "ask: q\nlicence: private   # which?\n"),
        ("  ask: q\n  turns: 3\n", LICENCE, "private", "  ask: q\n  turns: 3\n  licence: private\n"),
        ("ask: q\nturns: &n 3\nvars: {n: *n}\n", TURNS, 9, None),
        ("{ask: q, turns: 3}\n", LICENCE, "private", None),
        ("ask: q\n...\n", LICENCE, "private", None),
        ("- ask\n", LICENCE, "private", None),
    ],
)  # fmt: skip
def test_a_value_is_set_where_it_stands(before: str, path: tuple[str, ...], value: object, after: str | None) -> None:
    assert put(before, path, value) == after


KEYS = st.sampled_from(["ask", "answer", "turns", "licence", "limits", "vars"])
LINES = st.lists(st.sampled_from(["# a note", "", "   # indented"]), max_size=2)


@st.composite
def tasks(draw: st.DrawFn) -> str:
    values = {
        "limits": ["{turns: 4}", "{time: 2.5}"],
        "vars": ['{a: "0"}', "\n  a: 1  # one\n  b: [1, 2]"],
        "turns": ["3", "0x10"],
        "licence": ["MIT", "", '"x: y"'],
    }
    texts = ["word", "|\n  two\n  lines", ">-\n  folded"]
    out: list[str] = []
    for key in draw(st.lists(KEYS, unique=True, min_size=1)):
        out += draw(LINES)
        out.append(f"{key}: {draw(st.sampled_from(values.get(key, texts)))}".rstrip(" "))
    return "\n".join([*out, *draw(LINES)]) + draw(st.sampled_from(["", "\n"]))


@given(tasks(), st.sampled_from([(TURNS, 17), (LICENCE, "private")]))
def test_all_other_lines_stay_and_all_other_keys_keep_their_values(text: str, change: tuple[tuple[str, ...], object]) -> None:
    path, value = change
    after = put(text, path, value)
    if after is None:
        return
    old, new = parse(text).data, parse(after).data
    changed = {key for key in {*old, *new} if old.get(key) != new.get(key)}
    assert changed <= {"turns", "limits"} if path == TURNS else changed <= {"licence"}
    assert value in (new.get("turns"), (new.get("limits") or {}).get("turns"), new.get("licence"))
    lost = [line for line in text.splitlines() if line not in after.splitlines()]
    assert len(lost) <= 1
