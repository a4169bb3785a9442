"""Templates: text, holes, {% if %}, {% for %}, {% set %}. Locals live in numbered slots, so none meets a name of the environment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from jinja2 import nodes

from agentharness.env.expr.budget import TEXT, ExprError, kind_of, text
from agentharness.env.expr.compiler import Code, Compiler, Fn, Local, constant
from agentharness.env.expr.ops import item
from agentharness.env.expr.shapes import Const, Shape, Value, items, join, lift

Step: TypeAlias = Callable[[Any, Any], None]
"""(environment, run): writes to the run."""


def compile_body(c: Compiler, body: Sequence[nodes.Node]) -> Fn:
    """A template's closure: (environment, run) -> text."""
    if all(isinstance(node, nodes.Output) for node in body):
        return _plain(_pieces(c, body))
    steps = _block(c, body)
    c.grows = True

    def run_all(env: Any, run: Any) -> str:
        for step in steps:
            step(env, run)
        return "".join(run.out)

    return run_all


def _pieces(c: Compiler, body: Iterable[nodes.Node]) -> list[str | Code]:
    """Text and holes in order; neighbouring texts are one, and so is what is known at load."""
    out: list[str | Code] = []
    for node in body:
        for child in node.nodes if isinstance(node, nodes.Output) else ():
            if isinstance(child, nodes.TemplateData):
                piece: str | Code = child.data
            else:
                code = c.visit(child)
                piece = text(code.shape.value, None) if isinstance(code.shape, Const) else code
            if isinstance(piece, str) and out and isinstance(out[-1], str):
                out[-1] += piece
            elif piece != "":
                out.append(piece)
    return out


def _plain(pieces: list[str | Code]) -> Fn:
    base = [piece if isinstance(piece, str) else "" for piece in pieces]
    codes = [(i, piece) for i, piece in enumerate(pieces) if not isinstance(piece, str)]
    fields = [(i, *code.reads) for i, code in codes if len(code.reads) == 2]
    holes = [(i, code.fn) for i, code in codes if len(code.reads) != 2]

    def fill(env: Any, run: Any) -> str:
        out = base.copy()
        for i, name, key in fields:
            value = env[name]
            value = value.get(key) if type(value) is dict else item(value, key)
            out[i] = value if type(value) is str else text(value, run)
        for i, fn in holes:
            value = fn(env, run)
            out[i] = value if type(value) is str else text(value, run)
        made = "".join(out)
        if len(made) > TEXT:
            raise ExprError(f"writes more than {TEXT} characters")
        return made

    return fill


def _block(c: Compiler, body: Iterable[nodes.Node]) -> list[Step]:
    steps: list[Step] = []
    for node in body:
        build = _STATEMENTS.get(type(node))
        if build is None:
            raise c.refuse(node)
        c.count += 1
        steps += build(c, node)
    return steps


def _output(c: Compiler, node: nodes.Output) -> list[Step]:
    return [_write(piece) for piece in _pieces(c, [node])]


def _write(piece: str | Code) -> Step:
    if isinstance(piece, str):
        fixed = piece
        return lambda env, run: run.write(fixed)
    fn = piece.fn
    return lambda env, run: run.write(text(fn(env, run), run))


def _assign(c: Compiler, node: nodes.Assign) -> list[Step]:
    if not isinstance(node.target, nodes.Name):
        raise c.error("set takes one name", node, "write one {% set %} for each")
    code = c.visit(node.node, whole=False)
    return [_store(c.bind(node.target.name, code.shape, node.target), code.fn)]


def _store(slot: int, fn: Fn) -> Step:
    def store(env: Any, run: Any) -> None:
        run.frame[slot] = fn(env, run)

    return store


def _if(c: Compiler, node: nodes.If) -> list[Step]:
    steps = [_store(c.bind(name, code.shape, node), code.fn) for name, code in _outer(c, node).items()]
    before = c.scopes[-1]
    branches: list[tuple[Fn, list[Step]]] = []
    after: list[dict[str, Local]] = []
    for branch in (node, *node.elif_):
        c.scopes[-1] = dict(before)
        test = c.visit(branch.test)
        branches.append((test.fn, _block(c, branch.body)))
        after.append(c.scopes[-1])
    c.scopes[-1] = dict(before)
    otherwise = _block(c, node.else_)
    after.append(c.scopes[-1])
    c.scopes[-1] = {name: Local(local.slot, join(scope[name].shape for scope in after)) for name, local in before.items()}

    def choose(env: Any, run: Any) -> None:
        chosen = next((body for test, body in branches if test(env, run)), otherwise)
        for step in chosen:
            step(env, run)

    return [*steps, choose]


def _outer(c: Compiler, node: nodes.If) -> dict[str, Code]:
    """Names that a branch sets and that the scope lacks, with what they mean outside: a branch that is not taken leaves them so."""
    out: dict[str, Code] = {}
    for name in sorted(_assigned([node])):
        if name in c.scopes[-1]:
            continue
        local = c.local(name)
        if local is None and name not in c.known:
            out[name] = constant(None)
        else:
            out[name] = _slot(local) if local else _named(c, name)
    return out


def _slot(local: Local) -> Code:
    slot = local.slot
    return Code(lambda env, run: run.frame[slot], local.shape)


def _named(c: Compiler, name: str) -> Code:
    c.names.add(name)
    return Code(lambda env, run: env[name], lift(c.known[name], name))


def _assigned(body: Iterable[nodes.Node]) -> set[str]:
    found: set[str] = set()
    for node in body:
        if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
            found.add(node.target.name)
        elif isinstance(node, nodes.If):
            found |= _assigned(node.body) | _assigned(node.elif_) | _assigned(node.else_)
    return found


def _for(c: Compiler, node: nodes.For) -> list[Step]:
    if node.recursive:
        raise c.error("recursive loops are not part of the language", node, "leave `recursive` out")
    rows = c.visit(node.iter, whole=False)
    c.scopes.append({})
    before = c.count
    put = _target(c, node.target, items(rows.shape))
    test = c.visit(node.test).fn if node.test is not None else None
    loop = None
    if any(name.name == "loop" for part in node.body for name in _find_names(part)):
        loop = c.slot()
        c.scopes[-1]["loop"] = Local(loop, Value())
    body = _block(c, node.body)
    weight = 1 + c.count - before
    c.scopes[-1] = {}
    otherwise = _block(c, node.else_)
    c.scopes.pop()
    return [_looping(rows.fn, put, test, loop, body, weight, otherwise)]


def _find_names(node: nodes.Node) -> Iterable[nodes.Name]:
    return [node] if isinstance(node, nodes.Name) else node.find_all(nodes.Name)


def _looping(rows: Fn, put: Step, test: Fn | None, loop: int | None, body: list[Step], weight: int, otherwise: list[Step]) -> Step:
    def each(env: Any, run: Any) -> None:
        listed = _rows(rows(env, run))
        if test is not None:
            listed = _passing(listed, put, test, weight, env, run)
        for i, row in enumerate(listed):
            run.charge(weight)
            put(row, run)
            if loop is not None:
                run.frame[loop] = {"index": i + 1, "index0": i, "first": i == 0, "last": i == len(listed) - 1, "length": len(listed)}
            for step in body:
                step(env, run)
        if not listed:
            for step in otherwise:
                step(env, run)

    return each


def _passing(listed: list[Any], put: Step, test: Fn, weight: int, env: Any, run: Any) -> list[Any]:
    out = []
    for row in listed:
        run.charge(weight)
        put(row, run)
        if test(env, run):
            out.append(row)
    return out


def _rows(value: Any) -> list[Any]:
    if value is None:
        return []
    if type(value) is list:
        return value
    if type(value) is dict:
        return list(value)
    raise ExprError(f"for takes a list, not {kind_of(value)}")


def _target(c: Compiler, node: nodes.Node, item: Shape) -> Step:
    """(row, run): puts a row, or its parts, into the loop's names."""
    if isinstance(node, nodes.Name):
        only = c.bind(node.name, item, node)

        def one(row: Any, run: Any) -> None:
            run.frame[only] = row

        return one
    if not isinstance(node, nodes.Tuple) or not all(isinstance(name, nodes.Name) for name in node.items):
        raise c.error("for takes one name or several", node, "e.g. {% for key, value in row | items %}")
    slots = [c.bind(name.name, items(item), name) for name in node.items if isinstance(name, nodes.Name)]

    def several(row: Any, run: Any) -> None:
        if type(row) is not list or len(row) != len(slots):
            raise ExprError(f"for takes {len(slots)} values apart, the item is {kind_of(row)}{f' of {len(row)}' if type(row) is list else ''}")
        for slot, value in zip(slots, row, strict=True):
            run.frame[slot] = value

    return several


_STATEMENTS: dict[type[nodes.Node], Callable[..., list[Step]]] = {nodes.Output: _output, nodes.Assign: _assign, nodes.If: _if, nodes.For: _for}
"""The allow-list of statements."""
