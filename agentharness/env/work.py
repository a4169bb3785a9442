"""A transition under way: the parts of a state that verbs change, on a copy, and what they showed, drew and asked."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from agentharness.env.edits import Edits
from agentharness.env.views import Node, Scene, views
from agentharness.types.move import Need
from agentharness.types.part import JsonDict, Part


@dataclass(slots=True, frozen=True)
class Missing:
    """A verb found nothing: the action ends, `text` (or the rule's `else`) is shown."""

    text: str | None = None
    ends: bool = False
    """Whether the episode ends with it."""


NOTHING = Missing()
NOTHING_SAID: JsonDict = {}
Verb: TypeAlias = "Callable[[Work], Need | Missing | None]"
"""Applies one verb to a transition; None: done, go on."""


class Work:
    """Copies nothing until a verb changes it; the state it starts from is never touched."""

    __slots__ = (
        "answers",
        "drawn",
        "draws",
        "edits",
        "env",
        "marks",
        "node",
        "over",
        "recorded",
        "results",
        "said",
        "scene",
        "seen",
        "shown",
        "sights",
        "stopped",
        "submission",
        "texts",
        "used",
        "vars",
        "wants",
    )

    def __init__(self, scene: Scene, state: JsonDict, node: Node | None, env: JsonDict, wants: bool, texts: bool, answers: Sequence[Any]) -> None:
        self.scene, self.node, self.env = scene, node, env
        self.wants, self.texts = wants, texts
        """Whether expressions read `results`; whether revealed texts are shown."""
        self.vars: JsonDict = state["vars"]
        self.edits: Edits | None = state.get("edits")
        self.results: list[Any] = state["results"]
        self.seen: list[str] = state["seen"]
        self.draws: int = state["draws"]
        self.said: JsonDict = state.get("said") or NOTHING_SAID
        """Role -> what was asked and answered, where a model plays it."""
        self.sights: JsonDict = state.get("sights") or NOTHING_SAID
        """sha256 -> the view of that picture that the agent sees now, where boxes are in its pixels."""
        self.recorded: JsonDict | None = state.get("recorded")
        """How far a recording was followed: {length, matched}, and `rewards` where it has them. Absent in worlds without one."""
        self.over = False
        self.stopped = False
        """Whether the rule's verbs end here, with what was shown so far."""
        self.submission: Any = None
        self.marks: list[str] = []
        self.shown: list[str | Part] = []
        self.drawn: list[Any] = []
        self.answers, self.used = answers, 0

    def go(self, node: Node) -> None:
        """Stand on `node`."""
        self.node = node
        self.env["at"] = node.view

    def found(self, results: list[Any]) -> None:
        """The results of a query: references and texts. A rule whose expressions name `results` sees their views."""
        self.results = results
        if self.wants:
            self.env["results"] = views(self.scene, results)

    def edit(self, edits: Edits) -> None:
        """The rows are now as these edits leave them: every look sees them so. A row that is gone is no result any more, and nobody stands on it."""
        self.edits = edits or None
        scene = self.scene = self.scene.root.of(self.edits)
        rows, env = scene.rows, self.env
        env["row"] = scene.node.view
        if self.node is not None:
            self.node = rows.node(self.node.table, self.node.key, scene.row)
            env["at"] = None if self.node is None else self.node.view
        for table in rows.tables.keys() & env.keys():
            env[table] = scene.listing(table)
        self.found([r for r in self.results if type(r) is not list or rows.look(r[0], r[1], scene.row) is not None])

    def taken(self) -> list[Any]:
        """The outside replies that were used, in order."""
        return list(self.answers[: self.used]) if self.used else []

    def put(self, values: JsonDict) -> None:
        """Sets variables."""
        self.vars = self.env["vars"] = {**self.vars, **values}

    def see(self, mark: str) -> None:
        """Adds `table/key/field` to what was seen."""
        self.marks.append(mark)
        self.seen = with_mark(self.seen, mark)


def with_mark(seen: list[str], mark: str) -> list[str]:
    """The sorted list with `mark` in it: itself, or a copy."""
    i = bisect_left(seen, mark)
    if i < len(seen) and seen[i] == mark:
        return seen
    seen = seen.copy()
    seen.insert(i, mark)
    return seen
