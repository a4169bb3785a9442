"""The table: what stands in it, that it fits, and that nothing a mean hides is left out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentharness.report.plain import Column, table
from agentharness.report.table import duration, notes, render, short
from agentharness.stats.cell import Cell
from agentharness.stats.summary import Summary


def cell(task: str = "atlas", agent: str = "react", model: str = "m", **more: Any) -> Cell:
    place = {name: more.pop(name) for name in ("locked", "resume", "folder", "rewarded") if name in more}
    summary = Summary(**{"planned": 5, "n": 5, "rows": 5, "mean": 0.6, "coverage": 1.0, **more})
    return Cell(task, agent, model, summary, **{"folder": "results/x", **place})


def test_a_clean_cell_is_one_row() -> None:
    text = render([cell(interval=(0.2307, 0.8824), method="wilson", turns=4.25, tokens_in=12345, tokens_out=678, cost=0.5, seconds=75.0)])
    assert text.splitlines() == [
        "task   agent  model  n   mean  95%               un-  errors  trun-  turns     tokens  cost   time",
        "                                              scored          cated            in/out",
        "-----  -----  -----  -  -----  -------------  ------  ------  -----  -----  ---------  ----  -----",
        "atlas  react  m      5  0.600  0.231 – 0.882       0  0       0        4.2  12.3k/678   0.5  1m15s",
        "",
        "atlas · react · m:",
        "  results: results/x",
    ]


def test_a_column_that_no_cell_fills_is_left_out() -> None:
    head = render([cell(model="")]).splitlines()[0].split()
    assert "model" not in head
    assert "cost" not in head
    assert render([cell(model=""), cell(cost=1.0)]).splitlines()[0].split()[:3] == ["task", "agent", "model"]


def test_the_interval_is_shown_by_its_bounds() -> None:
    for method in ("normal", "wilson"):
        assert "0.350 – 0.850" in render([cell(interval=(0.35, 0.85), method=method)])
    assert "±" not in render([cell(interval=(0.35, 0.85), method="normal")])
    assert "1234" in render([cell(mean=1234.4)])


def test_one_success_and_99_errors_is_flagged() -> None:
    one = cell(planned=100, n=1, rows=1, mean=1.0, coverage=0.01, errors={"model": 99}, resume="agentharness run task=atlas")
    assert notes(one) == ["! coverage 1 %: 1 of 100 episodes are scored", "results: results/x", "resume: agentharness run task=atlas"]
    assert "99 model" in render([one])


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ({"locked": "unlocked"}, "! unlocked: this world is in no env.lock, so its numbers compare with no other run's"),
        (
            {"agent_errors": 2, "mean_with_agent_errors": 0.4},
            "! 2 ended by the agent's own error, not in n; counted as 0 the mean is 0.400 (retry=agent plays them again)",
        ),
        ({"agent_errors": 2}, "! 2 ended by the agent's own error, not in n (retry=agent plays them again)"),
        ({"metrics": {"cut_off": 3.0}}, "! 3 replies were cut off at their token limit (agent.max_tokens, or the server's own)"),
        ({"metrics": {"invalid": 1, "unknown": 2, "missing": 3, "prose": 4}}, "actions: 3 invalid, 3 off-corpus, 4 unparsed"),
        ({"rewards": {"em": 0.5, "f1": 0.75}}, "rewards: em 0.500, f1 0.750"),
        ({"n": 5, "rows": 2}, "the mean is over 2 rows, each the mean of its samples"),
        ({"planned": 10000, "n": 9999, "rows": 9999, "coverage": 0.9999}, "! coverage 99.9 %: 9999 of 10000 episodes are scored"),
    ],
)
def test_what_a_mean_hides_stands_below(more: dict[str, Any], note: str) -> None:
    assert note in notes(cell(**more))


def test_each_cause_says_its_commonest_message_in_one_line() -> None:
    one = cell(
        planned=9,
        n=3,
        coverage=1 / 3,
        errors={"env": 1, "model": 4, "scorer": 1},
        agent_errors=1,
        messages={"agent": "ValueError: no\n  more", "model": "gave up after 3 attempts in 1.3 s: not_json: " + "x" * 300, "scorer": "s"},
    )
    assert notes(one)[2:5] == [
        "! 1 agent: ValueError: no more",
        f"! 4 model: gave up after 3 attempts in 1.3 s: not_json: {'x' * 103}…",
        "! 1 scorer: s",
    ]
    assert max(map(len, notes(one)[2:5])) == 160


def test_a_task_without_a_reward_says_so_instead_of_a_coverage() -> None:
    assert notes(cell(n=0, rows=0, mean=None, unscored=5, coverage=0.0, rewarded=False)) == ["! the task has no reward", "results: results/x"]


def test_a_clean_cell_has_no_flags_and_says_how_to_resume() -> None:
    assert notes(cell(locked="locked:hub", resume="again", rewards={"em": 0.6})) == ["results: results/x", "resume: again"]


def test_errors_and_limits_are_told_apart_in_their_cells() -> None:
    text = render([cell(errors={"env": 1, "scorer": 2}, agent_errors=3, truncated={"turns": 4, "time": 5})])
    assert all(words in text for words in ("3 agent", "1 env", "2 scorer", "4 turns", "5 time"))


def test_numbers_are_short() -> None:
    assert [short(n) for n in (0, 999, 1000, 12345, 123456, 2_500_000, 3e9)] == ["0", "999", "1.0k", "12.3k", "123k", "2.5M", "3.0G"]
    assert [duration(s) for s in (0, 0.44, 9.96, 59.4, 59.6, 185, 7800)] == ["0.0s", "0.4s", "10s", "59s", "1m00s", "3m05s", "2h10m"]


NAME = st.text("abcdefgh-_/.", min_size=1, max_size=40)
COUNTS = st.dictionaries(st.sampled_from(["model", "env", "responder", "scorer", "run_budget", "context"]), st.integers(1, 99999), max_size=4)


@settings(max_examples=60)
@given(st.lists(st.tuples(NAME, NAME, NAME, COUNTS, COUNTS), min_size=1, max_size=3))
def test_any_grid_fits_in_100_columns_and_loses_no_name(drawn: list[tuple[str, str, str, dict[str, int], dict[str, int]]]) -> None:
    cells = [
        cell(t, a, m, n=98765, interval=(0.1, 0.2), method="wilson", errors=e, truncated=c, tokens_in=10**9, tokens_out=10**8, cost=12.3456, seconds=9e4)
        for t, a, m, e, c in drawn
    ]
    text = render(cells).split("\n\n")[0]
    assert max(map(len, text.splitlines())) <= 100


def test_a_wrapped_cell_loses_nothing() -> None:
    text = table([Column("name", least=4), Column("n", right=True)], [["abc/defgh-ijklmno", "12"]], 10)
    assert text.splitlines() == ["name     n", "------  --", "abc/    12", "defgh-", "ijklmn", "o"]
    assert table([Column("a")], [["日本"]], 10).splitlines() == ["a", "----", "日本"]
