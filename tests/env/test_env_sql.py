"""SQL: public columns only, reads only, within limits; what is wrong with a query is an observation."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

pytest.importorskip("duckdb", reason="the extra `sql` is not installed")

from agentharness.env.sql_tables import relation, unique
from agentharness.env.world import World
from agentharness.errors import UserError
from agentharness.types.move import Action

TEXT = """
corpus:
  rows: {source: {file: rows.jsonl}, key: id}
  movies: {source: {file: movies.jsonl}, key: id}
  notes: {from: rows, explode: notes, scope: row, key: n}
columns:
  rows: {id: public, ask: public, gold: gold}
  movies:
    {id: public, title: public, year: public, score: public, seen: public, tags: public, about.open: public, about.closed: gold,
    secret: gold, "two words": public}
  notes: {n: public, text: public}
episode: {each: rows}
derive: {schema: {sql: []}}
observe: "{{ row.ask }}\\n{{ schema | join('\\n') }}"
actions:
  query:
    args: {sql: string}
    do:
      - query: {sql: args.sql, limit: 3}
    else: never shown
  told:
    args: {sql: string}
    do:
      - query: {sql: args.sql, in: movies}
    say: "{{ results | length }}: {{ results | map('title') | join(', ') }}"
  quick:
    args: {sql: string}
    do:
      - query: {sql: args.sql, seconds: 0.2}
  set:
    args: {id: integer, year: integer}
    do:
      - set: {in: movies, key: args.id, values: {year: args.year}}
  drop:
    args: {id: integer}
    do:
      - set: {in: movies, key: args.id, remove: true}
  add:
    args: {id: integer, title: string}
    do:
      - set: {in: movies, key: args.id, values: {title: args.title, score: "'7.5'", seen: "'no truth'"}, add: true}
  note:
    args: {n: integer, text: string}
    do:
      - set: {in: notes, key: args.n, values: {text: args.text}}
  hit:
    do:
      - goto: {hit: 0}
  answer:
    args: {sql: string}
    do:
      - query: {sql: args.sql}
      - end: results
goal: "[{'name': 'answer', 'args': {'sql': row.gold}}]"
rewards:
  rows: {scorer: result_set, against: goal.submission}
"""
GOLD = "SELECT title FROM movies WHERE year > 1990 ORDER BY title"
ROWS: list[dict[str, Any]] = [
    {"id": "a", "ask": "Which?", "gold": GOLD, "notes": [{"n": 1, "text": "mine"}, {"n": 2, "text": "too"}]},
    {"id": "b", "ask": "Who?", "gold": "SELECT nothing", "notes": [{"n": 1, "text": 'it\'s "other"'}]},
]
KEYS = ("id", "title", "year", "score", "seen", "tags", "about", "secret", "two words")
MOVIES: list[dict[str, Any]] = [
    dict(zip(KEYS, cells, strict=True))
    for cells in list[tuple[Any, ...]](
        (
            (1, "Alien", 1979, 8.5, True, ["space"], {"open": "o", "closed": "SHUT"}, "S1", 1),
            (2, "Brazil", 1985, 7, False, [], {"open": "p", "closed": "SHUT"}, "S2", 2),
            (3, "Casino", 1995, None, None, None, None, "S3", None),
            (4, "Dune \ud800", 2021, 8, True, ["space", "sand"], {}, "S4", 4),
        )
    )
]
FILES = {"rows.jsonl": ROWS, "movies.jsonl": MOVIES}


@pytest.fixture
def films(make_world: Any) -> World:
    return make_world(TEXT, FILES)  # type: ignore[no-any-return]


async def test_a_query_gives_rows_and_a_compact_table(films: World, begin: Any) -> None:
    play = await begin(films, "a")
    assert play.text == (
        'Which?\nmovies(id BIGINT, title VARCHAR, year BIGINT, score DOUBLE, seen BOOLEAN, tags VARCHAR, about VARCHAR, "two words" BIGINT)\n'
        "notes(n BIGINT, text VARCHAR)"
    )
    out = await play.do("query", sql="SELECT title, year, score, seen FROM movies WHERE year < 2000 ORDER BY year DESC;")
    assert out.verdict == "ok"
    assert play.text == "title | year | score | seen\nCasino | 1995 | NULL | NULL\nBrazil | 1985 | 7.0 | false\nAlien | 1979 | 8.5 | true\n(3 rows)"
    assert play.state["results"][1] == {"title": "Brazil", "year": 1985, "score": 7.0, "seen": False}
    await play.do("query", sql="select title from movies")
    assert play.text == "title\nAlien\nBrazil\nCasino\n(the first 3 rows; there are more)"
    await play.do("query", sql="select 1 where false")
    assert (play.last.verdict, play.text, play.state["results"]) == ("ok", "1\n(0 rows)", [])
    await play.do("told", sql="select title from movies where tags like '%sand%'")
    assert play.text == "1: Dune ?"
    assert (await play.do("hit")).verdict == "missing"  # a record of a query is no row to stand on


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT 1 AS a, 2 AS a, 3 AS A", [{"a": 1, "a_2": 2, "A": 3}]),
        ("SELECT date '2020-02-03' d, time '10:00' t, interval 1 day i", [{"d": "2020-02-03", "t": "10:00:00", "i": "1 day, 0:00:00"}]),
        ("SELECT timestamp '2020-01-01' s", [{"s": "2020-01-01T00:00:00"}]),
        ("SELECT 1.5 x, 'NaN'::double n, [1, 2] l, {'k': 1.5} r, 'ab'::blob b", [{"x": 1.5, "n": "nan", "l": [1, 2], "r": {"k": 1.5}, "b": "6162"}]),
        ("SELECT sum(year) s, about->>'$.open' o FROM movies GROUP BY ALL ORDER BY ALL LIMIT 2", [{"s": 1979, "o": "o"}, {"s": 1985, "o": "p"}]),
        ('SELECT max("two words") m FROM movies', [{"m": 4}]),
        ("WITH old AS (SELECT * FROM movies WHERE year < 1980), x AS (SELECT title FROM old) SELECT * FROM x", [{"title": "Alien"}]),
        ("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3) SELECT sum(i) s FROM c", [{"s": 6}]),
        ("SELECT i FROM range(2) t(i)", [{"i": 0}, {"i": 1}]),
        ("SELECT unnest([3, 4]) u", [{"u": 3}, {"u": 4}]),
        ("SELECT m.title FROM MOVIES m JOIN notes n ON n.n = m.year - 1978", [{"title": "Alien"}]),
        ("FROM movies SELECT count(*) FILTER (seen) c", [{"c": 2}]),
    ],
)
async def test_what_sql_can_say(films: World, begin: Any, sql: str, rows: list[dict[str, Any]]) -> None:
    play = await begin(films, "a")
    assert (await play.do("query", sql=sql)).message == ""
    assert play.state["results"] == rows


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("", "One SELECT statement, please: nothing else is run."),
        ("-- nothing", "One SELECT statement"),
        ("SELECT 1; SELECT 2", "One SELECT statement"),
        ("SELECT 1; DROP TABLE movies", "One SELECT statement"),
        ("INSERT INTO movies (title) VALUES ('x')", "One SELECT statement"),
        ("UPDATE movies SET year = 1", "One SELECT statement"),
        ("CREATE TABLE x AS SELECT 1", "One SELECT statement"),
        ("COPY movies TO 'out.csv'", "One SELECT statement"),
        ("ATTACH 'x.db'", "One SELECT statement"),
        ("INSTALL httpfs", "One SELECT statement"),
        ("SET threads = 4", "One SELECT statement"),
        ("PRAGMA database_list", "One SELECT statement"),
        ("SELEC 1", "syntax error"),
        ("SELECT nothing FROM movies", "nothing"),
        ("SELECT secret FROM movies", "secret"),
        ("SELECT gold FROM rows", "There is no table rows. Tables: movies(id "),
        ("SELECT * FROM base.movies", "There is no table base.movies"),
        ("SELECT * FROM main.movies", "There is no table main.movies"),
        ("SELECT * FROM memory.base.movies", "There is no table memory.base.movies"),
        ("SELECT * FROM information_schema.tables", "There is no table information_schema.tables"),
        ("SELECT * FROM sqlite_master", "There is no table sqlite_master"),
        ("SELECT * FROM 'rows.jsonl'", "There is no table rows.jsonl"),
        ("SELECT * FROM read_text('/etc/passwd')", "Read_text may not stand behind FROM"),
        ("SELECT * FROM query('SELECT * FROM base.movies')", "Query may not stand behind FROM"),
        ("SELECT * FROM query_table('base.movies')", "Query_table may not stand behind FROM"),
        ("SELECT * FROM duckdb_settings()", "Duckdb_settings may not stand behind FROM"),
        ("SELECT (SELECT max(content) FROM glob('/*'))", "Glob may not stand behind FROM"),
        ("SHOW TABLES", "SHOW and DESCRIBE are not answered. Tables: movies("),
        ("DESCRIBE movies", "SHOW and DESCRIBE are not answered"),
        ("SELECT random()", "Random() is not possible here"),
        ("SELECT now()", "Now() is not possible here"),
        ("SELECT current_date", "Current_date is not possible here"),
        ("SELECT ago(interval 1 day)", "Ago() is not possible here"),
        ("SELECT pg_get_viewdef(1)", "Pg_get_viewdef() is not possible here"),
        ("SELECT list_transform([1], x -> random())", "Random() is not possible here"),
        ("SELECT 1 WHERE EXISTS (SELECT 1 FROM base.movies)", "There is no table base.movies"),
        ("SELECT title FROM movies ORDER BY uuid()", "Uuid() is not possible here"),
        ("SELECT age(timestamp '2000-01-01')", "Age() is not possible here"),
        ("SELECT * FROM movies USING SAMPLE 1", "Samples are not drawn"),
        ("SELECT current_setting('memory_limit')", "Current_setting() is not possible here"),
        ("SELECT len(range(1000000000))", "Range() is not possible here: write it behind FROM"),
        ("SELECT * FROM unnest(range(1000000000))", "Range() is not possible here: write it behind FROM"),
        ("SELECT repeat('x', 2000000000)", "Repeat() is not possible here"),
        ("SELECT 'x'.repeat(2000000000)", "Repeat() is not possible here"),
        ("SELECT list(i) FROM range(400000000) t(i)", "needs too much memory"),
        ("SELECT '\ud800'", "surrogates not allowed"),
        ("SELECT " + "(" * 3000 + "1" + ")" * 3000, ""),
        ("SELECT '" + "x" * 30000 + "'", "A query has at most 20000 characters."),
        ("SELECT $1", ""),
    ],
)
async def test_what_sql_may_not_do_is_told(films: World, begin: Any, sql: str, told: str) -> None:
    play = await begin(films, "a")
    out = await play.do("query", sql=sql)
    assert (out.verdict, out.rule) == ("missing", "actions.query.do.0")
    assert told in out.message
    assert "S1" not in out.message
    assert "SHUT" not in out.message
    assert play.state["results"] == []
    assert (await play.do("told", sql="SELECT title FROM movies LIMIT 1")).verdict == "ok"  # nothing is broken for the next one


async def test_no_secret_is_anywhere_in_the_database(films: World, begin: Any) -> None:
    play = await begin(films, "a")
    for column in ("*", "about", "COLUMNS(*)"):
        await play.do("answer", sql=f"SELECT {column} FROM movies")
        assert "SHUT" not in str(play.state)
        assert "secret" not in str(play.state["results"])
        play = await begin(films, "a")


async def test_a_query_that_takes_too_long_is_stopped(films: World, begin: Any) -> None:
    play = await begin(films, "a")
    out = await play.do("quick", sql="WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c")
    assert out.message == "The query took longer than 0.2 seconds and was stopped."


async def test_a_large_result_is_cut_before_the_state_is_full(make_world: Any, begin: Any) -> None:
    world = make_world(TEXT.replace("goal:", "limits: {state: 4096}\ngoal:"), FILES)
    play = await begin(world, "a")
    await play.do("answer", sql=f"SELECT '{'y' * 300}' t FROM range(50)")
    assert len(play.state["results"]) == 3
    play = await begin(world, "a")
    out = await play.do("query", sql=f"SELECT '{'y' * 2000}' t FROM range(50)")
    assert out.message == "A row of the result has more than 1024 bytes: select fewer columns."
    await play.do("query", sql=f"SELECT '{'y' * 300}' t")
    assert play.text == f"t\n{'y' * 199}…\n(1 row)"


async def test_scoped_tables_and_edits_are_this_episodes_own(films: World, begin: Any) -> None:
    one, other = await begin(films, "a"), await begin(films, "b")
    sql = "SELECT text FROM notes ORDER BY n"
    await one.do("query", sql=sql)
    await other.do("query", sql=sql)
    assert [one.state["results"], other.state["results"]] == [[{"text": "mine"}, {"text": "too"}], [{"text": 'it\'s "other"'}]]
    await one.do("set", id=1, year=2001)
    await one.do("drop", id=2)
    await one.do("add", id=9, title="New")
    await one.do("note", n=2, text="changed")
    sql = "SELECT title, year, score, seen FROM movies ORDER BY title"
    await one.do("answer", sql=sql)
    assert one.state["submission"] == [
        {"title": "Alien", "year": 2001, "score": 8.5, "seen": True},
        {"title": "Casino", "year": 1995, "score": None, "seen": None},
        {"title": "Dune ?", "year": 2021, "score": 8.0, "seen": True},
        {"title": "New", "year": None, "score": None, "seen": None},  # a text is no number and no truth value
    ]
    await other.do("told", sql=sql)
    assert other.text == "4: Alien, Brazil, Casino, Dune ?"


async def test_two_sessions_query_at_once_in_threads(films: World, begin: Any) -> None:
    plays = [await begin(films, row) for row in "abab"]

    async def one(play: Any, i: int) -> None:
        await play.env.step(Action("set", {"id": 1, "year": i}))
        for _ in range(5):
            await play.env.step(Action("query", {"sql": "SELECT year FROM movies WHERE title = 'Alien'"}))
            assert play.state["results"] == [{"year": i}]

    async with anyio.create_task_group() as group:
        for i, play in enumerate(plays):
            group.start_soon(one, play, i)
    assert films.compiled.actions["query"].heavy
    assert not films.compiled.actions["set"].heavy


def test_the_gold_is_what_the_gold_query_gives(films: World) -> None:
    goal = films.goal("a", 1)
    assert goal is not None
    assert goal["submission"] == [{"title": "Casino"}, {"title": "Dune ?"}]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("limit: 3", "limit: 0", "limit is a whole number from 1 to 10000"),
        ("seconds: 0.2", "seconds: 61", "seconds is a number up to 60"),
        ("in: movies}\n    say", "in: movie}\n    say", "there is no table 'movie'"),
        ("in: movies}\n    say", "key: 1}\n    say", "query takes exactly one of"),
        ("{sql: []}", "{sql: [movie]}", "there is no table 'movie'"),
        ("{sql: []}", "{sql: [], distinct: ask}", "schema says `distinct` or `sql`"),
        ("title: public, year", "Title: public, title: public, year", "SQL cannot tell 'Title' from 'title'"),
    ],
)
def test_mistakes_are_found_at_load(make_world: Any, old: str, new: str, told: str) -> None:
    rows = [{**m, "Title": 1} for m in MOVIES]
    with pytest.raises(UserError) as caught:
        make_world(TEXT.replace(old, new, 1), {**FILES, "movies.jsonl": rows})
    assert told in str(caught.value)


def test_column_order_and_types_count_for_the_world(films: World, make_world: Any) -> None:
    other = make_world(TEXT.replace("title: public, year: public", "year: public, title: public"), FILES)
    assert [r for r in films.rules if films.rules[r] != other.rules[r]] == ["derive.schema", "sql.movies"]
    assert films.world != other.world


def test_types_are_what_all_rows_hold(films: World) -> None:
    assert dict(relation(films.corpus.tables["movies"]).columns)["two words"] == "BIGINT"
    assert unique(["n", "n", "n_2", "n"]) == ["n", "n_2", "n_2_2", "n_3"]


async def test_a_query_at_reset(make_world: Any, begin: Any) -> None:
    start = 'start: [{query: {sql: "\'SELECT count(*) AS n FROM movies\'"}}]\nobserve: "{{ row.ask }} {{ results[0].n }}"\n'
    world = make_world(TEXT.replace("observe: \"{{ row.ask }}\\n{{ schema | join('\\n') }}\"\n", start), FILES)
    play = await begin(world, "a")
    assert play.text.splitlines()[0] == "Which? 4"
    assert world.compiled.opening.heavy
    (goal,) = [(world.goal("a", 1) or {})["submission"]]
    assert goal == [{"title": "Casino"}, {"title": "Dune ?"}]
