"""The run folder: opening, identity, status table, journal, assets, a crash."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentharness import canon
from agentharness.errors import StoreFull, UserError
from agentharness.store.folder import RunFolder, default_path
from agentharness.store.manifest import changes
from agentharness.types.episode import Facts, JournalEntry, Key

ROOT = Path(__file__).parents[2]
IDENTITY = {"task": "flags", "world": "v1:w", "agent": {"name": "tools", "temperature": 0.2}, "model": "m"}


def episode(row: str, status: str = "completed", attempt: int = 1, **more: Any) -> tuple[bytes, Facts]:
    data = {"schema_version": 1, "key": Key("v1:w", row, 0, 0, "a").to_json(), "status": status, "clock": {"attempt": attempt, "seconds": 1.5}, **more}
    return canon.dumps(data, newline=True), Facts.from_line(data)


def ident(row: str) -> str:
    return Key("v1:w", row, 0, 0, "a").id


def entry(row: str, ordinal: int, attempt: int = 1) -> JournalEntry:
    return JournalEntry(ident(row), attempt, "policy", ordinal, f"q{ordinal}", {"message": f"{row} {ordinal}"}, {})


def reopened(path: Path, **options: Any) -> RunFolder:
    return RunFolder.open(path, {"config": {"limit": 3}}, IDENTITY, **options)


def test_a_new_folder(tmp_path: Path) -> None:
    path = tmp_path / "results/run"
    with RunFolder.open(path, {"config": {"limit": 3, "odd": float("nan")}, "origin": "here", "invocation": {"argv": ["run", "flags"]}}, IDENTITY) as f:
        assert (f.done, f.blocked, f.attempts, f.notes) == ({}, {}, {}, [])
        f.update({"tools": {"d1": "assets"}})
    m = canon.loads((path / "manifest.json").read_bytes())
    assert (m["schema_version"], m["identity"], m["origin"], repr(m["config"]["odd"]), m["tools"]) == (1, IDENTITY, "here", "nan", {"d1": "assets"})
    (i,) = m["invocations"]
    assert (i["argv"], i["config_changes"], sorted(i["versions"])) == (["run", "flags"], {}, ["agentharness", "python", "schema"])
    assert sorted(i["host"]) == ["cpus", "name", "pid", "system"]
    assert i["started"].endswith("+00:00")
    assert "invocation" not in m
    assert sorted(p.name for p in path.iterdir()) == [".lock", "assets", "attempts.jsonl", "episodes.jsonl", "journal", "manifest.json"]
    assert [p.name for p in (path / "journal").iterdir()] == ["000.jsonl"]


def test_each_opening_adds_an_invocation_with_its_config_changes(tmp_path: Path) -> None:
    RunFolder.open(tmp_path / "r", {"config": {"limit": 3, "model": {"url": "a"}}, "kept": 1}, IDENTITY).close()
    RunFolder.open(tmp_path / "r", {"config": {"model": {"url": "b"}, "samples": 2}}, dict(reversed(IDENTITY.items()))).close()
    m = canon.loads((tmp_path / "r/manifest.json").read_bytes())
    assert (m["config"], m["kept"], len(m["invocations"])) == ({"model": {"url": "b"}, "samples": 2}, 1, 2)
    assert m["invocations"][1]["config_changes"] == {"limit": [3, None], "model.url": ["a", "b"], "samples": [None, 2]}
    assert changes(None, {"a": {"b": 1}}) == {"a.b": [None, 1]}


def test_another_identity_is_refused_with_a_diff(tmp_path: Path) -> None:
    reopened(tmp_path / "r").close()
    before = (tmp_path / "r/manifest.json").read_bytes()
    other = {**IDENTITY, "agent": {"name": "tools", "temperature": 0.7, "prompt": "x" * 100 + "A"}, "model": "n"}
    with pytest.raises(UserError) as e:
        RunFolder.open(tmp_path / "r", {}, other)
    assert e.value.what.startswith('this folder holds another run: agent.prompt: (none) -> "xxxx')
    assert e.value.what.endswith('…, agent.temperature: 0.2 -> 0.7, model: "m" -> "n"')
    assert "`fresh=true`" in e.value.hint
    assert "`out=`" in e.value.hint
    assert "\n" not in str(e.value)
    assert (tmp_path / "r/manifest.json").read_bytes() == before
    RunFolder.open(tmp_path / "s", {}, other).close()
    longer = {**other, "agent": {**other["agent"], "prompt": "x" * 100 + "B"}} | {f"k{i}": i for i in range(7)}  # type: ignore[dict-item]
    with pytest.raises(UserError, match=r'agent\.prompt: …xxxxxxxxA" -> …xxxxxxxxB", k0: \(none\) -> 0, .* and 2 more'):
        RunFolder.open(tmp_path / "s", {}, longer)
    reopened(tmp_path / "r").close()  # the refusals hold no lock


def test_fresh_keeps_the_old_run_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "r"
    reopened(path, fresh=True).close()  # nothing there yet
    for n in (1, 2):
        with reopened(path) as f:
            f.finish(*episode(f"row {n}"))
        with RunFolder.open(path, {}, {"other": n}, fresh=True) as f:
            assert f.done == {}
            assert f.notes == [f"the run that was in {path} is kept in {path}.{n}"]
            assert len(f.manifest["invocations"]) == 1
            with pytest.raises(UserError, match="is writing to this run folder"):
                RunFolder.open(path, {}, IDENTITY, fresh=True)
        RunFolder.open(path, {}, IDENTITY, fresh=True).close()
        (tmp_path / f"r.{n + 1}").rename(tmp_path / f"old.{n}")
    assert list(reopened(tmp_path / "r.1").done) == [ident("row 1")]
    assert list(reopened(tmp_path / "r.2").done) == [ident("row 2")]


def test_what_is_no_run_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r/notes.txt").write_text("mine")
    for fresh in (False, True):
        with pytest.raises(UserError, match="not a run folder"):
            reopened(tmp_path / "r", fresh=fresh)
    assert [p.name for p in (tmp_path / "r").iterdir()] == ["notes.txt"]
    with pytest.raises(UserError, match="cannot be used as a run folder"):
        reopened(tmp_path / "r/notes.txt")
    (tmp_path / "s").mkdir()
    for left in (".lock", ".manifest.json.1-2.tmp"):  # of a crash before the first manifest
        (tmp_path / "s" / left).write_bytes(b"")
    reopened(tmp_path / "s").close()
    for bad, says in (("{", "is not JSON"), ("[]", "not the manifest"), ('{"identity":{},"schema_version":2}', "newer than this")):
        (tmp_path / "s/manifest.json").write_text(bad)
        with pytest.raises(UserError, match=says):
            reopened(tmp_path / "s")


def test_the_status_table(tmp_path: Path) -> None:
    final = ["completed", "truncated:turns", "truncated:time", "error:agent"]
    again = ["truncated:run_budget", "cancelled", "error:model", "error:store", "error:responder"]
    stuck = ["error:env", "error:layer", "error:scorer"]
    with reopened(tmp_path / "r") as f:
        for status in [*final, *again, *stuck]:
            f.finish(*episode(status, status))
        f.finish(*episode("mended", "error:env"))
        f.finish(*episode("mended", "cancelled", attempt=2))
        f.finish(*episode("played", "error:env"))
        f.finish(*episode("played"))
        state = (set(f.done), set(f.blocked))
    for _ in range(2):
        assert state == ({ident(x) for x in [*final, "played"]}, {ident(x) for x in stuck})
        f = reopened(tmp_path / "r")
        state = (set(f.done), set(f.blocked))
        assert f.attempts == {**{ident(x): 1 for x in [*again, *stuck]}, ident("mended"): 2}
        assert (f.begin(ident("mended")), f.begin(ident("mended")), f.begin("new")) == (3, 4, 1)
        f.close()
    assert f.done[ident("completed")].seconds == 1.5
    for retry, left in ((["env"], stuck[1:]), (["error:scorer", "layer"], stuck[:1]), (["model"], stuck)):
        with reopened(tmp_path / "r", retry=frozenset(retry)) as f:
            assert set(f.blocked) == {ident(x) for x in left}
    with pytest.raises(UserError, match="retry: 'scorers' is no cause"):
        reopened(tmp_path / "r", retry=frozenset(["scorers"]))


def test_an_agents_error_is_set_back_where_that_is_asked_for(tmp_path: Path) -> None:
    with reopened(tmp_path / "r") as f:
        for row, status in (("a", "completed"), ("b", "error:agent"), ("c", "error:model"), ("d", "error:agent")):
            f.finish(*episode(row, status))
    lines = (tmp_path / "r/episodes.jsonl").read_bytes().splitlines()
    for _ in range(2):
        with reopened(tmp_path / "r", retry=frozenset(["agent"])) as f:
            assert (set(f.done), set(f.blocked), f.attempts) == ({ident("a")}, set(), {ident(x): 1 for x in "bcd"})
        assert (tmp_path / "r/episodes.jsonl").read_bytes().splitlines() == lines[:1]
        assert (tmp_path / "r/attempts.jsonl").read_bytes().splitlines()[1:] == lines[1:]
    # Not asked for again, they wait as they are.
    with reopened(tmp_path / "r") as f:
        assert (set(f.done), set(f.blocked)) == ({ident("a")}, {ident("b"), ident("d")})


def test_a_crash_while_lines_are_set_back_loses_none(tmp_path: Path) -> None:
    with reopened(tmp_path / "r") as f:
        f.finish(*episode("a", "error:agent"))
    line = (tmp_path / "r/episodes.jsonl").read_bytes()
    (tmp_path / "r/attempts.jsonl").write_bytes(line)  # it came so far
    with reopened(tmp_path / "r") as f:
        assert (set(f.done), set(f.blocked)) == ({ident("a")}, set())


def test_a_key_is_final_once(tmp_path: Path) -> None:
    with reopened(tmp_path / "r") as f:
        f.record(entry("a", 0))
        f.finish(*episode("a", reward=1.0))
        for status in ("completed", "cancelled"):
            with pytest.raises(RuntimeError, match="final"):
                f.finish(*episode("a", status))
        with pytest.raises(RuntimeError, match="final"):
            f.record(entry("a", 1))
    twice = (tmp_path / "r/episodes.jsonl").read_bytes() + episode("a", reward=0.0)[0]
    (tmp_path / "r/episodes.jsonl").write_bytes(twice)
    with reopened(tmp_path / "r") as f:
        assert f.done[ident("a")].reward == 1.0
        assert f.notes == [f"{tmp_path}/r/episodes.jsonl: a second final line of row 'a' sample 0; the first counts"]


def test_the_journal_serves_the_unfinished_alone(tmp_path: Path) -> None:
    path = tmp_path / "r"
    with reopened(path) as f:
        for row in "abc":
            for i in range(3):
                f.record(entry(row, i, attempt=2))
        f.finish(*episode("a"))
        f.finish(*episode("b", "error:model", attempt=2))
        assert f.orphan(ident("b"), 1) == 2
        for _ in range(2):
            assert f.journal(ident("a")) == []
            assert f.journal(ident("b")) == [entry("b", 0, 2)]
            assert f.journal(ident("c")) == [entry("c", i, 2) for i in range(3)]
            assert (f.attempts[ident("b")], f.attempts[ident("c")]) == (2, 2)
            f.close()
            f = reopened(path)
        f.finish(*episode("b"))
        f.close(complete=True)
        assert (path / "journal/000.jsonl").stat().st_size > 0  # c is unfinished
        f = reopened(path)
        f.finish(*episode("c"))
        f.close(complete=True)
        f.close(complete=True)
    assert list((path / "journal").iterdir()) == []
    with reopened(path) as f:
        assert len(f.done) == 3


def test_a_long_run_sheds_its_journal_when_it_syncs(tmp_path: Path) -> None:
    with reopened(tmp_path / "r", segment_bytes=1000) as f:
        for n in range(20):
            for i in range(5):
                f.record(entry(f"row {n}", i))
            f.finish(*episode(f"row {n}"))
        assert len(list((tmp_path / "r/journal").iterdir())) > 5
        f.sync()
        assert len(list((tmp_path / "r/journal").iterdir())) == 1


def test_torn_tails_of_all_three_files(tmp_path: Path) -> None:
    path = tmp_path / "r"
    with reopened(path) as f:
        f.record(entry("a", 0))
        f.finish(*episode("b"))
        f.finish(*episode("c", "cancelled"))
    files = ["episodes.jsonl", "attempts.jsonl", "journal/000.jsonl"]
    whole = [(path / name).read_bytes() for name in files]
    for name, tail in zip(files, (episode("d")[0][:-1], b"{", entry("a", 1).line()[:40]), strict=True):
        with (path / name).open("ab") as out:
            out.write(tail)
    with reopened(path) as f:
        assert f.notes == [
            f"{path}/{name}: {n} bytes of an unfinished last line were cut off" for name, n in zip(files, (len(episode("d")[0]) - 1, 1, 40), strict=True)
        ]
        assert (list(f.done), list(f.attempts), len(f.journal(ident("a")))) == ([ident("b")], [ident("c"), ident("a")], 1)
        assert [(path / name).read_bytes() for name in files][:2] == whole[:2]


@pytest.mark.parametrize("name", ["episodes.jsonl", "attempts.jsonl", "journal/000.jsonl"])
def test_a_corrupt_middle_line_stops_the_opening_and_frees_the_lock(tmp_path: Path, name: str) -> None:
    path = tmp_path / "r"
    with reopened(path) as f:
        f.record(entry("a", 0))
        f.finish(*episode("b"))
        f.finish(*episode("c", "cancelled"))
    good = (path / name).read_bytes()
    (path / name).write_bytes(good + b"damaged\n" + good)
    for _ in range(2):
        with pytest.raises(UserError, match=rf"{name}:{good.count(chr(10).encode()) + 1}: corrupt line"):
            reopened(path)


def test_assets_are_kept_once_by_hash(tmp_path: Path) -> None:
    with reopened(tmp_path / "r") as f:
        name = canon.sha256(b"picture")
        assert not f.has_asset(name)
        with pytest.raises(ValueError, match="are not"):
            f.asset(name, b"other")
        f.asset(name, b"picture")
        f.asset(name, b"picture")
        assert f.has_asset(name)
        (tmp_path / "r/assets/.x.tmp").write_bytes(b"left by a crash")
    with reopened(tmp_path / "r") as f:
        assert (f.has_asset(name), f.has_asset(".x.tmp")) == (True, False)
    assert [(p.name, p.read_bytes()) for p in (tmp_path / "r/assets").iterdir()] == [(name, b"picture")]


def test_the_default_path_follows_the_identity() -> None:
    a = default_path(Path("results"), "flags", "tools", "org/Model 7B:é", IDENTITY)
    assert a == Path("results") / f"flags-tools-org_Model_7B_-{canon.digest(IDENTITY)[:8]}"
    assert default_path(Path("results"), "flags", "random", None, {}).name == f"flags-random-{canon.digest({})[:8]}"
    assert default_path(Path("r"), "../x", "a", "m" * 500, {}).name == f"_x-a-{'m' * 60}-{canon.digest({})[:8]}"


def finish_many(f: RunFolder) -> None:
    for i in range(100):
        f.finish(*episode(f"row {i}", note="x" * 30_000))


def record_many(f: RunFolder) -> None:
    for i in range(1000):
        f.record(entry("first", i + 1))


def test_a_full_disk_ends_the_run_and_room_goes_on(tmp_path: Path) -> None:
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)], capture_output=True, text=True)
    if mount.returncode:
        pytest.skip(f"cannot mount a small disk: {mount.stderr.strip()}")
    try:
        path = tmp_path / "r"
        f = reopened(path)
        f.record(entry("first", 0))
        with pytest.raises(StoreFull):
            finish_many(f)
        big = len(f.done)
        assert 20 < big < 35
        with pytest.raises(StoreFull):
            f.asset(canon.sha256(b"y" * 500_000), b"y" * 500_000)
        filler = tmp_path / "filler"
        with pytest.raises(OSError, match="No space"):
            filler.write_bytes(b"x" * (1 << 20))
        with pytest.raises(StoreFull):
            record_many(f)
        served = len(f.journal(ident("first")))
        f.close()
        with pytest.raises(StoreFull):
            reopened(path)
        filler.unlink()
        with reopened(path) as f:
            assert (len(f.done), f.notes, len(f.journal(ident("first")))) == (big, [], served)
            f.finish(*episode("small"))
            assert [p.name for p in (path / "assets").iterdir()] == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


PLAY = """
import sys
from pathlib import Path
from agentharness import canon
from agentharness.store.folder import RunFolder
from agentharness.types.episode import Facts, JournalEntry, Key
f = RunFolder.open(Path(sys.argv[1]), {}, {"a": 1}, segment_bytes=2000)
print("asked", *(f"{k}:{n}" for k, n in f.attempts.items()), flush=True)
for row in range(10**6):
    key = Key("w", f"{row}", 0, 0, "a")
    if key.id in f.done:
        continue
    attempt, have = f.begin(key.id), f.journal(key.id)
    for i in range(len(have), 3):
        print("ask", row, i, flush=True)
        f.record(JournalEntry(key.id, attempt, "policy", i, "q", "x" * (row * 37 % 3000), {}))
    line = {"schema_version": 1, "key": key.to_json(), "status": "completed", "clock": {"attempt": attempt}}
    f.finish(canon.dumps(line, newline=True), Facts.from_line(line))
    if row % 7 == 0:
        f.sync()
"""


def test_kill_9_asks_again_only_for_what_was_in_flight(tmp_path: Path) -> None:
    asked: list[str] = []
    kills = 4
    for n in range(kills):
        child = subprocess.Popen([sys.executable, "-c", PLAY, str(tmp_path / "r")], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert child.stdout is not None
        with child.stdout as out:
            assert out.readline().startswith("asked")
            asked += [out.readline() for _ in range(60 + 17 * n)]
            child.send_signal(signal.SIGKILL)
            asked += [rest for rest in out if rest.endswith("\n")]
        assert child.wait() == -signal.SIGKILL
    assert len(asked) - len(set(asked)) <= kills
    with RunFolder.open(tmp_path / "r", {}, {"a": 1}) as f:
        lines = (tmp_path / "r/episodes.jsonl").read_bytes().splitlines()
        rows = [canon.loads(line)["key"]["row"] for line in lines]
        assert rows == [str(i) for i in range(len(rows))]
        assert len(f.done) == len(rows)
        assert len(f.journal(Key("w", str(len(rows)), 0, 0, "a").id)) <= 3
        assert not any("second final" in note for note in f.notes)
