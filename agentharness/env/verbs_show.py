"""reveal: a field, a sentence or a picture becomes seen and is shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from agentharness import canon
from agentharness.corpus.assets import Assets
from agentharness.env.expr import Compiled
from agentharness.env.fields import picker
from agentharness.env.maker import Maker
from agentharness.env.verbs_move import one_of, spans
from agentharness.env.views import Node
from agentharness.env.work import NOTHING, Missing, Verb, Work
from agentharness.types.part import Part


def reveal(make: Maker, body: Any, *path: str | int) -> Verb:
    """FIELD | {field, of} | {span, in, of} | {image, of, crop, fit}"""
    if isinstance(body, str):
        body = {"field": body}
    form, body = one_of(make, body, ("field", "span", "image"), ("of", "in", "crop", "fit"), *path)
    extra = {"field": {"of"}, "span": {"in", "of"}, "image": {"of", "crop", "fit"}}[form]
    for key in body:
        if key != form and key not in extra:
            raise make.fail(f"reveal {form} takes no {key!r}", (*path, key), f"it takes: {', '.join(sorted(extra))}")
    nodes, tables = _of(make, body.get("of"), form, *path)
    columns = make.columns(tables)
    if form == "field":
        return _field(nodes, make.field(body[form], tables, *path, form), columns)
    if form == "span":
        if "in" not in body:
            raise make.fail("reveal span says where: `in`", path, "in: FIELD")
        return _span(nodes, make.expression(body[form], *path, form), make.field(body["in"], tables, *path, "in"), columns)
    crop = make.expression(body["crop"], *path, "crop") if "crop" in body else None
    fit = body.get("fit")
    if fit is not None and (not isinstance(fit, list) or [type(x) for x in fit] != [int, int] or min(fit) < 1):
        raise make.fail("fit takes width and height in pixels", (*path, "fit"), "fit: [512, 512]")
    return _image(make, nodes, make.field(body[form], tables, *path, form), columns, crop, fit)


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


def _image(make: Maker, nodes: Nodes, field: str, columns: frozenset[str], crop: Compiled | None, fit: list[int] | None) -> Verb:
    pick, assets = picker(field, columns), make.corpus.assets

    def verb(work: Work) -> Missing | None:
        nothing = True
        for node in nodes(work):
            part = picture(assets, pick(node.view), crop(work.env) if crop else None, fit)
            if part is not None:
                nothing = False
                work.shown.append(part)
                work.see(f"{node.id}/{field}")
        return NOTHING if nothing else None

    return verb


def picture(assets: Assets, cell: Any, box: Any = None, fit: list[int] | None = None) -> Part | None:
    """The picture of a cell cut to `box` (source pixels, corners in any order, clamped to the picture), then shrunk into `fit`. None where nothing is left."""
    if not isinstance(cell, dict) or cell.get("type") != "image":
        return None
    view = list(cell["view"])
    if box is not None:
        if not isinstance(box, list) or len(box) != 4 or any(type(n) not in (int, float) or not math.isfinite(n) for n in box):
            return None
        width, height = assets.info(cell["asset"]).header.size
        x0, x1 = (min(max(n, 0), width) for n in sorted((box[0], box[2])))
        y0, y1 = (min(max(n, 0), height) for n in sorted((box[1], box[3])))
        view.append({"crop": [math.floor(x0), math.floor(y0), math.ceil(x1), math.ceil(y1)]})
    if fit is not None:
        view.append({"fit": fit})
    try:
        return assets.part(cell["asset"], view)
    except ValueError:
        return None


def as_text(value: Any) -> str:
    """How a revealed value reads: a text as it is, a list of texts joined, anything else compact JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
        return "".join(value)
    return canon.dumps(value).decode()
