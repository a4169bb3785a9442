"""Any sequence of records, finishes, flushes, crashes and openings keeps the promise of DESIGN section 6."""

from __future__ import annotations

import shutil
import tempfile
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from agentharness import canon
from agentharness.store.folder import RunFolder
from agentharness.store.reader import facts, read_episodes
from agentharness.types.episode import Facts, JournalEntry, Key, final

ROWS = st.sampled_from("abcd")
ORDINALS = st.integers(0, 5)
STATUSES = st.sampled_from(["completed", "error:agent", "cancelled", "error:env"])


def key(row: str) -> Key:
    return Key("w", row, 0, 0, "a")


@dataclass
class Expected:
    """What the folder should know: served replies of unfinished rows, final rows, rows that wait for `retry`."""

    served: dict[str, dict[int, str]] = field(default_factory=dict)
    final: set[str] = field(default_factory=set)
    blocked: set[str] = field(default_factory=set)

    def apply(self, op: tuple[str, str, int, str]) -> None:
        what, row, ordinal, text = op
        if what == "record":
            self.served.setdefault(row, {})[ordinal] = text
        elif what == "orphan":
            self.served[row] = {o: t for o, t in self.served.get(row, {}).items() if o < ordinal}
        else:
            self.blocked.discard(row)
            if final(text):
                self.served.pop(row, None)
                self.final.add(row)
            elif text == "error:env":
                self.blocked.add(row)


class Promise(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.path = Path(tempfile.mkdtemp()) / "run"
        self.expected = Expected()
        self.n = 0
        self.open()

    def open(self) -> None:
        self.folder: RunFolder | None = RunFolder.open(self.path, {}, {"run": 1}, segment_bytes=400)
        self.base = deepcopy(self.expected)
        self.log: list[tuple[Path, int, tuple[str, str, int, str]]] = []
        self.flushed = self.sizes()

    def sizes(self) -> dict[Path, int]:
        return {p: p.stat().st_size for p in self.path.rglob("*.jsonl")}

    def done(self, file: str, op: tuple[str, str, int, str]) -> None:
        place = self.path / file if file != "journal" else max((self.path / "journal").glob("*.jsonl"))
        self.log.append((place, place.stat().st_size, op))
        self.expected.apply(op)

    @rule(row=ROWS, ordinal=ORDINALS, size=st.integers(0, 200))
    def record(self, row: str, ordinal: int, size: int) -> None:
        assert self.folder
        if row not in self.expected.final:
            self.n += 1
            reply = f"{self.n}" + "x" * size
            self.folder.record(JournalEntry(key(row).id, 1, "policy", ordinal, "q", reply, {}))
            self.done("journal", ("record", row, ordinal, reply))

    @rule(row=ROWS, ordinal=ORDINALS)
    def orphan(self, row: str, ordinal: int) -> None:
        assert self.folder
        there = [o for o in self.expected.served.get(row, {}) if o >= ordinal]
        assert self.folder.orphan(key(row).id, ordinal) == len(there)
        if there:
            self.done("journal", ("orphan", row, ordinal, ""))

    @rule(row=ROWS, status=STATUSES)
    def finish(self, row: str, status: str) -> None:
        assert self.folder
        if row not in self.expected.final:
            data = {"schema_version": 1, "key": key(row).to_json(), "status": status}
            self.folder.finish(canon.dumps(data, newline=True), Facts.from_line(data))
            self.done("episodes.jsonl" if final(status) else "attempts.jsonl", ("finish", row, 0, status))

    @rule()
    def sync(self) -> None:
        assert self.folder
        self.folder.sync()
        self.flushed = self.sizes()

    @rule(complete=st.booleans())
    def reopen(self, complete: bool) -> None:
        assert self.folder
        self.folder.close(complete)
        self.open()

    @rule(data=st.data())
    def crash(self, data: st.DataObject) -> None:
        """The process and part of what no flush has covered are gone: each file ends at any byte after its last flush."""
        self.folder = None
        cuts = {p: data.draw(st.integers(self.flushed.get(p, 0), size), label=p.name) for p, size in self.sizes().items()}
        for p, size in cuts.items():
            with p.open("r+b") as file:
                file.truncate(size)
        self.expected = self.base
        for place, end, op in self.log:
            if end <= cuts.get(place, end):  # a segment that is gone was needed by nobody
                self.expected.apply(op)
        self.open()

    @invariant()
    def the_promise_holds(self) -> None:
        assert self.folder
        assert set(self.folder.done) == {key(r).id for r in self.expected.final}
        assert set(self.folder.blocked) == {key(r).id for r in self.expected.blocked}
        for row in "abcd":
            served = {e.ordinal: e.reply for e in self.folder.journal(key(row).id)}
            assert served == self.expected.served.get(row, {})
            assert list(served) == sorted(served)
        rows = [canon.loads(line)["key"]["row"] for line in (self.path / "episodes.jsonl").read_bytes().splitlines()]
        assert sorted(rows) == sorted(self.expected.final)  # each key final exactly once
        assert [x["key"]["row"] for x in read_episodes(self.path)] == rows
        assert {f.row for f in facts(self.path) if final(f.status)} == set(rows)

    def teardown(self) -> None:
        self.folder = None
        shutil.rmtree(self.path.parent)


TestPromise = Promise.TestCase
TestPromise.settings = settings(max_examples=20, stateful_step_count=25, deadline=None)
