"""respond: a voice inside the world answers. From its record, by a model that plays the role, or by a rule."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from agentharness.env.expr import Compiled, Names, Value
from agentharness.env.maker import Maker
from agentharness.env.work import NOTHING, Missing, Verb, Work
from agentharness.types.move import Need
from agentharness.types.part import JsonDict

LEAST = 0.3
"""How near a recorded question must be, where the task does not say."""
_WORD = re.compile(r"\w+")

Recorded = Callable[[JsonDict, str], str | None]


def respond(make: Maker, body: Any, *path: str | int) -> Verb:
    """{role, to, recorded: {in, question, answer, match, least}, prompt, rule, into, prefer}: what the role answers to `to` is shown, or kept in the variable
    `into`.

    `recorded`, `prompt` and `rule` may read hidden and gold columns: a responder decides what it gives away. They are tried in this order; `prompt` only where
    a model plays the role, and with `prefer: model` the record only where none does. Where none answers, the verb finds nothing.
    """
    role, into = body["role"], body.get("into")
    if into is not None:
        make.variable(into, *path, "into")
    to = make.expression(body["to"], *path, "to")
    seen: Names = {**make.names, "row": make.record(make.each, gold=True), "at": make.record(*make.standing, gold=True), "asked": Value()}
    recorded = _recorded(make, body["recorded"], seen, *path, "recorded") if "recorded" in body else None
    prompt = make.template(body["prompt"], *path, "prompt", only=seen) if "prompt" in body else None
    rule = make.template(body["rule"], *path, "rule", only=seen) if "rule" in body else None
    make.heard |= {make.each, *make.standing}
    make.voices[role] = make.voices.get(role, False) or (recorded is None and rule is None)
    played = prompt if role in make.voiced else None
    if played is not None and body.get("prefer") == "model":
        recorded = None

    def verb(work: Work) -> Need | Missing | None:
        asked = to(work.env)
        if not isinstance(asked, str) or not asked.strip():
            return NOTHING
        env = _whole(work, asked)
        said = recorded(env, asked) if recorded is not None else None
        if said is None and played is not None:
            if work.used >= len(work.answers):
                return Need(role, _request(played(env), work.said.get(role, ()), asked))
            said = _text(work.answers[work.used])
            work.used += 1
            work.said = {**work.said, role: [*work.said.get(role, ()), [asked, said]]}
        if not said and rule is not None:
            said = rule(env)
        if not said:
            return NOTHING
        if into is not None:
            work.put({into: said})
        else:
            work.shown.append(said)
        return None

    return verb


def _recorded(make: Maker, body: Any, seen: Names, *path: str | int) -> Recorded:
    """Looks a question up in a list of records, of texts that are question and answer in one, or of the messages of a conversation."""
    match, least = body.get("match", "nearest"), body.get("least", LEAST)
    listed: Compiled = make.expression(body["in"], *path, "in", only=seen)
    chat = bool(body.get("chat"))
    question, answer = ("question", "answer") if chat else (body.get("question", "question"), body.get("answer", "answer"))

    def find(env: JsonDict, asked: str) -> str | None:
        found = listed(env)
        if chat and isinstance(found, list):
            found = exchanges(found)
        pairs = [(item, item) if isinstance(item, str) else (item.get(question), item.get(answer)) for item in found if isinstance(item, str | dict)]
        texts = [(q, a) for q, a in pairs if isinstance(q, str) and isinstance(a, str)] if isinstance(found, list) else []
        at = exact([q for q, _ in texts], asked) if match == "exact" else nearest([q for q, _ in texts], asked, float(least))
        return None if at is None else texts[at][1]

    return find


def exchanges(messages: Sequence[Any]) -> list[JsonDict]:
    """{question, answer} of each text of the assistant's in a conversation [{role, content}] that the user's text follows at once."""
    out: list[JsonDict] = []
    for said, heard in pairwise(m if isinstance(m, dict) else {} for m in messages):
        if said.get("role") == "assistant" and heard.get("role") == "user":
            out.append({"question": said.get("content"), "answer": heard.get("content")})
    return out


def exact(questions: Sequence[str], asked: str) -> int | None:
    """Place of the first question that is the same text, white space and case folded."""
    wanted = _fold(asked)
    return next((i for i, q in enumerate(questions) if _fold(q) == wanted), None)


def nearest(questions: Sequence[str], asked: str, least: float) -> int | None:
    """Place of the question most like the one asked, at least `least`; among equals the first.

    Likeness: cosine of the sets of words, each word weighing log(1 + n / questions that hold it), so that what stands in every question counts little; in
    [0, 1]. Source: the vector space model (Salton, Wong, Yang 1975) with inverse document frequency.
    """
    bags = [frozenset(_WORD.findall(q.casefold())) for q in questions]
    mine = frozenset(_WORD.findall(asked.casefold()))
    holds: dict[str, int] = {}
    for bag in bags:
        for word in bag:
            holds[word] = holds.get(word, 0) + 1
    weight = {word: math.log(1 + len(bags) / n) ** 2 for word, n in holds.items()}
    unheard = math.log(1 + len(bags)) ** 2
    own = math.fsum(weight.get(word, unheard) for word in mine)
    best, place = 0.0, None
    for i, bag in enumerate(bags):
        common = math.fsum(weight[word] for word in sorted(bag & mine))
        size = math.sqrt(own * math.fsum(weight[word] for word in sorted(bag)))
        likeness = round(common / size, 9) if size else 0.0
        if likeness > best:
            best, place = likeness, i
    return place if best >= least else None


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def _whole(work: Work, asked: str) -> JsonDict:
    """What a responder sees: whole rows, and what is asked."""
    scene, node = work.scene, work.node
    rows = scene.rows
    at = None if node is None else rows.full(node.table, node.key, scene.row)
    return {**work.env, "row": rows.full(scene.node.table, scene.row, scene.row), "at": at, "asked": asked}


def _request(system: str, before: Sequence[Sequence[str]], asked: str) -> JsonDict:
    messages: list[JsonDict] = [{"role": "system", "content": system}]
    for question, answer in before:
        messages += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return {"messages": [*messages, {"role": "user", "content": asked}]}


def _text(answer: Any) -> str:
    return str(answer.get("text") or "") if isinstance(answer, dict) else str(answer)
