from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agentharness.corpus.load import Corpus, load
from agentharness.corpus.spec import Source, TableSpec
from agentharness.errors import UserError

DATA = (Path(__file__).parents[2] / "../shared/data").resolve()


@pytest.fixture
def data() -> Path:
    if not DATA.is_dir():
        pytest.skip("real data (../shared/data) is not there")
    return DATA


def picture(path: Path, shade: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (2, 1), shade).save(path, "PNG")


def read(folder: Path, columns: dict[str, Any] | None = None, trusted: bool = True, **source: Any) -> Corpus:
    return load({"rows": TableSpec(source=Source(**source))}, {"rows": columns or {}}, folder, root="rows", trusted=trusted)


def named(corpus: Corpus) -> list[tuple[str, Any]]:
    return [(row["name"], row.get("label")) for _, _, row in corpus.tables["rows"]]


def line(folder: Path, **source: Any) -> str:
    with pytest.raises(UserError) as e:
        read(folder, **source)
    return e.value.line()


@pytest.fixture
def flags(tmp_path: Path) -> Path:
    for i, name in enumerate(["na.png", "de.png", "xx.png", "sub/fr.png"]):
        picture(tmp_path / "img" / name, i)
    (tmp_path / "img" / "readme.txt").write_text("text")
    (tmp_path / "img" / ".DS_Store").write_bytes(b"x")
    (tmp_path / "names.json").write_text(json.dumps({"NA": "Namibia", "DE": "Germany", "FR": "France", "ZZ": "none"}))
    return tmp_path


def test_labels_by_table(flags: Path) -> None:
    corpus = read(flags, {"image": "public", "label": "gold"}, images="img", labels="names.json", match="lower")
    assert named(corpus) == [("de", "Germany"), ("na", "Namibia"), ("fr", "France")]
    assert corpus.notes == [
        "img: 1 file skipped, no image: readme.txt",
        "img: 1 image without a label in names.json (xx.png) skipped",
        "names.json: 1 label without an image: zz",
    ]
    key = next(iter(corpus.tables["rows"].keys()))
    view = corpus.tables["rows"].view(key)
    assert view is not None
    assert view == {"image": corpus.assets.part(view["image"]["asset"])}
    assert corpus.origin["rows"]["files"] == 4
    assert corpus.origin["rows"]["labels"]["file"] == "names.json"


def test_what_no_model_could_see_is_no_row(flags: Path) -> None:
    good = (flags / "img/na.png").read_bytes()
    (flags / "img/cut.png").write_bytes(good[:20])
    (flags / "img/huge.png").write_bytes(png_header(30_000, 30_000) + good[33:])
    corpus = read(flags, images="img")
    names = {row["name"] for _, _, row in corpus.tables["rows"]}
    assert not {"cut", "huge"} & names
    assert "img: 1 file skipped, damaged: cut.png" in corpus.notes
    assert "img: 1 file skipped, above 100 megapixels: huge.png" in corpus.notes


def png_header(width: int, height: int) -> bytes:
    """Signature and IHDR of an 8-bit RGB picture."""
    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))


def test_a_case_only_mismatch_names_match(flags: Path) -> None:
    assert line(flags, images="img", labels="names.json") == "names.json: image 'de' and label 'DE' differ in case only (match: lower)"


def test_faults_of_labels(flags: Path) -> None:
    (flags / "none.json").write_text('{"q": 1}')
    assert line(flags, images="img", labels="none.json") == "none.json: no label names an image of img (images are called de, na, fr, xx)"
    (flags / "both.json").write_text('{"NA": "Namibia", "na": "other"}')
    assert "two labels are called 'na' under match: lower" in line(flags, images="img", labels="both.json", match="lower")
    (flags / "list.json").write_text("[]")
    assert "is no JSON object" in line(flags, images="img", labels="list.json")
    assert "names2.json: no such file (did you mean 'names.json'?)" in line(flags, images="img", labels="names2.json")
    assert line(flags, images="imgs", labels="names.json") == "corpus.rows.source.images: imgs: no such folder (did you mean 'img'?)"
    (flags / "three.csv").write_text("na,x,y\n")
    assert "three.csv:1: has 3 columns, not two" in line(flags, images="img", labels="three.csv")
    (flags / "twice.csv").write_text("na,x\nna,y\n")
    assert "'na' has two labels" in line(flags, images="img", labels="twice.csv")
    (flags / "empty").mkdir()
    assert line(flags, images="empty").startswith("corpus.rows.source.images: empty: holds no image")


@pytest.mark.parametrize("text", ["file,label\nna.png,Namibia\nde.png,00123\n", "na.png;Namibia\nde;00123\n"])
def test_labels_by_csv_with_or_without_a_header(flags: Path, text: str) -> None:
    (flags / "labels.csv").write_text(text)
    assert named(read(flags, images="img", labels="labels.csv")) == [("de", "00123"), ("na", "Namibia")]


def test_labels_by_subfolder(tmp_path: Path) -> None:
    for i, name in enumerate(["cat/1.png", "cat/2.png", "dog/big/1.png", "loose.png"]):
        picture(tmp_path / "img" / name, i)
    corpus = read(tmp_path, images="img")
    assert named(corpus) == [("1", "cat"), ("2", "cat"), ("1", "dog/big")]
    assert corpus.notes == ["img: 1 image beside the label folders skipped"]


def test_another_folder_keeps_the_labels(flags: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture(tmp_path / "work" / "mine" / "fr.png", 9)
    picture(tmp_path / "demo" / "de.png", 9)
    monkeypatch.chdir(tmp_path / "work")
    spec = {"rows": TableSpec(source=Source(images="img", labels="names.json", match="lower", demo="demo"))}
    assert named(load(spec, {}, flags, root="rows", source="mine")) == [("fr", "France")]
    assert named(load(spec, {}, flags, root="rows", data="demo")) == [("de", "Germany")]


def test_a_flat_folder_has_no_label(tmp_path: Path) -> None:
    picture(tmp_path / "img" / "b.png", 1)
    picture(tmp_path / "img" / "a.png", 2)
    assert named(read(tmp_path, images="img")) == [("a", None), ("b", None)]


def test_real_flags(data: Path) -> None:
    corpus = read(data / "flags", {"image": "public", "label": "gold"}, images="png100px", labels="countries.json", match="lower")
    assert len(corpus.tables["rows"]) == 255
    assert ("na", "Namibia") in named(corpus)
    assert corpus.notes == []
    assert line(data / "flags", images="png100px", labels="countries.json").endswith("differ in case only (match: lower)")


PYTHON = """
import datetime, decimal, pathlib
from dataclasses import dataclass

@dataclass
class Point:
    x: int

def rows():
    return [{"id": Point(1).x, "t": ("a", None), "day": datetime.date(2024, 1, 2), "price": decimal.Decimal("1.50"), 5: {"k": [True]}}]

def lazy():
    for i in range(3):
        yield {"n": i}

def pictures():
    from PIL import Image
    here = pathlib.Path(__file__).parent
    yield {"p": {"bytes": (here / "a.png").read_bytes()}, "q": here / "a.png", "r": Image.new("L", (3, 2), 9)}

def arrays():
    import numpy as np
    yield {"grey": np.zeros((2, 3), np.uint8), "rgb": np.zeros((2, 3, 3), np.uint8), "list": np.arange(2), "n": np.float64(0.5), "s": np.str_("x")}

def broken():
    yield {"n": 1}
    raise KeyError("gone")

def odd():
    return [{"n": 1}, [2]]

def strange():
    return [{"n": object()}]

def raw():
    return [{"n": b"x"}]
"""


@pytest.fixture
def code(tmp_path: Path) -> Path:
    (tmp_path / "rows.py").write_text(PYTHON)
    picture(tmp_path / "a.png")
    return tmp_path


def test_rows_from_a_function(code: Path) -> None:
    corpus = read(code, python="rows.py:rows")
    assert [row for _, _, row in corpus.tables["rows"]] == [{"id": 1, "t": ["a", None], "day": "2024-01-02", "price": "1.50", "5": {"k": [True]}}]
    assert corpus.origin["rows"]["python"] == "rows.py:rows"
    assert [row for _, _, row in read(code, python="rows.py:lazy").tables["rows"]] == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_pictures_from_a_function(code: Path) -> None:
    corpus = read(code, python="rows.py:pictures")
    ((_, _, row),) = corpus.tables["rows"]
    assert row["p"] == row["q"] == {"type": "image", "asset": row["p"]["asset"], "view": [], "size": [2, 1]}
    assert row["r"]["size"] == [3, 2]
    assert corpus.assets.render(row["r"])[0] == "image/png"


def test_arrays_from_a_function(code: Path) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    ((_, _, row),) = read(code, python="rows.py:arrays").tables["rows"]
    assert (row["grey"]["size"], row["rgb"]["size"]) == ([3, 2], [3, 2])
    assert (row["list"], row["n"], row["s"]) == ([0, 1], 0.5, "x")


def test_functions_run_only_where_trusted(code: Path) -> None:
    with pytest.raises(UserError, match="trust=true"):
        read(code, trusted=False, python="rows.py:rows")


def test_faults_of_functions_are_one_line(code: Path) -> None:
    at = PYTHON.splitlines().index('    raise KeyError("gone")') + 1
    assert line(code, python="rows.py:broken") == f"rows.py:{at}: raised KeyError: 'gone' (the source's own code failed)"
    assert line(code, python="rows.py:row") == "source.python: rows.py has no function 'row' (did you mean 'rows'?)"
    assert line(code, python="rows.py:odd").startswith("rows.py:odd, row 1: gives list, not a dict")
    assert line(code, python="rows.py:strange").startswith("rows.py:strange, row 0, n: holds object, which is no data")
    assert 'pictures are {"bytes": …}' in line(code, python="rows.py:raw")
    assert line(code, python="none.py:rows").startswith("none.py: no such file")
    assert "names no function" in line(code, python="rows.py")
    assert "cannot be imported" in line(code, python="no_such_module_here:rows")
    (code / "bad.py").write_text("def f(:\n")
    assert line(code, python="bad.py:f").startswith("bad.py:1: raised SyntaxError")


def test_a_module_function(code: Path) -> None:
    with pytest.raises(UserError, match=r"string:capwords: raised TypeError"):
        read(code, python="string:capwords")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys\nsys.exit(3)\n", "rows.py:2: raised SystemExit: 3 (the source's own code failed)"),
        ("import sys\n\ndef rows():\n    sys.exit('no rows')\n", "rows.py:4: raised SystemExit: no rows (the source's own code failed)"),
    ],
)
def test_a_source_that_exits_is_told_by_its_line(code: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "rows.py").write_text(code)
    with pytest.raises(UserError) as e:
        load({"rows": TableSpec(source=Source(python="rows.py:rows"))}, {"rows": {}}, tmp_path, root="rows")
    assert e.value.line() == said
