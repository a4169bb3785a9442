"""The shape of verbs and arguments: the parts of a task that are free mappings to pydantic. What their expressions mean is the compiler's affair."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn

from agentharness.config.yaml import KeyPath
from agentharness.env.edits import is_edit
from agentharness.env.mistakes import dotted, key_place, shown
from agentharness.env.spec import TaskSpec
from agentharness.env.task import Places
from agentharness.errors import UserError, closest

_MOST = 1_000_000
"""Rows that a query may list."""

VERBS = ("goto", "query", "reveal", "set", "end", "draw", "respond", "hook")
TYPES = ("string", "integer", "number", "boolean", "array", "object")
_ARG_KEYS = (
    "type",
    "description",
    "enum",
    "default",
    "optional",
    "minimum",
    "maximum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
)
_RESPOND = ("role", "to", "recorded", "prompt", "rule", "into", "prefer")
_RECORDED = ("in", "question", "answer", "match", "least", "chat")
_ROLE = re.compile(r"[a-z][a-z0-9_]*\Z")
_FORMS: dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "query": {
        "key": (("in",), ()),
        "filter": (("in",), ("limit",)),
        "text": (("in", "fields"), ("limit",)),
        "neighbours": ((), ()),
        "span": (("in",), ()),
        "sql": ((), ("in", "limit", "seconds")),
    },
    "reveal": {
        "field": ((), ("of",)),
        "span": (("in",), ("of",)),
        "path": ((), ("in", "of")),
        "image": ((), ("of", "crop", "rotate", "scale", "fit", "frame")),
    },
}
"""Verb -> the key that tells its form -> (keys that the form needs, keys that it may have)."""
_LIKE = {
    "goto": "goto: {TABLE: key}, {EDGE: key}, {hit: number} or {recorded: TABLE}",
    "query": "query: {key: …, in: TABLE}, {filter: …, in: TABLE}, {text: …, in: TABLE, fields: [FIELD]}, {neighbours: EDGE}, {span: …, in: FIELD} or {sql: …}",
    "reveal": "reveal: FIELD, or {field: …}, {span: …, in: FIELD}, {path: …, in: FIELD} or {image: FIELD}",
    "set": "set: {VARIABLE: expression}, or {in: TABLE, key: …, values: {FIELD: …}}",
    "end": "end: expression, or {when: expression, value: expression}",
    "draw": "draw: {VARIABLE: {from: list}} or {VARIABLE: {int: [low, high]}}",
    "respond": "respond: {role: patient, to: args.question, rule: …}",
    "hook": "hook: NAME, or {name: NAME, args: {…}, hidden: true}",
}


def check(spec: TaskSpec, places: Places) -> None:
    """Checks every verb and argument of a task. Raises UserError for the first whose shape is wrong."""
    shape = _Shape(places, frozenset(spec.vars))
    shape.verbs(spec.start, ("start",))
    for name, rule in spec.actions.items():
        for arg, said in rule.args.items():
            shape.arg(said, ("actions", name, "args", arg))
        shape.verbs(rule.do, ("actions", name, "do"))


@dataclass(slots=True)
class _Shape:
    places: Places
    variables: frozenset[str]

    def wrong(self, path: KeyPath, what: str, hint: str, *, key: bool = False) -> NoReturn:
        place = self.places.at(*path)
        raise UserError(f"{dotted(path)} {what}", where=str(key_place(place, str(path[-1])) if key else place), hint=hint)

    def verbs(self, items: list[dict[str, Any]], path: KeyPath) -> None:
        for i, item in enumerate(items):
            at = (*path, i)
            unknown = next((verb for verb in item if verb not in VERBS), None)
            if unknown is not None:
                self.wrong((*at, unknown), "is no verb", closest(unknown, VERBS), key=True)
            if len(item) != 1:
                self.wrong(at, f"must hold one verb, holds {', '.join(item) or 'none'}", "begin a new `- ` line for each verb")
            ((verb, said),) = item.items()
            getattr(self, verb)(said, (*at, verb))

    def goto(self, said: Any, at: KeyPath) -> None:
        if not isinstance(said, dict) or len(said) != 1:
            self.wrong(at, "must name one table or edge, or `hit`", _LIKE["goto"])
        for key, value in said.items():
            self.expression(value, (*at, key))

    def query(self, said: Any, at: KeyPath) -> None:
        form = self.form("query", said, at)
        self.expression(said[form], (*at, form))
        if "in" in said:
            tables = said["in"] if form == "sql" and isinstance(said["in"], list) else [said["in"]]
            for table in tables:
                self.word(table, (*at, "in"))
        if "fields" in said:
            if not isinstance(said["fields"], list) or not said["fields"]:
                self.wrong((*at, "fields"), f"must be a list of field paths, is {shown(said['fields'])}", "fields: [title, text]")
            for i, field in enumerate(said["fields"]):
                self.word(field, (*at, "fields", i))
        limit = said.get("limit", 1)
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST:
            bounds = "from 1" if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1 else f"of at most {_MOST:,}"
            self.wrong((*at, "limit"), f"must be a whole number {bounds}, is {shown(limit)}", "limit: 20")

    def reveal(self, said: Any, at: KeyPath) -> None:
        if isinstance(said, str):
            return self.word(said, at)
        form = self.form("reveal", said, at)
        self.expression(said[form], (*at, form))
        if "in" in said:
            self.word(said["in"], (*at, "in"))
        known = ("at", "row") if form == "span" else ("at", "row", "results")
        if said.get("of", "row") not in known:
            self.wrong((*at, "of"), f"must be one of {', '.join(known)}, is {shown(said['of'])}", closest(str(said["of"]), known))
        if "crop" in said and not isinstance(said["crop"], str):
            self.wrong((*at, "crop"), f"must be one expression, is {shown(said['crop'])}", 'crop: "[args.x0, args.y0, args.x1, args.y1]", in quotes')
        for key in ("rotate", "scale"):
            if key in said:
                self.expression(said[key], (*at, key))
        turn = said.get("rotate", 0)
        if isinstance(turn, int | float) and (isinstance(turn, bool) or turn % 90):
            self.wrong((*at, "rotate"), f"must be a quarter turn, is {shown(turn)}", "rotate: 90, clockwise; or 180, 270")
        if said.get("frame", "source") not in ("source", "shown"):
            self.wrong((*at, "frame"), f"must be source or shown, is {shown(said['frame'])}", "frame: source (its own pixels) or shown (of what is seen now)")
        fit = said.get("fit", [1, 1])
        if not (isinstance(fit, list) and len(fit) == 2 and all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in fit)):
            self.wrong((*at, "fit"), f"must be [width, height] in pixels, is {shown(fit)}", "fit: [256, 256]")

    def set(self, said: Any, at: KeyPath) -> None:
        if not isinstance(said, dict) or not said:
            self.wrong(at, f"must be a mapping of variables, is {shown(said)}", _LIKE["set"])
        if is_edit(said, self.variables):
            return self.edit(said, at)
        for name, value in said.items():
            if value is not None:
                self.expression(value, (*at, name))

    def edit(self, said: dict[str, Any], at: KeyPath) -> None:
        self.known(said, ("in", "key", "values", "add", "remove"), at)
        self.word(said["in"], (*at, "in"))
        if "key" not in said:
            self.wrong(at, "needs `key` beside `in`", _LIKE["set"])
        self.expression(said["key"], (*at, "key"))
        given = said.get("values", {})
        if not isinstance(given, dict):
            self.wrong((*at, "values"), f"must be a mapping of fields, is {shown(given)}", "values: {FIELD: expression}")
        for field, value in given.items():
            if value is not None:
                self.expression(value, (*at, "values", field))

    def end(self, said: Any, at: KeyPath) -> None:
        if not isinstance(said, dict):
            return self.expression(said, at)
        self.known(said, ("when", "value"), at)
        for key in ("when", "value"):
            if key not in said:
                self.wrong(at, f"needs `{key}`", _LIKE["end"])
            self.expression(said[key], (*at, key))

    def draw(self, said: Any, at: KeyPath) -> None:
        if not isinstance(said, dict) or not said:
            self.wrong(at, f"must be a mapping of variables, is {shown(said)}", _LIKE["draw"])
        for name, how in said.items():
            if not isinstance(how, dict) or len(how) != 1 or not set(how) <= {"from", "int"}:
                self.wrong((*at, name), "must say where to draw from", _LIKE["draw"])
            span = how.get("int", [0, 0])
            if not isinstance(span, list) or [type(n) for n in span] != [int, int] or span[0] > span[1]:
                self.wrong((*at, name, "int"), f"must be two whole numbers, the lower first, is {shown(span)}", _LIKE["draw"])
            if "from" in how and not isinstance(how["from"], str):
                self.wrong((*at, name, "from"), f"must be an expression for a list, is {shown(how['from'])}", _LIKE["draw"])

    def respond(self, said: Any, at: KeyPath) -> None:
        if not isinstance(said, dict):
            self.wrong(at, f"must be a mapping, is {shown(said)}", _LIKE["respond"])
        self.known(said, _RESPOND, at)
        for key in ("role", "to"):
            if key not in said:
                self.wrong(at, f"needs `{key}`", _LIKE["respond"])
        if not isinstance(said["role"], str) or not _ROLE.match(said["role"]):
            self.wrong((*at, "role"), f"must be one word in small letters, is {shown(said['role'])}", "role: patient")
        self.expression(said["to"], (*at, "to"))
        if not said.keys() & {"recorded", "prompt", "rule"}:
            self.wrong(at, "does not say what answers", "recorded: {in: …}, prompt: …, or rule: …")
        if said.get("prefer", "record") not in ("record", "model"):
            self.wrong((*at, "prefer"), f"must be record or model, is {shown(said['prefer'])}", "prefer: model")
        for key in ("prompt", "rule"):
            if key in said and (not isinstance(said[key], str) or not said[key]):
                self.wrong((*at, key), f"must be a text, is {shown(said[key])}", "{{ }} stands where it changes")
        if "recorded" in said:
            self.recorded(said["recorded"], (*at, "recorded"))

    def recorded(self, said: Any, at: KeyPath) -> None:
        if not isinstance(said, dict) or "in" not in said:
            self.wrong(at, "must say where answers stand: `in`", "recorded: {in: row.dialogue, question: q, answer: a}")
        self.known(said, _RECORDED, at)
        self.expression(said["in"], (*at, "in"))
        if "chat" in said and (said["chat"] is not True or said.keys() & {"question", "answer"}):
            self.wrong((*at, "chat"), "is true, and goes without `question` and `answer`", "recorded: {in: row.messages, chat: true}")
        if said.get("match", "nearest") not in ("exact", "nearest"):
            self.wrong((*at, "match"), f"must be exact or nearest, is {shown(said['match'])}", "match: nearest")
        least = said.get("least", 0)
        if isinstance(least, bool) or not isinstance(least, int | float) or not 0 <= least <= 1:
            self.wrong((*at, "least"), f"must be a number from 0 to 1, is {shown(least)}", "least: 0.3")

    def hook(self, said: Any, at: KeyPath) -> None:
        if isinstance(said, str):
            return self.word(said, at)
        if not isinstance(said, dict) or not isinstance(said.get("name"), str) or not isinstance(said.get("args", {}), dict):
            self.wrong(at, "must name a function of hooks.py", _LIKE["hook"])
        self.known(said, ("name", "args", "hidden"), at)

    def form(self, verb: str, said: Any, at: KeyPath) -> str:
        """The key that tells the verb's form, once all keys fit it."""
        forms = _FORMS[verb]
        if not isinstance(said, dict):
            self.wrong(at, f"must be a mapping, is {shown(said)}", _LIKE[verb])
        everything = {key for form, (need, may) in forms.items() for key in (form, *need, *may)}
        self.known(said, everything, at)
        told = [str(key) for key in said if key in forms]
        if len(told) != 1:
            self.wrong(at, f"must have one of {', '.join(forms)}, has {' and '.join(told) or 'none'}", _LIKE[verb])
        need, may = forms[told[0]]
        for key in need:
            if key not in said:
                self.wrong(at, f"needs `{key}` beside `{told[0]}`", _LIKE[verb])
        for key in said:
            if key not in (told[0], *need, *may):
                self.wrong((*at, key), f"does not go with `{told[0]}`", _LIKE[verb], key=True)
        return told[0]

    def known(self, said: dict[str, Any], known: Any, at: KeyPath) -> None:
        for key in said:
            if key not in known:
                self.wrong((*at, key), "is no key of this verb", closest(key, known), key=True)

    def expression(self, value: Any, at: KeyPath) -> None:
        if not isinstance(value, str | int | float) or value == "":
            self.wrong(at, f"must be an expression, is {shown(value)}", "write it on one line, in quotes where it holds { } [ ] or : ")

    def word(self, value: Any, at: KeyPath) -> None:
        if not isinstance(value, str) or not value:
            self.wrong(at, f"must be a name, is {shown(value)}", "write one word")

    def arg(self, said: Any, at: KeyPath) -> None:
        """One argument: a type's name, or a JSON schema."""
        if isinstance(said, str):
            if said not in TYPES:
                self.wrong(at, f"must be a type, is {said!r}", closest(said, TYPES))
            return
        if not isinstance(said, dict):
            self.wrong(at, f"must be a type's name or a JSON schema, is {shown(said)}", "title: string, or title: {type: string}")
        for key in said:
            if key not in _ARG_KEYS:
                self.wrong((*at, key), "is no key of an argument", closest(key, _ARG_KEYS), key=True)
        if "type" in said and said["type"] not in TYPES:
            self.wrong((*at, "type"), f"must be a type, is {shown(said['type'])}", closest(str(said["type"]), TYPES))
        if "enum" in said and (not isinstance(said["enum"], str | list) or not said["enum"]):
            self.wrong((*at, "enum"), f"must be a list or an expression for one, is {shown(said['enum'])}", "enum: [left, right], or enum: at.borders")
        if "items" in said:
            self.arg(said["items"], (*at, "items"))
