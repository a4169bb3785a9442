"""query text: rows by words, in worlds as users write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentharness.env.reading import read_task
from agentharness.env.world import World, build
from agentharness.errors import UserError

pytest.importorskip("tantivy", reason="the extra `search` is not installed")

WORLD = """
corpus:
  rows: {source: {file: rows.jsonl}, key: id}
  pages: {source: {file: pages.jsonl}, key: title}
  notes: {from: rows, explode: notes, scope: row, key: name}
columns:
  rows: {id: public, question: public, answer: gold}
  pages: {title: public, text: public, secret: gold, draft: hidden}
  notes: {name: public, text: public}
episode: {each: rows}
observe: "{{ row.question }}"
actions:
  search:
    args: {text: string}
    do:
      - query: {text: args.text, in: pages, fields: [title, text], limit: 2}
    say: "{{ results | map('title') | join(', ') }} ({{ results[0].text | length }})"
    else: "Nothing."
  mine:
    args: {text: string}
    do:
      - query: {text: args.text, in: notes, fields: [text]}
      - goto: {hit: "0"}
      - reveal: text
  open:
    args: {hit: integer}
    do:
      - goto: {hit: args.hit}
      - reveal: text
  none:
    do:
      - query: {text: row.id, in: pages, fields: [text]}
rewards: {exact: {scorer: exact, against: row.answer}}
"""
ROWS: list[dict[str, Any]] = [
    {"id": 1, "question": "How long is the Nile?", "answer": "6650 km", "notes": [{"name": "n", "text": "ask the ferryman"}]},
    {"id": 2, "question": "How long is the Rhine?", "answer": "1230 km", "notes": [{"name": "n", "text": "ask the lorelei"}]},
]
PAGES: list[dict[str, Any]] = [
    {"title": "Rivers", "text": "Nile and Rhine are rivers.", "secret": "crocodile", "draft": "papyrus"},
    {"title": "Nile", "text": "6650 km", "secret": "x", "draft": "x"},
    {"title": "Rhine", "text": "1230 km of Rhine", "secret": "x", "draft": "x"},
]
FILES = {"rows.jsonl": ROWS, "pages.jsonl": PAGES}


async def test_results_are_rows_best_first(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(WORLD, FILES), "1")
    assert (await play.do("search", text="the nile!")).verdict == "ok"
    assert play.text == "Nile, Rivers (7)"
    assert play.state["results"] == [["pages", "Nile"], ["pages", "Rivers"]]
    await play.do("open", hit=1)
    assert play.text == "Nile and Rhine are rivers."
    before = play.state["results"]
    await play.do("search", text="rhine")
    await play.do("search", text="the nile!")
    assert play.state["results"] == before  # a kept answer is the same answer


@pytest.mark.parametrize("text", ["zebra", "", "crocodile", "papyrus", 'secret:"crocodile"', "title:*"])
async def test_nothing_is_found_without_a_word_in_a_public_field(make_world: Any, begin: Any, text: str) -> None:
    play = await begin(make_world(WORLD, FILES), "1")
    assert (await play.do("search", text=text)).verdict == "missing"
    assert play.text == "Nothing."
    assert play.state["results"] == []


async def test_what_is_no_text_finds_nothing(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(WORLD, FILES), "1")
    assert (await play.do("none")).verdict == "missing"


async def test_a_scoped_table_is_searched_within_the_row(make_world: Any, begin: Any) -> None:
    world = make_world(WORLD, FILES)
    for row, text in (("1", "ask the ferryman"), ("2", "ask the lorelei")):
        play = await begin(world, row)
        await play.do("mine", text="ask ferryman lorelei")
        assert (play.text, play.state["results"]) == (text, [["notes", "n"]])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("fields: [title, text]", "fields: [title, secret]", "'secret' of pages is gold: rules show public fields only"),
        ("fields: [title, text]", "fields: [draft]", "'draft' of pages is hidden: rules show public fields only"),
        ("fields: [title, text]", "fields: [titel]", "pages has no field 'titel' (did you mean 'title'?)"),
        ("fields: [title, text]", "fields: [title, title]", "'title' is named twice (keep one)"),
        ("in: pages, fields: [title", "in: page, fields: [title", "there is no table 'page' (did you mean 'pages'?)"),
        ("text: args.text, in: pages", "text: row.answer, in: pages", "row.answer"),
    ],
)
def test_mistakes(make_world: Any, old: str, new: str, said: str) -> None:
    assert old in WORLD
    with pytest.raises(UserError) as e:
        make_world(WORLD.replace(old, new), FILES)
    assert said in e.value.line()
    assert e.value.line().startswith("task.yaml:")


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("{text: args.text, in: pages}", "query needs `fields` beside `text`"),
        ("{text: args.text, fields: [title]}", "query needs `in` beside `text`"),
        ("{text: args.text, in: pages, fields: title}", "fields must be a list of field paths, is 'title'"),
        ("{text: args.text, in: pages, fields: []}", "fields must be a list of field paths, is a list"),
        ("{text: args.text, in: pages, fields: [3]}", "fields.0 must be a name, is 3"),
        ("{key: args.text, in: pages, fields: [title]}", "fields does not go with `key`"),
        ("{text: args.text, in: pages, fields: [title], limit: 0}", "limit must be a whole number from 1, is 0"),
    ],
)
def test_misshapen(tmp_path: Path, verb: str, said: str) -> None:
    (tmp_path / "task.yaml").write_text(WORLD.replace("{text: args.text, in: pages, fields: [title, text], limit: 2}", verb))
    with pytest.raises(UserError) as e:
        read_task(tmp_path)
    assert said in e.value.line()


def test_the_world_holds_the_indexs_version_where_it_searches(make_world: Any, pages: World) -> None:
    world = make_world(WORLD, FILES)
    assert "indexes.text" in world.rules
    assert not any(rule.startswith("indexes") for rule in pages.rules)


def test_a_default_limit_and_a_named_one_are_one_world(make_world: Any) -> None:
    named = make_world(WORLD.replace("fields: [text]}", "fields: [text], limit: 20}"), FILES)
    assert named.world == make_world(WORLD, FILES).world != make_world(WORLD.replace("limit: 2}", "limit: 3}"), FILES).world


SHORT = """
data: rows.jsonl
preset: search
ask: question
documents: {from: FROM, title: title, text: text}
answer: answer
evidence: needs
gold: [needs]
reward: exact
"""


def short(folder: Path, text: str) -> World:
    import json

    for name, rows in {
        "rows.jsonl": [row | {"needs": [name], "pages": PAGES} for row, name in zip(ROWS, ("Nile", "Rhine"), strict=True)],
        "pages.jsonl": PAGES,
    }.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "task.yaml").write_text(text, encoding="utf-8")
    return build(read_task(folder))


TABLE = "corpus: {all: {source: {file: pages.jsonl}, key: title}}\ncolumns: {all: {title: public, text: public}}\n"


@pytest.mark.parametrize(
    "text",
    [
        SHORT.replace("FROM", "pages.jsonl"),
        SHORT.replace("{from: FROM, title: title, text: text}", "pages.jsonl"),
        SHORT.replace("FROM", "pages"),
        SHORT.replace("FROM", "pages, scope: row"),
        SHORT.replace("FROM", "all") + TABLE,
        SHORT.replace("from: FROM", "file: pages.jsonl, types: {title: text}"),
    ],
    ids=["file", "bare", "column", "scoped", "table", "source"],
)
async def test_the_preset_over_every_kind_of_documents(tmp_path: Path, begin: Any, text: str) -> None:
    world = short(tmp_path, text)
    play = await begin(world, next(iter(world.keys())))
    assert play.text == "How long is the Nile?"
    await play.do("search", text="the nile?")
    assert play.text == "Nile\nRivers"
    assert (await play.do("look_up", text="6650")).message == "Open a page first."
    await play.do("open", title="Nile")
    assert play.text == "6650 km"
    assert (await play.do("look_up", text="1230")).message == "The page says nothing of it."
    moves = []
    env = world.open(next(iter(world.keys())), 0, None)  # type: ignore[arg-type]
    await env.reset()
    while move := env.oracle():
        moves.append([(action.name, action.args) for action in move.actions])
        for action in move.actions:
            await env.step(action)
    assert moves == [[("search", {"text": "Nile"}), ("open", {"title": "Nile"})], [("answer", {"text": "6650 km"})]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SHORT.replace("documents: {from: FROM, title: title, text: text}\n", ""), "preset search needs `documents.from` (add `documents: {from: …}`)"),
        (SHORT.replace("FROM", "pages.jsonl, titel: x"), "`documents` has no key 'titel' (did you mean 'title'?)"),
        (SHORT.replace("FROM", "page"), "rows has no column 'page' (did you mean 'pages'?)"),
    ],
)
def test_mistakes_of_the_preset(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as e:
        short(tmp_path, text)
    assert said in e.value.line()
