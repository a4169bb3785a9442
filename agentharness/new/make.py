"""`new task`: reads the data, says what it saw, writes a task that plays, and plays it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from agentharness import canon
from agentharness.corpus.paths import parse, values
from agentharness.errors import UserError
from agentharness.new import guess, worlds
from agentharness.new.profile import Column, opened, profile
from agentharness.new.source import Seen, place, see
from agentharness.new.twins import across
from agentharness.new.verify import Sound, verify
from agentharness.new.write import readme, task_yaml
from agentharness.types.part import JsonDict

Say = Callable[[str], None]
_SHAPES: dict[str, Callable[[list[JsonDict], list[Column]], guess.Plan | None]] = {
    "replay": worlds.steps,
    "chat": worlds.chat,
    "graph": worlds.graph,
    "table": worlds.table,
}
"""Worlds that the shape of the rows alone tells, in the order in which they are looked for."""
MOST_LABELS = 60


def make(name: str, options: dict[str, str], tasks: Path, cwd: Path, say: Say) -> int:
    """Writes tasks/NAME; 0 where its oracle wins on every row that was played, else 1. `options`: the command's words (`from`, `ask`, `answer` …).
    Raises UserError; what was written before the error is removed."""
    folder = tasks / name
    if folder.exists():
        raise UserError("exists already", where=str(folder), hint="choose another name, or remove it")
    if "/" in name or name.startswith((".", "_")):
        raise UserError(f"{name!r} cannot be a task's name", where="name", hint="letters, digits, - and _")
    seen = see(options["from"], cwd, options)
    if not seen.batch.rows:
        raise UserError("holds no rows", where=options["from"], hint="a task needs at least one")
    columns = profile(seen.batch.rows)
    plan = _pictures(columns, options) if seen.images else _plan(seen, columns, options)
    twins = across(seen.batch.rows, columns, {plan.answer.split("[")[0].split(".")[0], plan.key or ""}, seen.assets)
    if plan.reward == "squad_f1" and "reward" not in options and _in_question(seen.batch.rows, plan):
        plan.reward = "exact"
        plan.said = [line.replace("squad_f1", "exact, for its words stand in the question: their order is the answer") for line in plan.said]
    for line in [_seen(seen, columns), *_twice(seen.batch.rows, plan), *([twins] if twins else []), *seen.notes, *plan.said]:
        say(f"  {line}")
    licence = options.get("licence", seen.licence)
    folder.mkdir(parents=True)
    try:
        place(seen, folder, cwd)
        if plan.made:
            _write_rows(folder, plan, seen)
        text = task_yaml(plan, seen.data, licence)
        (folder / "task.yaml").write_text(text, encoding="utf-8")
        sound = verify(folder, name, trusted=options.get("trust") == "true")
        first = sound.world.full(sound.first)
        answer = next(values(first, parse(plan.answer, frozenset(first))), None) if plan.answer else None
        (folder / "README.md").write_text(readme(name, sound.shown, answer, plan.said, seen.data, licence), encoding="utf-8")
    except BaseException:
        shutil.rmtree(folder)
        raise
    say(f"{folder}/task.yaml")
    say("".join(f"    {line}\n" for line in text.splitlines()).rstrip("\n"))
    return _told(name, sound, say)


def _write_rows(folder: Path, plan: guess.Plan, seen: Seen) -> None:
    """Rows that were made over the data become the task's; the data are its nodes."""
    plan.extra["nodes"] = {"from": seen.data["from"], **plan.extra["nodes"]}
    seen.data = {"from": f"data/{worlds.TRIPS}"}
    (folder / "data").mkdir(exist_ok=True)
    (folder / seen.data["from"]).write_bytes(b"".join(canon.dumps(row) + b"\n" for row in plan.made))


def _plan(seen: Seen, columns: list[Column], options: dict[str, str]) -> guess.Plan:
    """The world that fits. What the user says of question, answer or reward is a question's; else the shape of the data is looked at first."""
    said = {key: options.get(key) for key in ("ask", "answer", "reward", "key")}
    rows, wanted = seen.batch.rows, options.get("preset")
    if wanted in _SHAPES or (wanted is None and not any(said.values())):
        for name, shape in _SHAPES.items():
            if wanted in (None, name) and (name != "graph" or list(seen.data) == ["from"]) and (found := shape(rows, columns)) is not None:
                return found
        if wanted is not None:
            raise UserError(f"the rows have not the shape of a {wanted} world", where="preset", hint="leave preset= out, and say ask= and answer=")
    try:
        out = guess.plan(columns, **said)
    except UserError:
        if (inside := opened(rows, columns)) == columns:
            raise
        return guess.plan(inside, **said)
    if wanted is None:
        worlds.choice(out, columns)
        worlds.reveal(out, columns)
    return out


def _told(name: str, sound: Sound, say: Say) -> int:
    say(f"  played {sound.played} of {sound.rows:,} rows: oracle {sound.oracle:.3f}, noop {sound.noop:.3f}")
    if sound.unsolved:
        say(f"  ! the oracle does not solve {', '.join(sound.unsolved)}: look at their answers, or choose another reward=")
    say(f"next: python -m agentharness run task={name} agent=oracle,random,noop")
    return int(bool(sound.unsolved) or sound.noop > 0)


def _seen(seen: Seen, columns: list[Column]) -> str:
    rows = seen.batch.rows
    if seen.images:
        labels, documents = ({row.get(name) for row in rows} - {None} for name in ("label", "document"))
        return f"{len(rows):,} pages, {len(documents):,} documents" if documents else f"{len(rows):,} pictures, {len(labels):,} labels"
    shown = ", ".join(f"{c.name} ({c.kind})" for c in columns[:12]) + (", …" if len(columns) > 12 else "")
    return f"{len(rows):,} rows, {len(columns)} columns: {shown}"


def _in_question(rows: list[JsonDict], plan: guess.Plan) -> bool:
    """Whether most answers are made of words of their own question: a score over bags of words would then be won by saying the question."""
    found = 0
    for row in rows:
        answer = row.get(plan.answer)
        asked = " ".join(str(value) for name, value in row.items() if name != plan.answer)
        found += isinstance(answer, str) and set(answer.casefold().split()) <= set(asked.casefold().split())
    return found * 2 > len(rows)


def _twice(rows: list[JsonDict], plan: guess.Plan) -> list[str]:
    """Questions that stand more than once: the same one with two answers cannot be answered right."""
    head = plan.answer.split("[")[0].split(".")[0]
    hidden = {head, plan.key, *plan.slices}
    answers: dict[bytes, set[bytes]] = {}
    for row in rows:
        asked = canon.dumps({name: value for name, value in row.items() if name not in hidden})
        answers.setdefault(asked, set()).add(canon.dumps(row.get(head)))
    same, torn = len(rows) - len(answers), sum(len(found) > 1 for found in answers.values())
    out = [f"{same:,} rows are the same as one before, but for key and answer"] if same else []
    return [*out, f"! {torn:,} of them ask for two different answers"] if torn else out


def _pictures(columns: list[Column], options: dict[str, str]) -> guess.Plan:
    asks = {"label": "What does this picture show?", "document": "Which document is this a page of?", "page": "Which page of the document is this?"}
    label = next((c for name in asks for c in columns if c.name == name and c.distinct > 1), None)
    if label is None:
        raise UserError("the pictures have no labels", where="from", hint="labels=FILE: a CSV or JSON from image name to label")
    few = label.distinct <= MOST_LABELS and label.kind == "text"
    ask = options.get("ask") or (asks[label.name] + (" One of: {{ labels | join(', ') }}." if few else ""))
    out = guess.Plan("look", ask, options.get("answer", label.name), options.get("reward", "exact"), key=options.get("key"))
    out.said.append(f"{label.name} is the answer, scored by {out.reward}")
    return out
