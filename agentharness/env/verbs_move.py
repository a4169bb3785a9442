"""goto and query: where one stands, and what one found."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from agentharness.corpus.table import key_of
from agentharness.env.expr import Compiled
from agentharness.env.fields import picker
from agentharness.env.maker import Maker
from agentharness.env.verbs_search import search
from agentharness.env.verbs_sql import sql
from agentharness.env.work import NOTHING, Missing, Verb, Work
from agentharness.errors import closest
from agentharness.types.part import JsonDict

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")


def one_of(make: Maker, body: Any, needed: Sequence[str], allowed: Sequence[str], *path: str | int) -> tuple[str, JsonDict]:
    """The form that a verb's mapping has: exactly one key of `needed`, others from `allowed`. Raises UserError."""
    if not isinstance(body, dict):
        raise make.fail(f"{path[-1]} takes a mapping", path, f"one of: {', '.join(needed)}")
    known = (*needed, *allowed)
    for key in body:
        if key not in known:
            raise make.fail(f"{path[-1]} knows no {key!r}", (*path, key), closest(key, known))
    forms = [k for k in needed if k in body]
    if len(forms) != 1:
        raise make.fail(f"{path[-1]} takes exactly one of {', '.join(needed)}", path)
    return forms[0], body


def goto(make: Maker, body: Any, *path: str | int) -> Verb:
    """{TABLE: key} | {EDGE: key of a neighbour} | {hit: ordinal in results}"""
    if not isinstance(body, dict) or len(body) != 1:
        raise make.fail("goto takes one target", path, "goto: {TABLE or EDGE or hit: expression}")
    ((target, source),) = body.items()
    run = make.expression(source, *path, target)
    if target == "hit":
        make.wanted.add("results")
        return _to_hit(run)
    if target in make.spec.edges:
        return _along(run, make.edge(target, *path, target))
    if target not in make.corpus.tables:
        raise make.fail(f"there is no table or edge {target!r}", (*path, target), closest(target, [*make.corpus.tables, *make.spec.edges, "hit"]))
    return _to_row(run, make.keyed(target, *path, target))


def _to_row(run: Compiled, table: str) -> Verb:
    def verb(work: Work) -> Missing | None:
        key = key_of(run(work.env))
        node = None if key is None else work.scene.rows.node(table, key, work.scene.row)
        if node is None:
            return NOTHING
        work.go(node)
        return None

    return verb


def _along(run: Compiled, edge: str) -> Verb:
    def verb(work: Work) -> Missing | None:
        key, here = run(work.env), work.node
        if type(key) is not str:
            key = key_of(key)
        if key is None or here is None:
            return NOTHING
        ways = here.edges.get(edge)
        if ways is None:
            ways = work.scene.rows.neighbours(here, edge, work.scene.row)
        node = ways.get(key)
        if node is None:
            return NOTHING
        work.node = node
        work.env["at"] = node.view
        return None

    return verb


def _to_hit(run: Compiled) -> Verb:
    def verb(work: Work) -> Missing | None:
        ordinal = run(work.env)
        if type(ordinal) is not int or not 0 <= ordinal < len(work.results) or type(work.results[ordinal]) is not list:
            return NOTHING
        work.go(work.scene.rows.at(work.results[ordinal], work.scene.row))
        return None

    return verb


def query(make: Maker, body: Any, *path: str | int) -> Verb:
    """{key, in: TABLE} | {filter, in: TABLE, limit} | {text, in: TABLE, fields, limit} | {neighbours: EDGE} | {span, in: FIELD} |
    {sql, in: TABLES, limit, seconds}"""
    form, body = one_of(make, body, ("key", "filter", "text", "neighbours", "span", "sql"), ("in", "fields", "limit", "seconds"), *path)
    if form == "sql":
        return sql(make, body, *path)
    if "seconds" in body:
        raise make.fail(f"query {form} takes no 'seconds'", (*path, "seconds"))
    if form == "neighbours":
        return _neighbours(make.edge(body[form], *path, form))
    if "in" not in body:
        raise make.fail(f"query {form} says where: `in`", path, "in: FIELD" if form == "span" else "in: TABLE")
    if form == "span":
        field = make.field(body["in"], make.standing, *path, "in")
        return _span(make.expression(body[form], *path, form), picker(field, make.columns(make.standing)))
    if form == "key":
        table = make.keyed(body["in"], *path, "in")
        return _key(make.expression(body[form], *path, form), table)
    table = make.table(body["in"], *path, "in")
    limit = body.get("limit", 20)
    if type(limit) is not int or limit < 1:
        raise make.fail("limit is a whole number from 1", (*path, "limit"))
    if form == "text":
        return search(make, make.expression(body[form], *path, form), table, body.get("fields"), limit, *path)
    return _filter(make.expression(body[form], *path, form, more={"item": make.record(table)}), table, limit)


def _key(run: Compiled, table: str) -> Verb:
    def verb(work: Work) -> Missing | None:
        key = key_of(run(work.env))
        node = None if key is None else work.scene.rows.node(table, key, work.scene.row)
        work.found([] if node is None else [node.ref])
        return None if node else NOTHING

    return verb


def _filter(run: Compiled, table: str, limit: int) -> Verb:
    def verb(work: Work) -> Missing | None:
        rows, row = work.scene.rows, work.scene.row
        env = dict(work.env)

        def holds(key: str) -> bool:
            env["item"] = rows.look(table, key, row)
            return bool(run(env))

        found = [[table, key] for key in islice(filter(holds, rows.keys(table, row)), limit)]
        work.found(found)
        return None if found else NOTHING

    return verb


def _neighbours(edge: str) -> Verb:
    def verb(work: Work) -> Missing | None:
        here, scene = work.node, work.scene
        if here is None:
            return NOTHING
        found = list({node.id: node.ref for node in scene.rows.neighbours(here, edge, scene.row).values()}.values())
        work.found(found)
        return None if found else NOTHING

    return verb


def _span(run: Compiled, pick: Callable[[Any], Any]) -> Verb:
    def verb(work: Work) -> Missing | None:
        if work.node is None:
            return NOTHING
        found = [s.strip() for s in spans(pick(work.node.view), run(work.env))]
        work.found(list(found))
        return None if found else NOTHING

    return verb


def spans(text: Any, needle: Any) -> list[str]:
    """The sentences of `text` (its items, where it is a list of texts) that hold `needle`, case folded."""
    if not isinstance(needle, str) or not needle.strip():
        return []
    wanted = needle.strip().casefold()
    return [s for s in sentences(text) if wanted in s.casefold()]


def sentences(text: Any) -> list[str]:
    """The items of a list of texts (lists of lists are flattened); a text split at sentence ends and line breaks."""
    if isinstance(text, str):
        return [s for s in _SENTENCE_END.split(text) if s and not s.isspace()]
    if isinstance(text, list):
        return [s for item in text for s in ([item] if isinstance(item, str) else sentences(item))]
    return []
