"""Jinja's grammar through Jinja's own parser. Each token's line number is replaced by its offset, so that every node knows the column it came from."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.lexer import TokenStream
from jinja2.parser import Parser

from agentharness.config.yaml import Place
from agentharness.env.expr.budget import short
from agentharness.errors import UserError

MAX_SOURCE = 65_536

_ENVIRONMENT = Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_KNOWN_ESCAPES = frozenset("\\'\"nrtxuU\n")


class Source:
    """An expression's text and its place, for messages."""

    __slots__ = ("key", "place", "text")

    def __init__(self, text: str, place: Place, key: str) -> None:
        self.text, self.place, self.key = text.replace("\r\n", "\n").replace("\r", "\n"), place, key

    def where(self, offset: int) -> str:
        """file:line:column of a character; a block scalar counts from the line on which its value starts."""
        if not self.place.line:
            return str(self.place)
        before = self.text[:offset]
        line = before.count("\n")
        return str(Place(self.place.file, self.place.line + line, self.place.column + offset - (before.rfind("\n") + 1)))

    def error(self, what: str, offset: int = 0, hint: str = "") -> UserError:
        return UserError(what, where=self.where(offset), hint=hint)


def parse_expression(source: Source) -> nodes.Expr:
    """The one expression that `source` holds. Raises UserError."""
    name = f"`{source.key}`" if source.key else "this key"
    if not source.text.strip():
        raise source.error(f"{name} is empty", hint="write an expression, e.g. args.title in results")
    tokens = _tokens(source, "variable")
    for (at, _, first), (after, _, second) in pairwise(tokens):
        if first == "{" and second in ("{", "%") and after == at + 1:
            raise source.error(f"{name} takes an expression, not a template: write it without {{{{ }}}}", at - 1, _bare(source.text))
    parser = _parser(source, tokens)

    def read() -> nodes.Expr:
        node = parser.parse_expression()
        if parser.stream.current.type != "eof":
            parser.fail(f"did not expect {short(str(parser.stream.current.value))} here", parser.stream.current.lineno)
        return node

    node: nodes.Expr = _guarded(source, read)
    return node


def parse_template(source: Source) -> list[nodes.Node]:
    """The statements of a template. Raises UserError."""
    parser = _parser(source, _tokens(source, None))
    body: list[nodes.Node] = _guarded(source, parser.parse).body
    return body


def _bare(text: str) -> str:
    inner = re.fullmatch(r"\s*\{\{-?\s*(.*?)\s*-?\}\}\s*", text, re.DOTALL)
    if inner and "{{" not in inner[1]:
        return f"write: {inner[1]}"
    return "join text and values with ~, e.g. 'Page ' ~ row.title"


def _tokens(source: Source, state: str | None) -> list[tuple[int, str, str]]:
    """(offset + 1, kind, text) of each raw token."""
    if len(source.text) > MAX_SOURCE:
        raise source.error(f"is longer than {MAX_SOURCE} characters", hint="split it")
    out: list[tuple[int, str, str]] = []
    cursor = 0
    try:
        for _, kind, value in _ENVIRONMENT.lexer.tokeniter(source.text, None, None, state):
            at = max(source.text.find(value, cursor), cursor)  # blanks that trimming dropped lie between two tokens
            cursor = at + len(value)
            if kind == "string":  # only the escapes that text needs are escapes: '\d' and '\1' stay as they are, for patterns
                value = _ESCAPE.sub(lambda m: m[0] if m[1] in _KNOWN_ESCAPES else "\\" + m[0], value)
            out.append((at + 1, kind, value))
    except TemplateSyntaxError as e:
        raise _syntax(source, e.message or "", cursor) from None
    return out


def _parser(source: Source, tokens: list[tuple[int, str, str]]) -> Parser:
    parser = Parser(_ENVIRONMENT, "")
    try:
        wrapped = list(_ENVIRONMENT.lexer.wrap(iter(tokens)))
    except TemplateSyntaxError as e:
        raise _syntax(source, e.message or "", e.lineno - 1) from None
    except ValueError:
        raise source.error("holds a number with too many digits", hint="integers stay below 2**64") from None
    parser.stream = TokenStream(iter(wrapped), None, None)
    return parser


def _guarded(source: Source, read: Any) -> Any:
    try:
        return read()
    except TemplateSyntaxError as e:
        raise _syntax(source, e.message or "", max(e.lineno - 1, 0)) from None
    except RecursionError:
        raise source.error("is nested too deep", hint="split it with {% set %}, or compute it in hooks.py") from None


def _syntax(source: Source, message: str, offset: int) -> UserError:
    message = re.sub(r" at \d+$", "", message).rstrip(".")
    offset = min(offset, len(source.text))
    hint = "compare with ==" if "got '='" in message or "'='" in message else "the grammar is Jinja's; quote texts, close every bracket and block"
    return source.error(f"cannot be read: {message}", offset, hint)
