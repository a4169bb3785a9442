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
    demo: str | None = Field(None, description="file, or file.py:function, with the few rows that `data=demo` plays, in this source's own schema")


class JoinSpec(Closed):
    """Partners of each row in another table."""

    table: str = Field(description="the other table")
    on: str | dict[str, str] = Field(description="column that both have, or columns of this table -> columns of the other")
    as_: str = Field(alias="as", description="column that holds the partner, or the list of partners")
    many: bool = Field(False, description="a row may have several partners: a list")
    missing: Literal["null", "drop", "error"] = Field("null", description="what becomes of a row without one")


class GroupSpec(Closed):
    """Rows of equal values as one row: those values, `count`, and the rows themselves."""

    by: str | list[str] = Field(description="column or columns")
    as_: str = Field("items", alias="as", description="column that lists the rows")


class SessionSpec(Closed):
    """A log cut into sessions: by whom, `session` (from 0), `start`, `end`, `count`, and the events in order of time."""

    by: str | list[str] = Field(description="column or columns that say whose log it is")
    at: str = Field(description="column of times: seconds, or ISO dates and times")
    gap: float | str = Field(description="a pause longer than this begins a new session: seconds, or 30m, 2h, 1d")
    as_: str = Field("events", alias="as", description="column that lists the events")


class WindowSpec(Closed):
    """Sliding windows over the rows, in their order: `start` (from 0) and the rows."""

    size: int = Field(ge=1, description="rows of a window")
    step: int = Field(1, ge=1, description="rows from the start of one window to the next")
    by: str | list[str] | None = Field(None, description="column or columns: windows do not cross from one value to another")
    as_: str = Field("items", alias="as", description="column that lists the rows")


class PairSpec(Closed):
    """Every pair of rows of equal values: those values, `pair` (from 0), and both rows."""

    by: str | list[str] = Field(description="column or columns")
    first: str = Field("a", description="column of the row that stands first")
    second: str = Field("b", description="column of the other")


class TidyStep(Closed):
    """One step of cleaning: one of these."""

    dedupe: Literal[True] | str | list[str] | None = Field(None, description="keep the first row of equal values: of these columns, or `true` for all")
    filter: str | None = Field(None, description="expression over row: keep the rows for which it is true")
    filled: str | list[str] | None = Field(None, description="keep the rows in which these columns are not empty")
    strip: str | list[str] | None = Field(None, description="white space off the ends of these texts, inside them one space; letters composed")


class TableSpec(Closed):
    """A table: read from a source, or derived from another table."""

    source: Source | None = Field(None, description="where the rows come from")
    from_: str | None = Field(None, alias="from", description="the table this one is derived from")
    explode: str | None = Field(None, description="column of `from` that holds one list of records, or a record of parallel lists: one row for each item")
    group: GroupSpec | None = Field(None, description="rows of `from` that have equal values become one row")
    sessions: SessionSpec | None = Field(None, description="`from` is a log, cut into sessions")
    windows: WindowSpec | None = Field(None, description="sliding windows over `from`")
    pairs: PairSpec | None = Field(None, description="pairs of rows of `from`")
    join: JoinSpec | None = Field(None, description="each row gets its partners from another table")
    tidy: list[TidyStep] = Field(default_factory=list, description="cleaning, step by step, before rows get their keys")
    scope: Literal["row"] | None = Field(None, description="`row`: the key counts within one episode row; the same key in another row is another row")
    key: str | list[str] | None = Field(None, description="column, columns, `row` (position), or the content digest where absent")
    unique: Literal["error", "first", "per_row"] = Field("error", description="what a second row of one key is")
    rename: dict[str, str] = Field(default_factory=dict, description="source column -> column")
    empty: list[str] = Field(default_factory=list, description="columns that the source lacks, null in every row: what edits may fill")
