"""Worlds beyond a question and its answer, told by the shape of the data: recorded steps, conversations, graphs, options, sections, named rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentharness import canon
from agentharness.canon import derive_seed
from agentharness.new.guess import ANSWER, KEY, Plan, named, plain
from agentharness.new.profile import Column
from agentharness.types.part import JsonDict

_ACTION = ("action", "act", "move", "command", "tool_call", "did")
_SEEN = ("observation", "obs", "state", "seen", "screen", "before")
_GAIN = ("reward", "gain", "score")
_NAMES = ("name", "title", "country", "city", "product", "species", "element", "label", "common_name", "term")
MOST_FACTS, MOST_TRIPS, MOST_CLUES, MOST_NAMES = 12, 200, 6, 60
FEW_ROWS = 5
"""Rows from which on there is something to tell apart."""
TRIPS = "trips.jsonl"


def steps(rows: Sequence[JsonDict], columns: Sequence[Column]) -> Plan | None:
    """Recorded trajectories: a column that lists records of an action, and of what was seen before it."""
    for column in columns:
        first = column.values[0] if column.kind == "records" and column.values else None
        keys = {key for item in first for key in item} if isinstance(first, list) else set()
        act, seen, gain = (next((name for name in names if name in keys), None) for names in (_ACTION, _SEEN, _GAIN))
        if act is None or seen is None:
            continue
        question = named([c for c in columns if c.kind == "text" and c.filled > 0.9], ("goal", "task", "instruction", "question", "query"), ("text",))
        said: JsonDict = {"from": column.name, "observation": seen, "action": act, **({"reward": gain} if gain else {})}
        out = Plan("replay", question.name if question else "Do what was recorded, one action a turn.", "", "", extra={"steps": said})
        if tools := _tools(item.get(act) for row in rows for item in row.get(column.name) or ()):
            out.extra["tools"] = tools
        out.said.append(f"{column.name!r} holds recorded steps, {act!r} after {seen!r}: they are played again")
        return out
    return None


def chat(rows: Sequence[JsonDict], columns: Sequence[Column]) -> Plan | None:
    """Recorded conversations without an answer beside them: their user goes on as recorded."""
    if named(columns, ANSWER, ("text", "number", "truth", "texts", "records", "record", "lists")) is not None:
        return None
    talk = next((c for c in columns if c.kind == "messages" and c.name == "messages"), None)
    if talk is None:
        return None
    turns = [sum(_answers(message) for message in row.get("messages") or ()) for row in rows]
    if not any(turns):
        return None
    out = Plan("chat", "", "", "", where=None if all(turns) else "row.messages | selectattr('role', 'eq', 'assistant') | map('content') | select | list")
    out.said.append(f"'messages' holds conversations of up to {max(turns)} turns: the user goes on as recorded, the assistant's words are gold")
    if not all(turns):
        out.said.append("conversations in which the assistant says nothing are left out")
    return out


def _answers(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "assistant" and bool(message.get("content"))


def _tools(actions: Iterator[Any]) -> JsonDict:
    """The actions that a recording holds, with the types of their arguments; none where it holds plain texts."""
    out: dict[str, dict[str, str]] = {}
    for action in actions:
        if not isinstance(action, dict) or not isinstance(action.get("name"), str):
            continue
        args = out.setdefault(action["name"], {})
        for name, value in (action.get("args") or {}).items():
            args[name] = _type(value) if args.get(name, _type(value)) == _type(value) else "string"
    return {name: {"args": args} if args else {} for name, args in sorted(out.items())}


def _type(value: Any) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
    return kinds.get(type(value), "string")


def graph(rows: Sequence[JsonDict], columns: Sequence[Column]) -> Plan | None:
    """A graph: a column that lists the keys of other rows. Its episodes are trips, made here: from a node to another one, told by its facts."""
    for edge in (c for c in columns if c.kind == "texts" and len(rows) >= FEW_ROWS):
        for key in (c for c in columns if c.unique and c.kind == "text"):
            nodes = {row[key.name]: row for row in rows}
            listed = [name for row in rows for name in row.get(edge.name) or ()]
            if not listed or sum(name in nodes for name in listed) < 0.8 * len(listed):
                continue
            told = [c for c in columns if c.name != key.name and (c.kind in ("number", "truth") or (c.kind == "text" and not c.unique))]
            facts = [c.name for c in told][:MOST_CLUES]
            trips = list(_trips(nodes, edge.name, facts)) if facts else []
            if len(trips) < FEW_ROWS:
                continue
            out = Plan(
                "graph", "Find the place that these clues describe, and name it. {{ row.clues }}", "goal", "exact", key="id", slices=["hops"], made=trips
            )
            out.extra["nodes"] = {"key": key.name, "edge": edge.name, "start": "start", "show": facts}
            out.said.append(f"{edge.name!r} lists other rows by {key.name!r}: a graph of {len(nodes):,} nodes; {len(trips)} trips are made over it")
            return out
    return None


def _trips(nodes: dict[str, JsonDict], edge: str, facts: list[str]) -> Iterator[JsonDict]:
    """Deterministic trips of 1 to 4 hops, the same for the same nodes."""
    clues = {name: "; ".join(f"{fact}: {row[fact]}" for fact in facts if row.get(fact) not in (None, "")) for name, row in nodes.items()}
    told: dict[str, int] = {}
    for text in clues.values():
        told[text] = told.get(text, 0) + 1
    made = 0
    for i, start in enumerate(sorted(nodes, key=lambda name: derive_seed("trip", name))):
        goals, hops = _goals(nodes, edge, start, 1 + i % 4, {name for name, text in clues.items() if text and told[text] == 1})
        if goals and made < MOST_TRIPS:
            made += 1
            goal = min(goals, key=lambda name: derive_seed("goal", start, name))
            yield {"id": f"trip-{made:03d}", "start": start, "goal": goal, "hops": hops, "clues": clues[goal]}


def _goals(nodes: dict[str, JsonDict], edge: str, start: str, far: int, wanted: set[str]) -> tuple[list[str], int]:
    """The wanted nodes at a distance of `far` hops, or of the most below it that has some; and that distance."""
    front, seen = [start], {start}
    goals, at = list[str](), 0
    for hops in range(1, far + 1):
        front = [name for name in dict.fromkeys(n for near in front for n in nodes[near].get(edge) or ()) if name in nodes and name not in seen]
        seen.update(front)
        if here := [name for name in front if name in wanted]:
            goals, at = here, hops
    return goals, at


def choice(found: Plan, columns: Sequence[Column]) -> None:
    """A question with a list of options becomes one by letter."""
    options = next((c for c in columns if found.options_in == c.name and c.kind == "texts"), None)
    if options is None or found.reward != "choice" or found.preset != "qa" or found.asked is None:
        return
    found.preset, found.ask, found.against = "choice", found.asked, None
    found.extra["options"] = options.name


def reveal(found: Plan, columns: Sequence[Column]) -> None:
    """A question beside a record of several texts: the record is opened section by section."""
    head = found.answer.split(".")[0].split("[")[0]
    if found.preset != "qa" or found.asked is None:
        return
    for column in columns:
        if column.kind == "record" and column.name != head and column.name != found.options_in and column.filled > 0.9:
            sizes = [len(value) for value in column.values if isinstance(value, dict)]
            if sizes and sum(sizes) / len(sizes) >= 3:
                found.preset = "reveal"
                found.extra["sections"] = column.name
                found.said.append(f"{column.name!r} is a record of sections, which are opened one by one")
                return


def table(rows: Sequence[JsonDict], columns: Sequence[Column]) -> Plan | None:
    """A table of named rows without a question and a class: which row is it? asked by its facts."""
    if named(columns, ANSWER, ("text", "number", "truth", "texts", "records", "record", "lists")) is not None or len(rows) < FEW_ROWS:
        return None
    name = named([c for c in columns if c.unique and c.kind == "text" and c.words <= 5], _NAMES, ("text",))
    if name is None:
        return None
    usable = [c for c in columns if c.name != name.name and c.filled > 0.5 and c.top < 0.95 and plain(c.name) not in KEY]
    facts = [c for c in usable if c.kind in ("number", "truth") or c.labels or (c.kind == "texts" and c.words <= 8)][:MOST_FACTS]
    if len(facts) < 3 or len({canon.dumps([row.get(c.name) for c in facts]) for row in rows}) < 0.9 * len(rows):
        return None
    one_of = ", one of: {{ labels | join(', ') }}" if len(rows) <= MOST_NAMES else ""
    out = Plan("table", f"I think of one of {len(rows)} rows{one_of}. What is its {plain(name.name).replace('_', ' ')}?", name.name, "exact")
    out.extra["facts"] = [c.name for c in facts]
    out.said.append(f"no column asks a question, {name.name!r} names the rows: the row is to be found by yes and no over {len(facts)} columns")
    return out
