"""PDFs as page images."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agentharness.corpus.load import Corpus, load
from agentharness.corpus.spec import Source, TableSpec
from agentharness.errors import UserError

pytest.importorskip("pypdfium2", reason="the extra `pdf` is not installed")


def pdf(path: Path, *colors: str) -> None:
    """A PDF with a page of each colour, 2 by 1 inch."""
    first, *rest = [Image.new("RGB", (144, 72), color) for color in colors]
    first.save(path, "PDF", resolution=72, save_all=True, append_images=rest)


def read(folder: Path, **source: Any) -> Corpus:
    return load({"rows": TableSpec(source=Source(**source), key=["document", "page"])}, {"rows": {"image": "public"}}, folder, root="rows")


def rows(corpus: Corpus) -> list[dict[str, Any]]:
    return [row for _, _, row in corpus.tables["rows"]]


def line(folder: Path, **source: Any) -> str:
    with pytest.raises(UserError) as e:
        read(folder, **source)
    return e.value.line()


def test_each_page_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "docs/sub").mkdir(parents=True)
    pdf(tmp_path / "docs/b.pdf", "red", "lime")
    pdf(tmp_path / "docs/sub/a.PDF", "blue")
    (tmp_path / "docs/notes.txt").write_text("x")
    found = read(tmp_path, pdf="docs", dpi=50)
    assert [(row["document"], row["page"], row["image"]["size"]) for row in rows(found)] == [
        ("b", 1, [100, 50]),
        ("b", 2, [100, 50]),
        ("sub/a", 1, [100, 50]),
    ]
    assert list(found.tables["rows"].keys()) == ['["b",1]', '["b",2]', '["sub/a",1]']
    assert (found.origin["rows"]["files"], found.origin["rows"]["dpi"]) == (2, 50)
    kind, data = found.assets.render(rows(found)[1]["image"])
    shown = Image.open(io.BytesIO(data)).convert("RGB")
    assert (kind, shown.size) == ("image/png", (100, 50))
    red, green, blue = shown.getpixel((50, 25))  # type: ignore[misc]  # a triple in this mode
    assert red < 10
    assert green > 245
    assert blue < 10


def test_pages_are_the_same_each_time_and_kept_packed(tmp_path: Path) -> None:
    pdf(tmp_path / "a.pdf", "red")
    first, again, finer = (read(tmp_path, pdf="a.pdf", dpi=dpi) for dpi in (100, 100, 200))
    assert first.digests() == again.digests()
    assert first.digests() != finer.digests()
    sha = rows(first)[0]["image"]["asset"]
    (tmp_path / "a.pdf").unlink()
    assert first.assets.info(sha).data is None
    assert len(first.assets.raw(sha)) == first.assets.info(sha).length
    assert rows(finer)[0]["image"]["size"] == [400, 200]


def test_a_run_may_name_another_pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pdf(tmp_path / "a.pdf", "red")
    (tmp_path / "more").mkdir()
    pdf(tmp_path / "more/x.pdf", "red", "blue")
    monkeypatch.chdir(tmp_path)
    specs = {"rows": TableSpec(source=Source(pdf="a.pdf", dpi=50))}
    assert len(load(specs, {}, tmp_path, root="rows", source="more").tables["rows"]) == 2
    assert len(load(specs, {}, tmp_path, root="rows", source="more/x.pdf").tables["rows"]) == 2


def test_what_cannot_be_shown(tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 nothing")
    assert "bad.pdf: cannot be opened: " in line(tmp_path, pdf="bad.pdf")
    assert "no such file" in line(tmp_path, pdf="lost.pdf")
    (tmp_path / "none").mkdir()
    assert line(tmp_path, pdf="none") == "corpus.rows.source.pdf: none: holds no PDF (files are told by .pdf)"
    assert "no such folder (did you mean 'none'?)" in line(tmp_path, pdf="nona")
    Image.new("L", (14400, 14400)).save(tmp_path / "huge.pdf", "PDF", resolution=72)
    assert "huge.pdf, page 1: is 20,000 by 20,000 pixels at 100 dpi (a smaller dpi:)" in line(tmp_path, pdf="huge.pdf")
