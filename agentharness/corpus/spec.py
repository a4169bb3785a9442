"""Where tables come from: the corpus part of task.yaml's long form."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agentharness.config.closed import Closed

Level = Literal["public", "hidden", "gold"]
"""Who may see a field: everybody · nobody but reports · scorers, responders and the oracle."""


class Source(Closed):
    """Where a table's rows come from: exactly one of hub, file, images, pdf, python. A locator: no part of the version, the content is."""

    hub: str | None = Field(None, description="hub id of a data set, owner/name")
    config: str | None = Field(None, description="the hub set's configuration")
    split: str | None = Field(None, description="the hub set's split")
    revision: str | None = Field(None, description="the hub set's commit or tag")
    file: str | None = Field(
        None, description="jsonl, json, csv, tsv, parquet, arrow, xlsx or SQLite file beside task.yaml, or a zip of one; txt and md are one row, `text`"
    )
    path: str | None = Field(None, description="dotted path to the list of rows inside a JSON file")
    table: str | None = Field(None, description="table or view of a SQLite file")
    sheet: str | None = Field(None, description="sheet of a workbook")
    member: str | None = Field(None, description="file inside a zip; needed where it holds several files of rows")
    chat: str | None = Field(
        None,
        description="column of conversations, [{role, content}] or [{from, value}]: becomes `messages`; guessed and printed where absent, `off`: never",
    )
    encoding: str | None = Field(None, description="of a text file; sniffed and printed where absent")
    delimiter: str | None = Field(None, description="of a CSV file; sniffed and printed where absent")
    images: str | None = Field(None, description="folder or zip of images; subfolders are labels unless `labels` names a table")
    labels: str | None = Field(None, description="JSON object or CSV from image name to label")
    match: Literal["exact", "lower"] = Field("exact", description="how image names meet label names")
    pdf: str | None = Field(None, description="PDF, or folder of PDFs: each page is a row of document, page and image")
    dpi: int = Field(100, ge=10, le=600, description="dots per inch of PDF pages")
    python: str | None = Field(None, description="file.py:function or module:function that returns rows")
    types: dict[str, Literal["text", "int", "float", "bool", "json"]] = Field(default_factory=dict, description="cell types, column -> type, for text formats")
    demo: str | None = Field(None, description="file with the few rows that `data=demo` plays, in this source's own schema")


class TableSpec(Closed):
    """A table: read from a source, or derived from another table."""

    source: Source | None = Field(None, description="where the rows come from")
    from_: str | None = Field(None, alias="from", description="the table this one is derived from")
    explode: str | None = Field(None, description="column of `from` that holds one list of records, or a record of parallel lists: one row for each item")
    scope: Literal["row"] | None = Field(None, description="`row`: the key counts within one episode row; the same key in another row is another row")
    key: str | list[str] | None = Field(None, description="column, columns, `row` (position), or the content digest where absent")
    unique: Literal["error", "first", "per_row"] = Field("error", description="what a second row of one key is")
    rename: dict[str, str] = Field(default_factory=dict, description="source column -> column")
    empty: list[str] = Field(default_factory=list, description="columns that the source lacks, null in every row: what edits may fill")
