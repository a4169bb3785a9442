"""The compiler's state and its one entry: a node through the allow-list to a closure, with the shape of what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from jinja2 import nodes

from agentharness.env.expr.budget import ExprError, Run, weigh
from agentharness.env.expr.parse import Source
from agentharness.env.expr.shapes import Const, Names, Refused, Shape, Value, alternatives, get, places
from agentharness.errors import UserError

Fn: TypeAlias = Callable[[Any, Any], Any]
"""(environment, run) -> value; run is None where the expression can neither loop nor grow."""


class Code(NamedTuple):
    """A closure, the shape of what it gives, and, where it is a name of the environment or a field of one, that name and field: what holds it then reads it
    without a call."""

    fn: Fn
    shape: Shape
    reads: tuple[str, ...] = ()


class Local(NamedTuple):
    slot: int
    shape: Shape


MAX_DEPTH = 60
NUMBER = Value(number=True)


class Compiler:
    """Compiles one expression or template; afterwards `names`, `paths` and `filters` say what it uses, `grows` whether it needs a Run, `slots` its locals."""

    def __init__(self, source: Source, names: Names, table: Mapping[type[nodes.Node], Callable[..., Code]]) -> None:
        self.source, self.known, self._table = source, names, table
        self.names: set[str] = set()
        self.paths: set[tuple[str, ...]] = set()
        self.filters: set[str] = set()
        self.grows = False
        self.slots = 0
        self.count = 0
        self.scopes: list[dict[str, Local]] = [{}]
        self._depth = 0
        self._folding = Run()

    def visit(self, node: nodes.Node, whole: bool = True) -> Code:
        """Closure and shape of an expression. `whole`: its value is used as it is, not only fields of it."""
        build = self._table.get(type(node))
        if build is None:
            raise self.refuse(node)
        self._depth += 1
        self.count += 1
        if self._depth > MAX_DEPTH:
            raise self.error("is nested too deep", node, "split it with {% set %}, or compute it in hooks.py")
        code = build(self, node)
        self._depth -= 1
        if whole:
            self.read(code.shape)
        return code

    def read(self, shape: Shape) -> None:
        """Notes the field paths that a value of this shape shows."""
        self.paths.update((at.record.table, *at.path) for at in places(shape))

    def error(self, what: str, node: nodes.Node, hint: str = "") -> UserError:
        return self.source.error(what, max((node.lineno or 1) - 1, 0), hint)

    def refuse(self, node: nodes.Node) -> UserError:
        word = type(node).__name__.lower()
        return self.error(f"{word} is not part of the language", node, "known: expressions, filters, tests, {% if %}, {% for %}, {% set %}")

    def get(self, shape: Shape, key: Shape, node: nodes.Node) -> Shape:
        """The shape of a field; what must not be named becomes the user's error at `node`."""
        for one in alternatives(key):
            if isinstance(one, Const) and isinstance(one.value, str) and one.value.startswith("__"):
                raise self.error(f"{one.value} is not a field", node, "names that start with __ are never fields")
        try:
            return get(shape, key)
        except Refused as e:
            raise self.error(e.what, node, e.hint) from None

    def fold(self, fn: Fn, *shapes: Shape) -> Code | None:
        """The code of a value that is known at load, where all that it is made of is."""
        if not all(isinstance(shape, Const) for shape in shapes):
            return None
        try:
            value = fn({}, self._folding)
            weigh(value, self._folding)
        except (ExprError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
            return None  # it fails again while playing, where the message belongs
        return constant(value)

    def local(self, name: str) -> Local | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def bind(self, name: str, shape: Shape, node: nodes.Node) -> int:
        """The slot of a local of the innermost scope."""
        if name == "loop" or name.startswith("__"):
            raise self.error(f"{name} cannot be set", node, "choose another name")
        scope = self.scopes[-1]
        slot = scope[name].slot if name in scope else self.slot()
        scope[name] = Local(slot, shape)
        return slot

    def slot(self) -> int:
        self.grows = True
        self.slots += 1
        return self.slots - 1


def constant(value: Any) -> Code:
    return Code(lambda env, run: value, Const(value))
