"""One broken task for each finding, and the sound one that has none."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks import SOUND, checked, colours, finding, letters, task
from harness import here


def test_a_sound_task_has_no_finding_but_that_it_is_not_locked(tmp_path: Path) -> None:
    task(tmp_path)
    report = checked(tmp_path)
    assert colours(report) == {}
    assert (finding(report, "lock").colour, report.rows, report.looked, report.licence) == ("yellow", 40, 40, "CC0-1.0")
    assert [f.name for f in report.findings] == [
        "size", "licence", "lock", "solvable", "turns", "noop", "random", "errors", "determinism", "state", "coverage", "leaks", "hackable", "duplicates",
    ]  # fmt: skip
    assert report.means["oracle"] == 1.0
    assert report.means["noop"] == 0.0
    assert finding(report, "solvable").text == "the oracle scores 1 on all 40 rows"
    assert finding(report, "turns").text == "the oracle takes 1 (at most 1) of 5 turns"
    assert finding(report, "size").text == "40 rows; tables: rows 40; columns declared: 2 public, 1 gold; text"
    assert finding(report, "hackable").text == "the best blind answer, always 'Avonlea', scores 0.125 (0.055 – 0.261)"
    assert finding(report, "duplicates").text == "no two of 40 rows contradict each other"


def test_a_locked_task_is_all_green_until_its_gold_changes(tmp_path: Path) -> None:
    folder = task(tmp_path)
    here(tmp_path, "lock", "task=letters")
    assert [f.colour for f in checked(tmp_path).findings] == ["green"] * 14
    (folder / "rows.jsonl").write_text((folder / "rows.jsonl").read_text().replace("Avonlea", "Ashford"))
    report = checked(tmp_path)
    assert colours(report) == {}
    lock = finding(report, "lock")
    assert (lock.colour, lock.text) == ("red", "[data.own] of env.lock is of another version: table rows differs in gold")
    assert lock.todo.endswith("python -m agentharness lock task=letters")


def test_data_from_elsewhere_is_compared_by_its_content(tmp_path: Path) -> None:
    folder = task(tmp_path)
    here(tmp_path, "lock", "task=letters")
    same = finding(checked(tmp_path, source=str(folder / "rows.jsonl")), "lock")
    assert (same.colour, same.text) == ("green", "the same as [data.own] of env.lock")
    (tmp_path / "other.jsonl").write_text((folder / "rows.jsonl").read_text().replace("Avonlea", "Ashford"))
    other = finding(checked(tmp_path, source="other.jsonl"), "lock")
    assert (other.colour, other.text) == ("green", "not compared: the command replaces the data or a key; it locks own")


def test_an_oracle_that_is_wrong_names_its_rows(tmp_path: Path) -> None:
    task(tmp_path, SOUND + "oracle: {then: {answer: {text: \"row.place if row.hint != 'It weighs 7 grams.' else 'nowhere'\"}}}\n")
    report = checked(tmp_path)
    assert colours(report) == {"solvable": "red"}
    solvable = finding(report, "solvable")
    assert (solvable.rows, solvable.count) == (("r07 (0)",), 1)
    assert solvable.text == "the oracle does not solve 1 of 40 rows; its mean is 0.975 (0.871 – 0.996)"


def test_one_row_in_a_hundred_without_a_solution_is_data_not_the_task(tmp_path: Path) -> None:
    task(tmp_path, SOUND + "oracle: {then: {answer: {text: \"row.place if row.hint != 'It weighs 7 grams.' else 'nowhere'\"}}}\n", letters(100))
    assert colours(checked(tmp_path)) == {"solvable": "yellow"}


def test_a_task_without_an_oracle_or_a_reward_is_unknown(tmp_path: Path) -> None:
    task(tmp_path, SOUND + "oracle: null\n")
    report = checked(tmp_path)
    assert colours(report) == {"solvable": "yellow"}
    assert finding(report, "solvable").text == "unknown: the task has no oracle"
    assert finding(report, "hackable").text == "the best blind answer, always 'Avonlea', scores 0.125 (0.055 – 0.261)"
    task(tmp_path, SOUND.replace("reward: exact\n", ""), name="worthless")
    report = checked(tmp_path, "worthless")
    assert colours(report) == {"solvable": "yellow"}
    assert finding(report, "solvable").text == "unknown: the task has no reward"
    assert report.means == {}


def test_turns_that_do_not_suffice_are_counted(tmp_path: Path) -> None:
    more = 'actions: {walk: {do: [{set: {steps: vars.steps + 1}}]}}\nvars: {steps: "0"}\n'
    oracle = "oracle: {each: \"['a', 'b', 'c', 'd', 'e', 'f']\", move: {walk: {}}, then: {answer: {text: row.place}}}\n"
    task(tmp_path, SOUND + more + oracle)
    report = checked(tmp_path)
    assert colours(report) == {"solvable": "red", "turns": "red"}
    turns = finding(report, "turns")
    assert turns.text == "5 turns end 40 of 40 rows before the oracle does; it needs up to 7 (mean 7.0)"
    assert turns.todo == "turns: 7 (limits.turns)"
    assert finding(report, "solvable").rows == ("r00 (truncated:turns)", "r01 (truncated:turns)", "r02 (truncated:turns)")


def test_an_oracle_that_never_ends(tmp_path: Path) -> None:
    task(tmp_path, SOUND + "actions: {wait: {}}\noracle: {then: {wait: {}}}\n")
    turns = finding(checked(tmp_path), "turns")
    assert (turns.colour, turns.text, turns.fix) == ("red", "5 turns end 40 of 40 rows before the oracle does, and 40 turns would too", None)


def test_a_rule_that_breaks_on_legal_arguments(tmp_path: Path) -> None:
    task(tmp_path, SOUND + 'actions: {share: {args: {among: {type: integer, minimum: 0, maximum: 3}}, say: "{{ 12 // args.among }}"}}\n')
    report = checked(tmp_path)
    assert colours(report) == {"errors": "red"}
    errors = finding(report, "errors")
    assert "error:env: actions.share" in errors.text
    assert errors.rows[0].endswith("(random)")


def test_a_hook_that_keeps_count_plays_differently_again(tmp_path: Path) -> None:
    hooks = "seen = []\ndef look(view, answers):\n    seen.append(1)\n    return [{'show': f'look number {len(seen)}'}]\n"
    task(tmp_path, SOUND + "start: [{hook: look}]\n", hooks_py=hooks)
    report = checked(tmp_path)
    assert colours(report) == {"determinism": "red"}
    same = finding(report, "determinism")
    assert same.count > 70
    assert "in another order: step 0 in parts" in same.rows[0]
    assert same.text.endswith("episodes play differently with the same seed")


def test_draws_are_the_same_in_every_order(tmp_path: Path) -> None:
    task(tmp_path, SOUND + 'vars: {die: none}\nstart: [{draw: {die: {int: [1, 6]}}}]\nobserve: "{{ row.hint }} {{ vars.die }}"\n')
    assert colours(checked(tmp_path)) == {}


@pytest.mark.parametrize(("limit", "wanted"), [(4000, {}), (1000, {"state": "yellow"}), (256, {"solvable": "red", "errors": "red", "state": "red"})])
def test_a_state_that_grows(tmp_path: Path, limit: int, wanted: dict[str, str]) -> None:
    more = f"limits: {{state: {limit}}}\nvars: {{log: \"''\"}}\nactions: {{note: {{do: [{{set: {{log: vars.log ~ 'x x x x x x x x x x ' ~ vars.log}}}}]}}}}\n"
    oracle = 'oracle: {each: "[1, 2, 3, 4]", move: {note: {}}, then: {answer: {text: row.place}}}\n'
    task(tmp_path, SOUND + more + oracle)
    report = checked(tmp_path)
    assert colours(report) == wanted
    assert (
        finding(report, "state").text
        == {
            4000: "the largest state has 695 bytes of 4,000",
            1000: "the largest state has 695 bytes of 1,000",
            256: "the state outgrows limits.state (256 bytes) in 42 episodes",
        }[limit]
    )


def test_an_action_that_no_play_can_use(tmp_path: Path) -> None:
    more = 'actions:\n  open: {when: "1 > 2", say: Open., else: It is locked.}\n  weigh: {say: Heavy., when: "1 < 2", else: No scales.}\n'
    task(tmp_path, SOUND + more)
    report = checked(tmp_path)
    assert colours(report) == {"coverage": "yellow"}
    text = finding(report, "coverage").text
    assert text.startswith("1 of 3 actions never did anything: open (its `when` was false ")
    assert text.endswith("; never shown: the `else` of weigh")


def test_a_task_without_a_licence(tmp_path: Path) -> None:
    task(tmp_path, SOUND.replace("licence: CC0-1.0\n", ""))
    assert colours(checked(tmp_path)) == {"licence": "yellow"}
