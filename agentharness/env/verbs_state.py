"""set, end and draw: variables, the end, and the only randomness."""

from __future__ import annotations

from typing import Any

from agentharness.canon import derive_seed
from agentharness.env.edits import is_edit
from agentharness.env.expr import Compiled
from agentharness.env.maker import Maker
from agentharness.env.verbs_edit import edit
from agentharness.env.verbs_move import one_of
from agentharness.env.work import NOTHING, Missing, Verb, Work


def set_(make: Maker, body: Any, *path: str | int) -> Verb:
    """{VAR: expression, …}, or an edit of rows (verbs_edit): all are evaluated before any is set, so that their order means nothing."""
    if not isinstance(body, dict) or not body:
        raise make.fail("set takes variables", path, "set: {VAR: expression}, or {in: TABLE, key: …, values: {FIELD: …}}")
    if is_edit(body, make.spec.vars):
        return edit(make, body, *path)
    runs = {make.variable(name, *path, name): make.expression(source, *path, name) for name, source in body.items()}

    def verb(work: Work) -> None:
        work.put({name: run(work.env) for name, run in runs.items()})

    return verb


def end(make: Maker, body: Any, *path: str | int) -> Verb:
    """expression: the submission; the episode is over. {when, value}: only where `when` is true, else nothing is done."""
    when = make.expression(body["when"], *path, "when") if isinstance(body, dict) else None
    run = make.expression(body["value"], *path, "value") if isinstance(body, dict) else make.expression(body, *path)

    def verb(work: Work) -> None:
        if when is None or when(work.env):
            work.submission, work.over = run(work.env), True

    return verb


def draw(make: Maker, body: Any, *path: str | int) -> Verb:
    """{VAR: {from: expression for a list} | {int: [low, high]}}: kept in the variable and recorded; each draw has its own number."""
    if not isinstance(body, dict) or not body:
        raise make.fail("draw takes variables", path, "draw: {VAR: {from: expression}} or {VAR: {int: [low, high]}}")
    return _all([(make.variable(name, *path, name), *_pool(make, body[name], *path, name)) for name in sorted(body)])


def _pool(make: Maker, how: Any, *path: str | int) -> tuple[Compiled | None, int, int]:
    form, how = one_of(make, how, ("from", "int"), (), *path)
    if form == "from":
        return make.expression(how[form], *path, form), 0, 0
    bounds = how[form]
    if not isinstance(bounds, list) or [type(b) for b in bounds] != [int, int] or bounds[0] > bounds[1]:
        raise make.fail("int takes two whole numbers, the lower first", (*path, form), "int: [1, 6]")
    return None, bounds[0], bounds[1]


def _all(plan: list[tuple[str, Compiled | None, int, int]]) -> Verb:
    def verb(work: Work) -> Missing | None:
        for name, run, low, high in plan:
            pool = range(low, high + 1) if run is None else run(work.env)
            if not isinstance(pool, list | range) or not pool:
                return NOTHING
            value = pool[derive_seed(work.scene.seed, work.draws) % len(pool)]
            work.draws += 1
            work.drawn.append(value)
            work.put({name: value})
        return None

    return verb
