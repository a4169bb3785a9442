"""reveal: a field, a sentence, what stands at a path, or a picture becomes seen and is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from agentharness import canon
from agentharness.env.expr import Compiled
from agentharness.env.fields import picker
from agentharness.env.maker import Maker
from agentharness.env.verbs_image import picture, reveal_image, sight
from agentharness.env.verbs_move import one_of, spans
from agentharness.env.views import Node
from agentharness.env.work import NOTHING, Missing, Verb, Work

_KEYS = {"field": ("of",), "span": ("in", "of"), "path": ("in", "of"), "image": ("of", "crop", "rotate", "scale", "fit", "frame")}
"""Form -> the keys that may stand beside it."""


def reveal(make: Maker, body: Any, *path: str | int) -> Verb:
    """FIELD | {field, of} | {span, in, of} | {path, in, of} | {image, of, crop, rotate, scale, fit, frame}"""
    if isinstance(body, str):
        body = {"field": body}
    form, body = one_of(make, body, tuple(_KEYS), tuple(dict.fromkeys(key for keys in _KEYS.values() for key in keys)), *path)
    for key in body:
        if key != form and key not in _KEYS[form]:
            raise make.fail(f"reveal {form} takes no {key!r}", (*path, key), f"it takes: {', '.join(sorted(_KEYS[form]))}")
    nodes, tables = _of(make, body.get("of"), form, *path)
    columns = make.columns(tables)
    if form == "field":
        field = make.field(body[form], tables, *path, form)
        if any(picture(make.corpus.assets, picker(field, columns)(row)) for t in tables for _, _, row in islice(make.corpus.tables[t], 1)):
            raise make.fail(f"{field!r} holds pictures, and would be shown as text", (*path, form), f"reveal: {{image: {field}}}")
        return _field(nodes, field, columns)
    if form == "path":
        if "in" not in body and not tables:
            raise make.fail("a path is looked up where one stands, but no rule goes anywhere", path, "of: row, or a `goto` before")
        inside = make.field(body["in"], tables, *path, "in") if "in" in body else ""
        return _path(make, nodes, make.expression(body[form], *path, form), inside, columns)
    if form == "span":
        if "in" not in body:
            raise make.fail("reveal span says where: `in`", path, "in: FIELD")
        return _span(nodes, make.expression(body[form], *path, form), make.field(body["in"], tables, *path, "in"), columns)
    field = make.field(body[form], tables, *path, form)
    return reveal_image(make, nodes, field, columns, sight(make, body, field, *path))


Nodes = Callable[[Work], Sequence[Node]]


def _of(make: Maker, of: Any, form: str, *path: str | int) -> tuple[Nodes, list[str]]:
    if of is None:
        of = "at" if make.standing else "row"
        if of == "at":
            return _here, sorted({*make.standing, make.each})
    if of == "row":
        return (lambda work: (work.scene.node,)), [make.each]
    if of == "at":
        return (lambda work: (work.node,) if work.node else ()), make.standing
    if of == "results" and form != "span":
        return _results, make.listed
    raise make.fail(f"`of` is one of at, row{'' if form == 'span' else ', results'}", (*path, "of"))


def _here(work: Work) -> Sequence[Node]:
    return (work.node or work.scene.node,)


def _results(work: Work) -> Sequence[Node]:
    scene = work.scene
    return [scene.rows.at(r, scene.row) for r in work.results if type(r) is list]


def _field(nodes: Nodes, field: str, columns: frozenset[str]) -> Verb:
    pick = picker(field, columns)
    suffix = "/" + field

    def one(work: Work, node: Node) -> Missing | None:
        value = pick(node.view)
        if value is None:
            return NOTHING
        if work.texts:
            work.shown.append(as_text(value))
        work.see(node.id + suffix)
        return None

    if nodes is _here:
        return lambda work: one(work, work.node or work.scene.node)

    def verb(work: Work) -> Missing | None:
        found = [one(work, node) for node in nodes(work)]
        return None if None in found else NOTHING

    return verb


def _span(nodes: Nodes, run: Compiled, field: str, columns: frozenset[str]) -> Verb:
    pick = picker(field, columns)

    def verb(work: Work) -> Missing | None:
        nothing = True
        for node in nodes(work):
            text = pick(node.view)
            found = spans(text, run(work.env))
            if found:
                nothing = False
                if work.texts:
                    work.shown.append((" " if isinstance(text, str) else "").join(found))
                work.see(f"{node.id}/{field}")
        return NOTHING if nothing else None

    return verb


def _path(make: Maker, nodes: Nodes, run: Compiled, inside: str, columns: frozenset[str]) -> Verb:
    """What stands at a path that is chosen while playing, in a public field or in the row. The view that is searched holds public paths only."""
    pick, assets = picker(inside, columns) if inside else lambda view: view, make.corpus.assets

    def verb(work: Work) -> Missing | None:
        nothing = True
        for node in nodes(work):
            path = run(work.env)
            value = found_at(pick(node.view), path)
            if value is not None:
                nothing = False
                part = picture(assets, value)
                if part is not None:
                    work.shown.append(part)
                elif work.texts:
                    work.shown.append(as_text(value))
                said = ".".join(map(str, path)) if isinstance(path, list) else path
                work.see(f"{node.id}/{inside}.{said}" if inside else f"{node.id}/{said}")
        return NOTHING if nothing else None

    return verb


def found_at(value: Any, path: Any) -> Any:
    """What stands at `path`: the field of that name, else a place in a list, else names joined by full stops; a list of names is taken name by name. None
    where nothing stands there."""
    if isinstance(path, list):
        for name in path:
            value = _inside(value, name)
        return value if path else None
    if not isinstance(path, str):
        return _inside(value, path)
    found = _inside(value, path)
    if found is None and "." in path:
        return found_at(value, path.split("."))
    return found


def _inside(value: Any, name: Any) -> Any:
    if isinstance(value, dict):
        return value.get(name) if isinstance(name, str) else None
    if isinstance(value, list):
        if isinstance(name, str) and name.isascii() and name.isdigit() and len(name) < 10:
            name = int(name)
        return value[name] if type(name) is int and 0 <= name < len(value) else None
    return None


def as_text(value: Any) -> str:
    """How a revealed value reads: a text as it is, a list of texts joined, anything else compact JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
        return "".join(value)
    return canon.dumps(value).decode()
