"""Rewards that are won without a look at the row."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks import SOUND, checked, colours, finding, letters, task


def test_a_reward_for_doing_nothing(tmp_path: Path) -> None:
    task(tmp_path, SOUND.replace("reward: exact\n", "vars: {said: \"''\"}\nrewards: {kept: {scorer: equal, of: state.vars.said, against: \"''\"}}\n"))
    report = checked(tmp_path)
    assert colours(report) == {"noop": "red", "random": "red", "hackable": "red"}
    assert finding(report, "noop").text == "doing nothing scores 1.000 (0.912 – 1.000)"
    assert finding(report, "random").text == "random play scores 1.000 (0.954 – 1.000), the oracle 1.000"


def test_a_reward_of_several_that_doing_nothing_wins_is_named_and_no_fault(tmp_path: Path) -> None:
    more = 'rewards:\n  exact: {weight: 9}\n  quick: {scorer: equal, of: state.t <= 1, against: "true"}\n'
    task(tmp_path, SOUND + more)
    report = checked(tmp_path)
    assert colours(report) == {"noop": "yellow", "hackable": "yellow"}
    assert finding(report, "noop").text == "doing nothing scores 0.100 (0.100 – 0.100)"
    assert finding(report, "hackable").text.endswith("the reward 'quick' is won by doing nothing (1.000)")


@pytest.mark.parametrize(
    ("scorer", "question", "wanted"),
    [
        ("contains", "{{ row.hint }}", "the list of all 8 labels wins 1.000 (0.912 – 1.000)"),
        ("contains", "One of: {{ labels | join(', ') }}", "the list of all 8 labels wins 1.000 (0.912 – 1.000); what was shown wins 1.000 (0.912 – 1.000)"),
    ],
)
def test_a_scorer_that_any_list_wins(tmp_path: Path, scorer: str, question: str, wanted: str) -> None:
    task(tmp_path, SOUND.replace("{{ row.hint }}", question).replace("exact", scorer))
    report = checked(tmp_path)
    assert colours(report) == {"hackable": "red"}
    assert finding(report, "hackable").text == wanted


@pytest.mark.parametrize(("yes", "colour", "text"), [(38, "red", "always 'yes' wins 0.950 (0.835 – 0.986)"), (30, "yellow", ""), (20, "", "")])
def test_one_answer_that_is_nearly_always_right(tmp_path: Path, yes: int, colour: str, text: str) -> None:
    rows = [row | {"place": "yes" if i < yes else "no"} for i, row in enumerate(letters())]
    task(tmp_path, rows=rows)
    report = checked(tmp_path)
    assert colours(report) == ({"hackable": colour} if colour else {})
    assert finding(report, "hackable").text.startswith(text or ("always 'yes' scores 0.750" if colour else "the best blind answer, always 'yes', scores 0.500"))


def test_a_reward_that_an_empty_text_wins(tmp_path: Path) -> None:
    task(tmp_path, SOUND.replace("reward: exact\n", 'rewards: {short: {scorer: equal, of: "submission | length < 20", against: "true"}}\n'))
    report = checked(tmp_path)
    assert colours(report)["hackable"] == "red"
    assert finding(report, "hackable").text.startswith("always 'Avonlea' wins 1.000 (0.912 – 1.000); always '' wins 1.000")


def test_an_end_that_wins_at_once(tmp_path: Path) -> None:
    more = "actions: {give_up: {do: [{end: \"'given up'\"}]}}\n"
    more += 'rewards: {polite: {scorer: equal, of: "submission in [\'given up\', row.place]", against: "true"}}\n'
    task(tmp_path, SOUND.replace("reward: exact\n", "") + more)
    report = checked(tmp_path)
    assert colours(report) == {"hackable": "red"}
    assert finding(report, "hackable").text == "give_up at once wins 1.000 (0.912 – 1.000)"
