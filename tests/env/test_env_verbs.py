"""Verbs: what each does, and what it says where it finds nothing."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.canon import derive_seed
from agentharness.env.verbs_move import sentences, spans
from agentharness.env.verbs_show import as_text
from agentharness.env.world import World
from agentharness.errors import UserError

SHOP = """
corpus:
  rows: {source: {file: rows.jsonl}, key: id}
  items: {source: {file: items.jsonl}, key: sku}
columns:
  rows: {id: public, wish: public, budget: public}
  items: {sku: public, name: public, price: public, "notes[].text": public, "notes[].by": hidden, like: public, text: public}
episode: {each: rows}
edges: {like: {to: items, by: name}}
vars: {pick: null, dice: 0, coin: null}
observe: "{{ row.wish }}"
actions:
  search:
    args: {most: number}
    do:
      - query: {filter: "item.price <= args.most", in: items, limit: 2}
    say: "{{ results | map('name') | join(', ') }}"
    else: "Nothing for {{ args.most }}."
  open:
    args: {hit: integer}
    do:
      - goto: {hit: args.hit}
      - reveal: name
      - reveal: price
  notes:
    do:
      - reveal: {field: "notes[].text", of: at}
  all:
    do:
      - reveal: {field: notes, of: results}
  wish:
    do:
      - reveal: {field: wish, of: row}
  sku:
    args: {sku: string}
    do:
      - query: {key: args.sku, in: items}
    say: "{{ results[0].name }}"
  near:
    when: at
    do:
      - query: {neighbours: like}
    say: "{{ results | map('sku') | join(' ') }}"
  to:
    args: {name: {type: string, enum: at.like}}
    do:
      - goto: {like: args.name}
  read:
    args: {text: string}
    do:
      - reveal: {span: args.text, in: text, of: at}
  roll:
    do:
      - draw: {dice: {int: [1, 6]}, coin: {from: "['heads', 'tails']"}}
    say: "{{ vars.coin }} {{ vars.dice }}"
  none:
    do:
      - draw: {coin: {from: "[]"}}
"""
ROWS = [{"id": 1, "wish": "a pen", "budget": 3}]
ITEMS: list[dict[str, Any]] = [
    {
        "sku": "p1",
        "name": "Pen",
        "price": 2,
        "notes": [{"text": "Writes.", "by": "ann"}, {"text": " Well."}],
        "like": ["Pad", "Ink"],
        "text": "One. Two pens! A PEN?",
    },
    {"sku": "p2", "name": "Pad", "price": 3.5, "notes": [], "like": ["Pen"], "text": None},
    {"sku": "p3", "name": "Ink", "price": 2, "notes": None, "like": None, "text": "Ink."},
]


@pytest.fixture
def shop(make_world: Any) -> World:
    return make_world(SHOP, {"rows.jsonl": ROWS, "items.jsonl": ITEMS})  # type: ignore[no-any-return]


async def test_query_filter_and_hit(shop: World, begin: Any) -> None:
    play = await begin(shop, "1")
    assert (await play.do("search", most=1)).verdict == "missing"
    assert play.text == "Nothing for 1."
    await play.do("search", most=2.5)
    assert play.text == "Pen, Ink"
    assert play.state["results"] == [["items", "p1"], ["items", "p3"]]
    await play.do("search", most=10)
    assert play.text == "Pen, Pad"
    assert (await play.do("open", hit=2)).verdict == "missing"
    assert (await play.do("open", hit=-1)).verdict == "missing"
    await play.do("open", hit=1)
    assert play.text == "Pad\n3.5"
    assert play.state["at"] == ["items", "p2"]
    assert play.state["seen"] == ["items/p2/name", "items/p2/price"]


async def test_query_key_and_neighbours(shop: World, begin: Any) -> None:
    play = await begin(shop, "1")
    await play.do("sku", sku="p3")
    assert play.text == "Ink"
    assert (await play.do("sku", sku="p9")).verdict == "missing"
    assert play.state["results"] == [["items", "p3"]]
    assert (await play.do("near")).verdict == "refused"
    await play.do("open", hit=0)
    assert (await play.do("near")).verdict == "missing"
    await play.do("sku", sku="p1")
    await play.do("open", hit=0)
    await play.do("near")
    assert play.text == "p2 p3"


async def test_goto_along_an_edge_named_by_a_column(shop: World, begin: Any) -> None:
    play = await begin(shop, "1")
    assert "to" not in play.env._actions.by_name
    assert (await play.do("to", name="Pad")).message == "to is not possible here: it has no legal argument"
    assert play.last.verdict == "invalid"
    await play.do("sku", sku="p1")
    await play.do("open", hit=0)
    assert play.env._actions.by_name["to"].parameters["properties"]["name"]["enum"] == ["Pad", "Ink"]
    await play.do("to", name="Pad")
    assert play.state["at"] == ["items", "p2"]
    assert (await play.do("to", name="Ink")).message == "name must be one of the listed values (known: Pen)"


async def test_reveal_paths(shop: World, begin: Any) -> None:
    play = await begin(shop, "1")
    assert (await play.do("notes")).verdict == "missing"
    await play.do("wish")
    assert play.text == "a pen"
    assert play.state["seen"] == ["rows/1/wish"]
    await play.do("search", most=2)
    await play.do("open", hit=0)
    await play.do("notes")
    assert play.text == "Writes. Well."
    await play.do("all")
    # of two rows one has notes; what is hidden in them is not there
    assert play.text == '[{"text":"Writes."},{"text":" Well."}]'
    assert play.state["seen"] == ["items/p1/name", "items/p1/notes", "items/p1/notes[].text", "items/p1/price", "rows/1/wish"]


async def test_reveal_span(shop: World, begin: Any) -> None:
    play = await begin(shop, "1")
    await play.do("search", most=2)
    await play.do("open", hit=0)
    await play.do("read", text="pen")
    assert play.text == "Two pens! A PEN?"
    assert (await play.do("read", text="ink")).verdict == "missing"
    assert (await play.do("read", text="  ")).verdict == "missing"


async def test_draws_depend_on_seed_and_number_alone(shop: World, begin: Any) -> None:
    play = await begin(shop, "1", 11)
    want: list[Any] = []
    for _ in range(3):
        coin = ["heads", "tails"][derive_seed(11, len(want)) % 2]
        want.append(coin)
        dice = 1 + derive_seed(11, len(want)) % 6
        want.append(dice)
        await play.do("wish")
        await play.do("roll")
        assert play.last.draws == [coin, dice]
        assert play.text == f"{coin} {dice}"
    assert play.state["draws"] == 6
    assert (await play.do("none")).verdict == "missing"
    assert play.state["draws"] == 6


@pytest.mark.parametrize(
    ("text", "needle", "want"),
    [
        ("One. Two! Three?", "tw", ["Two!"]),
        ("One.\nTwo", "o", ["One.", "Two"]),
        (["a b", "A c"], "a", ["a b", "A c"]),
        ([["x"], ["y x"]], "X", ["x", "y x"]),
        ("STRASSE", "straße", ["STRASSE"]),
        ("日本。東京。", "東", ["東京。"]),
        (None, "x", []),
        ("x", "", []),
        ("x", 5, []),
    ],
)
def test_spans(text: Any, needle: Any, want: list[str]) -> None:
    assert spans(text, needle) == want


def test_sentences_keep_everything_but_blanks() -> None:
    assert sentences("Mr. X. went\n\nhome.") == ["Mr.", "X.", "went", "home."]


@pytest.mark.parametrize(
    ("value", "want"),
    [("x", "x"), (["a", "b"], "ab"), ([], "[]"), (5, "5"), (True, "true"), ({"b": 1, "a": [1.5]}, '{"a":[1.5],"b":1}'), (["a", 1], '["a",1]')],
)
def test_how_values_read(value: Any, want: str) -> None:
    assert as_text(value) == want


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("- goto: {hit: args.hit}", "- gotoo: {hit: args.hit}", "there is no verb 'gotoo' (did you mean 'goto'?)"),
        ("- goto: {hit: args.hit}", "- goto: {itms: args.hit}", "there is no table or edge 'itms' (did you mean 'items'?)"),
        ("- goto: {hit: args.hit}", "- {goto: {hit: args.hit}, end: 1}", "each item holds exactly one verb"),
        ("- reveal: name", "- reveal: nme", "has no field 'nme' (did you mean 'name'?)"),
        ("- reveal: name", "- reveal: {field: 'notes[].by'}", "is hidden: rules show public fields only"),
        ("- reveal: name", "- reveal: {field: name, off: at}", "reveal knows no 'off' (did you mean 'of'?)"),
        ("- reveal: name", "- reveal: {field: name, fit: [1, 1]}", "reveal field takes no 'fit'"),
        ("- reveal: name", "- reveal: {field: name, of: items}", "`of` is one of at, row, results"),
        ('{filter: "item.price <= args.most", in: items, limit: 2}', "{filter: item.price, in: things}", "there is no table 'things'"),
        ('{filter: "item.price <= args.most", in: items, limit: 2}', "{filter: item.price, in: items, limit: 0}", "limit is a whole number from 1"),
        ('{filter: "item.price <= args.most", in: items, limit: 2}', "{filter: item.price}", "query filter says where"),
        ('{filter: "item.price <= args.most", in: items, limit: 2}', "{filter: item.price, key: a, in: items}", "exactly one of key, filter"),
        ("{neighbours: like}", "{neighbours: likes}", "there is no edge 'likes' (did you mean 'like'?)"),
        ("draw: {dice: {int: [1, 6]}", "draw: {dicee: {int: [1, 6]}", "there is no variable 'dicee' (did you mean 'dice'?)"),
        ("draw: {dice: {int: [1, 6]}", "draw: {dice: {int: [6, 1]}", "int takes two whole numbers"),
    ],
)
def test_mistakes_have_a_place(make_world: Any, old: str, new: str, part: str) -> None:
    assert old in SHOP
    with pytest.raises(UserError) as e:
        make_world(SHOP.replace(old, new), {"rows.jsonl": ROWS, "items.jsonl": ITEMS})
    assert part in str(e.value)
    line = SHOP[: SHOP.index(old)].count("\n") + 1
    assert e.value.where.startswith(f"task.yaml:{line}:")


async def test_span_query_over_own_documents(pages: World, begin: Any) -> None:
    play = await begin(pages, "q2")
    assert play.text == "Where is Bath?\nPages: Bath"
    assert (await play.do("look_up", text="bath")).verdict == "refused"
    assert (await play.do("open", title="Emma")).message == "No such page."
    await play.do("open", title="Bath")
    assert play.text == "Bath lies in Somerset, England. BATH has hot springs."
    await play.do("look_up", text="bath")
    assert play.text == "Bath lies in Somerset, England. … BATH has hot springs."
    assert play.state["results"] == ["Bath lies in Somerset, England.", "BATH has hot springs."]
    assert play.state["seen"] == ["pages/Bath/sentences"]


async def test_one_title_in_two_rows_is_two_pages(pages: World, begin: Any) -> None:
    for row, want in (("q1", "Bath is a city."), ("q2", "Bath lies in Somerset, England. BATH has hot springs.")):
        play = await begin(pages, row)
        await play.do("open", title="Bath")
        assert play.text == want
