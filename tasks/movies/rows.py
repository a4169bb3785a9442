"""Films of 1940 to 2014 from bokeh-sampledata's movies.db: 17,472 rows in each of two tables. Columns that hold nothing are left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

FILMS = {
    "id": "ID",
    "title": "Title",
    "year": "Year",
    "certificate": "Rating",
    "minutes": "Runtime",
    "genres": "Genre",
    "released": "Released",
    "director": "Director",
    "writer": "Writer",
    "actors": "Cast",
    "language": "Language",
    "country": "Country",
    "oscars": "Oscars",
}
"""Our column -> the file's; no word that SQL keeps for itself."""
SCORES = {"film": "ID", "rating": "Rating", "meter": "Meter", "reviews": "Reviews", "box_office": "BoxOffice", "production": "Production"}


def films() -> Iterator[dict[str, Any]]:
    """What a film is. Raises ImportError without the extra `movies`."""
    return _read("omdb", FILMS)


def scores() -> Iterator[dict[str, Any]]:
    """What critics and buyers made of it. Raises ImportError without the extra `movies`."""
    return _read("tomatoes", SCORES)


def _read(table: str, columns: dict[str, str]) -> Iterator[dict[str, Any]]:
    import sqlite3
    from contextlib import closing
    from importlib.resources import as_file, files

    try:
        import bokeh_sampledata
    except ImportError:
        raise ImportError("needs bokeh-sampledata: pip install 'agentharness[movies]'") from None
    found = next(file for file in files(bokeh_sampledata).joinpath("_data").iterdir() if file.name == "movies.db")
    with as_file(found) as path, closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
        names = ", ".join(f'"{column}"' for column in columns.values())
        for row in base.execute(f'SELECT {names} FROM "{table}" ORDER BY "ID"'):
            yield {name: None if value == "" else value for name, value in zip(columns, row, strict=True)}
