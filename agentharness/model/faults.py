"""What an answer that is no reply means, and so what is done about it.

| answer | done |
|---|---|
| no connection, connection lost, no answer in time | tried again |
| 408, 409, 425, 429, 5xx | tried again; Retry-After is honoured |
| any error that says the prompt is too long (CONTEXT) | `Truncated("context")`; an error of the run where max_tokens alone is as long as the context |
| 429 with `insufficient_quota`, 402 | ends the run: money does not come back by waiting |
| 401, 403 | ends the run, naming the variable that holds the key |
| 404 | ends the run, naming the models that the server has |
| 3xx | ends the run: base_url is not where the server is |
| 400, 422 where a tool call in the history has broken arguments | sent once more with `{}` in their place; the record keeps what was written |
| 400, 422 and all other | the episode's `error: model`, never tried again |
| 200 with an error body | as the status in its `code` says; without one, tried again |
| 200 that is no JSON, has no choices or no message | tried again (`reading.py`) |
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC
from typing import Any

from agentharness import canon
from agentharness.errors import EpisodeError, Truncated
from agentharness.model.transport import HttpReply, TransportError

AGAIN = frozenset({408, 409, 425, 429})

CONTEXT = (
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "maximum model length",
    "maximum sequence length",
    "model's context length",
    "available context size",
    "exceeds the context window",
    "exceed context window",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "inputs must have less than",
    "input token count",
    "`max_new_tokens` must be <=",
    "reduce the length of the messages",
    "too large for model with",
)
"""How servers say that a prompt is too long, lower case: OpenAI and its likes, vLLM, SGLang, llama.cpp, TGI, and the large hosts."""

_LENGTH = re.compile(r"(?:maximum context length|maximum model length)(?: is| of)? (\d+)")


class Transient(Exception):
    """A failed attempt after which another may succeed. `kind`, by which it is counted: a status ("429") or a word ("timeout", "reset", "not_json")."""

    def __init__(self, kind: str, message: str, retry_after: float | None = None) -> None:
        self.kind, self.message, self.retry_after = kind, message, retry_after
        super().__init__(f"{kind}: {message}")


class NotFound(Exception):
    """404: the model or the path; only the list of models tells which."""


def of_transport(error: TransportError) -> Transient:
    return Transient(error.kind, error.message)


def of_status(reply: HttpReply, *, key_name: str, max_tokens: Any, now: Callable[[], float]) -> Exception:
    """What to raise for an answer whose status is not 200."""
    status, (message, code) = reply.status, error_text(reply.body)
    if status not in (401, 403, 404, 429) and (trouble := of_context(f"{code} {message}", max_tokens)):
        return trouble
    if status == 402 or (status == 429 and code == "insufficient_quota"):
        return EpisodeError("model", f"the account has no credit left ({status}): {message}", fatal=True)
    if status in AGAIN or status >= 500:
        return Transient(str(status), message, retry_after(reply, now))
    if status in (401, 403):
        return EpisodeError("model", f"the server refuses the key ({status}): set {key_name}. It says: {message}", fatal=True)
    if status == 404:
        return NotFound(message)
    if status < 400:
        place = reply.headers.get("location") or "nowhere"
        return EpisodeError("model", f"the server answers with status {status} and points to {place}: set base_url to where it is", fatal=True)
    return EpisodeError("model", f"the server refuses the request ({status}): {message}")


def of_context(text: str, max_tokens: Any = None) -> Exception | None:
    """Truncated("context") where the text says that the prompt is too long, None where it says something else."""
    low = text.lower()
    if not any(phrase in low for phrase in CONTEXT):
        return None
    length = _LENGTH.search(low)
    if length and isinstance(max_tokens, int) and max_tokens >= int(length[1]):
        # No prompt at all would fit: told as it is, for each episode would be cut before its first word.
        return EpisodeError("model", f"max_tokens={max_tokens} leaves no room for a prompt: the model's context has {length[1]} tokens", fatal=True)
    return Truncated("context")


def error_text(body: bytes) -> tuple[str, str]:
    """(message, code) of an error body, in the several forms that servers use; for anything else the beginning of its text."""
    try:
        data = canon.loads(body)
    except ValueError:
        said = body[:4000].decode("utf-8", "replace")
        return _short(re.sub(r"<[^>]*>", " ", said)) or _short(said) or "an empty answer", ""
    error = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        return _short(error if isinstance(error, str) else body[:4000].decode("utf-8", "replace")), ""
    message = next((error[k] for k in ("message", "detail", "msg") if error.get(k)), None)
    text = message if isinstance(message, str) else canon.dumps(message if message is not None else error).decode()
    code = error.get("code")
    kind = error.get("type")
    return _short(text), str(code) if isinstance(code, str | int) and code else str(kind or "")


def retry_after(reply: HttpReply, now: Callable[[], float]) -> float | None:
    """Seconds that the server asks to wait: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date; None where it does not say."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = reply.headers.get(name)
        if not value:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            from email.utils import parsedate_to_datetime

            try:
                date = parsedate_to_datetime(value)
            except ValueError:
                continue
            seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now()
        if 0 <= seconds < float("inf"):
            return seconds
        if seconds < 0 and unit == 1.0:
            return 0.0
    return None


def _short(text: str, most: int = 600) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
