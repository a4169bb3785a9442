"""Bad task files: one line each, with file, line, column, the key and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentharness.env import presets
from agentharness.env.reading import read_task
from agentharness.errors import UserError

Write = Callable[[str], Path]

QA = "data: x.csv\npreset: qa\nask: q\nanswer: a\n"  # bad lines begin at line 5
PAGES = "data: x.csv\npreset: pages\nask: q\nanswer: a\n"
LONG = "corpus: {rows: {source: {file: x.csv}}}\ncolumns: {rows: {q: public}}\nepisode: {each: rows}\nobserve: hi\n"
ACT = LONG + "actions:\n  go:\n    do:\n"  # verbs begin at line 8

CASES = [
    # text, line and column, what the line says
    ("", "", "is empty"),
    ("# nothing\n", "", "is empty"),
    ("- data: x\n", "1:1", "must be a mapping, is a list"),
    ("hello\n", "1:1", "must be a mapping, is one value"),
    ("data: x.csv\n\task: q\n", "2:1", "is not YAML"),
    ("data: x.csv\ndata: y.csv\n", "2:1", "the key 'data' stands twice"),
    ("data: x.csv\npreset: qa\nask: What is {x}: y?\n", "3:17", "is not YAML"),
    (QA + "rewrad: exact\n", "5:1", "rewrad: unknown key (did you mean 'reward'?)"),
    ("aks: q\n", "1:1", "aks: unknown key (did you mean 'ask'?)"),
    (QA + "actoins: {}\n", "5:1", "actoins: unknown key (did you mean 'actions'?)"),
    (QA + "turns: many\n", "5:8", "limits.turns must be a whole number, is 'many'"),
    (QA + "turns: 0\n", "5:8", "limits.turns must be at least 1, is 0"),
    (QA + "turns: true\n", "5:8", "limits.turns must be a whole number, is true (true or false)"),
    (QA + 'turns: "8"\n', "5:8", "limits.turns must be a whole number, is '8'"),
    (QA + "turns: 8.0\n", "5:8", "limits.turns must be a whole number, is 8.0"),
    (QA + "turns: 100000000000000000000\n", "5:8", "limits.turns must be at most 1000000, is 100000000000000000000"),
    (QA + "limits: {tokens: true}\n", "5:18", "limits.tokens must be a whole number, is true (true or false)"),
    (QA + "limits: {state: 100000000000000000000}\n", "5:17", "limits.state must be less than 9007199254740992, is 100000000000000000000"),
    (QA + "limits: {time: true}\n", "5:16", "limits.time must be a number, is true (true or false)"),
    (QA + "limits: {wall: .inf}\n", "5:16", "limits.wall must be a finite number, is inf"),
    (QA + "reward: {exact: .inf}\n", "5:17", "rewards.exact.weight must be a finite number, is inf"),
    (QA + "reward: {exact: {weight: .nan}}\n", "5:26", "rewards.exact.weight must be a finite number, is nan"),
    (QA + "rewards: {e: {scorer: exact, weight: true}}\n", "5:38", "rewards.e.weight must be a number, is true (true or false)"),
    (QA + "actions: {go: {cost: true}}\n", "5:22", "actions.go.cost must be text or number, is true (true or false) (change the value)"),
    (QA + "actions: {go: {cost: .nan}}\n", "5:22", "actions.go.cost must be a finite number, is nan"),
    (QA + "turns:\n", "5:7", "`turns` is empty (turns: 20)"),
    (QA + "licence: 4.0\n", "5:10", "licence must be text, is 4.0 (put it in quotes)"),
    (QA + "prose: nugde\n", "5:8", "prose must be one of nudge, answer, invalid, is 'nugde' (did you mean 'nudge'?)"),
    (QA + "limits: {truns: 3}\n", "5:10", "limits.truns: unknown key (did you mean 'turns'?)"),
    (QA + "limits: 3\n", "5:9", "limits must be a mapping, is 3 (its keys: turns, time, wall, tokens, state)"),
    (QA + "columns: {rows: {a: goal}}\n", "5:21", "columns.rows.a must be one of public, hidden, gold, is 'goal' (did you mean 'gold'?)"),
    (QA + "slices: [1]\n", "5:10", "`slices` must list columns by name"),
    (QA + "gold: {a: b}\n", "5:7", "`gold` must list columns by name (gold: [one, another])"),
    (QA + "reward: {exact: much}\n", "5:17", "`reward` must be a scorer's name, a list of names, or a mapping name -> weight"),
    (QA + "reward: 1\n", "5:9", "`reward` must be a scorer's name"),
    (QA + "reward:\n  exact: {wieght: 1}\n", "6:11", "rewards.exact.wieght: unknown key (did you mean 'weight'?)"),
    (QA + "documents: c\n", "5:1", "`documents` belongs to preset pages or search (this task has preset qa)"),
    ("data: x.csv\nask: q\ndocuments: c\n", "3:1", "`documents` belongs to preset pages or search (add `preset: pages`)"),
    (QA + "tidy: {dedup: true}\n", "5:7", "corpus.rows.tidy.0.dedup: unknown key (did you mean 'dedupe'?)"),
    ("data: x.csv\npreset: pags\nask: q\n", "2:9", "there is no preset 'pags' (did you mean 'pages'?)"),
    ("data: x.csv\npreset: [qa]\nask: q\n", "2:9", f"`preset` must be a name (known: {', '.join(presets.names())})"),
    ("data: x.csv\npreset: qa\nanswer: a\n", "2:9", "preset qa needs `ask` (add `ask: …`)"),
    ("preset: qa\nask: q\nanswer: a\n", "1:9", "preset qa needs `data` (add `data: …`)"),
    ("data: x.csv\n", "1:1", "the task has no `ask`"),
    (PAGES, "2:9", "preset pages needs `documents.from` (add `documents: {from: …}`)"),
    (PAGES + "documents: {title: t}\n", "5:12", "preset pages needs `documents.from`"),
    (PAGES + "documents: {from: c, titel: t}\n", "5:22", "`documents` has no key 'titel' (did you mean 'title'?)"),
    (PAGES + "documents: {from: c, title: }\n", "5:29", "`documents.title` is empty (leave it out for 'title')"),
    (PAGES + "documents: {from: [c]}\n", "5:19", "`documents.from` must be text"),
    (PAGES + "documents: [c]\n", "5:12", "`documents` must be a mapping (documents: {from: …, title: …, text: …, scope: …})"),
    (PAGES + "documents: {from: c, scope: table}\n", "5:29", "corpus.pages.scope must be one of row, is 'table'"),
    (PAGES + "documents: c\nevidence: a[].b[].c\n", "6:11", "`evidence` goes into one list at most"),
    ("data: x.csv\npreset: graph\nask: q\nanswer: a\n", "2:9", "preset graph needs `nodes.from`"),
    ("data: x.csv\npreset: graph\nask: q\nnodes: {from: n.csv, show: {a: b}}\n", "4:28", "`nodes.show` must list columns by name"),
    ("data: x.docx\nask: q\n", "1:7", "'x.docx' is no place that rows come from"),
    ("data: a/x.txt\nask: q\n", "1:7", "'a/x.txt' is no place that rows come from"),
    ("data:\nask: q\n", "1:6", "`data` does not say where the rows come from"),
    ("data: {from: x.csv, images: y}\nask: q\n", "1:7", "`data` says where rows come from more than once: from, images"),
    ("data: {from: x.csv, splitt: dev}\nask: q\n", "1:21", "`data` has no key 'splitt' (did you mean 'split'?)"),
    ("data: {from: x.csv, types: {n: whole}}\nask: q\n", "1:32", "corpus.rows.source.types.n must be one of text, int, float, bool, json, is 'whole'"),
    ("data: x.csv\nask: [a, b]\n", "2:6", "`ask` must be text"),
    ("data: x.csv\nask: {{ row.q }}\n", "2:7", "a key must be a word"),
    ('data: x.csv\npreset: look\nask: "One of {{ labels }}"\n', "3:6", "`labels` is the list of all values of `answer`"),
    ("episode: {each: rows}\n", "1:1", "corpus is missing (add `corpus: …`, table -> where its rows come from)"),
    (LONG.replace("each: rows", "where: x"), "3:10", "episode.each is missing (add `each: …`, the table whose rows are episodes)"),
    (LONG + "actions:\n  go: [a]\n", "6:7", "actions.go must be a mapping, is a list"),
    (LONG + "actions:\n  go:\n    whn: at\n    do: []\n", "7:5", "actions.go.whn: unknown key (did you mean 'when'?)"),
    (LONG + "actions:\n  go:\n    else_: no\n    do: []\n", "7:5", "actions.go.else_: unknown key (did you mean 'else'?)"),
    (LONG + "actions:\n  go:\n    when: true\n", "7:11", "actions.go.when must be text, is true (true or false) (put it in quotes)"),
    (LONG + "actions:\n  go:\n    do: end\n", "7:9", "actions.go.do must be a list, is 'end'"),
    (LONG + "rewards:\n", "5:9", "rewards must be a mapping, is empty (fill it, or remove the key)"),
    (LONG + "edges: {borders: {by: x}}\n", "5:18", "edges.borders.to is missing"),
    (LONG + "corpus2: {}\n", "5:1", "corpus2: unknown key (did you mean 'corpus'?)"),
]

VERBS = [
    ("gotoo: {rows: x}", "8:9", "actions.go.do.0.gotoo is no verb (did you mean 'goto'?)"),
    ("goto: rows", "8:15", "actions.go.do.0.goto must name one table or edge, or `hit`"),
    ("goto: {rows: x, hit: 1}", "8:15", "must name one table or edge, or `hit`"),
    ("goto: {rows: [x]}", "8:22", "actions.go.do.0.goto.rows must be an expression, is a list"),
    ("query: {in: rows}", "8:16", "must have one of key, filter, text, neighbours, span, sql, has none"),
    ("query: {key: x}", "8:16", "needs `in` beside `key`"),
    ("query: {key: x, in: rows, limit: 3}", "8:35", "does not go with `key`"),
    ("query: {filter: x, in: rows, limit: 0}", "8:45", "actions.go.do.0.query.limit must be a whole number from 1, is 0"),
    ("query: {filter: x, in: rows, limit: 100000000000000000000}", "8:45", "must be a whole number of at most 1,000,000, is 100000000000000000000"),
    ("query: {kye: x, in: rows}", "8:17", "actions.go.do.0.query.kye is no key of this verb (did you mean 'key'?)"),
    ("query: {key: x, filter: y, in: rows}", "8:16", "must have one of key, filter, text, neighbours, span, sql, has key and filter"),
    ("reveal: [a]", "8:17", "actions.go.do.0.reveal must be a mapping, is a list"),
    ("reveal: {field: a, of: rwo}", "8:32", "must be one of at, row, results, is 'rwo' (did you mean 'row'?)"),
    ("reveal: {image: a, of: there}", "8:32", "must be one of at, row, results, is 'there'"),
    ("reveal: {span: x}", "8:17", "needs `in` beside `span`"),
    ("reveal: {image: a, fit: 256}", "8:33", "must be [width, height] in pixels, is 256 (fit: [256, 256])"),
    ("reveal: {image: a, crop: [a, b, c, d]}", "8:34", "must be one expression, is a list"),
    ("set: x", "8:14", "must be a mapping of variables, is 'x'"),
    ("set: {x: [1]}", "8:18", "actions.go.do.0.set.x must be an expression, is a list"),
    ("end: {text: x}", "8:15", "actions.go.do.0.end.text is no key of this verb (known: value, when)"),
    ("end:", "8:13", "actions.go.do.0.end must be an expression, is empty"),
    ("draw: {x: 3}", "8:19", "actions.go.do.0.draw.x must say where to draw from"),
    ("draw: {x: {int: [6, 1]}}", "8:25", "must be two whole numbers, the lower first"),
    ("draw: {x: {from: 3}}", "8:26", "must be an expression for a list, is 3"),
    ("hook: {args: {}}", "8:15", "must name a function of hooks.py"),
    ("hook: {name: f, arg: {}}", "8:25", "is no key of this verb (did you mean 'args'?)"),
    ("{}", "8:9", "must hold one verb, holds none"),
    ("reveal", "8:9", "actions.go.do.0 must be a mapping, is 'reveal'"),
    ("goto: {rows: x}\n        end: y", "8:9", "must hold one verb, holds goto, end (begin a new `- ` line for each verb)"),
]

ARGS = [
    ("strng", "7:15", "actions.go.args.t must be a type, is 'strng' (did you mean 'string'?)"),
    ("[string]", "7:15", "must be a type's name or a JSON schema, is a list"),
    ("{type: text}", "7:22", "actions.go.args.t.type must be a type, is 'text' (known: array, boolean, integer, number, object, string)"),
    ("{typ: string}", "7:16", "actions.go.args.t.typ is no key of an argument (did you mean 'type'?)"),
    ("{type: string, enum: []}", "7:36", "must be a list or an expression for one, is a list"),
    ("{type: array, items: {type: int}}", "7:43", "actions.go.args.t.items.type must be a type, is 'int' (did you mean 'integer'?)"),
]


def mistake(folder: Path) -> str:
    with pytest.raises(UserError) as e:
        read_task(folder)
    assert e.value.hint, e.value.line()
    assert "\n" not in e.value.line()
    return e.value.line()


@pytest.mark.parametrize(("text", "place", "says"), CASES)
def test_bad_files(write: Write, text: str, place: str, says: str) -> None:
    folder = write(text)
    line = mistake(folder)
    assert line.startswith(f"{folder / 'task.yaml'}{':' + place if place else ''}: {says}"), line


@pytest.mark.parametrize(("verb", "place", "says"), VERBS)
def test_bad_verbs(write: Write, verb: str, place: str, says: str) -> None:
    line = mistake(write(f"{ACT}      - {verb}\n"))
    assert f"task.yaml:{place}: " in line
    assert says in line


def test_a_bad_verb_at_the_start(write: Write) -> None:
    line = mistake(write(LONG + "start: [{reply: x}]\n"))
    assert "task.yaml:5:10: start.0.reply is no verb (" in line


@pytest.mark.parametrize(("arg", "place", "says"), ARGS)
def test_bad_args(write: Write, arg: str, place: str, says: str) -> None:
    line = mistake(write(f"{LONG}actions:\n  go:\n    args: {{t: {arg}}}\n"))
    assert f"task.yaml:{place}: " in line
    assert says in line


def test_good_verbs_and_args(write: Write) -> None:
    verbs = [
        "goto: {hit: 0}",
        "query: {filter: item.q == 1, in: rows, limit: 3}",
        "query: {neighbours: borders}",
        "query: {span: args.t, in: q}",
        "reveal: q",
        "reveal: {field: 'q[].x', of: results}",
        "reveal: {image: q, of: row, crop: '[0, 0, 1, 1]', fit: [1, 2]}",
        "set: {x: 1, y: null, z: true}",
        "draw: {x: {from: vars.l}, y: {int: [1, 6]}}",
        "hook: f",
        "hook: {name: f, args: {a: args.t}}",
        "end: 5",
    ]
    args = "{t: string, n: {type: integer, minimum: 0, optional: true}, e: {enum: at.borders}, l: {type: array, items: string, maxItems: 4}}"
    text = f"{LONG}actions:\n  go:\n    args: {args}\n    do:\n" + "".join(f"      - {v}\n" for v in verbs)
    assert len(read_task(write(text)).spec.actions["go"].do) == 12


def test_no_file_and_no_folder(tmp_path: Path) -> None:
    assert mistake(tmp_path) == f"{tmp_path}: has no task.yaml (a task is a folder that holds task.yaml)"
    assert mistake(tmp_path / "x") == f"{tmp_path / 'x'}: is no folder (a task is a folder that holds task.yaml)"


def test_not_utf8(write: Write) -> None:
    folder = write("")
    (folder / "task.yaml").write_bytes(b"ask: \xff\n")
    assert mistake(folder).endswith("task.yaml: is not UTF-8 (byte 5) (save it as UTF-8)")
