"""A text index over public columns of a table: tantivy's inverted index, on disk in the cache, or in memory for a small table.

What decides a ranking (its semantics version is VERSION, part of every world that searches):

- words as in corpus/words.py; a row is found where it has at least one word of the question in one of the fields;
- the score is BM25 (k1 1.2, b 0.75, field lengths in 256 steps, in 32-bit floats, as tantivy has it) of each word in each field, summed: every field counts
  alike, so that a word in a short field weighs more. Frequencies are those of the whole table, also where a scoped table is searched within one row;
- hits whose scores differ by less than one part in 100,000 have one rank, and stand in the order of the table's rows. So the last bits of a sum, which depend
  on the machine and on how the index lies on disk, decide nothing.

An agent's text becomes words, and words become term queries: it never reaches a query parser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from agentharness import canon
from agentharness.corpus import cache
from agentharness.corpus.paths import parse, values
from agentharness.corpus.table import Table
from agentharness.corpus.words import analyzer, plain, question
from agentharness.errors import UserError

VERSION = 1
SMALL = 2000
"""A table of at most so many rows is indexed in memory."""
_HEAP = 2 << 30
"""Bytes that the writer may hold before it begins a second segment; taken as they are needed. One thread and one segment: rows keep their order."""
_SAME = 1e-5
_SLACK = 16
_FARTHEST = 1 << 14
"""Hits of one rank that are sorted by row; beyond them an index of one segment has that order already."""


def need_tantivy(where: str) -> Any:
    """The tantivy module, or a UserError that says how to get it."""
    try:
        import tantivy
    except ImportError:
        raise UserError("text search needs tantivy", where=where, hint="pip install 'agentharness[search]'") from None
    return tantivy


def text_index(
    table: Table, fields: Sequence[str], content: Callable[[], str], note: Callable[[str], None] = lambda _: None, *, where: str = "", small: int = SMALL
) -> TextIndex:
    """The index of a table's public `fields` (paths). `content`: the digest of the table's open columns, the cache's key. Raises UserError."""
    tantivy = need_tantivy(where)
    tokens = [parse(field, table.columns) for field in fields]

    def fill(path: Path | None) -> Any:
        return _fill(tantivy, table, tokens, path)

    if len(table) <= small:
        return TextIndex(tantivy, fill(None), len(fields), table.scope)
    key = canon.digest([VERSION, tantivy.__version__, content(), sorted(table.levels.items()), list(fields)])[:32]

    def say() -> None:
        note(f"{table.name}: a text index over {len(table):,} rows is built, once ({cache.folder()})")

    while True:
        path = cache.entry("text", key, lambda making: _save(fill, making), say)
        try:
            return TextIndex(tantivy, tantivy.Index.open(str(path)), len(fields), table.scope)
        except (ValueError, OSError):  # whole by its facts, and yet unreadable: as good as missing
            cache.drop(path)


def _save(fill: Callable[[Path], Any], making: Path) -> None:
    try:
        fill(making)
    except ValueError as e:  # tantivy tells a full disk in words
        if "os error 28" in str(e) or "os error 122" in str(e) or "os error 27" in str(e):
            raise OSError(28, "No space left on device") from e
        raise


def _fill(tantivy: Any, table: Table, tokens: list[tuple[str, ...]], path: Path | None) -> Any:
    build = tantivy.SchemaBuilder()
    for n in range(len(tokens)):
        build.add_text_field(f"f{n}", tokenizer_name="words", index_option="freq")
    build.add_text_field("scope", tokenizer_name="raw", index_option="basic")
    build.add_unsigned_field("row", stored=True)
    index = tantivy.Index(build.build(), path=None if path is None else str(path))
    index.register_tokenizer("words", analyzer(tantivy))
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    for row, (scope, texts) in enumerate(_texts(table, tokens)):
        document = tantivy.Document()
        for n, text in enumerate(texts):
            document.add_text(f"f{n}", text)
        if scope is not None:
            document.add_text("scope", mark(scope))
        document.add_unsigned("row", row)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    return index


def _texts(table: Table, tokens: list[tuple[str, ...]]) -> Iterator[tuple[str | None, list[str]]]:
    public = table.projections.public
    for scope, _, row in table:
        view = public(row)
        yield scope, [" ".join(plain(v) for v in values(view, t)) for t in tokens]


def mark(scope: str) -> str:
    """A scope as a term: of any length and any characters."""
    return canon.sha256(canon.dumps(scope))[:32]


class TextIndex:
    """Words to rows. Immutable; safe in threads."""

    def __init__(self, tantivy: Any, index: Any, fields: int, scoped: bool) -> None:
        index.config_reader(reload_policy="manual")
        index.reload()
        self._query, self._occur = tantivy.Query, tantivy.Occur
        self._schema, self._searcher = index.schema, index.searcher()
        self._one = self._searcher.num_segments <= 1
        self._fields = [f"f{n}" for n in range(fields)]
        self._analyze = analyzer(tantivy).analyze
        self._scoped = scoped

    def find(self, text: Any, limit: int, scope: str | None = None) -> list[int]:
        """Positions of the best rows, best first, at most `limit`; of a scoped table those within `scope`. None of the words anywhere: []."""
        words = question(self._analyze, text)
        if not words:
            return []
        query = self._wanted(words, scope)
        asked = limit + _SLACK
        while True:
            hits = self._searcher.search(query, limit=asked, count=False).hits
            ranked = self._ranked(hits)
            # the rank of the last wanted hit must end before the hits do, or a row of it may be missing
            if len(hits) < asked or ranked[limit - 1][0] < ranked[-1][0] or (self._one and asked >= _FARTHEST):
                return [row for _, row in ranked[:limit]]
            asked *= 8

    def _wanted(self, words: tuple[str, ...], scope: str | None) -> Any:
        query, occur, schema = self._query, self._occur, self._schema
        terms = [(occur.Should, query.term_query(schema, field, word, "freq")) for field in self._fields for word in words]
        found = query.boolean_query(terms)
        if not self._scoped or scope is None:
            return found
        here = query.const_score_query(query.term_query(schema, "scope", mark(scope), "basic"), 0.0)
        return query.boolean_query([(occur.Must, here), (occur.Must, found)])

    def _ranked(self, hits: list[Any]) -> list[tuple[int, int]]:
        """(rank, row), sorted: a rank ends where the next score is lower by more than what rounding does."""
        out: list[tuple[int, int]] = []
        rank, last = 0, 0.0
        for score, address in hits:
            if score < last * (1 - _SAME):
                rank += 1
            last = score
            # in one segment, filled in order by one thread, a document's number is its row
            out.append((rank, address.doc if self._one else self._searcher.doc(address)["row"][0]))
        out.sort()
        return out
