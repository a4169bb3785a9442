"""The verbs of the language, a closed set: each is compiled once to a closure over a transition under way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agentharness.env.maker import Maker
from agentharness.env.record import follows
from agentharness.env.verbs_hook import hook
from agentharness.env.verbs_move import goto, query
from agentharness.env.verbs_recorded import recorded
from agentharness.env.verbs_respond import respond
from agentharness.env.verbs_show import reveal
from agentharness.env.verbs_state import draw, end, set_
from agentharness.env.work import Verb
from agentharness.errors import closest
from agentharness.types.part import JsonDict

VERBS: dict[str, int] = {"goto": 1, "query": 1, "reveal": 1, "set": 1, "end": 1, "draw": 1, "respond": 1, "hook": 1}
"""Semantics version of each verb: raised when the same words come to mean something else; a world's digest holds those it uses."""

_MAKERS: dict[str, Callable[..., Verb]] = {
    "goto": lambda make, body, *path: recorded(make, body, *path) if follows({"goto": body}) and make.spec.trajectories else goto(make, body, *path),
    "query": query,
    "reveal": reveal,
    "set": set_,
    "end": end,
    "draw": draw,
    "respond": respond,
    "hook": hook,
}

_LONG = 50_000
"""Rows from which on a text search runs in a thread."""


def compile_verbs(make: Maker, verbs: Sequence[JsonDict], *path: str | int) -> tuple[Verb, ...]:
    """Compiles the list at `path` (`start`, or an action's `do`). Raises UserError."""
    out: list[Verb] = []
    for i, verb in enumerate(verbs):
        if len(verb) != 1:
            raise make.fail("each item holds exactly one verb", (*path, i), f"start a new item with `-`; verbs: {', '.join(VERBS)}")
        ((name, body),) = verb.items()
        if name not in _MAKERS:
            raise make.fail(f"there is no verb {name!r}", (*path, i), closest(name, VERBS))
        make.verbs.add(name)
        out.append(_MAKERS[name](make, body, *path, i, name))
    return tuple(out)


def heavy(make: Maker, verb: JsonDict) -> bool:
    """Whether a verb is known to take long: it belongs in a thread. A search of a small table is over before a thread has begun."""
    query = verb.get("query")
    return isinstance(query, dict) and ("sql" in query or ("text" in query and len(make.corpus.tables[query["in"]]) > _LONG))


def normal(verb: JsonDict) -> JsonDict:
    """A verb in full: short forms written out and defaults left out, so that equal meanings have equal digests."""
    ((name, body),) = verb.items()
    if name == "reveal":
        return {name: {"field": body} if isinstance(body, str) else {k: v for k, v in body.items() if (k, v) != ("frame", "source")}}
    if name == "hook":
        return {name: {"name": body} if isinstance(body, str) else body}
    return {name: _plain(body)}


def _plain(body: Any) -> Any:
    # `limit: 20` is what a query without one means
    if not isinstance(body, dict) or not body.keys() & {"filter", "sql", "text"}:
        return body
    return {k: v for k, v in body.items() if not (k == "limit" and v == 20)}
