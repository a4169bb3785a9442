"""The multi-turn tasks of the package bfcl-eval as rows: what users ask turn by turn, the functions, the state it begins with, the gold calls."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

CATEGORIES = ("base", "miss_func", "miss_param", "long_context")
MORE = "Some functions were added that you can call now. Please do what I asked before."
"""What a user says where the data say nothing: functions that were held back are there now."""
_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}


def rows() -> Iterator[dict[str, Any]]:
    """200 rows of each category.

    `request`: the first turn's words. `later`: those of the turns after it. `classes`, `config`: the APIs and what they are loaded with. `functions`: {name,
    turn} of all that may be called and the turn, from 0, from which on. `manual`: what the first ones are, a text; `manuals`: turn -> that of the others.
    `calls`: the gold calls of all turns, each turn ended by `say`, as {name, args} of the task's own actions.
    """
    for category in CATEGORIES:
        gold = {entry["id"]: entry["ground_truth"] for entry in _lines("possible_answer", f"BFCL_v4_multi_turn_{category}.json")}
        for entry in _lines(f"BFCL_v4_multi_turn_{category}.json"):
            yield _row(category, entry, gold[entry["id"]])


def _row(category: str, entry: dict[str, Any], gold: list[list[str]]) -> dict[str, Any]:
    held = {name: int(turn) for turn, names in entry.get("missed_function", {}).items() for name in names}
    manual = {one["name"]: (api, one) for api in entry["involved_classes"] for one in _manual(api) if one["name"] not in entry.get("excluded_function", [])}
    said = ["\n".join(message["content"] for message in turn) or MORE for turn in entry["question"]]
    return {
        "id": entry["id"],
        "category": category,
        "request": said[0],
        "later": said[1:],
        "functions": [{"name": name, "turn": held.get(name, 0)} for name in manual],
        "manual": _text([one for name, one in manual.items() if name not in held]),
        "manuals": {str(turn): _text([manual[name] for name in held if held[name] == turn and name in manual]) for turn in sorted({*held.values()})},
        "classes": entry["involved_classes"],
        "config": entry["initial_config"],
        "calls": [call for turn in gold for call in (*(_call(one, manual) for one in turn), {"name": "say", "args": {"text": "Done."}})],
    }


def _call(source: str, manual: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    """`f(1, b=2)` as the task's action; arguments by place take the manual's names, which stand in the functions' order."""
    call = ast.parse(source, mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    names = list(manual[call.func.id][1]["parameters"]["properties"])
    given = dict(zip(names, call.args, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}
    arguments = json.dumps({name: ast.literal_eval(value) for name, value in given.items()}, ensure_ascii=False)
    return {"name": "call", "args": {"function": call.func.id, "arguments": arguments}}


def _text(manual: list[tuple[str, Any]]) -> str:
    """One line for each function, under its API's own words."""
    out, last = list[str](), ""
    for api, one in manual:
        about, _, told = one["description"].rpartition("Tool description: ")
        if api != last:
            out.append(f"{api}. {about.strip()}".strip())
        last = api
        out.append(json.dumps({"name": one["name"], "description": told, "parameters": _schema(one["parameters"])}, ensure_ascii=False))
    return "\n".join(out)


def _schema(value: Any) -> Any:
    """A parameter list with JSON schema's own type names."""
    if isinstance(value, list):
        return [_schema(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {k: _TYPES.get(v, v) if k == "type" and isinstance(v, str) else _schema(v) for k, v in value.items()}


@cache
def _manual(api: str) -> list[dict[str, Any]]:
    from bfcl_eval.constants.executable_backend_config import MULTI_TURN_FUNC_DOC_FILE_MAPPING

    return _lines("multi_turn_func_doc", MULTI_TURN_FUNC_DOC_FILE_MAPPING[api])


def _lines(*path: str) -> list[dict[str, Any]]:
    text = files("bfcl_eval").joinpath("data", *path).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]
