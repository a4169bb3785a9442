"""Expressions and templates, compiled once at load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import nodes

from agentharness.config.yaml import Place
from agentharness.env.expr.budget import DEPTH, RESULT, STEPS, ExprError, Run
from agentharness.env.expr.calls import build_filter, build_test
from agentharness.env.expr.compiler import Code, Compiler, Fn
from agentharness.env.expr.expressions import EXPRESSIONS
from agentharness.env.expr.parse import Source, parse_expression, parse_template
from agentharness.env.expr.shapes import Names
from agentharness.env.expr.statements import compile_body
from agentharness.errors import UserError

LANGUAGE = 1
"""Version of the language's semantics, filters apart: goes into the world digest."""

_TABLE: Mapping[type[nodes.Node], Callable[..., Code]] = {**EXPRESSIONS, nodes.Filter: build_filter, nodes.Test: build_test}
_SIZED = frozenset({list, dict, str})
_TROUBLE = (ArithmeticError, LookupError, TypeError, ValueError, RecursionError)


class Compiled:
    """A compiled expression or template.

    source: its text. names: top-level names that it reads. paths: (table, field, …) that it reads as far as known at load, (table,) a whole row. filters: those
    it uses. A call takes the environment (name -> plain JSON; all of `names`) and gives the value, a text for a template; what it gives may be shared with
    the environment: never change it. Raises ExprError, and nothing else, where it fails on these values."""

    __slots__ = ("_fn", "_slots", "_text", "filters", "names", "paths", "place", "source")

    def __init__(self, source: Source, compiler: Compiler, fn: Fn, template: bool) -> None:
        self.source, self.place = source.text, source.place
        self.names = frozenset(compiler.names)
        self.paths = frozenset(compiler.paths)
        self.filters = frozenset(compiler.filters)
        self._fn, self._text = fn, template
        self._slots = compiler.slots if compiler.grows else -1

    def __call__(self, env: Mapping[str, Any]) -> Any:
        """The value, or text, in this environment."""
        try:
            if self._slots < 0:
                return self._fn(env, None)
            value = self._fn(env, Run(self._slots))
            if type(value) is list or type(value) is dict:
                _bounded(value)
            return value
        except ExprError as e:
            raise ExprError(e.message, self.source, self.place) from None
        except _TROUBLE as e:
            raise ExprError(_plain(e), self.source, self.place) from None

    def measured(self, env: Mapping[str, Any]) -> tuple[Any, int]:
        """The value, and the steps it was charged for."""
        run = Run(max(self._slots, 0))
        try:
            value = self._fn(env, run)
            _bounded(value)
        except ExprError as e:
            raise ExprError(e.message, self.source, self.place) from None
        except _TROUBLE as e:
            raise ExprError(_plain(e), self.source, self.place) from None
        return value, STEPS - run.left

    def __repr__(self) -> str:
        return f"{'template' if self._text else 'expression'} {self.source!r} at {self.place}"


def expression(source: str, names: Names, place: Place, *, key: str = "") -> Compiled:
    """A bare expression. `key` names it in messages. Raises UserError with file, line and column: a syntax error, an unknown name, field or filter, a template
    where an expression belongs, a field that is not public."""
    read = Source(source, place, key)
    compiler = Compiler(read, names, _TABLE)
    node = parse_expression(read)
    return Compiled(read, compiler, _guarded(read, lambda: compiler.visit(node).fn), False)


def template(source: str, names: Names, place: Place, *, key: str = "") -> Compiled:
    """A text with {{ }}. Raises as `expression` does."""
    read = Source(source, place, key)
    compiler = Compiler(read, names, _TABLE)
    body = parse_template(read)
    return Compiled(read, compiler, _guarded(read, lambda: compile_body(compiler, body)), True)


def _guarded(source: Source, build: Callable[[], Fn]) -> Fn:
    try:
        return build()
    except UserError:
        raise
    except RecursionError:
        raise source.error("is nested too deep", hint="split it, or compute it in hooks.py") from None


def _plain(error: BaseException) -> str:
    if isinstance(error, KeyError):
        return f"the environment has no {error.args[0]!r}"
    return f"fails on these values: {error or type(error).__name__}"


def _bounded(value: Any) -> None:
    """Raises ExprError for a result that would be too large, or too deep, once written out."""
    room = RESULT
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack:
        one, depth = stack.pop()
        kind = type(one)
        if kind is list or kind is dict:
            room -= 1 + len(one)
            if depth > DEPTH:
                raise ExprError(f"gives a value nested deeper than {DEPTH} levels")
            if room >= 0:
                stack.extend((inner, depth + 1) for inner in (one if kind is list else one.values()) if type(inner) in _SIZED)
        elif kind is str:
            room -= len(one) >> 6
        if room < 0:
            raise ExprError(f"gives a value larger than {RESULT}")
