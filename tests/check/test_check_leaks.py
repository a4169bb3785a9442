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


LIST = 'actions: {ask: {do: [{hook: ask}]}}\noracle: {each: "[1]", move: {ask: {}}, then: {answer: {text: row.place}}}\n'
ASK = "PLACES = %r\ndef ask(view, answers):\n    return [{'show': 'A carter saw it near ' + PLACES[int(view['row']['id'][1:]) %% 8]}]\n"


def test_what_hidden_columns_say_is_there_to_be_told(tmp_path: Path) -> None:
    rows = [row | {"carter": f"near {row['place']}"} for row in letters()]
    task(tmp_path, SOUND + LIST, rows, hooks_py=ASK % (PLACES,))
    report = checked(tmp_path)
    assert colours(report) == {}
    assert finding(report, "leaks").text.endswith("; 40 of 40 rows are told it out of hidden columns")
    task(tmp_path, SOUND + LIST, hooks_py=ASK % (PLACES,))
    assert colours(checked(tmp_path)) == {"leaks": "red"}


def test_what_the_oracle_is_shown_for_acting_on_gold_is_no_leak(tmp_path: Path) -> None:
    rows = [row | {"sum": f"{i} + 4000", "place": f"{i + 4000}"} for i, row in enumerate(letters())]
    more = 'gold: [sum]\nvars: {value: none}\nactions: {work_out: {args: {sum: string}, do: [{set: {value: args.sum | calc}}], say: "{{ vars.value }}"}}\n'
    oracle = 'oracle: {each: "[row.sum]", move: {work_out: {sum: each}}, then: {answer: {text: row.place}}}\n'
    task(tmp_path, SOUND + more + oracle, rows)
    assert colours(checked(tmp_path)) == {}


def test_gold_made_of_records_is_made_of_arguments(tmp_path: Path) -> None:
    rows = [row | {"calls": [{"tool": "post", "to": row["place"]}], "place": "post"} for row in letters()]
    task(tmp_path, SOUND + "gold: [calls]\n" + LIST, rows, hooks_py=ASK % (PLACES,))
    assert "leaks" not in colours(checked(tmp_path))


def test_rows_that_say_nothing_in_public_do_not_contradict_each_other(tmp_path: Path) -> None:
    yaml = SOUND.replace(", key: id", ", key: row").replace("letter {{ row.id }} go? {{ row.hint }}", "it go?")
    task(tmp_path, yaml)
    assert colours(checked(tmp_path)) == {}
