"""Short keys whose value is neither one word nor a mapping: `sections`, `facts` and `frame`, each as the holes that a preset has for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentharness.config.yaml import Document, KeyPath
from agentharness.env.mistakes import wrong
from agentharness.env.presets import Hole, access, quoted


def sections(document: Document, known: Any) -> dict[str, Hole]:
    """`sections: COLUMN` (a column, or path, that holds a record: its fields are the sections) or `sections: [COLUMN, …]`."""
    value = document.data.get("sections", known)
    if value is None:
        return {"sections": Hole(None), "sections.columns": Hole({})}
    at: KeyPath = ("sections",)
    if isinstance(value, str) and value:
        listed, columns = f"row{access(value)} | keys", {value: "public"}
        found: dict[str, Any] = {"legal": listed, "shown": listed, "in": value, "path": "[args.section]"}
    else:
        names = _names(document, "sections", value, "sections: record, or sections: [history, examination]")
        columns = dict.fromkeys(names, "public")
        found = {"legal": names, "shown": f"[{', '.join(_quote(name) for name in names)}]", "in": None, "path": "args.section"}
    origins: dict[KeyPath, KeyPath] = {(): at} | {(name,): at for name in columns}
    return {f"sections.{key}": Hole(one, {(): at}) for key, one in found.items()} | {"sections.columns": Hole(columns, origins), "sections": Hole(value)}


def facts(document: Document, known: Any) -> dict[str, Hole]:
    """`facts: [COLUMN, …]`: what may be asked about."""
    value = document.data.get("facts", known)
    if value is None:
        return {"facts": Hole(None), "facts.columns": Hole({})}
    names = _names(document, "facts", [value] if isinstance(value, str) else value, "facts: [region, population]")
    at: KeyPath = ("facts",)
    chosen = "{" + ", ".join(f"{_quote(name)}: row{access(name)}" for name in names) + "}[args.column]"
    columns = Hole(dict.fromkeys(names, "public"), {(): at} | {(name,): at for name in names})
    return {"facts": Hole(names, {(): at}), "facts.chosen": Hole(chosen, {(): at}), "facts.columns": columns}


def frame(document: Document, known: Any) -> dict[str, Hole]:
    """`frame: shown`: boxes are in the pixels of what is seen now. `source`, the usual one, is the same as nothing."""
    value = document.data.get("frame", known)
    if value not in (None, "source", "shown"):
        raise wrong(document, ("frame",), f"`frame` must be source or shown, is {value!r}", hint="frame: shown, or leave it out")
    return {"frame": Hole("shown" if value == "shown" else None, {(): ("frame",)})}


SPECIAL: dict[str, Callable[[Document, Any], dict[str, Hole]]] = {"sections": sections, "facts": facts, "frame": frame}
"""Short key -> (document, the preset's default) -> holes. Each raises UserError for a value of the wrong shape."""


def _names(document: Document, key: str, value: Any, hint: str) -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(name, str) and name for name in value):
        raise wrong(document, (key,), f"`{key}` must list columns by name", hint=hint)
    return list(dict.fromkeys(value))


def _quote(name: str) -> str:
    return f"'{quoted(name)}'"
