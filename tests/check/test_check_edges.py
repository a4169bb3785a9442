"""Neighbours that are no rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from checks import checked, finding, task

GRAPH = """\
data: {from: rows.jsonl, key: id}
preset: graph
nodes: {from: nodes.jsonl, key: name, edge: roads, start: start, show: [people]}
ask: "Find the town with {{ row.people }} people, and name it."
answer: goal
reward: exact
licence: CC0-1.0
"""
TRIPS = [{"id": f"t{i}", "start": f"n{i}", "goal": f"n{(i + 2) % 40}", "people": 100 + (i + 2) % 40} for i in range(40)]


def towns(*lost: int) -> str:
    rows: list[dict[str, Any]] = [{"name": f"n{i}", "people": 100 + i, "roads": [f"n{(i + 1) % 40}", f"n{(i - 1) % 40}"]} for i in range(40)]
    for i in lost:
        rows[i]["roads"].append("nowhere")
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_edges_that_lead_nowhere_are_named(tmp_path: Path) -> None:
    task(tmp_path, GRAPH, TRIPS, nodes_jsonl=towns())
    assert (finding(checked(tmp_path), "edges").colour, finding(checked(tmp_path), "edges").text) == ("green", "all of 80 listed neighbours are rows")
    task(tmp_path, GRAPH, TRIPS, nodes_jsonl=towns(3))
    torn = finding(checked(tmp_path), "edges")
    assert (torn.colour, torn.text, torn.rows) == ("yellow", "1 of 81 listed neighbours are no rows", ("n3 -> nowhere",))
    task(tmp_path, GRAPH, TRIPS, nodes_jsonl=towns(*range(30)))
    assert finding(checked(tmp_path), "edges").colour == "red"
    task(tmp_path, name="plain")
    assert "edges" not in {f.name for f in checked(tmp_path, name="plain").findings}
