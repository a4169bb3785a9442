"""Which column is what, and the world that fits: names first, then what the cells say. Every guess is a key of the task that the user can change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from agentharness.errors import UserError, closest
from agentharness.new.profile import Column
from agentharness.types.part import JsonDict

QUESTION = ("question", "query", "problem", "prompt", "instruction", "ask", "input", "sentence", "statement", "review", "headline", "text", "premise", "title")
ANSWER = (
    *("answer", "answers", "final_answer", "correct_answer", "correct", "answer_text", "gold", "gold_answer", "label", "labels", "target", "targets", "output"),
    *("response", "completion", "expected", "expected_output", "canonical_solution", "solution", "diagnosis", "class", "category", "species", "sentiment"),
    *("result", "y"),
)
_ANSWERS = ("text", "number", "truth", "texts", "record", "lists", "records")
OPTIONS = ("options", "choices", "candidates", "endings")
KEY = ("id", "_id", "qid", "uid", "uuid", "key", "question_id", "task_id", "example_id", "name", "code")
SLICE = ("type", "level", "difficulty", "category", "subject", "topic", "split", "domain", "task", "language", "region", "continent", "year")
_WHOLE = ("text", "title", "name", "y", "class", "result", "input", "output", "code", "id", "key", "type", "level", "correct", "task")
"""Words too common to be looked for inside longer names."""
_TITLE, _BODY = ("title", "name", "heading", "id"), ("sentences", "text", "content", "paragraphs", "paragraph_text", "body", "sections")
_ASIDE = re.compile(r"(?:^|_)(?:id|key|uuid|url|index)$|updated|created|timestamp|(?:^|_)(?:date|time|day|released)(?:_|$)")
"""Names of columns that say when or under which number a row was kept: nobody asks for them."""
_WORDS = re.compile(r"[^a-z0-9]+")
_CODE = re.compile(r"^[ \t]+\S", re.MULTILINE)
MOSTLY = 0.9
"""Share of one value from which on a column is no answer: it would be won without a look."""
MOST_CLUES = 12
"""Columns that a question over a plain table shows at most."""
MOST_LABELS = 60
"""Labels that a question lists at most."""


@dataclass(slots=True)
class Plan:
    """A task on the short level, before it is written."""

    preset: str
    ask: str
    answer: str
    reward: str
    against: str | None = None
    """The reference, where it is not the answer as it stands."""
    options: JsonDict = field(default_factory=dict)
    """The scorer's."""
    key: str | None = None
    where: str | None = None
    """Expression over the row: the rows that have an answer."""
    slices: list[str] = field(default_factory=list)
    extra: JsonDict = field(default_factory=dict)
    """The preset's own short keys."""
    asked: str | None = None
    """The column that asks the question, where one does."""
    options_in: str | None = None
    """The column of the options."""
    made: list[JsonDict] = field(default_factory=list)
    """Rows that were made over the data, which are episodes then."""
    said: list[str] = field(default_factory=list)
    """What was seen and taken for what, a line each."""


def plan(columns: Sequence[Column], *, ask: str | None = None, answer: str | None = None, reward: str | None = None, key: str | None = None) -> Plan:
    """The world that fits a table's columns. `ask`, `answer`, `reward`, `key`: what the user says instead of a guess. Raises UserError where no column can be
    the answer, or a named one is none."""
    by_name = {c.name: c for c in columns}
    for said, value in (("answer", answer), ("key", key)):
        if value is not None and value.split(".")[0].rstrip("[]") not in by_name:
            raise UserError(f"there is no column {value!r}", where=said, hint=closest(value, by_name))
    usable = [c for c in columns if c.kind != "empty"]
    target = _answer(usable, answer)
    path = answer or _inner(target)
    if target.name != path and path.endswith("]"):
        target = replace(target, kind="texts", words=3.0, numeric=0.0)  # what stands at the path are texts
    options = named(usable, OPTIONS, ("texts", "record", "lists"))
    documents = _documents(usable)
    out = Plan("pages" if documents else "qa", "", path, "", key=key or _key(usable, target), options_in=options.name if options else None)
    out.extra |= {"documents": documents} if documents else {}
    if target.filled < 1:
        out.where = f"row{access(target.name)}"
        out.said.append(f"rows without a {target.name!r} are left out")
    _question(out, usable, target, options, ask)
    _reward(out, target, options, reward)
    taken = {target.name, out.key or ""} | ({options.name} if options else set())
    out.slices = [c.name for c in usable if c.name not in taken and c.labels and plain(c.name) in SLICE][:3]
    return out


def _answer(columns: Sequence[Column], said: str | None) -> Column:
    if said is not None:
        name = said.split(".")[0].rstrip("[]")
        return next(c for c in columns if c.name == name)
    found = named([c for c in columns if c.filled > 0.5], ANSWER, _ANSWERS)
    if found is not None and not (found.kind in ("record", "lists", "records") and _inner(found) == found.name):
        return found
    likely = [c for c in columns if c.filled > 0.5 and (c.top < MOSTLY or c.rows < 10) and not c.name.startswith("_") and not _ASIDE.search(plain(c.name))]
    classes = [c for c in likely if c.labels and c.kind == "text"] or [c for c in likely if c.kind == "text" and c.words <= 12]
    rest = classes or [c for c in likely if c.kind == "number" and not c.unique]
    if len(columns) < 2 or not rest:
        raise UserError("no column looks like an answer", where="from", hint="name it: answer=COLUMN")
    return rest[-1]


def _inner(column: Column) -> str:
    """The path of the answer: a record with one list of texts is asked for that list."""
    first = column.values[0] if column.values else None
    if column.kind in ("record", "lists") and isinstance(first, dict):
        inner = _field(first)
        return f"{column.name}.{inner}" if inner else column.name
    if column.kind == "records" and isinstance(first, list) and first:
        inner = _field(first[0])
        return f"{column.name}[].{inner}{'[]' if isinstance(first[0][inner], list) else ''}" if inner else column.name
    return column.name


def _field(record: JsonDict) -> str | None:
    return next((k for k in ("text", "answer", "spans", "value", "label") if k in record), None)


def _question(out: Plan, columns: Sequence[Column], target: Column, options: Column | None, said: str | None) -> None:
    shown = [c for c in columns if c.name != target.name and c.kind in ("text", "number", "truth")]
    question = named([c for c in shown if c.kind == "text" and c.filled > 0.9], QUESTION, ("text",))
    if question is None:
        asks = [c for c in shown if c.kind == "text" and sum(str(v).rstrip().endswith("?") for v in c.values) * 2 > len(c.values)]
        long = [c for c in shown if c.kind == "text" and c.words >= 6 and c.filled > 0.9]
        question = asks[0] if asks else max(long, key=lambda c: c.words, default=None)
    if said is not None:
        out.ask = said
    elif question is not None:
        out.asked = question.name
        out.ask = question.name if options is None else f"{{{{ row{access(question.name)} }}}}"
        out.said.append(f"{question.name!r} is what is asked")
    else:
        filled = [c for c in shown if c.filled > 0.5]
        clues = ([c for c in filled if c.name != out.key] or filled)[:MOST_CLUES]
        if not clues:
            raise UserError("no column is left to ask with", where="from", hint="say ask=TEXT, with row.COLUMN in {{ }}")
        parts = "; ".join(f"{_spoken(c.name)}: {{{{ row{access(c.name)} }}}}" for c in clues)
        out.ask = f"{parts}. What is the {_spoken(target.name)}?"
        out.said.append(f"no column asks a question: {len(clues)} of {len(columns)} columns are shown, {target.name!r} is asked for")
    if options is not None and said is None:
        listed = f"row{access(options.name)}"
        out.ask += f" Options: {{{{ {listed} | join(' | ') }}}}" if options.kind == "texts" else f" Options: {{{{ {listed} }}}}"
    elif said is None and target.labels and target.kind == "text" and target.distinct <= MOST_LABELS:
        if "{" not in out.ask:
            out.ask = f"{{{{ row{access(out.ask)} }}}}"
        out.ask += " One of: {{ labels | join(', ') }}."


def _reward(out: Plan, target: Column, options: Column | None, said: str | None) -> None:
    texts = [v for v in target.values if isinstance(v, str)]
    if said is not None:
        out.reward = said
    elif options is not None and target.kind in ("text", "number"):
        out.reward = "choice"
        out.against = f"{{'answer': row{access(out.answer)}, 'choices': row{access(options.name)}}}"
    elif target.numeric == 1 or (texts and all("####" in v for v in texts)):
        out.reward = "numeric"
        if target.kind == "number" and any(isinstance(v, float) and v != int(v) for v in target.values) and not target.labels:
            out.options = {"relative": 0.01}
    elif target.labels or target.kind in ("number", "truth") or target.words <= 5 or target.kind == "texts" or _is_code(texts):
        out.reward = "exact"
    else:
        out.reward = "squad_f1"
    out.said.append(f"{out.answer!r} is the answer, scored by {out.reward}")


def _is_code(texts: Sequence[str]) -> bool:
    """Whether most texts are indented lines: a score over bags of words would be won by any program."""
    return sum(_CODE.search(text) is not None for text in texts) * 2 > len(texts)


def _documents(columns: Sequence[Column]) -> dict[str, str]:
    for column in columns:
        first = column.values[0] if column.values else None
        record = first[0] if column.kind == "records" and isinstance(first, list) and first else first if column.kind == "lists" else None
        if isinstance(record, dict):
            title = next((k for k in _TITLE if k in record), None)
            body = next((k for k in _BODY if k in record and k != title), None)
            if title and body:
                return {"from": column.name, "title": title, "text": body}
    return {}


def _key(columns: Sequence[Column], target: Column) -> str | None:
    found = [c for c in columns if c.unique and c.kind in ("text", "number") and c.name != target.name and c.words <= 3]
    named = [c for c in found if plain(c.name) in KEY]
    return min(named, key=lambda c: KEY.index(plain(c.name))).name if named else None


def named(columns: Iterable[Column], names: Sequence[str], kinds: Sequence[str]) -> Column | None:
    """The column whose name stands first in `names`."""
    found = [c for c in columns if c.kind in kinds and _rank(c.name, names) is not None]
    return min(found, key=lambda c: _rank(c.name, names) or 0, default=None)


def _rank(name: str, names: Sequence[str]) -> int | None:
    """Where a name, or its beginning or end (`question_text`, `correct_diagnosis`), stands in the list; whole names first."""
    word = plain(name.rpartition(".")[2])
    if word in names:
        return names.index(word)
    first, last = word.split("_")[0], word.split("_")[-1]
    near = [i for i, known in enumerate(names) if known in (first, last) and known not in _WHOLE and last not in ("id", "idx", "index", "key", "len", "count")]
    return len(names) + near[0] if near else None


def plain(name: str) -> str:
    return _WORDS.sub("_", name.lower()).strip("_")


def _spoken(name: str) -> str:
    return re.sub(r"\s+", " ", name.replace("_", " ")).strip()


def access(path: str) -> str:
    return "".join(f".{part}" if re.fullmatch(r"[A-Za-z_]\w*", part) else f"[{part!r}]" for part in path.split("."))
