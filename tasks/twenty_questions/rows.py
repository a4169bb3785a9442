"""The chemical elements of the package mendeleev: 118 rows, 14 columns of its table of elements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

QUERY = """
SELECT e.name, e.atomic_number, e.period, e.group_id AS "group", e.block, s.name AS series, e.is_radioactive AS radioactive, e.lattice_structure AS lattice,
  e.density, p.melting_point, p.boiling_point, e.en_pauling AS electronegativity, e.discovery_year AS discovered, e.atomic_weight
FROM elements e LEFT JOIN series s ON s.id = e.series_id LEFT JOIN phasetransitions p
  ON p.id = (SELECT id FROM phasetransitions q WHERE q.atomic_number = e.atomic_number ORDER BY q.melting_point IS NULL, id LIMIT 1)
ORDER BY e.atomic_number
"""
"""Of an element with several allotropes, the first, one with a melting point where there is one."""


def elements() -> Iterator[dict[str, Any]]:
    """One row for each element; None where the package knows no value. Raises ImportError without the extra `elements`."""
    import sqlite3
    from contextlib import closing
    from importlib.util import find_spec

    found = find_spec("mendeleev")  # its own code needs more libraries than its data
    if found is None or not found.submodule_search_locations:
        raise ImportError("these elements come from mendeleev: pip install 'agentharness[elements]'")
    path = Path(found.submodule_search_locations[0]) / "elements.db"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
        base.row_factory = sqlite3.Row
        for row in base.execute(QUERY):
            told = {name: round(value, 5) if isinstance(value, float) else value for name, value in dict(row).items()}
            yield told | {"radioactive": "yes" if row["radioactive"] else "no"}
