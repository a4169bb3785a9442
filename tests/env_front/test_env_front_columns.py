"""Presets `reveal` and `table`, and `look` in the frame that is seen: what they expand to, and how they play."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentharness.config.yaml import parse
from agentharness.env.advance import advance, start
from agentharness.env.expand import expand
from agentharness.env.reading import read_task
from agentharness.env.world import World, build
from agentharness.errors import UserError
from agentharness.types.env import Outcome
from agentharness.types.move import Action

REVEAL = "data: rows.jsonl\npreset: reveal\nask: complaint\nanswer: illness\nreward: exact\n"
TABLE = "data: rows.jsonl\npreset: table\nask: Which?\nanswer: name\nreward: exact\n"
LOOK = "data: {images: pics}\npreset: look\nask: Which?\nanswer: label\nreward: exact\n"


def long(text: str) -> dict[str, Any]:
    return expand(parse(text, "task.yaml"))[0]


def test_sections_of_one_column() -> None:
    found = long(REVEAL + "sections: record.parts\ngold: [needed]\nevidence: needed\n")
    assert found["columns"]["rows"] == {"complaint": "public", "illness": "gold", "needed": "gold", "record.parts": "public"}
    assert found["actions"]["open"]["args"] == {"section": {"type": "string", "enum": "row.record.parts | keys"}}
    assert found["actions"]["open"]["do"] == [{"reveal": {"path": "[args.section]", "in": "record.parts", "of": "row"}}]
    assert found["observe"] == "{{ row.complaint }}\nSections: {{ row.record.parts | keys | join(', ') }}"
    assert found["oracle"] == {"each": "row.needed", "move": {"open": {"section": "each"}}, "then": {"answer": {"text": "row.illness"}}}


def test_sections_that_are_columns() -> None:
    found = long(REVEAL + "sections: [history, two words, it's]\n")
    assert found["columns"]["rows"] == {"complaint": "public", "illness": "gold", "history": "public", "two words": "public", "it's": "public"}
    assert found["actions"]["open"]["args"]["section"]["enum"] == ["history", "two words", "it's"]
    assert found["actions"]["open"]["do"] == [{"reveal": {"path": "args.section", "of": "row"}}]
    assert found["observe"].endswith("Sections: {{ ['history', 'two words', 'it\\'s'] | join(', ') }}")
    assert found["oracle"] == {"then": {"answer": {"text": "row.illness"}}}


def test_a_section_that_is_gold_stays_gold() -> None:
    assert long(REVEAL + "sections: record\ngold: [record]\n")["columns"]["rows"]["record"] == "gold"


def test_turns_of_a_table() -> None:
    assert long(TABLE + "facts: size\n")["limits"] == {"turns": 21}
    assert long(TABLE + "facts: size\nturns: 6\n")["limits"] == {"turns": 6}


def test_frames_of_look() -> None:
    plain, shown = long(LOOK), long(LOOK + "frame: shown\n")
    assert plain == long(LOOK + "frame: source\n")
    assert "frame" not in json.dumps(plain)
    assert sorted(plain["actions"]) == ["answer", "zoom"]
    assert sorted(shown["actions"]) == ["answer", "whole", "zoom"]
    assert all(verb["reveal"]["frame"] == "shown" for verb in [*shown["start"], *shown["actions"]["zoom"]["do"], *shown["actions"]["whole"]["do"]])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (REVEAL, "task.yaml:2:9: preset reveal needs `sections` (add `sections: …`)"),
        (REVEAL + "sections: 3\n", "task.yaml:6:11: `sections` must list columns by name (sections: record, or sections: [history, examination])"),
        (REVEAL + "sections: []\n", "task.yaml:6:11: `sections` must list columns by name (sections: record, or sections: [history, examination])"),
        (TABLE, "task.yaml:2:9: preset table needs `facts` (add `facts: …`)"),
        (TABLE + "facts: {a: b}\n", "task.yaml:6:8: `facts` must list columns by name (facts: [region, population])"),
        (LOOK + "frame: here\n", "task.yaml:6:8: `frame` must be source or shown, is 'here' (frame: shown, or leave it out)"),
        (LOOK + "facts: size\n", "task.yaml:6:8: `facts` belongs to preset table (this task has preset look)"),
    ],
)
def test_mistakes(text: str, line: str) -> None:
    with pytest.raises(UserError) as e:
        long(text)
    assert e.value.line() == line


def world(folder: Path, text: str, rows: list[dict[str, Any]]) -> World:
    (folder / "task.yaml").write_text(text, encoding="utf-8")
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return build(read_task(folder))


class Game:
    """The first row of a world."""

    def __init__(self, played: World) -> None:
        self.rules = played.compiled
        self.scene = self.rules.scene(next(iter(played.keys())), 0)
        self.opening = _done(start(self.rules, self.scene))
        self.state = self.opening.state

    def do(self, name: str, **args: Any) -> tuple[str, str]:
        """Verdict and text."""
        out = _done(advance(self.rules, self.scene, self.state, Action(name, args)))
        self.state = out.state
        return out.verdict, out.parts[0]["text"]


def _done(out: Any) -> Outcome:
    assert isinstance(out, Outcome)
    return out


FACTS: dict[str, Any] = {
    "name": "Peru",
    "region": "Americas",
    "population": 33000000,
    "landlocked": False,
    "languages": ["Spanish", "Quechua"],
    "codes": {"two": "PE"},
    "motto": None,
    "it's": "x",
}


@pytest.mark.parametrize(
    ("column", "test", "value", "said"),
    [
        ("region", "is", " americas ", "Yes."),
        ("region", "is", "America", "No."),
        ("region", "contains", "AMER", "Yes."),
        ("region", "above", "3", "Only numbers lie above or below one another."),
        ("population", "above", "32999999.5", "Yes."),
        ("population", "above", "33000000", "No."),
        ("population", "below", "4e7", "Yes."),
        ("population", "below", "many", "Only numbers lie above or below one another."),
        ("population", "is", "33000000.0", "Yes."),
        ("population", "is", "33", "No."),
        ("population", "contains", "33", "Yes."),
        ("landlocked", "is", "False", "Yes."),
        ("landlocked", "is", "true", "No."),
        ("languages", "is", "quechua", "Yes."),
        ("languages", "is", "que", "No."),
        ("languages", "contains", "que", "Yes."),
        ("codes", "is", "pe", "Yes."),
        ("motto", "is", "none", "Unknown."),
        ("it's", "is", "X", "Yes."),
    ],
)
def test_questions_about_a_hidden_row(column: str, test: str, value: str, said: str, tmp_path: Path) -> None:
    game = Game(world(tmp_path, TABLE + 'facts: [region, population, landlocked, languages, codes, motto, "it\'s"]\n', [FACTS]))
    assert game.opening.parts[0]["text"] == "Which?\nYou may ask about: region, population, landlocked, languages, codes, motto, it's"
    assert game.do("ask", column=column, test=test, value=value) == ("ok", said)
    assert game.state["vars"] == {}


def test_only_what_is_listed_can_be_asked(tmp_path: Path) -> None:
    game = Game(world(tmp_path, TABLE + "facts: [region]\n", [FACTS]))
    assert game.do("ask", column="name", test="is", value="Peru")[0] == "invalid"
    assert game.do("ask", column="region", test="like", value="x")[0] == "invalid"


CASE = {"complaint": "My toe hurts.", "illness": "gout", "record": {"blood": {"urate": "high"}, "x.ray": "clear", "ear": None, "note": "secret"}, "age": 50}


def test_sections_are_opened(tmp_path: Path) -> None:
    game = Game(world(tmp_path, REVEAL + 'sections: record\ncolumns: {rows: {"record.note": hidden}}\n', [CASE]))
    assert game.opening.parts[0]["text"] == "My toe hurts.\nSections: blood, x.ray, ear"
    assert game.do("open", section="x.ray") == ("ok", "clear")
    assert game.do("open", section="blood") == ("ok", '{"urate":"high"}')
    assert game.do("open", section="ear") == ("missing", "Nothing is known of it.")
    assert game.do("open", section="note")[0] == "invalid"
    assert game.do("open", section="blood.urate")[0] == "invalid"
    assert game.state["seen"] == ["rows/" + game.scene.row + "/record.blood", "rows/" + game.scene.row + "/record.x.ray"]


def test_columns_are_opened(tmp_path: Path) -> None:
    game = Game(world(tmp_path, REVEAL + "sections: [age, record.blood]\n", [CASE]))
    assert game.do("open", section="age") == ("ok", "50")
    assert game.do("open", section="record.blood") == ("ok", '{"urate":"high"}')
    assert game.do("open", section="illness")[0] == "invalid"
