"""The data of tasks/atlas: what README.md promises about it."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "tasks" / "atlas" / "data"
Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


COUNTRIES = {r["name"]: r for r in rows("countries.jsonl")}
TRIPS = rows("trips.jsonl")


def hops(start: str, goal: str) -> int | None:
    seen, todo = {start: 0}, deque([start])
    while todo:
        at = todo.popleft()
        for name in COUNTRIES[at]["borders"]:
            if name not in seen:
                seen[name] = seen[at] + 1
                todo.append(name)
    return seen.get(goal)


def about(n: int) -> str:
    return f"{float(f'{n:.2g}'):,.0f}"


def fits(row: Row, clues: str) -> bool:
    """Whether a country fits clues, read from their words alone."""
    n = len(row["borders"])
    spoken = re.search(r"Languages spoken there: (.*?)\.", clues)
    return (
        f"It lies in {row['subregion']} ({row['region']})." in clues
        and f"about {about(row['population'])} people" in clues
        and f"about {about(row['area'])} km²" in clues
        and f"and {n} land neighbour" in clues
        and set(spoken[1].split(", ") if spoken else []) <= set(row["languages"])
    )


def test_borders_are_symmetric_and_lead_to_rows() -> None:
    assert len(COUNTRIES) == len(rows("countries.jsonl")) > 230
    for name, row in COUNTRIES.items():
        assert list(row) == ["name", "capital", "region", "subregion", "population", "area", "languages", "borders"]
        assert row["borders"] == sorted(set(row["borders"]) - {name})
        assert all(name in COUNTRIES[other]["borders"] for other in row["borders"])
        assert row["capital"]
        assert row["population"] > 0
        assert row["area"] > 0
    assert COUNTRIES["Portugal"]["borders"] == ["Spain"]
    assert COUNTRIES["Cuba"]["borders"] == COUNTRIES["Sri Lanka"]["borders"] == []


def test_trips_are_shortest_paths_of_every_length() -> None:
    assert len({t["id"] for t in TRIPS}) == len({(t["start"], t["goal"]) for t in TRIPS}) == len(TRIPS) == 200
    assert all(hops(t["start"], t["goal"]) == t["hops"] for t in TRIPS)
    assert Counter(t["hops"] for t in TRIPS) == {1: 34, 2: 34, 3: 33, 4: 33, 5: 33, 6: 33}


def test_clues_single_out_the_goal_without_naming_it() -> None:
    for trip in TRIPS:
        assert [name for name, row in COUNTRIES.items() if fits(row, trip["clues"])] == [trip["goal"]]
        for word in (trip["goal"], COUNTRIES[trip["goal"]]["capital"]):
            assert word.casefold() not in trip["clues"].casefold()
        assert trip["unique"] is True
