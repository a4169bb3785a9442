"""The short level's keys: what each one puts into the holes of a preset."""

from __future__ import annotations

import re
from typing import Any

from agentharness.config.yaml import Document, KeyPath
from agentharness.env import short_replay
from agentharness.env.mistakes import wrong
from agentharness.env.presets import Hole, Preset, access, quoted
from agentharness.env.short_columns import SPECIAL
from agentharness.errors import closest

KEYS = {
    "data": "where the rows come from: a file, or a mapping with `from` (file, hub id, file.py:function), `images` or `pdf`, and the source's own keys",
    "preset": "the preset whose tables, actions and oracle the task has",
    "ask": "the question: one word is a column, else a text with {{ }}; the columns that it names as row.x become public, `labels` is the list of all answers",
    "answer": "column, path (`a[].b`) or expression over row of the right answer: gold, what the rewards compare with",
    "gold": "columns that only scorers and the oracle see",
    "reward": "a scorer's name, a list of names, or a mapping name -> weight",
    "slices": "columns by which reports group; hidden unless `ask` names them",
    "turns": "turns that an episode may take",
    "tidy": "cleaning of the rows, step by step: dedupe, filter, filled, strip",
}
"""Short key -> description, for every preset."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SOURCE = (
    *("config", "split", "revision", "path", "labels", "match", "encoding", "delimiter", "types", "demo", "table", "sheet"),
    *("member", "chat", "dpi"),
    *("file", "hub", "python", "images", "pdf"),
)
_TABLE = ("key", "unique", "rename", "join")
_FILE = re.compile(r".+\.(?:(?:jsonl|ndjson|json|csv|tsv)(?:\.gz)?|parquet|arrow|xlsx|db|sqlite3?|zip)\Z", re.IGNORECASE)
_PDF = re.compile(r".+\.pdf\Z", re.IGNORECASE)
_PYTHON = re.compile(r"(?:[\w./-]+\.py|[\w.]+):[A-Za-z_]\w*\Z")
_HUB = re.compile(r"[\w.-]+/(?![\w.-]+\.(?:xlsx?|db|sqlite3?|zip|txt|pdf|ya?ml|py|md)\Z)[\w.-]+\Z")  # a file of another kind is no hub id
_BLOCK = re.compile(r"\{\{(.*?)\}\}|\{%(.*?)%\}", re.DOTALL)
_TOKEN = re.compile(
    r"""(?<![\w.])row((?:\s*\.\s*[A-Za-z_]\w*|\[\s*(?:'[^']*'|"[^"]*")\s*\])+)   # a column of the row
    |(?<![\w.])(labels)\b
    |'[^']*'|"[^"]*"                                                         # other text is skipped
    """,
    re.VERBOSE,
)
_STEP = re.compile(r"""\.\s*(\w+)|\[\s*['"]([^'"]*)['"]\s*\]""")
_PATH = re.compile(r"[^\s{}?!]+\Z")
"""A bare word in `ask` is a column; a question mark makes it a question."""
_RANK = {"hidden": 0, "public": 1, "gold": 2}


def holes(document: Document, preset: Preset) -> dict[str, Hole]:
    """All that the document's short keys say, as holes for `preset`. Raises UserError for a short key of the wrong shape."""
    out: dict[str, Hole] = {}
    for key in preset.short.keys() & SPECIAL.keys():
        out |= SPECIAL[key](document, preset.short[key])
    tables = {"nodes"} | ({"documents"} if preset.name == "search" else set())
    own = {
        key: _own(document, key, default, out, key in tables) for key, default in preset.short.items() if key not in short_replay.KEYS and key not in SPECIAL
    }
    answer = _word(document, "answer")
    reference, once, answers = _reference(answer, ("answer",)) if answer else ("", "", {})
    ask = _word(document, "ask")
    template, asked, labels = _question(ask) if ask else ("", [], False)
    options = _word(document, "options") if "options" in preset.short else None
    shown: dict[str, KeyPath] = {}
    if options:
        listed, _, shown = _reference(options, ("options",))
        reference = f"{{'answer': {reference}, 'choices': {listed}}}" if reference else ""
        # a number is the place of an option, and what is said is its letter
        once = f"('{LETTERS}'[{once}] if {once} is number else {once})" if once else ""
        out["options.list"] = Hole(listed, {(): ("options",)})
    out["rows"] = _table(document, ("data",))
    out["ask"] = Hole(template or None, {(): ("ask",)})
    out["answer"] = Hole(reference, {(): ("answer",)})
    out["answer_once"] = Hole(once or None, {(): ("answer",)})
    if "turns" in document.data and document.data["turns"] is None:
        raise wrong(document, ("turns",), "`turns` is empty", hint="turns: 20")
    out["turns"] = Hole(document.data.get("turns"), {(): ("turns",)})
    out["slices"] = _words(document, "slices")
    gold = _words(document, "gold")
    levels = [(column, "public", ("ask",)) for column in asked] + [(column, "public", at) for column, at in shown.items()]
    levels += [(column, "gold", at) for column, at in answers.items()]
    levels += [(column, level, hole.origins[(i,)]) for hole, level in ((gold, "gold"), (out["slices"], "hidden")) for i, column in enumerate(hole.value)]
    out["columns"] = _levels(levels)
    out["rewards"] = _rewards(document, preset.reference if reference and preset.reference else reference)
    if labels and "labels" not in (document.data.get("derive") or {}):
        if len(answers) != 1 or answer not in answers:
            raise wrong(document, ("ask",), "`labels` is the list of all values of `answer`", hint="name the answer's column by `answer`")
        out["labels"] = Hole(answer, {(): ("ask",)})
    if "evidence" in own:
        out["evidence"] = _evidence(document, own, gold)
    if preset.name == "search":
        _documents(document, own["documents"], out)
    if "nodes" in own:
        _nodes(document, own["nodes"], out)
    if "steps" in own:
        short_replay.steps(document, own["steps"], out)
    return out


def columns_in(template: str) -> tuple[list[str], bool]:
    """Field paths that a template's blocks name as row.x or row['x'], and whether they name `labels`."""
    return _scan(" ".join(a or b for a, b in _BLOCK.findall(template)))


def _scan(expression: str) -> tuple[list[str], bool]:
    found: dict[str, None] = {}
    labels = False
    for match in _TOKEN.finditer(expression):
        labels = labels or bool(match[2])
        if match[1]:
            found[".".join(a or b for a, b in _STEP.findall(match[1]))] = None
    return list(found), labels


def _question(ask: str) -> tuple[str, list[str], bool]:
    if _PATH.match(ask):
        return f"{{{{ row{access(ask)} }}}}", [ask], False
    return ask, *columns_in(ask)


def _reference(text: str, at: KeyPath) -> tuple[str, str, dict[str, KeyPath]]:
    """A path or expression of gold: what rewards compare with, one value of it for the oracle, and its columns."""
    if re.search(r"(?<![\w.])row\s*[.\[]", text):
        return text, text, dict.fromkeys(_scan(text)[0], at)
    return _along(text), f"row{access(text)}".replace("[]", "[0]"), {text: at}


def _along(path: str) -> str:
    """A path as an expression: all values at it, one flat list where it goes into lists."""
    head, *inner = path.split("[]")
    out = f"row{access(head)}"
    for i, step in enumerate(inner):
        if i:
            out += " | flatten"
        if name := step.lstrip("."):
            out += f" | map('{quoted(name)}')"
    return out


def _levels(levels: list[tuple[str, str, KeyPath]]) -> Hole:
    """Gold stays gold; a column that is asked with is public though it is a slice too."""
    hole = Hole({})
    for column, level, origin in levels:
        if column not in hole.value or _RANK[level] > _RANK[hole.value[column]]:
            hole.value[column] = level
            hole.origins[(column,)] = origin
    return hole


def _word(document: Document, key: str) -> str | None:
    value = document.data.get(key)
    if value is None and key not in document.data:
        return None
    if not isinstance(value, str) or not value.strip():
        hint = "quote a text that holds { } or : " if isinstance(value, dict | list) else "write a column's name or a quoted text"
        raise wrong(document, (key,), f"`{key}` must be text", hint=hint)
    return value


def _words(document: Document, key: str) -> Hole:
    value = document.data.get(key)
    if value is None and key not in document.data:
        return Hole([])
    listed = value if isinstance(value, list) else [value]
    for i, item in enumerate(listed):
        if not isinstance(item, str) or not item:
            raise wrong(document, (key, i), f"`{key}` must list columns by name", hint=f"{key}: [one, another]")
    return Hole(listed, {(): (key,)} | {(i,): (key, i) if isinstance(value, list) else (key,) for i in range(len(listed))})


def _own(document: Document, key: str, default: Any, out: dict[str, Hole], table: bool) -> dict[str, Any]:
    """A preset's own short key; a mapping's keys become the holes key.name. A bare word fills the mapping's first key. `table`: it may name a source."""
    value = document.data.get(key)
    if not isinstance(default, dict):
        if value is not None and not isinstance(value, str):
            raise wrong(document, (key,), f"`{key}` must be text", hint="write a column's name")
        out[key] = Hole(value if key in document.data else default, {(): (key,)})
        return {}
    bare = isinstance(value, str)
    said = {next(iter(default)): value} if bare else value if value is not None else {}
    if not isinstance(said, dict):
        raise wrong(document, (key,), f"`{key}` must be a mapping", hint=f"{key}: {{{', '.join(f'{k}: …' for k in default)}}}")
    known = {*default, *_SOURCE, *_TABLE} if table else set(default)
    for name, inner in said.items():
        if name not in known:
            raise wrong(document, (key, name), f"`{key}` has no key {name!r}", hint=closest(name, known), key=True)
        if isinstance(default.get(name, ""), str | None) and name in default and not isinstance(inner, str | None):
            raise wrong(document, (key, name), f"`{key}.{name}` must be text", hint="write a column's name")
        if inner is None and default.get(name) is not None and name != "scope":
            raise wrong(document, (key, name), f"`{key}.{name}` is empty", hint=f"leave it out for {default[name]!r}")
    merged = default | said
    for name in default:
        out[f"{key}.{name}"] = Hole(merged[name], {(): (key,) if bare or name not in said else (key, name)})
    return merged


def _rewards(document: Document, reference: str) -> Hole:
    value = document.data.get("reward")
    if value is None and "reward" not in document.data:
        return Hole({})
    each: list[tuple[str, Any, KeyPath]] = []
    if isinstance(value, dict):
        each = [(name, inner if isinstance(inner, dict) else {"weight": inner}, ("reward", name)) for name, inner in value.items()]
    elif isinstance(value, list):
        each = [(name, {}, ("reward", i)) for i, name in enumerate(value)]
    else:
        each = [(value, {}, ("reward",))]
    hole = Hole({}, {(): ("reward",)})
    for name, said, at in each:
        weight = said.get("weight", 1)
        if not isinstance(name, str) or isinstance(weight, bool) or not isinstance(weight, int | float):
            raise wrong(document, at, "`reward` must be a scorer's name, a list of names, or a mapping name -> weight", hint="reward: {exact: 1}")
        hole.value[name] = {"scorer": name} | ({"against": reference} if reference else {}) | said
        hole.origins |= {(name,): at, (name, "against"): ("answer",)} | {(name, key): (*at, key) if key in said else at for key in said}
    return hole


def _table(document: Document, at: KeyPath, value: Any = None) -> Hole:
    """A table read from where `data` (or `nodes`) says."""
    value = document.data.get("data") if at == ("data",) else value
    if value is None and "data" not in document.data:
        return Hole(None)
    bare = not isinstance(value, dict)
    said = {"from": value} if bare else dict(value)
    known = {"from", *_SOURCE, *_TABLE}
    unknown = next((key for key in said if key not in known), None)
    if unknown is not None:
        raise wrong(document, (*at, unknown), f"`{at[0]}` has no key {unknown!r}", hint=closest(unknown, known), key=True)
    locators = [key for key in ("from", "images", "pdf", "hub", "file", "python") if said.get(key) is not None]
    if len(locators) != 1:
        what = f"`{at[0]}` says where rows come from more than once: {', '.join(locators)}" if locators else f"`{at[0]}` does not say where the rows come from"
        raise wrong(document, at, what, hint="give one of: from, images, pdf")
    origins: dict[KeyPath, KeyPath] = {(): at}
    for key in said:
        if key != "from":
            origins[(key,) if key in _TABLE else ("source", key)] = (*at, key)
    table: dict[str, Any] = {"source": {key: said[key] for key in said if key in _SOURCE}} | {key: said[key] for key in _TABLE if key in said}
    if "from" in locators:
        kind = _kind(document, at if bare else (*at, "from"), said["from"])
        table["source"] = {kind: said["from"]} | table["source"]
        origins[("source", kind)] = at if bare else (*at, "from")
    if at == ("data",) and "tidy" in document.data:
        steps = document.data["tidy"]
        table["tidy"] = [steps] if isinstance(steps, dict) else steps
        origins[("tidy",)] = ("tidy",)
    return Hole(table, origins)


def _kind(document: Document, at: KeyPath, locator: Any) -> str:
    if isinstance(locator, str):
        for kind, form in (("python", _PYTHON), ("file", _FILE), ("pdf", _PDF), ("hub", _HUB)):
            if form.match(locator):
                return kind
    hint = "a jsonl, json, csv, tsv, parquet, arrow, xlsx, SQLite, zip or PDF file, a hub id owner/name, or file.py:function; a folder of pictures is `images`"
    raise wrong(document, at, f"{locator!r} is no place that rows come from", hint=hint)


def _evidence(document: Document, own: dict[str, dict[str, Any]], gold: Hole) -> Hole:
    """What the oracle opens: titles of pages, or sections. Where the task does not say: the field named like the title, in the first gold column."""
    said, title = document.data.get("evidence"), own.get("documents", {}).get("title")
    at: KeyPath = ("evidence",)
    if "evidence" not in document.data and title and gold.value and re.fullmatch(r"\w+", gold.value[0]):
        said, at = f"{gold.value[0]}.{title}", gold.origins[(0,)]
    if not said:
        return Hole(None)
    if re.search(r"(?<![\w.])row\s*[.\[]", said):
        return Hole(said, {(): at})
    head, _, tail = said.partition("[].")
    if "[]" in tail:
        raise wrong(document, at, "`evidence` goes into one list at most", hint="write it as an expression over row")
    return Hole(f"row{access(head)}" + (f" | map('{tail}')" if tail else ""), {(): at})


def _documents(document: Document, said: dict[str, Any], out: dict[str, Hole]) -> None:
    """The table of documents: read from a source of its own, a table of `corpus`, or a column of the rows that lists them."""
    place, title = said["from"], said["title"]
    own = {key: value for key, value in said.items() if key in ("from", *_SOURCE, *_TABLE)}
    sourced = any(key in said for key in ("hub", "file", "python", "images"))
    if place is None and not sourced:
        return
    at: KeyPath = ("documents",) if isinstance(document.data.get("documents"), str) else ("documents", "from")
    more = {"key": said.get("key", title)} | {key: said[key] for key in ("unique", "rename") if key in said}
    if not sourced and place in (document.data.get("corpus") or {}):
        out["documents.table"] = Hole({"from": place} | more, {("from",): at})
    elif not sourced and not any(form.match(place) for form in (_PYTHON, _FILE, _HUB)):
        scope = {"scope": said["scope"]} if said["scope"] else {}
        out["documents.table"] = Hole({"from": "rows", "explode": place} | scope | {"unique": "error" if scope else "first"} | more, {("explode",): at})
    else:
        table = _table(document, ("documents",), {key: value for key, value in own.items() if value is not None})
        table.value = more | table.value
        out["documents.table"] = table


def _nodes(document: Document, nodes: dict[str, Any], out: dict[str, Hole]) -> None:
    show = nodes["show"] if isinstance(nodes["show"], list) else [nodes["show"]]
    if not all(isinstance(column, str) and column for column in show):
        raise wrong(document, ("nodes", "show"), "`nodes.show` must list columns by name", hint="show: [capital, region]")
    said = {key: value for key, value in nodes.items() if key in ("from", "key", *_SOURCE, *_TABLE)}
    if nodes["from"] is None and not any(key in nodes for key in ("hub", "file", "python", "images", "pdf")):
        return
    table = _table(document, ("nodes",), said)
    out["nodes.rows"] = table
    columns = {nodes["key"]: ("nodes", "key"), nodes["edge"]: ("nodes", "edge")} | dict.fromkeys(show, ("nodes", "show"))
    out["nodes.columns"] = _levels([(column, "public", at) for column, at in columns.items()])
    for name, row in (("here", "at"), ("there", "results[0]")):
        out[f"nodes.{name}"] = Hole("".join(f"\n{column}: {{{{ {row}{access(column)} }}}}" for column in show), {(): ("nodes", "show")})
