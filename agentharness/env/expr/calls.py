"""Filters and tests in expressions: their arguments bound, their constant field names and patterns checked, the shape of what they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jinja2 import nodes

from agentharness.env.expr.checks import ONE, TWO
from agentharness.env.expr.compiler import NUMBER, Code, Compiler, Fn, constant
from agentharness.env.expr.filter_base import Keys, listed, reach
from agentharness.env.expr.filters import FILTERS, REQUIRED, FilterInfo
from agentharness.env.expr.patterns import compile_pattern
from agentharness.env.expr.shapes import At, Const, ListOf, Refused, Shape, Value, alternatives, get, items, join, values
from agentharness.errors import closest


class Prepared(NamedTuple):
    """A filter or test with its arguments bound: call(value, run, *arguments), the shape of its result, the shapes of what it was given."""

    call: Callable[..., Any]
    args: list[Fn]
    shape: Shape
    given: list[Shape]


def build_filter(c: Compiler, node: nodes.Filter) -> Code:
    if node.node is None:
        raise c.refuse(node)
    c.grows = True
    base = c.visit(node.node, whole=False)
    if node.dyn_args or node.dyn_kwargs:
        raise c.error(f"{node.name} takes its arguments one by one", node, "write no * and no **")
    keywords: list[Any] = node.kwargs  # declared as pairs, read as keywords
    ready = prepare(c, node, node.name, node.args, keywords, base.shape)
    fn = _applied(base.fn, ready.call, ready.args)
    return c.fold(fn, base.shape, *ready.given) or Code(fn, ready.shape)


def build_test(c: Compiler, node: nodes.Test) -> Code:
    base = c.visit(node.node)
    if node.kwargs or node.dyn_args or node.dyn_kwargs:
        raise c.error(f"the test {node.name} takes no such arguments", node, "write e.g. x is eq 3")
    ready = _check(c, node, node.name, node.args)
    call, inner = ready.call, base.fn
    fn: Fn = (lambda env, run: call(inner(env, run), run)) if not ready.args else _applied(inner, call, ready.args)
    return c.fold(fn, base.shape, *ready.given) or Code(fn, Value())


def prepare(c: Compiler, node: nodes.Node, name: str, args: Sequence[nodes.Expr], kwargs: Sequence[nodes.Keyword], shape: Shape) -> Prepared:
    """A filter for values of `shape`."""
    info = FILTERS.get(name)
    if info is None:
        raise c.error(f"unknown filter {name!r}", node, closest(name, FILTERS))
    c.filters.add(name)
    if name == "map":
        return _map(c, node, args, kwargs, shape)
    if name in _CHOOSE:
        return _choose(c, node, name, args, kwargs, shape)
    return _plain(c, node, name, info, _bind(c, node, name, info, args, kwargs), shape)


def _applied(inner: Fn, call: Callable[..., Any], args: list[Fn]) -> Fn:
    if not args:
        return lambda env, run: call(inner(env, run), run)
    if len(args) == 1:
        only = args[0]
        return lambda env, run: call(inner(env, run), run, only(env, run))
    return lambda env, run: call(inner(env, run), run, *[arg(env, run) for arg in args])


def _bind(
    c: Compiler, node: nodes.Node, name: str, info: FilterInfo, args: Sequence[nodes.Expr], kwargs: Sequence[nodes.Keyword]
) -> dict[str, nodes.Expr | None]:
    """Parameter -> its argument, None where the default stands."""
    if len(args) > len(info.params):
        raise c.error(f"{name} takes {len(info.params)} arguments at most", node, f"known: {', '.join(info.params) or 'none'}")
    bound: dict[str, nodes.Expr | None] = dict.fromkeys(info.params)
    bound.update(zip(info.params, args, strict=False))
    for keyword in kwargs:
        if keyword.key not in info.params:
            raise c.error(f"{name} has no argument {keyword.key!r}", node, closest(keyword.key, info.params))
        if bound[keyword.key] is not None:
            raise c.error(f"{name} is given {keyword.key!r} twice", node, "leave one out")
        bound[keyword.key] = keyword.value
    for param, given in bound.items():
        if given is None and info.params[param] is REQUIRED:
            raise c.error(f"{name} needs {param!r}", node, f"write {name}({', '.join(info.params)})")
    return bound


def _plain(c: Compiler, node: nodes.Node, name: str, info: FilterInfo, bound: dict[str, nodes.Expr | None], shape: Shape) -> Prepared:
    codes: list[Code] = []
    item = items(shape)
    path: Keys = ()
    for param, given in bound.items():
        if given is None:
            codes.append(constant(info.params[param]))
        elif param == "attribute":
            path = _path(c, name, given)
            codes.append(constant(path))
            item = _along(c, given, item, path)
            c.read(item)
        elif param == "pattern":
            codes.append(_pattern(c, name, given))
        else:
            codes.append(c.visit(given))
    if info.form in ("fields", "pairs") or (info.form in ("value", "number") and not path):
        c.read(shape)
    given_shapes = [code.shape for code in codes]
    return Prepared(info.call, [code.fn for code in codes], _result(info, shape, item, given_shapes), given_shapes)


def _result(info: FilterInfo, shape: Shape, field: Shape, given: list[Shape]) -> Shape:
    """The shape of a filter's result; `field` is what its attribute names in each item."""
    match info.form:
        case "number":
            return NUMBER
        case "cast":
            return join([NUMBER, given[0]])
        case "same":
            return shape
        case "item":
            return items(shape)
        case "list":
            return ListOf(items(shape))
        case "flat":
            return ListOf(join([items(shape), items(items(shape))]))
        case "fields":
            return ListOf(values(shape))
        case "pairs":
            return ListOf(ListOf(join([Value(), values(shape)])))
        case "groups":
            return ListOf(ListOf(join([field, given[1], ListOf(items(shape))])))
        case "batches":
            return ListOf(ListOf(items(shape)))
        case "default":
            return join([shape, given[0]])
        case _:
            return Value()


def _path(c: Compiler, name: str, node: nodes.Expr) -> Keys:
    """A constant field name or path: 'title', 'author.name', 0."""
    value = _constant(c, name, "field name", node)
    if value is None:
        return ()
    if type(value) is int:
        return (value,)
    if type(value) is not str or not value:
        raise c.error(f"{name} takes a field name in quotes", node, f"e.g. {name}(attribute='title')")
    return tuple(int(key) if key.isascii() and key.isdigit() and len(key) < 10 else key for key in value.split("."))


def _constant(c: Compiler, name: str, what: str, node: nodes.Expr) -> Any:
    shape = c.visit(node).shape
    if not isinstance(shape, Const):
        raise c.error(f"{name} takes a constant {what}, not one that is chosen while playing", node, "write it in quotes")
    return shape.value


def _along(c: Compiler, node: nodes.Node, shape: Shape, path: Keys) -> Shape:
    for key in path:
        shape = c.get(shape, Const(key), node)
    return shape


def _pattern(c: Compiler, name: str, node: nodes.Expr) -> Code:
    value = _constant(c, name, "pattern", node)
    if type(value) is not str:
        raise c.error(f"{name} takes a pattern in quotes", node, f"e.g. {name}('[0-9]+')")
    try:
        compiled = compile_pattern(value)
    except ValueError as e:
        raise c.error(f"the pattern {value!r} cannot be read: {e}", node, "the syntax is re2's: no look-around, no back references") from None
    return Code(lambda env, run: compiled, Const(value))


def _map(c: Compiler, node: nodes.Node, args: Sequence[nodes.Expr], kwargs: Sequence[nodes.Keyword], shape: Shape) -> Prepared:
    item = items(shape)
    keywords = {keyword.key: keyword.value for keyword in kwargs}
    if "attribute" in keywords and not args:
        if keywords.keys() - {"attribute", "default"}:
            raise c.error("map(attribute=…) takes only a default besides", node, "e.g. map(attribute='title', default='')")
        return _map_field(c, keywords["attribute"], _path(c, "map", keywords["attribute"]), item, keywords.get("default"))
    if not args:
        raise c.error("map needs the name of a field or filter", node, "e.g. map('title')")
    name = _constant(c, "map", "name", args[0])
    simple = len(args) == 1 and not kwargs
    rows_only = all(isinstance(one, At) and not one.path for one in alternatives(item))
    if type(name) is not str or name not in FILTERS:
        if not simple:
            raise c.error(f"unknown filter {name!r}", node, closest(str(name), FILTERS))
        return _map_field(c, args[0], _path(c, "map", args[0]), item, None)
    if not simple:
        inner = prepare(c, node, name, args[1:], kwargs, item)
        call = inner.call
        return Prepared(lambda value, run, *a: [call(one, run, *a) for one in listed(value, run)], inner.args, ListOf(inner.shape), inner.given)
    if rows_only:  # rows only: the field, whatever filter has its name
        return _map_field(c, args[0], (name,), item, None)
    return _map_either(c, node, args[0], name, item)


def _map_field(c: Compiler, node: nodes.Expr, path: Keys, item: Shape, default: nodes.Expr | None) -> Prepared:
    found = _along(c, node, item, path)
    c.read(found)
    if default is None and len(path) == 1:
        key = path[0]
        return Prepared(lambda value, run: [one.get(key) if type(one) is dict else reach(one, path) for one in listed(value, run)], [], ListOf(found), [])
    if default is None:
        return Prepared(lambda value, run: [reach(one, path) for one in listed(value, run)], [], ListOf(found), [])
    other = c.visit(default)

    def call(value: Any, run: Any, instead: Any) -> list[Any]:
        return [instead if (got := reach(one, path)) is None else got for one in listed(value, run)]

    return Prepared(call, [other.fn], ListOf(join([found, other.shape])), [other.shape])


def _map_either(c: Compiler, node: nodes.Node, name_node: nodes.Expr, name: str, item: Shape) -> Prepared:
    """`map('title')` over values of unknown kind: an object gives its field, anything else goes through the filter of that name."""
    records = [one for one in alternatives(item) if isinstance(one, At)]
    try:
        field = get(join(records), Const(name)) if records else Value()
    except Refused as e:
        if e.secret:
            raise c.error(e.what, name_node, e.hint) from None
        field = Value()  # no such field: the filter is meant
    inner = prepare(c, node, name, (), (), item)
    c.read(field)
    call = inner.call

    def run_each(value: Any, run: Any, *args: Any) -> list[Any]:
        return [one.get(name) if type(one) is dict else call(one, run, *args) for one in listed(value, run)]

    return Prepared(run_each, inner.args, ListOf(join([field, inner.shape])), inner.given)


_CHOOSE = {"select": (False, True), "reject": (False, False), "selectattr": (True, True), "rejectattr": (True, False)}


def _choose(c: Compiler, node: nodes.Node, name: str, args: Sequence[nodes.Expr], kwargs: Sequence[nodes.Keyword], shape: Shape) -> Prepared:
    by_field, wanted = _CHOOSE[name]
    if kwargs or (by_field and not args):
        raise c.error(f"{name} takes {'a field, then ' if by_field else ''}a test and its argument", node, "e.g. selectattr('year', 'gt', 1990)")
    path: Keys = ()
    if by_field:
        path = _path(c, name, args[0])
        c.read(_along(c, args[0], items(shape), path))
        args = args[1:]
    truth = Prepared(lambda value, run: bool(value), [], Value(), [])
    ready = _check(c, args[0], _constant(c, name, "test", args[0]), args[1:]) if args else truth
    check = ready.call

    def call(value: Any, run: Any, *given: Any) -> list[Any]:
        return [one for one in listed(value, run) if check(reach(one, path), run, *given) is wanted]

    return Prepared(call, ready.args, shape, ready.given)


def _check(c: Compiler, node: nodes.Node, name: Any, args: Sequence[nodes.Expr]) -> Prepared:
    if name in ONE and not args:
        one = ONE[name]
        return Prepared(lambda value, run: one(value), [], Value(), [])
    if name in TWO and len(args) == 1:
        two, other = TWO[name], c.visit(args[0])
        return Prepared(lambda value, run, arg: two(value, arg, run), [other.fn], Value(), [other.shape])
    if name in ONE or name in TWO:
        raise c.error(f"the test {name} takes {'no argument' if name in ONE else 'one argument'}", node, "e.g. x is even, x is eq 3")
    raise c.error(f"unknown test {name!r}", node, closest(str(name), [*ONE, *TWO]))
