"""What the shelf's worlds say to single moves: on their demo rows, which lie in the tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentharness.env.reading import read_task
from agentharness.env.world import World, build

TASKS = Path(__file__).parents[2] / "tasks"


def world(name: str) -> World:
    return build(read_task(TASKS / name, name=name, trusted=True), data="demo")


def key(world: World, **wanted: Any) -> str:
    """The row that holds these values."""
    keys = world.keys()
    (found,) = (key for key in keys if wanted.items() <= world.full(key).items())
    return found


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"about": "period", "test": "is", "value": "4"}, "yes"),
        ({"about": "period", "test": "is", "value": " 4.0 "}, "yes"),
        ({"about": "series", "test": "is", "value": "transition metals"}, "yes"),
        ({"about": "series", "test": "above", "value": "4"}, "no"),
        ({"about": "density", "test": "above", "value": "7.87"}, "no"),
        ({"about": "density", "test": "below", "value": "7.9"}, "yes"),
        ({"about": "density", "test": "is", "value": "heavy"}, "no"),
        ({"about": "discovered", "test": "below", "value": "1800"}, "unknown"),
        ({"about": "period", "test": "above", "value": "d"}, "Above and below take a number."),
    ],
)
async def test_a_hidden_element_answers(begin: Any, question: dict[str, str], said: str) -> None:
    elements = world("twenty_questions")
    play = await begin(elements, key(elements, name="Iron"))
    await play.do("ask", **question)
    assert (play.text, play.state["vars"]["asked"]) == (said, int(not said.startswith("Above")))


async def test_the_table_of_elements_is_free_to_read(begin: Any) -> None:
    elements = world("twenty_questions")
    play = await begin(elements, key(elements, name="Iron"))
    await play.do("find", about="block", test="is", value="S")
    assert play.text == "Hydrogen, Sodium"
    await play.do("find", about="melting_point", test="above", value="1000")
    assert play.text == "Iron, Uranium"
    await play.do("find", about="group", test="is", value="17")
    assert (play.text, play.state["vars"]["asked"]) == ("None.", 0)


def test_a_name_is_worth_less_after_more_questions() -> None:
    elements = world("twenty_questions")
    row = elements.full(key(elements, name="Iron"))
    submitted = {n: {name: rule.of({"row": row, "state": {"vars": {"asked": n}}, "submission": "Iron"}) for name, rule in _of(elements)} for n in (8, 9, 13)}
    assert submitted == {8: {"within_12": "Iron", "within_8": "Iron"}, 9: {"within_12": "Iron", "within_8": ""}, 13: {"within_12": "", "within_8": ""}}


def _of(world: World) -> list[tuple[str, Any]]:
    return [(name, rule) for name, rule in sorted(world.rewards.items()) if name.startswith("within")]


async def test_flags_are_shown_on_the_way(begin: Any) -> None:
    countries = world("countries")
    play = await begin(countries, "NLD")
    told = play.state["vars"]
    assert [p["size"] for p in play.last.parts if p["type"] == "image"] == [[60, 42]] * 2
    assert "ISL" not in list(countries.keys())  # no border, no way
    looked = await play.do("look", code="BEL")
    assert play.text == "Belgium, capital Brussels, 30528 km²"
    assert play.state["at"] == ["countries", "NLD"]
    went = await play.do("travel", code="BEL")
    assert play.text == "You are in Belgium (Europe), capital Brussels, 30528 km². Neighbours: FRA, LUX, DEU, NLD"
    assert looked.parts[-1]["asset"] == went.parts[-1]["asset"]
    assert (await play.do("travel", code="ISL")).verdict == "invalid"
    assert told["second"] != "NLD"


async def test_grids_may_be_read_and_are_given_as_numbers(begin: Any) -> None:
    arc = world("arc")
    play = await begin(arc, key(arc, id="demo-mirror"))
    await play.do("read")
    assert play.text == "Pair 1, input:\n102\noutput:\n201\n\nPair 2, input:\n334\n050\noutput:\n433\n050\n\nGive the output for this input:\n70\n89"
    assert (await play.do("answer", grid=[[0, 17]])).verdict == "invalid"
    await play.do("answer", grid=[[0, 7], [9, 8]])
    assert (play.state["over"], play.state["submission"]) == (True, [[0, 7], [9, 8]])
