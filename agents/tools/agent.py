"""The plain tool-calling agent: the whole transcript in every call, one call a turn, a second one where a reply cannot be read.

Two protocols: `native` sends the actions as tools and reads tool calls; `text` describes them in the system prompt and reads one ```json block, for models
or servers without tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentharness import canon
from agentharness.agent import describe, parse
from agentharness.errors import UserError, closest
from agentharness.types import part
from agentharness.types.agent import Player, Seat
from agentharness.types.move import ActionSet, Move, Observation, Shown
from agentharness.types.part import JsonDict, Part

DEFAULTS: JsonDict = {
    "protocol": "native",  # native | text
    "system": "system.txt",  # a text, or a .txt or .md file (of the agent's folder, or of the working folder)
    "retries": 1,  # calls more in a turn whose reply cannot be read
    "seed": False,  # whether each call sends a seed of its own
    "max_tokens": None,  # None: not sent, the server's own default
    "temperature": None,
    "top_p": None,
    "stop": None,
}
SAMPLING = ("max_tokens", "temperature", "top_p", "stop")
PROMPTS = ("text.txt", "retry.txt", "nudge.txt")
NO_ANSWER = "No answer."


class Tools:
    """See the module. One object serves all sessions; what belongs to one session is in its player and its transcript."""

    name = "tools"
    needs_model = True
    privileged = False

    def __init__(self, options: Mapping[str, Any], folder: Path) -> None:
        self.options = _checked(options)
        self.system = _system(self.options["system"], folder)
        self.prompts = {name: _read(folder / name) for name in PROMPTS}
        self.text = self.options["protocol"] == "text"
        self.retries: int = self.options["retries"]
        self.sampling = {k: self.options[k] for k in SAMPLING if self.options[k] is not None} | ({"seed": True} if self.options["seed"] else {})
        self.calls_per_turn = 1 + self.retries  # at most: for the estimate of `dry=true`
        self._code = canon.sha256(Path(__file__).read_bytes())

    def identity(self) -> JsonDict:
        prompts = {name: canon.sha256(text.encode()) for name, text in self.prompts.items()} | {"system": canon.digest(self.system)}
        options = {k: v for k, v in self.options.items() if k != "system"}
        return {"name": self.name, "code": self._code, "reading": [parse.VERSION, describe.VERSION], "prompts": prompts, "options": options}

    def sit(self, seat: Seat) -> Player:
        return ToolsPlayer(self, seat)


class ToolsPlayer:
    """One session. Holds where its last reply stands in the transcript, and the action set that the model was told of last."""

    __slots__ = ("agent", "reply", "seat", "told")

    def __init__(self, agent: Tools, seat: Seat) -> None:
        self.agent, self.seat = agent, seat
        self.reply = -1
        self.told: ActionSet | None = None

    async def act(self, observation: Observation) -> Move:
        """One turn: what was shown goes into the transcript, then calls until a reply can be read, or the retries are used up."""
        if self.told is None:
            self._open(observation)
        else:
            self._answer(observation)
        self.told = observation.actions
        tools = observation.actions if not self.agent.text and observation.actions.specs else None
        left = self.agent.retries
        while True:
            reply = await self.seat.ask(tools, **self.agent.sampling)
            self.reply = len(self.seat.transcript.messages) - 1
            parsed = parse.protocol(reply) if self.agent.text else parse.native(reply)
            if not parsed.unreadable or left == 0:
                return parsed.move
            left -= 1
            self.seat.unused()
            self.seat.count("parse_retries")
            self._correct(parsed.unreadable)

    def _open(self, observation: Observation) -> None:
        system = self.agent.system
        if self.agent.text:
            told = self.agent.prompts["text.txt"].replace("{example}", describe.example(observation.actions))
            system = f"{system}\n\n{told.replace('{actions}', describe.describe(observation.actions))}".strip()
        if system:
            self.seat.transcript.add({"role": "system", "content": system})
        self._tell(observation.shown, "")

    def _answer(self, observation: Observation) -> None:
        """Every tool_call_id of the last reply is answered, in order; all that is left becomes one user message."""
        rest, add = list(observation.shown), self.seat.transcript.add
        called = self._called()
        for ident in called:
            for shown in rest:
                if shown.action is not None and shown.action.id == ident:
                    rest.remove(shown)
                    add({"role": "tool", "tool_call_id": ident, "content": _content(shown.parts)}, shown if _exact(shown.parts) else None)
                    break
            else:
                add({"role": "tool", "tool_call_id": ident, "content": NO_ANSWER})
        news = describe.changes(self.told, observation.actions) if self.agent.text and self.told is not None else ""
        if rest or news or not called:
            self._tell(rest, news)

    def _correct(self, error: str) -> None:
        for ident in self._called():
            self.seat.transcript.add({"role": "tool", "tool_call_id": ident, "content": f"Not executed: {error}."})
        self.seat.transcript.add({"role": "user", "content": self.agent.prompts["retry.txt"].replace("{error}", error)})

    def _tell(self, shown: list[Shown], news: str) -> None:
        """One user message with all that is shown. There is always one to go on from: a nudge where nothing was shown and no tool answered."""
        parts = [p for s in shown for p in s.parts] + ([part.text(news)] if news else [])
        last = self.seat.transcript.messages[-1].data["role"] if self.seat.transcript.messages else ""
        if not parts and last == "tool":
            return
        alone = shown[0] if len(shown) == 1 and not news and _exact(parts) else None
        content = _content(parts) if parts else self.agent.prompts["nudge.txt"]
        self.seat.transcript.add({"role": "user", "content": content}, shown=alone)

    def _called(self) -> list[str]:
        calls = self.seat.transcript.messages[self.reply].data.get("tool_calls")
        return [c["id"] for c in calls if isinstance(c, dict) and isinstance(c.get("id"), str)] if isinstance(calls, list) else []


def make(options: Mapping[str, Any], folder: Path) -> Tools:
    """The agent with these options; prompts are read from `folder`. Raises UserError for an unknown option, a wrong value, a missing file."""
    return Tools(options, folder)


def _exact(parts: list[Part]) -> bool:
    """Whether the message made of these parts can be read back as exactly these parts."""
    if len(parts) == 1 and parts[0]["type"] == "text":
        return True
    return any(p["type"] == "image" for p in parts) and all(p["type"] in ("text", "image") for p in parts)


def _content(parts: list[Part]) -> str | list[Part]:
    """Text, or where there are images the parts as they are, what a chat message cannot hold as a placeholder."""
    if len(parts) == 1 and parts[0]["type"] == "text":
        return str(parts[0]["text"])
    if not part.images(parts):
        return part.plain(parts)
    return [p if p["type"] in ("text", "image") else part.text(part.plain([p])) for p in parts]


def _checked(options: Mapping[str, Any]) -> JsonDict:
    for name in options:
        if name not in DEFAULTS:
            raise UserError(f"agent tools has no option {name!r}", where=f"agent.{name}", hint=closest(name, DEFAULTS))
    out = {**DEFAULTS, **options}
    for name, low, whole in (("retries", 0, True), ("max_tokens", 1, True), ("temperature", 0, False), ("top_p", 0, False)):
        value = out[name]
        if value is None and name != "retries":
            continue
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not value >= low:
            raise UserError(f"{name} cannot be {value!r}", where=f"agent.{name}", hint=f"a{' whole' if whole else ''} number from {low}")
    for name, words in (("protocol", ("native", "text")), ("seed", (True, False))):
        if out[name] not in words or isinstance(out[name], bool) != (name == "seed"):
            raise UserError(f"{name} cannot be {out[name]!r}", where=f"agent.{name}", hint=f"{words[0]} or {words[1]}")
    if not (out["stop"] is None or isinstance(out["stop"], str) or (isinstance(out["stop"], list) and all(isinstance(s, str) for s in out["stop"]))):
        raise UserError(f"stop cannot be {out['stop']!r}", where="agent.stop", hint="a text, or a list of texts")
    return out


def _system(value: Any, folder: Path) -> str:
    """The system prompt: the text itself, or what the named file holds."""
    if not isinstance(value, str):
        raise UserError(f"system cannot be {value!r}", where="agent.system", hint="a text, or the name of a .txt or .md file")
    if "\n" in value or not value.endswith((".txt", ".md")):
        return value
    beside = folder / value
    return _read(beside if beside.is_file() else Path(value))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as e:
        reason = e.strerror if isinstance(e, OSError) else "is not UTF-8"
        raise UserError(f"cannot read the prompt {path.name}: {reason}", where="agent", hint="check the file's name and encoding") from None
