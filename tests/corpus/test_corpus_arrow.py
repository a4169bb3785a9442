from __future__ import annotations

import datetime as dt
import io
import json
import math
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agentharness.corpus.load import Corpus, load
from agentharness.corpus.spec import Source, TableSpec
from agentharness.errors import UserError

pa = pytest.importorskip("pyarrow", reason="the extra `arrow` is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="the extra `arrow` is not installed")


def png(color: tuple[int, int, int] = (255, 0, 0)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (3, 2), color).save(out, "PNG")
    return out.getvalue()


def read(table: Any, folder: Path, columns: dict[str, Any] | None = None, **source: Any) -> Corpus:
    pq.write_table(table, folder / "a.parquet")
    spec = TableSpec(source=Source(file="a.parquet", **source), key="row")
    return load({"rows": spec}, {"rows": columns or {}}, folder, root="rows")


def first(corpus: Corpus) -> dict[str, Any]:
    return next(row for _, _, row in corpus.tables["rows"])


def test_values_become_json(tmp_path: Path) -> None:
    when = dt.datetime(2024, 2, 3, 4, 5, 6, 7000)
    table = pa.table(
        {
            "nan": [math.nan],
            "price": [Decimal("1.50")],
            "day": [dt.date(2024, 2, 3)],
            "clock": [dt.time(4, 5)],
            "us": [when],
            "ns": pa.array([1], pa.timestamp("ns")),
            "zoned": pa.array([0], pa.timestamp("s", tz="Europe/Berlin")),
            "old": pa.array([-62135596800], pa.timestamp("s")),
            "span": pa.array([-1500], pa.duration("ms")),
            "words": pa.array(["a"]).dictionary_encode(),
            "half": pa.array([0.5], pa.float32()).cast(pa.float16()),
            "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
            "nested": pa.array([[{"t": when, "n": None}]]),
            "null": pa.nulls(1),
        }
    )
    row = first(read(table, tmp_path))
    assert math.isnan(row.pop("nan"))
    assert row == {
        "price": "1.50",
        "day": "2024-02-03",
        "clock": "04:05:00",
        "us": "2024-02-03T04:05:06.007",
        "ns": "1970-01-01T00:00:00.000000001",
        "zoned": "1970-01-01T00:00:00+00:00",
        "old": "0001-01-01T00:00:00",
        "span": "-PT1.5S",
        "words": "a",
        "half": 0.5,
        "map": {"k": 1},
        "nested": [{"t": "2024-02-03T04:05:06.007", "n": None}],
        "null": None,
    }


@pytest.mark.parametrize("kind", ["file", "stream", "feather"])
def test_arrow_files(tmp_path: Path, kind: str) -> None:
    table = pa.table({"a": ["x", "y"]})
    path = tmp_path / ("a.feather" if kind == "feather" else "a.arrow")
    if kind == "feather":
        feather = pytest.importorskip("pyarrow.feather")
        feather.write_feather(table, str(path))
    else:
        with (pa.ipc.new_file if kind == "file" else pa.ipc.new_stream)(str(path), table.schema) as out:
            out.write_table(table)
    corpus = load({"rows": TableSpec(source=Source(file=path.name))}, {}, tmp_path, root="rows")
    assert [row for _, _, row in corpus.tables["rows"]] == [{"a": "x"}, {"a": "y"}]
    assert corpus.origin["rows"]["size"] == path.stat().st_size


def test_hub_images_become_parts(tmp_path: Path) -> None:
    (tmp_path / "b.png").write_bytes(png((0, 0, 255)))
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    values = [{"bytes": png(), "path": "a.png"}, {"bytes": None, "path": "b.png"}, None, {"bytes": b"damaged", "path": None}]
    corpus = read(pa.table({"image": pa.array(values, kind), "all": pa.array([[v] for v in values], pa.list_(kind))}), tmp_path)
    rows = [row for _, _, row in corpus.tables["rows"]]
    assert [row["image"] and row["image"]["size"] for row in rows] == [[3, 2], [3, 2], None, [0, 0]]
    assert rows[0]["image"] == rows[0]["all"][0]
    assert corpus.assets.render(rows[0]["image"]) == ("image/png", png())


def test_other_bytes_are_left_out_by_column(tmp_path: Path) -> None:
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    table = pa.table({"a": [1], "raw": [b"x"], "audio": pa.array([{"bytes": b"RIFF....WAVE", "path": None}], kind)})
    corpus = read(table, tmp_path)
    assert first(corpus) == {"a": 1}
    assert corpus.notes == [
        "a.parquet: column raw is left out: it holds binary; write text, or pictures as {bytes, path}",
        "a.parquet: column audio is left out: its bytes are no pictures (audio and video are not read)",
    ]
    with pytest.raises(UserError, match=r"columns\.rows\.raw: column 'raw' of rows was left out: it holds binary"):
        read(table, tmp_path, {"raw": "public"})


def test_class_numbers_show_their_names(tmp_path: Path) -> None:
    features = {"info": {"features": {"label": {"names": ["cat", "dog"], "_type": "ClassLabel"}, "n": {"dtype": "int64", "_type": "Value"}}}}
    table = pa.table({"label": [1, 0, -1], "n": [1, 2, 3]}).replace_schema_metadata({"huggingface": json.dumps(features)})
    corpus = read(table, tmp_path)
    assert [row["label"] for _, _, row in corpus.tables["rows"]] == ["dog", "cat", None]
    assert corpus.notes == ["a.parquet: column label shows class names (numbers with types: {label: int})"]
    assert first(read(table, tmp_path, types={"label": "int"}))["label"] == 1


def test_no_parquet(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"nothing")
    with pytest.raises(UserError, match=r"^corpus\.rows\.source\.file: a\.parquet: cannot be read: "):
        load({"rows": TableSpec(source=Source(file="a.parquet"))}, {}, tmp_path, root="rows")


class Hub:
    """Stands for the `datasets` package: `load_dataset` gives what it was made with, or raises it."""

    def __init__(self, result: Any) -> None:
        self.result = result
        self.asked: tuple[Any, ...] = ()

    def load_dataset(self, path: str, name: str | None, *, split: str | None, revision: str | None) -> Any:
        self.asked = (path, name, split, revision)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


class HubTable:
    features: dict[str, Any] = {}  # noqa: RUF012
    info = type("Info", (), {"download_checksums": {"hf://datasets/o/n@" + "a" * 40 + "/data.parquet": {}}})

    def with_format(self, kind: str) -> HubTable:
        assert kind == "arrow"
        return self

    def __getitem__(self, rows: slice) -> Any:
        return pa.table({"q": ["one", "two"]})


HUB = Source(hub="o/n", config="c", split="s", demo="demo.jsonl")
Install = Callable[[Any], Hub]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    def put(result: Any) -> Hub:
        hub = Hub(result)
        monkeypatch.setitem(sys.modules, "datasets", hub)
        return hub

    return put


def hub_line(source: Source, folder: Path) -> str:
    with pytest.raises(UserError) as e:
        load({"rows": TableSpec(source=source)}, {}, folder, root="rows")
    return e.value.line()


def test_a_hub_set(install: Install, tmp_path: Path) -> None:
    hub = install(HubTable())
    corpus = load({"rows": TableSpec(source=HUB, key="q")}, {"rows": {"q": "public"}}, tmp_path, root="rows")
    assert list(corpus.tables["rows"].keys()) == ["one", "two"]
    assert hub.asked == ("o/n", "c", "s", None)
    assert corpus.origin["rows"] == {"hub": "o/n", "config": "c", "split": "s", "revision": "a" * 40}


def test_hub_splits(install: Install, tmp_path: Path) -> None:
    install({"train": HubTable()})
    corpus = load({"rows": TableSpec(source=Source(hub="o/n"))}, {}, tmp_path, root="rows")
    assert corpus.notes == ["o/n: split train (the only one)"]
    install({"train": HubTable(), "test": HubTable()})
    assert hub_line(Source(hub="o/n"), tmp_path) == "corpus.rows.source.hub: o/n: the hub set has several splits (say split: test, train)"


def test_a_hub_failure_is_one_line_with_a_way_on(install: Install, tmp_path: Path) -> None:
    install(ConnectionError("Couldn't reach it\nmore"))
    assert hub_line(HUB, tmp_path) == (
        "corpus.rows.source.hub: o/n: the hub set cannot be loaded: ConnectionError: Couldn't reach it"
        " (data=demo plays the few rows in the task; source=FILE plays a local file)"
    )
    assert hub_line(Source(hub="o/n"), tmp_path).endswith("(source=FILE plays a local file)")


def test_without_datasets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert "pip install 'agentharness[hub]'; data=demo plays" in hub_line(HUB, tmp_path)
