"""What was said turn by turn, against what a record says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentharness.score import near, words
from agentharness.types.score import Score

BY: dict[str, Callable[[Any, Any], Score]] = {
    "exact": words.exact,
    "squad_em": words.squad_em,
    "squad_f1": words.squad_f1,
    "anls": near.anls,
}
"""How one turn is compared."""


def per_turn(subject: Any, reference: Any, *, by: str = "squad_f1") -> Score:
    """The mean over the recorded turns of how like each one is to what was said in its place; 0 for a turn that was not reached.

    The subject is the list of what was said. The reference is a list of texts, or a conversation: a list of {role, content}, of which the assistant's messages
    that say something count. `by`: the scorer of one turn, squad_f1, anls, squad_em or exact. Formula: sum of by(s_i, r_i) / number of r. Source: this project.
    A reference without a turn is unscored.
    """
    recorded = [text for item in reference if (text := _said(item)).strip()] if isinstance(reference, list) else []
    if not recorded:
        return Score(None, reason="the record has no turn of the assistant")
    said = subject if isinstance(subject, list) else []
    values = [BY[by](mine, theirs).value or 0.0 for mine, theirs in zip(said, recorded, strict=False)]
    return Score(sum(values) / len(recorded), f"per_turn {by}")


def _said(item: Any) -> str:
    """What the assistant said in a message, "" where nothing; a text is itself."""
    if not isinstance(item, dict):
        return item if isinstance(item, str) else ""
    content = item.get("content")
    if item.get("role") != "assistant":
        return ""
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content if isinstance(part, dict) and part.get("text"))
    return content if isinstance(content, str) else words.as_json(content) if isinstance(content, dict) else ""
