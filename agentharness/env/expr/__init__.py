"""The expression language: Jinja's grammar, an evaluator of our own, secrets refused at load, work bounded while playing."""

from agentharness.env.expr.budget import ExprError
from agentharness.env.expr.calc import calc
from agentharness.env.expr.compiled import LANGUAGE, Compiled, expression, template
from agentharness.env.expr.filters import FILTERS, FilterInfo
from agentharness.env.expr.shapes import ListOf, Names, OneOf, Record, Shape, Value

__all__ = [
    "FILTERS",
    "LANGUAGE",
    "Compiled",
    "ExprError",
    "FilterInfo",
    "ListOf",
    "Names",
    "OneOf",
    "Record",
    "Shape",
    "Value",
    "calc",
    "expression",
    "template",
]
