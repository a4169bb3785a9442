"""Tables that lie together: a folder in place of their files, texts as tables, columns that only edits fill."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentharness.corpus.load import Corpus, load
from agentharness.corpus.spec import Source, TableSpec
from agentharness.errors import UserError

TABLES = {
    "rows": TableSpec(source=Source(file="rows.json", demo="few.json"), key="id"),
    "orders": TableSpec(source=Source(file="more/orders.jsonl"), key="id", empty=["status"]),
    "policy": TableSpec(source=Source(file="policy.md")),
}
COLUMNS = {"rows": {"id": "public"}, "orders": {"id": "public", "status": "public"}, "policy": {"text": "public"}}


def write(folder: Path, mark: str, names: tuple[str, ...] = ("rows.json", "orders.jsonl", "policy.md")) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Rules\n{mark}\n" if path.suffix == ".md" else f'[{{"id": "{mark}"}}]' if path.suffix == ".json" else f'{{"id": "{mark}"}}\n')
    return folder


def read(folder: Path, source: Path | None = None) -> Corpus:
    return load(TABLES, COLUMNS, folder, root="rows", source=None if source is None else str(source))  # type: ignore[arg-type]


def held(corpus: Corpus) -> list[str]:
    return [next(iter(corpus.tables[name].keys())) for name in ("rows", "orders")] + [next(row for _, _, row in corpus.tables["policy"])["text"]]


def test_a_folder_brings_the_files_that_it_has(tmp_path: Path) -> None:
    own = write(tmp_path / "task", "own", ("rows.json", "more/orders.jsonl", "policy.md"))
    assert held(read(own)) == ["own", "own", "# Rules\nown\n"]
    other = write(tmp_path / "other", "other")
    assert held(read(own, other)) == ["other", "other", "# Rules\nother\n"]
    (other / "policy.md").unlink()
    assert held(read(own, other)) == ["other", "other", "# Rules\nown\n"]
    assert held(read(own, other / "rows.json")) == ["other", "own", "# Rules\nown\n"]
    (other / "rows.json").unlink()
    with pytest.raises(UserError, match="no image"):
        read(own, other)


def test_empty_columns_are_null_in_every_row(tmp_path: Path) -> None:
    own = write(tmp_path / "task", "own", ("rows.json", "more/orders.jsonl", "policy.md"))
    table = read(own).tables["orders"]
    assert table.full("own") == {"id": "own", "status": None}
    assert table.view("own") == {"id": "own", "status": None}
    (own / "more/orders.jsonl").write_text('{"id": "own", "status": 1}\n')
    with pytest.raises(UserError, match="has a column 'status'") as caught:
        read(own)
    assert caught.value.where == "corpus.orders.empty.0"
    derived = {"rows": TABLES["rows"], "parts": TableSpec(**{"from": "rows", "explode": "id", "empty": ["x"]})}
    with pytest.raises(UserError, match="'parts' is derived: `empty` needs a source"):
        load(derived, {}, own, root="rows")


def test_a_text_is_one_row_and_an_empty_one_none(tmp_path: Path) -> None:
    own = write(tmp_path / "task", "own", ("rows.json", "more/orders.jsonl", "policy.md"))
    (own / "policy.md").write_bytes("Zeilen\r\nÄ\n".encode("cp1252"))
    (row,) = (row for _, _, row in read(own).tables["policy"])
    assert row["text"].replace("\r\n", "\n") == "Zeilen\nÄ\n"
    (own / "policy.md").write_text(" \n")
    with pytest.raises(UserError, match=r"policy\.md holds no rows"):
        read(own)
