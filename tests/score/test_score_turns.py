"""per_turn, and scorers of a task's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from agentharness.errors import UserError
from agentharness.score import own
from agentharness.score.registry import check_rules, scorer_of
from agentharness.score.turns import per_turn
from agentharness.types.score import Score

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Who wrote Emma?"},
    {"role": "assistant", "content": "Jane Austen"},
    {"role": "assistant", "tool_calls": [{"function": {"name": "look"}}]},
    {"role": "tool", "content": "1815"},
    {"role": "assistant", "content": [{"type": "text", "text": "in 1815"}, {"type": "image_url", "image_url": {}}]},
    {"role": "assistant", "content": "  "},
]


@pytest.mark.parametrize(
    ("said", "by", "value"),
    [
        (["Jane Austen", "in 1815"], "squad_f1", 1.0),
        (["Austen", "in 1815"], "squad_f1", (2 / 3 + 1) / 2),
        (["Jane Austen"], "squad_f1", 0.5),
        (["Jane Austen", "in 1815", "and more"], "squad_f1", 1.0),
        (["jane  austen", "In 1816"], "exact", 0.5),
        ([], "squad_f1", 0.0),
        (None, "exact", 0.0),
    ],
)
def test_each_turn_is_compared_with_the_record(said: Any, by: str, value: float) -> None:
    assert per_turn(said, TALK, by=by).value == pytest.approx(value)


def test_letters_may_be_compared_and_texts_listed() -> None:
    pytest.importorskip("rapidfuzz", reason="the extra `text` is not installed")
    assert per_turn(["abcd", "x"], ["abcf", "yy"], by="anls").value == pytest.approx(0.375)


@pytest.mark.parametrize("record", [[], None, TALK[:2], "text"])
def test_a_record_without_a_turn_is_unscored(record: Any) -> None:
    assert per_turn(["x"], record) == Score(None, reason="the record has no turn of the assistant")


@dataclass
class Rule:
    fn: Any
    scorer: str = "scorers.py:mine"
    weight: float = 1.0
    options: dict[str, Any] = field(default_factory=dict)
    against: object | None = "row.answer"

    def resolve(self, row_full: dict[str, Any], state: dict[str, Any], goal: Any = None, distance: Any = None) -> tuple[Any, Any]:
        return state["submission"], row_full["answer"]


def near(subject: Any, reference: Any, *, share: float = 0.1) -> bool:
    return bool(abs(subject - reference) <= share * reference)


@pytest.mark.parametrize(
    ("given", "value"),
    [(True, Score(1.0, "mine")), (0.25, Score(0.25, "mine")), (None, Score(None, reason="the scorer gave None")), (Score(0.5, "r"), Score(0.5, "r"))],
)
def test_what_a_function_gives_becomes_a_score(given: Any, value: Score) -> None:
    def mine(subject: Any, reference: Any) -> Any:
        return given

    assert scorer_of(Rule(mine)).fn(1, 2) == value


def test_its_options_and_parameters_are_checked() -> None:
    check_rules({"mine": Rule(near, options={"share": 0.2})})
    assert scorer_of(Rule(near)).fn(11, 10, share=0.2).value == 1.0
    with pytest.raises(UserError, match=r"mine has no option 'shar' .did you mean 'share'"):
        check_rules({"mine": Rule(near, options={"shar": 0.2})})
    with pytest.raises(UserError, match="takes 1 arguments by place"):
        check_rules({"mine": Rule(lambda subject: 1)})
    with pytest.raises(UserError, match="the task names none"):
        check_rules({"mine": Rule(near, against=None)})
    check_rules({"mine": Rule(lambda subject, reference=None: 1, against=None)})
    assert not own.fault(lambda subject, reference, more=3: 1)


def test_the_way_of_comparing_is_one_of_a_few() -> None:
    with pytest.raises(UserError, match=r"by of per_turn cannot be 'squad_f2' .did you mean 'squad_f1'"):
        check_rules({"words": Rule(None, "per_turn", options={"by": "squad_f2"})})
