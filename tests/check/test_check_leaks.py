"""Gold that an agent is shown, and all that only looks like it."""

from __future__ import annotations

from pathlib import Path

from checks import PLACES, SOUND, checked, colours, finding, letters, task


def test_a_hook_that_tells_the_answer(tmp_path: Path) -> None:
    hooks = "import json\ndef peek(view, answers):\n    return [{'show': open_()[view['row']['id']]}]\n"
    hooks += f"def open_():\n    return {{f'r{{i:02}}': {PLACES!r}[i % 8] for i in range(40)}}\n"
    yaml = SOUND + 'actions: {peek: {do: [{hook: peek}]}}\noracle: {each: "[1]", move: {peek: {}}, then: {answer: {text: row.place}}}\n'
    task(tmp_path, yaml, hooks_py=hooks)
    report = checked(tmp_path)
    assert colours(report) == {"leaks": "red"}
    leak = finding(report, "leaks")
    assert leak.text == "40 of 40 rows are shown gold of their own that nothing public says: 1.000 (0.912 – 1.000); other rows' gold: 0.000 (0.000 – 0.023)"
    assert (leak.rows, leak.count) == (("r00 ('avonlea')", "r01 ('brackwater')", "r02 ('coldharbour')"), 40)


def test_labels_that_every_row_shows_are_no_leak(tmp_path: Path) -> None:
    task(tmp_path, SOUND.replace("{{ row.hint }}", "One of: {{ labels }}"))
    report = checked(tmp_path)
    assert colours(report) == {}
    assert finding(report, "leaks").text.startswith(
        "40 of 40 rows are shown gold of their own that nothing public says: 1.000 (0.912 – 1.000); other rows' gold: 1.000"
    )


def test_an_answer_that_the_question_says_is_public_already(tmp_path: Path) -> None:
    rows = [row | ({"hint": f"Not far from {row['place']}."} if i % 5 == 0 else {}) for i, row in enumerate(letters())]
    task(tmp_path, rows=rows)
    report = checked(tmp_path)
    assert colours(report) == {}
    assert finding(report, "leaks").text.endswith("; 8 of 40 rows say the answer in public")


def test_short_answers_and_yes_and_no_tell_nothing(tmp_path: Path) -> None:
    rows = [row | {"place": ("yes", "no", "A", "12")[i % 4]} for i, row in enumerate(letters())]
    task(tmp_path, SOUND.replace("{{ row.hint }}", "yes or no, A, 12?"), rows)
    report = checked(tmp_path)
    assert colours(report) == {}
    assert finding(report, "leaks").text.startswith("no gold value is long enough to look for")


def test_a_first_observation_with_the_answer_out_of_a_shared_table(tmp_path: Path) -> None:
    more = "corpus: {book: {source: {file: book.jsonl}, key: id}}\ncolumns: {book: {text: public}}\nstart: [{goto: {book: row.id}}]\n"
    yaml = SOUND.replace("{{ row.hint }}", "{{ at.text }}").replace("{from: rows.jsonl, key: id}", "{from: rows.jsonl, key: id}") + more
    book = "".join(f'{{"id": "r{i:02}", "text": "{PLACES[i % 8]} Lane"}}\n' for i in range(40))
    task(tmp_path, yaml.replace("book: {text: public}", "book: {id: public, text: public}"), book_jsonl=book)
    report = checked(tmp_path)
    assert colours(report) == {"leaks": "yellow"}
    assert finding(report, "leaks").text == "the first observation of 40 of 40 rows holds the row's own answer, out of a public table"


def test_what_an_agent_finds_by_acting_is_no_leak(tmp_path: Path) -> None:
    more = "corpus: {book: {source: {file: book.jsonl}, key: id}}\ncolumns: {book: {id: public, text: public}}\n"
    more += 'actions: {turn_to: {args: {page: string}, suggest: {page: "[row.id]"}, do: [{goto: {book: args.page}}, {reveal: text}], else: No page.}}\n'
    more += 'oracle: {each: "[row.id]", move: {turn_to: {page: each}}, then: {answer: {text: row.place}}}\n'
    book = "".join(f'{{"id": "r{i:02}", "text": "{PLACES[i % 8]} Lane"}}\n' for i in range(40))
    task(tmp_path, SOUND + more, book_jsonl=book)
    assert colours(checked(tmp_path)) == {}
