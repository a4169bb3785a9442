"""The APIs of bfcl-eval as an opaque backend: it is whatever the row's state becomes by the calls so far, and is rebuilt from these two where none is at hand.

What is kept between calls only saves time: an object is taken out of `_LIVE`, played one call further, and put back under the longer list of calls.
"""

from __future__ import annotations

import copy
import decimal
import hashlib
import importlib
import json
import math
from collections import OrderedDict
from threading import Lock
from typing import Any

_KEPT = 1024
"""Backends at hand, about 30 KB each: one for every session of a run, or each step is played from the start."""
_NODES = 50_000
"""Values in one state; a call that makes more is refused: directories can be copied into one another."""
_DIGITS = 1000
"""Largest precision, and exponent, that is worked out."""
_LIVE: OrderedDict[bytes, dict[str, Any]] = OrderedDict()
_LOCK = Lock()
"""The package keeps some of its state beside its objects."""


class _Refused(Exception):
    """Said to the agent; nothing has changed."""


def call(view: dict[str, Any], answers: list[Any]) -> list[dict[str, Any]]:
    """One call of a function: what it gives is shown, as bfcl-eval shows it to a model."""
    args, past = view["args"], view["vars"]
    name, row = args["function"], view["row"]
    try:
        given = _given(name, args["arguments"])
        with _LOCK, decimal.localcontext():
            backend = _taken(row, past["calls"])
            told = _run(backend, name, given)
            _states(backend)
            calls = [*past["calls"], [name, given]]
            _keep(row, calls, backend)
    except _Refused as e:
        return [{"missing": str(e)}]
    return [{"set": {"calls": calls, "results": [*past["results"], _digest(told)]}}, {"show": told}]


def say(view: dict[str, Any], answers: list[Any]) -> list[dict[str, Any]]:
    """The end of a turn: what the state is now is noted, and the user goes on, or is done."""
    row, past = view["row"], view["vars"]
    with _LOCK, decimal.localcontext():
        backend = _taken(row, past["calls"])
        state = {name: _digest(text) for name, text in _states(backend).items()}
        _keep(row, past["calls"], backend)
    turn = past["turn"]
    done = [*past["done"], {"state": state, "results": past["results"]}]
    if turn >= len(row["later"]):
        return [{"set": {"done": done}}, {"end": True}, {"show": "The user has no more requests."}]
    more = row["manuals"].get(str(turn + 1))
    told = f"User: {row['later'][turn]}" + (f"\n{more}" if more else "")
    return [{"set": {"done": done, "results": [], "turn": turn + 1}}, {"show": told}]


def _given(name: str, text: str) -> dict[str, Any]:
    try:
        given = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as e:
        raise _Refused(f"arguments is no JSON: {e}") from None
    if not isinstance(given, dict):
        raise _Refused('arguments must be a JSON object, as {"a": 1}')
    for key in ("precision", "exponent", "decimal_places"):
        value = given.get(key)
        if isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= _DIGITS):
            raise _Refused(f"{key} must be at most {_DIGITS}")
    return given


def _mark(row: dict[str, Any], calls: list[Any]) -> bytes:
    text = json.dumps([row["id"], row["classes"], row["category"], row["config"], calls], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _taken(row: dict[str, Any], calls: list[Any]) -> dict[str, Any]:
    """The APIs after these calls, for this caller alone."""
    found = _LIVE.pop(_mark(row, calls), None)
    if found is None:
        found = {name: _loaded(name, row) for name in row["classes"]}
        for name, given in calls:
            _run(found, name, given)
    return found


def _keep(row: dict[str, Any], calls: list[Any], backend: dict[str, Any]) -> None:
    _LIVE[_mark(row, calls)] = backend
    while len(_LIVE) > _KEPT:
        _LIVE.popitem(last=False)


def _loaded(name: str, row: dict[str, Any]) -> Any:
    from bfcl_eval.constants.executable_backend_config import CLASS_FILE_PATH_MAPPING, STATELESS_CLASSES

    api = getattr(importlib.import_module(CLASS_FILE_PATH_MAPPING[name]), name)()
    if name not in STATELESS_CLASSES:
        api._load_scenario(copy.deepcopy(row["config"].get(name, {})), long_context=row["category"] == "long_context")
    return api


def _run(backend: dict[str, Any], name: str, given: dict[str, Any]) -> str:
    """What a call gives, as text: records as JSON where they are JSON, trouble as a sentence. Of two APIs with one function the later one has it."""
    api = next(api for api in reversed(backend.values()) if callable(getattr(api, name, None)))
    try:
        result = getattr(api, name)(**copy.deepcopy(given))
    except Exception as e:  # noqa: BLE001  (the package's own code, with whatever an agent gives it)
        return f"Error during execution: {e}"
    if isinstance(result, dict):
        try:
            return json.dumps(result)
        except (TypeError, ValueError):
            return str(result)
    return result if isinstance(result, str) else str(result)


def _states(backend: dict[str, Any]) -> dict[str, str]:
    """API -> its public attributes as text: equal where bfcl-eval's own comparison finds them equal."""
    left = [_NODES]
    return {name: json.dumps(_plain(vars(api), left, frozenset()), sort_keys=True) for name, api in backend.items()}


def _plain(value: Any, left: list[int], above: frozenset[int]) -> Any:
    left[0] -= 1
    if left[0] < 0 or id(value) in above:
        raise _Refused("That would make more than can be kept.")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is None or isinstance(value, str | int | float):
        return value
    inside = above | {id(value)}
    if isinstance(value, list | tuple):
        return [_plain(item, left, inside) for item in value]
    if isinstance(value, dict):
        return {f"{key!r}": _plain(item, left, inside) for key, item in value.items() if not (isinstance(key, str) and key.startswith("_"))}
    if hasattr(value, "contents"):
        return {"name": value.name, "contents": _plain(value.contents, left, inside)}
    if hasattr(value, "content"):
        return {"name": value.name, "content": value.content}
    return str(value)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
