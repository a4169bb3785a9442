"""Chat and SFT records: one conversation a row, whatever its dialect, as `messages`: [{role, content, …}].

The two dialects: [{role, content}] (OpenAI, TRL) and ShareGPT's [{from, value}] with human, gpt, system, function_call, observation. All else that a message
carries (tool calls, names, ids) stays.
"""

from __future__ import annotations

from typing import Any

from agentharness.corpus.batch import Batch, Note
from agentharness.corpus.cells import columns_of
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

MESSAGES = "messages"
OFF = "off"
_ROLES = {
    **{"human": "user", "user": "user", "prompter": "user"},
    **{"gpt": "assistant", "assistant": "assistant", "chatgpt": "assistant", "bot": "assistant", "model": "assistant", "function_call": "assistant"},
    **{"system": "system", "developer": "developer"},
    **{"observation": "tool", "tool": "tool", "function_response": "tool", "function": "function"},
}
"""A dialect's speaker -> role."""
_SHAREGPT = "conversations"


def normalise(batch: Batch, column: str | None, note: Note) -> None:
    """Turns the conversation of each row into `messages`, in place. `column`: as `Source.chat`. Raises UserError with the row and the message."""
    if column == OFF or not batch.rows:
        return
    known = columns_of(batch)
    if column is not None and column not in known:
        raise UserError(f"chat: names no column {column!r}", where=batch.name, hint=closest(column, known))
    chosen = column or _guess(batch, known)
    if chosen is None:
        return
    if chosen != MESSAGES and MESSAGES in known:
        raise UserError(f"has a column {MESSAGES!r} beside {chosen!r}", where=batch.name, hint=f"chat: {MESSAGES}, or chat: {OFF}")
    said = 0
    for i, row in enumerate(batch.rows):
        read = _conversation(row.get(chosen), f"{batch.place(i)}, {chosen}")
        said += read != row.get(chosen)
        batch.rows[i] = {MESSAGES if name == chosen else name: read if name == chosen else value for name, value in row.items()}
    if column is None and (chosen != MESSAGES or said):
        note(f"{batch.name}: {chosen} is read as a conversation, into {MESSAGES}: role and content (chat: {OFF} leaves it)")


def _guess(batch: Batch, known: set[str]) -> str | None:
    """The column whose every value is a conversation: `conversations`, or `messages` with a dialect's roles; None where there is none."""
    for column in (MESSAGES, _SHAREGPT):
        cells = [row.get(column) for row in batch.rows]
        if column in known and all(cell is None or _is_conversation(cell) for cell in cells) and any(cells):
            return column
    return None


class Hint:
    """Whether rows that come in pieces may hold conversations: what no piece has ruled out."""

    def __init__(self, column: str | None) -> None:
        self._said = column
        self._left = {MESSAGES, _SHAREGPT}

    def may(self, batch: Batch) -> bool:
        """Takes the next piece into account."""
        if self._said is not None:
            return self._said != OFF
        known = columns_of(batch) & self._left
        self._left -= {column for column in known if not all(cell is None or _is_conversation(cell) for cell in (row.get(column) for row in batch.rows))}
        return bool(known & self._left)


def _is_conversation(cell: Any) -> bool:
    return isinstance(cell, list) and all(_fault(item) == "" for item in cell)


def _conversation(cell: Any, where: str) -> list[JsonDict] | None:
    if cell is None:
        return None
    if not isinstance(cell, list):
        raise UserError("is no conversation", where=where, hint="a list of {role, content} or of {from, value}")
    for n, item in enumerate(cell):
        if fault := _fault(item):
            raise UserError(f"message {n}: {fault}", where=where, hint=f"{{role, content}} or {{from, value}}; roles: {', '.join(_ROLES)}")
    return [_message(item) for item in cell]


def _fault(item: Any) -> str:
    """What is wrong with a message; "" where nothing is."""
    if not isinstance(item, dict):
        return "is no record"
    speaker, text = ("role", "content") if "role" in item else ("from", "value")
    if speaker not in item:
        return "has no role"
    if not isinstance(item[speaker], str) or item[speaker].lower() not in _ROLES:
        return f"{item[speaker]!r} is no role"
    if text not in item and not item.get("tool_calls"):
        return f"has no {text}"
    if not isinstance(item.get(text), str | list | dict | None):
        return f"its {text} is neither text nor parts"
    return ""


def _message(item: JsonDict) -> JsonDict:
    speaker, text = ("role", "content") if "role" in item else ("from", "value")
    rest = {name: value for name, value in item.items() if name not in (speaker, text)}
    return {"role": _ROLES[item[speaker].lower()], **({"content": item[text]} if text in item else {}), **rest}
