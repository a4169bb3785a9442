"""What expressions see while a transition runs: rows as public views, cached; lists of a table's views only where an expression names the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from agentharness.corpus.load import Corpus
from agentharness.corpus.paths import parse, values
from agentharness.corpus.table import Table, key_text
from agentharness.env.edits import Edits, blank, laid
from agentharness.env.spec import EdgeSpec
from agentharness.errors import EpisodeError
from agentharness.types.part import JsonDict, Part

Ref: TypeAlias = list[Any]
"""[table, key]: how state names a row."""

_ROWS_KEPT = 8192
"""Rows that one table's cache holds before it is emptied: a few MB for most corpora."""
_TEXT_KEPT = 1 << 25
"""Characters of worked-out texts that a world keeps in all."""


class Node:
    """A row of one table: its reference in state, its public view, and what was worked out about standing there. Shared by all sessions."""

    __slots__ = ("edges", "id", "key", "legal", "moves", "ref", "said", "table", "view")

    def __init__(self, table: str, key: str, view: JsonDict) -> None:
        self.table, self.key, self.view = table, key, view
        self.ref: Ref = [table, key]
        self.id = f"{table}/{key}"
        self.edges: dict[str, dict[str, Node]] = {}
        """Edge -> neighbours, as `Rows.neighbours` gives them."""
        self.said: dict[str, str] = {}
        """Rule -> its text here, where the place alone decides it."""
        self.moves: dict[tuple[Any, ...], Move] = {}
        """(rule, arguments…) -> what it does here, where nothing else decides it."""
        self.legal: Any = None
        """What is legal here, where the place alone decides it."""


class Move(NamedTuple):
    """What an action does that depends on nothing but where one stands and its arguments."""

    to: Node
    marks: tuple[str, ...]
    parts: tuple[Part, ...]


class Rows:
    """All tables of a world as nodes, behind bounded caches. Scoped tables ask for the episode's row as well."""

    def __init__(self, corpus: Corpus, edges: dict[str, EdgeSpec]) -> None:
        self.tables: dict[str, Table] = dict(corpus.tables)
        self.scoped = {name for name, table in self.tables.items() if table.scope}
        self.to = {name: edge.to for name, edge in edges.items()}
        """Edge -> table of its neighbours."""
        self._edges = edges
        self._room = _TEXT_KEPT
        self._nodes: dict[str, dict[Any, Node]] = {name: {} for name in self.tables}
        self._lists: dict[str, list[JsonDict]] = {}

    def node(self, table: str, key: str, row: str) -> Node | None:
        """The row `key` of `table` (of the episode row `row`, where the table is scoped), or None."""
        scoped = table in self.scoped
        cache = self._nodes[table]
        at: Any = (row, key) if scoped else key
        found = cache.get(at)
        if found is None:
            view = self.look(table, key, row)
            if view is None:
                return None
            if len(cache) >= _ROWS_KEPT:
                cache.clear()
            found = cache[at] = Node(table, key, view)
        return found

    def keeps(self, text: str) -> bool:
        """Whether there is room to keep a worked-out text; takes it."""
        self._room -= 64 + len(text)
        return self._room > 0

    def at(self, ref: Ref, row: str) -> Node:
        """The node that a state names. Raises EpisodeError where the corpus has no such row."""
        node = self.node(ref[0], ref[1], row) if ref[0] in self._nodes else None
        if node is None:
            raise EpisodeError("env", f"the state names {ref[0]} {ref[1]!r}, which the corpus lacks")
        return node

    def keys(self, table: str, row: str) -> Any:
        """Keys of the table in order; of a scoped table this row's."""
        return self.tables[table].keys(row if table in self.scoped else None)

    def look(self, table: str, key: str, row: str) -> JsonDict | None:
        """The public view alone, for scans: keeps nothing."""
        return self.tables[table].view(key, row if table in self.scoped else None)

    def full(self, table: str, key: str, row: str) -> JsonDict | None:
        """The whole row, gold included: for the oracle."""
        return self.tables[table].full(key, row if table in self.scoped else None)

    def find(self, table: str, field: str, value: Any, row: str) -> str | None:
        """Key of the first row whose public `field` is or lists `value`."""
        return self.tables[table].find(field, value, row)

    def views(self, table: str, row: str) -> list[JsonDict]:
        """The public views of a table in order; of a scoped table this row's."""
        found = self._lists.get(table)
        if found is None:
            source, scope = self.tables[table], row if table in self.scoped else None
            found = [v for k in source.keys(scope) if (v := source.view(k, scope)) is not None]
            if scope is None:
                self._lists[table] = found
        return found

    def neighbours(self, node: Node, edge: str, row: str) -> dict[str, Node]:
        """What leads along `edge` -> the neighbour, in the row's order: each listed value, then each neighbour's key. Rows that the corpus lacks are left
        out."""
        found = node.edges.get(edge)
        if found is None:
            found = node.edges[edge] = self._neighbours(node, edge, row)
        return found

    def _neighbours(self, node: Node, edge: str, row: str) -> dict[str, Node]:
        spec = self._edges[edge]
        listed = node.view.get(edge)
        out: dict[str, Node] = {}
        for value in listed if isinstance(listed, list) else [listed]:
            if value is None:
                continue
            key = key_text(value) if spec.by is None else self.find(spec.to, spec.by, value, row)
            found = None if key is None else self.node(spec.to, key, row)
            if found is not None:
                out.setdefault(key_text(value), found)
        for found in list(out.values()):
            out.setdefault(found.key, found)
        return out


class Overlay(Rows):
    """The rows as one episode's edits leave them. Its nodes are its own, so that nothing worked out elsewhere about a row is shown for it."""

    def __init__(self, base: Rows, edits: Edits) -> None:
        self._base, self._patches = base, edits
        self.tables, self.scoped, self.to, self._edges = base.tables, base.scoped, base.to, base._edges
        self._room = _TEXT_KEPT >> 8
        self._nodes = {name: {} for name in self.tables}
        self._lists = {}
        self._found: dict[tuple[str, str], dict[str, str]] = {}

    def keys(self, table: str, row: str) -> Any:
        """As `Rows.keys`; rows that were added come last, by key."""
        keys, patches = self._base.keys(table, row), self._patches.get(table)
        if patches is None:
            return keys
        there = {k for k in patches if self._base.look(table, k, row) is not None}
        return [*(k for k in keys if k not in there or patches[k] is not None), *sorted(patches.keys() - there)]

    def look(self, table: str, key: str, row: str) -> JsonDict | None:
        """As `Rows.look`; an added row has null where nothing was said."""
        view, patches = self._base.look(table, key, row), self._patches.get(table)
        if patches is None or key not in patches:
            return view
        patch = patches[key]
        return None if patch is None else {**(blank(self.tables[table]) if view is None else view), **patch}

    def full(self, table: str, key: str, row: str) -> JsonDict | None:
        """As `Rows.full`."""
        full, patches = self._base.full(table, key, row), self._patches.get(table)
        if patches is None or key not in patches:
            return full
        patch = patches[key]
        return None if patch is None else laid(self.tables[table], blank(self.tables[table]) if full is None else full, patch)

    def views(self, table: str, row: str) -> list[JsonDict]:
        """As `Rows.views`."""
        if table not in self._patches:
            return self._base.views(table, row)
        found = self._lists.get(table)
        if found is None:
            found = self._lists[table] = [v for k in self.keys(table, row) if (v := self.look(table, k, row)) is not None]
        return found

    def find(self, table: str, field: str, value: Any, row: str) -> str | None:
        """As `Rows.find`; the index of an edited table is built once for these edits."""
        if table not in self._patches:
            return self._base.find(table, field, value, row)
        index = self._found.get((table, field))
        if index is None:
            index = self._found[(table, field)] = {}
            tokens = parse(field, self.tables[table].columns)
            for key in self.keys(table, row):
                for found in values(self.look(table, key, row), tokens):
                    for item in found if isinstance(found, list) else (found,):
                        index.setdefault(key_text(item), key)
        return index.get(key_text(value))


class Scene:
    """A world's rows bound to one episode: its row and its env seed. Holds what every transition's environment starts from."""

    __slots__ = ("_edited", "_edits", "_lists", "_root", "base", "last", "node", "row", "rows", "seed")
    _edited: Scene

    def __init__(self, rows: Rows, table: str, row: str, seed: int, derived: JsonDict) -> None:
        node = rows.node(table, row, row)
        if node is None:
            raise EpisodeError("env", f"the corpus has no row {row!r}")
        self.rows, self.row, self.seed, self.node = rows, row, seed, node
        self.base: JsonDict = {**derived, "row": node.view}
        self.last = node
        """Where the latest transition ended: most look-ups ask for it."""
        self._lists: dict[str, list[JsonDict]] = {}
        self._edits: Edits | None = None
        self._root: Scene | None = None  # not itself: a scene goes with its episode, and needs no collector for it

    @property
    def root(self) -> Scene:
        """The scene over the corpus as it is."""
        return self._root or self

    def of(self, edits: Edits | None) -> Scene:
        """The scene as a state with these edits sees it; the latest is kept, since edits are copied when they change. Raises EpisodeError where they remove
        the episode's own row."""
        root = self.root
        if edits is None:
            return root
        if root._edits is not edits:
            derived = {name: value for name, value in root.base.items() if name != "row"}
            root._edited = Scene(Overlay(root.rows, edits), root.node.table, root.row, root.seed, derived)
            root._edited._root, root._edits = root, edits
        return root._edited

    def here(self, ref: Ref) -> Node:
        """The node that a state's `at` names. Raises EpisodeError where the corpus has no such row."""
        last = self.last
        return last if last.ref is ref else self.rows.at(ref, self.row)

    def listing(self, table: str) -> list[JsonDict]:
        """The public views of a table, as expressions see them."""
        found = self._lists.get(table)
        if found is None:
            found = self._lists[table] = self.rows.views(table, self.row)
        return found

    def environment(self, state: JsonDict, node: Node | None, args: JsonDict, tables: tuple[str, ...], results: bool) -> JsonDict:
        """What expressions see in `state`, standing on `node`: the named tables, and the views of `results`, only where asked for."""
        env = {
            **self.base,
            "at": None if node is None else node.view,
            "args": args,
            "vars": state["vars"],
            "results": views(self, state["results"]) if results else [],
            "t": state["t"],
            "cost": state["cost"],
        }
        for table in tables:
            env[table] = self.listing(table)
        return env


def views(scene: Scene, results: Sequence[Any]) -> list[Any]:
    """What expressions see of results: the public view of a row; a text, or a record of a SQL query, as it is."""
    return [scene.rows.at(r, scene.row).view if type(r) is list else r for r in results]
