"""The cache: built once, seen whole or not at all, built again where it is damaged, one line where it cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from agentharness.corpus import cache
from agentharness.errors import UserError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTHARNESS_CACHE", str(tmp_path / "c"))
    return tmp_path / "c"


def write(folder: Path) -> None:
    (folder / "a").write_bytes(b"alpha")
    (folder / "b").write_bytes(b"beta" * 1000)


def never(folder: Path) -> None:
    raise AssertionError("built twice")


def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache.folder() == tmp_path / "c"
    monkeypatch.delenv("AGENTHARNESS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache.folder() == tmp_path / "x/agentharness"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "h"))
    assert cache.folder() == tmp_path / "h/.cache/agentharness"


def test_built_once(home: Path) -> None:
    said: list[int] = []
    path = cache.entry("kind", "k", write, lambda: said.append(1))
    assert path == home / "kind/k"
    assert sorted(p.name for p in path.iterdir()) == ["a", "b", "whole.json"]
    assert cache.entry("kind", "k", never) == path
    assert (path / "a").read_bytes() == b"alpha"
    assert said == [1]
    assert sorted(p.name for p in path.parent.iterdir()) == ["k", "k.lock"]


@pytest.mark.parametrize("how", ["cut", "flip", "gone", "no seal", "bad seal", "odd seal"])
def test_what_is_damaged_is_built_again(how: str) -> None:
    path = cache.entry("kind", "k", write)
    b, seal = path / "b", path / "whole.json"
    if how == "cut":
        b.write_bytes(b"beta")
    elif how == "flip":
        b.write_bytes(b"Beta" + b.read_bytes()[4:])
    elif how == "gone":
        b.unlink()
    elif how == "no seal":
        seal.unlink()
    else:
        seal.write_bytes(b"{" if how == "bad seal" else b'{"a": 3}')
    assert not cache.whole(path)
    assert cache.entry("kind", "k", write) == path
    assert b.read_bytes() == b"beta" * 1000
    assert cache.whole(path)


def test_a_copied_cache_is_known_by_its_content() -> None:
    path = cache.entry("kind", "k", write)
    os.utime(path / "b", (1, 1))
    assert cache.entry("kind", "k", never) == path


def test_what_a_dead_builder_left_is_in_nobodys_way(home: Path) -> None:
    (home / "kind/k.making").mkdir(parents=True)
    (home / "kind/k.making/half").write_bytes(b"x")
    path = cache.entry("kind", "k", write)
    assert sorted(p.name for p in path.iterdir()) == ["a", "b", "whole.json"]


def test_a_failed_build_leaves_nothing(home: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "a").write_bytes(b"x")
        raise UserError("no")

    with pytest.raises(UserError, match="no"):
        cache.entry("kind", "k", fail)
    assert [p.name for p in (home / "kind").iterdir()] == ["k.lock"]


def test_threads_build_once() -> None:
    builds: list[int] = []

    def count(folder: Path) -> None:
        builds.append(1)
        write(folder)

    threads = [threading.Thread(target=cache.entry, args=("kind", "k", count)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert builds == [1]


def test_dropped(home: Path) -> None:
    path = cache.entry("kind", "k", write)
    cache.drop(path)
    assert not cache.whole(path)


def test_a_file_in_the_way_is_one_line(home: Path) -> None:
    home.write_text("")
    with pytest.raises(UserError, match=r"kind: the cache cannot be used: .* \(set AGENTHARNESS_CACHE to a folder that can be written\)$"):
        cache.entry("kind", "k", write)


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
from pathlib import Path
from agentharness.corpus import cache
from agentharness.corpus.table import ListRows, Table
from agentharness.corpus.textindex import text_index
from agentharness.errors import UserError
import random
words = [f"word{i}" for i in range(20000)]
table = Table("t", ListRows([{"x": " ".join(random.choices(words, k=20))} for _ in range(3000)]), [str(i) for i in range(3000)], {"x": "public"}, columns=["x"])
for build in (lambda: cache.entry("kind", "k", lambda f: (f / "a").write_bytes(b"x" * 30000)), lambda: text_index(table, ["x"], lambda: "c")):
    try:
        build()
    except UserError as e:
        print(e.line())
print(sorted(p.suffix for p in cache.folder().rglob("*") if p.is_file()))
"""


def test_a_full_disk_is_one_line() -> None:
    pytest.importorskip("tantivy", reason="the extra `search` is not installed")
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True, check=False)
    first, second, left = done.stdout.splitlines()
    assert "the cache cannot be written: File too large (make room, or set AGENTHARNESS_CACHE to a folder with room)" in first
    assert "the cache cannot be written: No space left on device (make room" in second
    assert left == "['.lock', '.lock']"
