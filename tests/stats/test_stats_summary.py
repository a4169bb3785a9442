"""Sums over facts: what counts, what is shown apart, and that order and attempts change nothing."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentharness.stats.summary import Tally, summarise
from agentharness.types.episode import Facts


def facts(row: str, reward: float | None = 1.0, status: str = "completed", sample: int = 0, **more: Any) -> Facts:
    base = {"rewards": {}, "metrics": {}, "usage": {}, "cost": 0.0, "seconds": 0.0, "slices": {}, **more}
    return Facts(more.pop("id", f"{row}/{sample}"), row, sample, status, reward, **{k: v for k, v in base.items() if k != "id"})


def test_one_success_and_99_infrastructure_errors_is_1_of_coverage_one_percent() -> None:
    s = summarise([facts("0"), *(facts(str(i), None, "error:model") for i in range(1, 100))], 100)
    assert (s.mean, s.n, s.coverage, s.partial) == (1.0, 1, 0.01, True)
    assert (s.interval, s.method, s.standard_error, s.missing) == (None, "", None, 99)
    assert s.errors == {"model": 99}


def test_a_rows_samples_are_one_value() -> None:
    s = summarise([facts("a", 1, sample=0), facts("a", 0, sample=1), facts("b", 1), facts("c", 0)], 4)
    assert (s.n, s.rows, s.mean, s.method) == (4, 3, 0.5, "normal")
    assert s.standard_error == pytest.approx(math.sqrt(0.5 / 2 / 3))
    assert (s.coverage, s.partial) == (1.0, False)


def test_zeros_and_ones_take_wilson() -> None:
    s = summarise([facts(str(i), float(i < 3)) for i in range(5)], 5)
    assert s.method == "wilson"
    assert s.interval == pytest.approx((0.2307, 0.8824), abs=5e-5)


def test_each_status_counts_where_it_belongs() -> None:
    statuses = ["truncated:turns", "truncated:turns", "truncated:time", "truncated:run_budget", "cancelled", "error:scorer", "error:env", "error:env"]
    s = summarise([facts(str(i), 0.0 if status[:4] == "trun" else None, status) for i, status in enumerate(statuses)], 10)
    assert (s.n, s.mean, s.coverage) == (3, 0.0, 0.3)
    assert s.truncated == {"run_budget": 1, "time": 1, "turns": 2}
    assert s.errors == {"cancelled": 1, "env": 2, "scorer": 1}
    assert s.failed == 4


def test_what_ended_without_a_number_is_unscored() -> None:
    s = summarise([facts("a", None), facts("b", math.nan), facts("c", math.inf), facts("d", 1.0, rewards={"f1": 0.5, "em": None, "x": math.nan})], 4)
    assert (s.n, s.unscored, s.mean, s.rewards) == (1, 3, 1.0, {"f1": 0.5})


def test_agent_errors_stand_apart() -> None:
    rows = [facts("a", 1.0), facts("b", 1.0, sample=0), facts("b", 0.0, "error:agent", sample=1), facts("c", 0.0, "error:agent")]
    s = summarise(rows, 4)
    assert (s.n, s.mean, s.agent_errors, s.errors) == (2, 1.0, 2, {})
    assert (s.partial, s.missing, s.failed) == (True, 0, 2)
    assert s.mean_with_agent_errors == pytest.approx((1 + 0.5 + 0) / 3)
    assert summarise(rows, 4, agent_errors="none").mean_with_agent_errors is None
    assert summarise([facts("c", None, "error:agent")], 1).mean_with_agent_errors == 0.0


def test_means_of_rewards_are_over_rows_too() -> None:
    rows = [facts("a", 1, rewards={"em": 1.0}, sample=0), facts("a", 1, rewards={"em": 0.0}, sample=1), facts("b", 1, rewards={"em": 1.0})]
    assert summarise(rows, 3).rewards == {"em": 0.75}


def test_counts_of_actions_tokens_and_time() -> None:
    a = facts("a", metrics={"turns": 3, "invalid": 1, "unknown": 2, "malformed": 1}, usage={"prompt_tokens": 10, "completion_tokens": 2}, cost=0.5, seconds=1.5)
    b = facts("b", metrics={"turns": 4, "missing": 5, "prose": 1, "unparsed": 2}, usage={"prompt_tokens": 5}, cost=0.25, seconds=2.0)
    s = summarise([a, b], 2)
    assert (s.invalid, s.malformed, s.off_corpus, s.unparsed, s.turns) == (3, 1, 5, 3, 3.5)
    assert (s.tokens_in, s.tokens_out, s.cost, s.seconds) == (15, 2, 0.75, 3.5)
    assert summarise([a, b], 2, seconds=2.5).seconds == 2.5
    assert "turns" not in s.metrics


def test_of_attempts_the_last_counts_and_a_final_line_ends_them() -> None:
    tries = [
        facts("a", None, "error:model", usage={"prompt_tokens": 7}),
        facts("a", None, "cancelled", usage={"prompt_tokens": 8}),
        facts("b", None, "error:model"),
    ]
    s = summarise(tries, 2)
    assert (s.errors, s.tokens_in) == ({"cancelled": 1, "model": 1}, 8)
    s = summarise([*tries, facts("a", 1.0, usage={"prompt_tokens": 9}), facts("a", None, "error:model")], 2)
    assert (s.n, s.errors, s.tokens_in) == (1, {"model": 1}, 9)


def test_each_cause_has_its_commonest_message_whatever_its_numbers() -> None:
    def gave_up(row: str, seconds: str) -> Facts:
        return facts(row, None, "error:model", error=f"gave up after 3 attempts in {seconds} s: not_json: page")

    failed = [gave_up("a", "1.4"), gave_up("b", "1.3"), facts("c", None, "error:model", error="another"), facts("d", None, "error:env", error="e")]
    agents = [facts("e", 0.0, "error:agent", error="KeyError: 7"), facts("f", 0.0, "error:agent", error="KeyError: 2"), facts("g", None, "cancelled")]
    want = {"agent": "KeyError: 2", "env": "e", "model": "gave up after 3 attempts in 1.3 s: not_json: page"}
    assert summarise([*failed, *agents], 9).messages == want
    assert summarise([*agents, *failed][::-1], 9).messages == want
    # An attempt that was made good says nothing more.
    tally = Tally()
    for f in [*failed, facts("a"), facts("b")]:
        tally.add(f)
    assert tally.summary(4).messages == {"env": "e", "model": "another"}
    assert tally.summary(4).messages == {"env": "e", "model": "another"}


def test_nothing_is_a_summary_too() -> None:
    s = summarise([], 0)
    assert (s.n, s.mean, s.interval, s.coverage, s.turns, s.partial) == (0, None, None, 0.0, None, False)
    assert summarise([], 5).partial


def test_a_tally_goes_on_after_a_summary() -> None:
    tally = Tally()
    tally.add(facts("a", 1.0))
    tally.add(facts("b", None, "error:model"))
    assert (tally.summary(2).n, tally.summary(2).errors) == (1, {"model": 1})
    tally.add(facts("b", 0.0))
    assert (tally.summary(2).mean, tally.summary(2).errors) == (0.5, {})


STATUS = st.sampled_from(["completed", "truncated:turns", "error:agent", "error:model", "cancelled"])


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(-5, 5), STATUS), max_size=12), st.integers())
def test_order_changes_nothing(drawn: list[tuple[str, float, str]], seed: int) -> None:
    episodes = [facts(row, reward, status, sample=i, cost=abs(reward), seconds=reward * 0.1) for i, (row, reward, status) in enumerate(drawn)]
    shuffled = random.Random(seed).sample(episodes, len(episodes))
    assert summarise(episodes, 12) == summarise(shuffled, 12)
