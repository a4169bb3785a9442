"""What compiling needs at hand: the task's places, the shapes of every name, and a tally of what was used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentharness.config.yaml import Place
from agentharness.corpus.load import Corpus
from agentharness.corpus.textindex import TextIndex
from agentharness.env.expr import Compiled, ListOf, Names, OneOf, Record, Shape, Value, expression, template
from agentharness.env.fields import known, level
from agentharness.env.hooks import Hooks
from agentharness.env.recorded import Recorded
from agentharness.env.task import Task
from agentharness.errors import UserError, closest

RESERVED = ("row", "at", "args", "vars", "results", "t", "cost", "item", "each", "state", "submission")
"""Names that every world has: no table, derived value or edge may take one."""


class Maker:
    """Compiles the expressions of one task. Raises UserError with the place in the user's file."""

    def __init__(self, task: Task, corpus: Corpus, voiced: frozenset[str] = frozenset()) -> None:
        """`voiced`: roles that a model plays in this run."""
        self.voiced = voiced
        self.voices: dict[str, bool] = {}
        """Roles that answer inside the world -> whether a question to them needs a model, for they have neither record nor rule."""
        self.heard: set[str] = set()
        """Tables whose whole rows responders read: their gold decides observations."""
        self.task, self.spec, self.corpus = task, task.spec, corpus
        self.each = task.spec.episode.each
        self.hooks = Hooks(task)
        self.verbs: set[str] = set()
        """Verbs used, for the world digest."""
        self.filters: set[str] = set()
        """Filters used, for the world digest."""
        self.indexes: dict[str, int] = {}
        """Kinds of index used -> semantics version, for the world digest."""
        self.searched: dict[tuple[str, ...], TextIndex] = {}
        """(table, fields…) -> its text index: actions that search the same share one."""
        self.databases: dict[tuple[str, ...], Any] = {}
        """What SQL reads, by its tables: sql.Database."""
        self.frames: dict[str, str] = {}
        """Image field -> the frame that boxes of its pictures are in."""
        self.recorded: dict[str, Recorded] = {}
        """Recordings, by their table."""
        self.wanted: set[str] = set()
        """Names that the rule under compilation reads; `rule()` starts a new tally."""
        self.check_names()
        self.standing, self.listed, self.texts = self._scan()
        self.names: Names = self._names()

    def fail(self, what: str, path: Iterable[str | int], hint: str = "") -> UserError:
        """A UserError at the place of `path`."""
        return UserError(what, where=str(self.place(path)), hint=hint)

    def place(self, path: Iterable[str | int]) -> Place:
        return self.task.places.at(*path)

    def expression(self, source: Any, *path: str | int, more: Mapping[str, Shape] | None = None, only: Names | None = None) -> Compiled:
        """Compiles a bare expression. `more`: names beside the usual ones; `only`: instead of them."""
        text = source if isinstance(source, str) else _literal(source)
        if text is None:
            raise self.fail("an expression is expected here", path, "one bare expression, as a text")
        return self._used(expression(text, self._scope(more, only), self.place(path), key=".".join(map(str, path))))

    def template(self, source: Any, *path: str | int, more: Mapping[str, Shape] | None = None, only: Names | None = None) -> Compiled:
        """Compiles a text with {{ }}."""
        if not isinstance(source, str):
            raise self.fail("a text is expected here", path, "a text, with {{ }} where it changes")
        return self._used(template(source, self._scope(more, only), self.place(path), key=".".join(map(str, path))))

    def quiet(self, source: Any, names: Names, *path: str | int) -> Compiled:
        """Compiles an expression that decides no observation (rewards, oracle): its filters are no part of the world."""
        kept = set(self.filters)
        try:
            return self.expression(source, *path, only=names)
        finally:
            self.filters = kept

    def rule(self) -> set[str]:
        """Starts a new tally of names and gives it."""
        self.wanted = set()
        return self.wanted

    def tables(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """The tables among the names."""
        return tuple(sorted(n for n in wanted if n in self.corpus.tables))

    def record(self, *tables: str, gold: bool = False) -> Shape:
        """The shape of a row of one of `tables`; any public value where there is none."""
        return OneOf(tuple(self._record(t, gold) for t in tables)) if len(tables) > 1 else self._record(tables[0], gold) if tables else Value()

    def _record(self, name: str, gold: bool) -> Record:
        table = self.corpus.tables[name]
        return Record(name, table.levels, table.columns, next((row for _, _, row in table), None), gold)

    def table(self, name: Any, *path: str | int) -> str:
        """`name` if it is a table."""
        if not isinstance(name, str) or name not in self.corpus.tables:
            raise self.fail(f"there is no table {name!r}", path, closest(str(name), self.corpus.tables))
        return name

    def keyed(self, name: Any, *path: str | int) -> str:
        """`name` if it is a table that an agent may look up by key: a key made of hidden or gold columns would tell them."""
        table = self.table(name, *path)
        key = self.spec.corpus[table].key
        for column in [key] if isinstance(key, str) else key or []:
            if column == "row" and column not in self.corpus.tables[table].columns:
                continue
            found = level(self.corpus.tables[table], column)
            if found != "public":
                raise self.fail(
                    f"the key of {table} is {column!r}, which is {found}: a look-up would tell it", path, f"make {column} public, or choose another key"
                )
        return table

    def edge(self, name: Any, *path: str | int) -> str:
        """`name` if it is an edge."""
        if not isinstance(name, str) or name not in self.spec.edges:
            raise self.fail(f"there is no edge {name!r}", path, closest(str(name), self.spec.edges))
        return name

    def field(self, field: Any, tables: Iterable[str], *path: str | int) -> str:
        """`field` if it is a public field path of one of `tables`."""
        if not isinstance(field, str):
            raise self.fail("a field path is a text", path)
        chosen = [self.corpus.tables[t] for t in tables]
        if not chosen:
            raise self.fail(f"{field!r} is read where one stands, but no rule goes anywhere", path, "of: row, or a `goto` before")
        if any(level(t, field) == "public" for t in chosen):
            return field
        for table in chosen:
            if known(table, field):
                hint = f"columns: {{{table.name}: {{{field}: public}}}} shows it"
                raise self.fail(f"{field!r} of {table.name} is {level(table, field)}: rules show public fields only", path, hint)
        shown = [c for t in chosen for c in t.columns if level(t, c) == "public"]
        raise self.fail(f"{' and '.join(t.name for t in chosen)} has no field {field!r}", path, closest(field, shown))

    def columns(self, tables: Iterable[str]) -> frozenset[str]:
        """All columns of the tables."""
        return frozenset().union(*(self.corpus.tables[t].columns for t in tables))

    def variable(self, name: str, *path: str | int) -> str:
        """`name` if it is declared in `vars`."""
        if name not in self.spec.vars:
            raise self.fail(f"there is no variable {name!r}", path, "declare it in `vars`" if not self.spec.vars else closest(name, self.spec.vars))
        return name

    def check_names(self) -> None:
        """Refuses names that would hide one another."""
        spec, taken = self.spec, dict.fromkeys(RESERVED, "a name of every world")
        if spec.trajectories:
            taken["recorded"] = "a verb key"
        for kind, names in (("table", spec.corpus), ("derived value", spec.derive), ("edge", spec.edges)):
            section = {"table": "corpus", "derived value": "derive", "edge": "edges"}[kind]
            for name in names:
                if name in taken or name == "hit":
                    raise self.fail(f"the {kind} {name!r} has the name of {taken.get(name, 'a verb key')}", (section, name), "choose another name")
                taken[name] = f"a {kind}"
        self.table(self.each, "episode", "each")
        if self.corpus.tables[self.each].scope:
            raise self.fail(f"the episode's table {self.each!r} cannot be scoped to a row", ("episode", "each"))
        for name, edge in spec.edges.items():
            to = self.keyed(edge.to, "edges", name, "to")
            if edge.by is not None:
                self.field(edge.by, [to], "edges", name, "by")
            if not any(known(t, name) and level(t, name) == "public" for t in self.corpus.tables.values()):
                raise self.fail(f"no table has a public column {name!r}", ("edges", name), "an edge is named after the column that lists the neighbours")

    def _scan(self) -> tuple[list[str], list[str], bool]:
        """Tables that one can stand on, tables whose rows can be results, and whether texts can be results."""
        spec = self.spec
        at: set[str] = set()
        listed: set[str] = set()
        texts = False
        for verb in [*spec.start, *(v for a in spec.actions.values() for v in a.do)]:
            for name, body in verb.items():
                if name == "hook":
                    at |= set(self.corpus.tables)
                if not isinstance(body, dict):
                    continue
                if name == "goto":
                    at |= {spec.edges[k].to if k in spec.edges else k for k in body} & set(self.corpus.tables)
                    at |= {str(body.get("recorded"))} & set(spec.trajectories) & set(self.corpus.tables)
                if name == "query":
                    texts = texts or "span" in body or "sql" in body
                    listed |= {str(body["in"])} & set(self.corpus.tables) if "in" in body and not body.keys() & {"span", "sql"} else set()
                    listed |= {spec.edges[e].to} if (e := body.get("neighbours")) in spec.edges else set()
        if any("goto" in v and isinstance(v["goto"], dict) and "hit" in v["goto"] for a in spec.actions.values() for v in a.do):
            at |= listed
        return sorted(at), sorted(listed), texts

    def _names(self) -> Names:
        names: dict[str, Shape] = {"args": Value(), "vars": Value(), "t": Value(number=True), "cost": Value(number=True)}
        names.update((name, ListOf(Value())) for name in self.spec.derive)
        names["row"] = self.record(self.each)
        names["at"] = self.record(*self.standing)
        hits = self.record(*self.listed)
        names["results"] = ListOf(OneOf((Value(), hits)) if self.texts and self.listed else hits)
        names.update((t, ListOf(self.record(t))) for t in self.corpus.tables)
        return names

    def _scope(self, more: Mapping[str, Shape] | None, only: Names | None) -> Names:
        if only is not None:
            return only
        return {**self.names, **more} if more else self.names

    def _used(self, compiled: Compiled) -> Compiled:
        self.wanted.update(compiled.names)
        self.filters.update(compiled.filters)
        return compiled


def _literal(value: Any) -> str | None:
    # A YAML scalar where an expression is expected: `end: 5`, `when: true`.
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, int | float) else None
