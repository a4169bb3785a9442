"""query text: the rows whose words are most like a question's."""

from __future__ import annotations

from typing import Any

from agentharness.corpus.lru import Lru
from agentharness.corpus.textindex import VERSION, TextIndex, text_index
from agentharness.env.expr import Compiled
from agentharness.env.maker import Maker
from agentharness.env.views import Ref
from agentharness.env.work import NOTHING, Missing, Verb, Work

KIND = "text"
_KEPT = 1 << 22
"""Bytes of questions and what they found that one verb keeps."""


def search(make: Maker, run: Compiled, table: str, fields: Any, limit: int, *path: str | int) -> Verb:
    """{text, in: TABLE, fields: [public field, …], limit}: results are rows, best first. Raises UserError."""
    if not isinstance(fields, list) or not fields:
        raise make.fail("query text says where to look: `fields`", path, "fields: [title, text]")
    for i, field in enumerate(fields):
        make.field(field, [table], *path, "fields", i)
        if field in fields[:i]:
            raise make.fail(f"{field!r} is named twice", (*path, "fields", i), "keep one")
    make.indexes[KIND] = VERSION
    return _found(run, _index(make, table, fields, *path), table, limit)


def _index(make: Maker, table: str, fields: list[str], *path: str | int) -> TextIndex:
    mark = (table, *fields)
    if mark not in make.searched:
        corpus = make.corpus
        where = str(make.place(path))
        make.searched[mark] = text_index(corpus.tables[table], fields, lambda: corpus.digests()[table].open, corpus.note, where=where)
    return make.searched[mark]


def _found(run: Compiled, index: TextIndex, table: str, limit: int) -> Verb:
    kept: Lru[list[Ref]] = Lru(_KEPT)

    def verb(work: Work) -> Missing | None:
        asked, rows, row = run(work.env), work.scene.rows, work.scene.row
        scope = row if table in rows.scoped else None
        if not isinstance(asked, str):
            return NOTHING
        mark = (asked, scope)
        found = kept.get(mark)
        if found is None:
            source = rows.tables[table]
            found = [[table, source.ident(i)[1]] for i in index.find(asked, limit, scope)]
            kept.put(mark, found, 2 * len(asked) + 200 + 200 * len(found))
        if table in (work.edits or ()):  # the index holds the corpus: what this episode removed is no hit
            found = [ref for ref in found if rows.node(table, ref[1], row) is not None]
        work.found(found)
        return None if found else NOTHING

    return verb
