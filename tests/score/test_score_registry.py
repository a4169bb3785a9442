"""Scoring of an episode: errors, numbers that are none, weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.errors import EpisodeError, UserError
from agentharness.score.registry import SCORERS, Scorer, check_rules, check_scorers, versions
from agentharness.score.total import score_all, total
from agentharness.types.score import Score


@dataclass
class Rule:
    scorer: str
    weight: float = 1.0
    options: dict[str, Any] = field(default_factory=dict)
    path: str = "answer"
    against: object | None = "row.answer"
    fn: Callable[..., Any] | None = None

    def resolve(
        self, row_full: dict[str, Any], state: dict[str, Any], goal: dict[str, Any] | None = None, distance: dict[str, Any] | None = None
    ) -> tuple[Any, Any]:
        return state["submission"], row_full[self.path]


@pytest.fixture
def odd(request: pytest.FixtureRequest) -> Any:
    """A scorer that gives what the test says, registered for its time."""
    name = "odd"

    def register(value: Any) -> str:
        SCORERS[name] = Scorer(lambda s, r: Score(value, "odd", "text"), 1)
        return name

    yield register
    SCORERS.pop(name, None)


def test_rewards_are_scored_by_name() -> None:
    rules = {"em": Rule("squad_em"), "f1": Rule("squad_f1"), "strict": Rule("exact", options={"case": True})}
    scores = score_all(rules, {"answer": "New York"}, {"submission": "new york city"})
    assert {name: s.value for name, s in scores.items()} == {"em": 0.0, "f1": pytest.approx(0.8), "strict": 0.0}


def test_a_raising_scorer_names_its_reward() -> None:
    with pytest.raises(EpisodeError, match=r"^scorer: reward 'gone' \(exact\): KeyError: 'nowhere'$") as caught:
        score_all({"fine": Rule("exact"), "gone": Rule("exact", path="nowhere")}, {"answer": "x"}, {"submission": "x"})
    assert caught.value.cause == "scorer"
    with pytest.raises(EpisodeError, match="reward 'bad'"):
        score_all({"bad": Rule("choice", options={"choices": 99})}, {"answer": "x"}, {"submission": "x"})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), [float("nan"), 1], "1", {}])
def test_what_is_no_finite_number_is_unscored(odd: Callable[[Any], str], value: Any) -> None:
    score = score_all({"r": Rule(odd(value))}, {"answer": ""}, {"submission": ""})["r"]
    assert score.value is None
    assert score.reason.startswith("the scorer gave")
    assert (score.rule, score.extracted) == ("odd", "text")


@pytest.mark.parametrize(("value", "kept"), [(True, 1.0), (0, 0.0), (0.25, 0.25), (None, None)])
def test_numbers_become_floats(odd: Callable[[Any], str], value: Any, kept: float | None) -> None:
    got = score_all({"r": Rule(odd(value))}, {"answer": ""}, {"submission": ""})["r"].value
    assert got == kept
    assert type(got) is type(kept)


def test_unknown_names_are_the_users_mistake() -> None:
    check_scorers(SCORERS)
    with pytest.raises(UserError, match="did you mean 'squad_f1'"):
        check_scorers(["exact", "squadf1"])
    with pytest.raises(UserError, match=r"rewards\.main\.scorer: there is no scorer 'exat' \(did you mean 'exact'"):
        check_rules({"main": Rule("exat")})
    with pytest.raises(UserError, match=r"numeric has no option 'tolerence' \(did you mean 'tolerance'"):
        check_rules({"main": Rule("numeric", options={"tolerence": 1})})
    with pytest.raises(UserError, match=r"rewards\.main\.scorer: exact compares with a right answer, and the task names none \(add `answer: COLUMN`"):
        check_rules({"main": Rule("exact", against=None)})
    with pytest.raises(UserError, match="known here"):
        check_rules({"main": Rule("equal", options={"x": 1})})
    for weight in (-1.0, float("nan"), float("inf")):
        with pytest.raises(UserError, match="a weight cannot be"):
            check_rules({"main": Rule("exact", weight)})
    check_rules({"main": Rule("numeric", 0.0, {"tolerance": 0.1, "relative": 0.1})})


def test_totals() -> None:
    one, half, none = Score(1.0), Score(0.5), Score(None, reason="x")
    assert total({"a": one, "b": half}, {"a": 3.0, "b": 1.0}) == 0.875
    assert total({"a": one, "b": half}, {}) == 0.75
    assert total({"a": one, "b": none}, {"a": 1.0, "b": 0.0}) == 1.0
    assert total({"a": one, "b": none}, {"a": 1.0, "b": 1.0}) is None
    assert total({"a": one}, {"a": 0.0}) is None
    assert total({}, {}) is None


@given(st.dictionaries(st.text(max_size=3), st.tuples(st.floats(0, 1), st.floats(0.1, 9)), min_size=1))
def test_a_total_lies_between_its_parts(parts: dict[str, tuple[float, float]]) -> None:
    mean = total({k: Score(v) for k, (v, _) in parts.items()}, {k: w for k, (_, w) in parts.items()})
    values = [v for v, _ in parts.values()]
    assert mean is not None
    assert min(values) - 1e-9 <= mean <= max(values) + 1e-9


def test_every_scorer_has_a_version_and_a_formula() -> None:
    assert versions() == dict.fromkeys(SCORERS, 1)
    assert all("Source:" in (s.fn.__doc__ or "") for s in SCORERS.values())
    assert [name for name, s in SCORERS.items() if not s.needs_reference] == ["progress", "amount"]
