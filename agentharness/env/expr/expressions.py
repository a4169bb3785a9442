"""Expression nodes to closures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import nodes

from agentharness.env.expr import ops
from agentharness.env.expr.budget import INT, ExprError, text
from agentharness.env.expr.compiler import NUMBER, Code, Compiler, Fn, constant
from agentharness.env.expr.filters import FILTERS
from agentharness.env.expr.shapes import Const, ListOf, Shape, Value, alternatives, join, lift, places
from agentharness.errors import closest

LOOP = ("index", "index0", "first", "last", "length")


def start(node: nodes.Node) -> nodes.Node:
    """The leftmost node of a chain of fields: where its name begins."""
    while isinstance(node, nodes.Getattr | nodes.Getitem):
        node = node.node
    return node


def _const(c: Compiler, node: nodes.Const) -> Code:
    value = node.value
    if (type(value) is int and abs(value) >= INT) or (type(value) is float and abs(value) == float("inf")):
        raise c.error("holds a number that is too large", node, "integers stay below 2**64")
    return constant(value)


def _name(c: Compiler, node: nodes.Name) -> Code:
    name = node.name
    local = c.local(name)
    if local is not None:
        if name == "loop":
            raise c.error("loop is no value", node, f"use one of loop.{', loop.'.join(LOOP)}")
        if isinstance(local.shape, Const):
            return constant(local.shape.value)
        slot = local.slot
        return Code(lambda env, run: run.frame[slot], local.shape)
    if name not in c.known:
        locals_ = [known for scope in c.scopes for known in scope]
        raise c.error(f"unknown name {name!r}", node, closest(name, [*c.known, *locals_]))
    c.names.add(name)
    return Code(lambda env, run: env[name], lift(c.known[name], name), (name,))


def _getattr(c: Compiler, node: nodes.Getattr) -> Code:
    key = node.attr
    if isinstance(node.node, nodes.Name) and node.node.name == "loop" and c.local("loop"):
        if key not in LOOP:
            raise c.error(f"loop has no field {key!r}", node.node, closest(key, LOOP))
        slot = c.local("loop").slot  # type: ignore[union-attr]
        return Code(lambda env, run: run.frame[slot][key], NUMBER if key in ("index", "index0", "length") else Value())
    base = c.visit(node.node, whole=False)
    return _item(c, node, base, constant(key))


def _getitem(c: Compiler, node: nodes.Getitem) -> Code:
    base = c.visit(node.node, whole=False)
    if isinstance(node.arg, nodes.Slice):
        return _slice(c, node.arg, base)
    if isinstance(node.arg, nodes.Tuple) and not node.arg.items:
        raise c.error("[] stands in a path, not in an expression", node, "| map('field') takes that field of each item, [0] one item")
    return _item(c, node, base, c.visit(node.arg))


def _item(c: Compiler, node: nodes.Getattr | nodes.Getitem, base: Code, key: Code) -> Code:
    shape = c.get(base.shape, key.shape, start(node))
    inner, index, item = base.fn, key.fn, ops.item
    if not isinstance(key.shape, Const):
        return Code(lambda env, run: item(inner(env, run), index(env, run)), shape)
    name = key.shape.value

    def field(env: Any, run: Any) -> Any:
        value = inner(env, run)
        return value.get(name) if type(value) is dict else item(value, name)

    if type(name) is not str:
        fn: Fn = lambda env, run: item(inner(env, run), name)  # noqa: E731
    elif len(base.reads) == 1:
        return Code(direct(base.reads[0], name), shape, (base.reads[0], name))
    else:
        fn = field
    return c.fold(fn, base.shape) or Code(fn, shape)


def direct(name: str, key: str) -> Fn:
    """A field of a name of the environment: the most frequent expression of all."""
    item = ops.item

    def read(env: Any, run: Any) -> Any:
        value = env[name]
        return value.get(key) if type(value) is dict else item(value, key)

    return read


def _slice(c: Compiler, node: nodes.Slice, base: Code) -> Code:
    c.grows = True
    inner = base.fn
    bounds = [c.visit(one) if one is not None else constant(None) for one in (node.start, node.stop, node.step)]
    lo, hi, by = (code.fn for code in bounds)
    fn: Fn = lambda env, run: ops.part(inner(env, run), lo(env, run), hi(env, run), by(env, run), run)  # noqa: E731
    return c.fold(fn, base.shape, *(code.shape for code in bounds)) or Code(fn, base.shape)


_BINARY: dict[type[nodes.BinExpr], tuple[Callable[[Any, Any, Any], Any], bool]] = {
    nodes.Add: (ops.add, True),
    nodes.Sub: (ops.sub, False),
    nodes.Mul: (ops.mul, True),
    nodes.Div: (ops.div, False),
    nodes.FloorDiv: (ops.floordiv, False),
    nodes.Mod: (ops.mod, False),
    nodes.Pow: (ops.power, False),
}
"""Node -> its function, and whether its result may be longer than what it is made of."""


def _binary(c: Compiler, node: nodes.BinExpr) -> Code:
    left, right = c.visit(node.left), c.visit(node.right)
    call, grows = _BINARY[type(node)]
    c.grows |= grows
    a, b = left.fn, right.fn
    fn: Fn = lambda env, run: call(a(env, run), b(env, run), run)  # noqa: E731
    return c.fold(fn, left.shape, right.shape) or Code(fn, _sum_shape(left.shape, right.shape) if grows else NUMBER)


def _sum_shape(left: Shape, right: Shape) -> Shape:
    """Numbers, texts or lists put together: a list still holds what its parts held."""
    both = join([left, right])
    if any(True for _ in places(both)):
        return join([both, Value()])
    numbers = all(one == NUMBER or (isinstance(one, Const) and type(one.value) in ops.NUMBERS) for one in alternatives(both))
    return NUMBER if numbers else Value()


def _unary(c: Compiler, node: nodes.UnaryExpr) -> Code:
    inner = c.visit(node.node)
    a = inner.fn
    if isinstance(node, nodes.Not):
        fn: Fn = lambda env, run: not a(env, run)  # noqa: E731
    else:
        call = ops.negative if isinstance(node, nodes.Neg) else ops.positive
        fn = lambda env, run: call(a(env, run))  # noqa: E731
    return c.fold(fn, inner.shape) or Code(fn, Value() if isinstance(node, nodes.Not) else NUMBER)


def _and(c: Compiler, node: nodes.And) -> Code:
    left, right = c.visit(node.left), c.visit(node.right)
    a, b = left.fn, right.fn
    fn: Fn = lambda env, run: a(env, run) and b(env, run)  # noqa: E731
    return c.fold(fn, left.shape, right.shape) or Code(fn, join([left.shape, right.shape]))


def _or(c: Compiler, node: nodes.Or) -> Code:
    left, right = c.visit(node.left), c.visit(node.right)
    a, b = left.fn, right.fn
    fn: Fn = lambda env, run: a(env, run) or b(env, run)  # noqa: E731
    return c.fold(fn, left.shape, right.shape) or Code(fn, join([left.shape, right.shape]))


def _compare(c: Compiler, node: nodes.Compare) -> Code:
    first = c.visit(node.expr)
    rest = [(operand.op, c.visit(operand.expr)) for operand in node.ops]
    shapes = (first.shape, *(code.shape for _, code in rest))
    op, second = rest[0]
    fn = _single(op, first, second) if len(rest) == 1 else _chained(first.fn, [(ops.COMPARE[op], code.fn) for op, code in rest])
    return c.fold(fn, *shapes) or Code(fn, Value())


def _single(op: str, left: Code, right: Code) -> Fn:
    a, b, call = left.fn, right.fn, ops.COMPARE[op]
    if op in ("in", "notin"):
        return _member(left, right, op == "in")
    if op in ("eq", "ne") and isinstance(right.shape, Const) and type(right.shape.value) not in (list, dict):
        wanted, value = op == "eq", right.shape.value
        return lambda env, run: (a(env, run) == value) is wanted
    return lambda env, run: call(a(env, run), b(env, run), run)


def _member(left: Code, right: Code, wanted: bool) -> Fn:
    """`a in b`, with the usual `args.title in results` read without further calls."""
    a, b, contains, item = left.fn, right.fn, ops.contains, ops.item

    def any_member(env: Any, run: Any) -> bool:
        value, where = a(env, run), b(env, run)
        if run is None and type(where) is list:
            return (value in where) is wanted
        return contains(value, where, run) is wanted

    if len(left.reads) != 2 or len(right.reads) != 1:
        return any_member
    (name, key), (rows,) = left.reads, right.reads

    def named_member(env: Any, run: Any) -> bool:
        value, where = env[name], env[rows]
        value = value.get(key) if type(value) is dict else item(value, key)
        if run is None and type(where) is list:
            return (value in where) is wanted
        return contains(value, where, run) is wanted

    return named_member


def _chained(first: Fn, rest: list[tuple[Callable[[Any, Any, Any], bool], Fn]]) -> Fn:
    def chain(env: Any, run: Any) -> bool:
        left = first(env, run)
        for call, fn in rest:
            right = fn(env, run)
            if not call(left, right, run):
                return False
            left = right
        return True

    return chain


def _condition(c: Compiler, node: nodes.CondExpr) -> Code:
    test, yes = c.visit(node.test), c.visit(node.expr1)
    no = c.visit(node.expr2) if node.expr2 is not None else constant(None)
    t, a, b = test.fn, yes.fn, no.fn
    fn: Fn = lambda env, run: a(env, run) if t(env, run) else b(env, run)  # noqa: E731
    return c.fold(fn, test.shape, yes.shape, no.shape) or Code(fn, join([yes.shape, no.shape]))


def _concat(c: Compiler, node: nodes.Concat) -> Code:
    c.grows = True
    codes = [c.visit(one) for one in node.nodes]
    fns = [code.fn for code in codes]

    def concat(env: Any, run: Any) -> str:
        pieces = [text(fn(env, run), run) for fn in fns]
        run.text(sum(map(len, pieces)))
        return "".join(pieces)

    return c.fold(concat, *(code.shape for code in codes)) or Code(concat, Value())


def _list(c: Compiler, node: nodes.List | nodes.Tuple) -> Code:
    codes = [c.visit(one, whole=False) for one in node.items]
    fns = [code.fn for code in codes]
    fn: Fn = lambda env, run: [one(env, run) for one in fns]  # noqa: E731
    return c.fold(fn, *(code.shape for code in codes)) or Code(fn, ListOf(join(code.shape for code in codes)))


def _dict(c: Compiler, node: nodes.Dict) -> Code:
    pairs = [(c.visit(pair.key), c.visit(pair.value, whole=False)) for pair in node.items]
    fns = [(key.fn, value.fn) for key, value in pairs]

    def build(env: Any, run: Any) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key_fn, value_fn in fns:
            key = key_fn(env, run)
            if type(key) is not str:
                raise ExprError("an object's keys are texts")
            out[key] = value_fn(env, run)
        return out

    shapes = [code.shape for pair in pairs for code in pair]
    return c.fold(build, *shapes) or Code(build, ListOf(join(value.shape for _, value in pairs), mapping=True))


def _call(c: Compiler, node: nodes.Call) -> Code:
    name = node.node.name if isinstance(node.node, nodes.Name) else node.node.attr if isinstance(node.node, nodes.Getattr) else ""
    if not (isinstance(node.node, nodes.Name) and name == "range" and c.local(name) is None and name not in c.known):
        raise c.error(f"calls are not part of the language{': ' + name + '(…)' if name else ''}", start(node.node), _instead(name))
    if node.kwargs or node.dyn_args or node.dyn_kwargs or not 1 <= len(node.args) <= 3:
        raise c.error("range takes one to three numbers", node.node, "e.g. range(3)")
    c.grows = True
    codes = [c.visit(one) for one in node.args]
    fns = [code.fn for code in codes]

    def call(env: Any, run: Any) -> list[int]:
        bounds = [fn(env, run) for fn in fns]
        if any(type(one) is not int or abs(one) >= INT for one in bounds) or (len(bounds) == 3 and bounds[2] == 0):
            raise ExprError("range takes whole numbers, and no step of 0")
        numbers = range(*bounds)
        size = max(0, -((bounds[0] - bounds[1]) // bounds[2])) if len(bounds) == 3 else max(0, bounds[-1] - (bounds[0] if len(bounds) == 2 else 0))
        run.charge(1 + size)
        return list(numbers)

    return c.fold(call, *(code.shape for code in codes)) or Code(call, ListOf(NUMBER))


def _instead(name: str) -> str:
    known = {"len": "length", "str": "string", "sorted": "sort", "strip": "trim", "get": "default", "sum": "sum"}.get(name, name)
    return f"write it as a filter: … | {known}" if known in FILTERS else "use a filter; only range(…) is called"


EXPRESSIONS: Mapping[type[nodes.Node], Callable[..., Code]] = {
    nodes.Const: _const,
    nodes.Name: _name,
    nodes.Getattr: _getattr,
    nodes.Getitem: _getitem,
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys((nodes.Not, nodes.Neg, nodes.Pos), _unary),
    nodes.And: _and,
    nodes.Or: _or,
    nodes.Compare: _compare,
    nodes.CondExpr: _condition,
    nodes.Concat: _concat,
    nodes.List: _list,
    nodes.Tuple: _list,
    nodes.Dict: _dict,
    nodes.Call: _call,
}
"""The allow-list of expression nodes, but for filters and tests (calls.py)."""
