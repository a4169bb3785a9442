"""PDFs as page images: one row a page, {document, page, image}. Rendered once, when they are loaded; pypdfium2 is imported here only, on use."""

from __future__ import annotations

import zlib
from functools import partial
from pathlib import Path
from typing import Any

from agentharness import canon
from agentharness.corpus import images
from agentharness.corpus.batch import Batch, Reading
from agentharness.corpus.files import check_file
from agentharness.corpus.regions import MAX_PIXELS
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

_POINTS = 72
"""Units of a page's size in an inch."""


def read_pdf(name: str, dpi: int, reading: Reading) -> Batch:
    """Rows in order of path, then of page (from 1); `document` is the path without its suffix. Raises UserError, with the page that cannot be shown.

    A page's picture is kept packed, some 50 KB a page of text. The same file, dpi and version of pypdfium2 give the same bytes.
    """
    path = reading.folder / name
    try:
        import pypdfium2
    except ImportError:
        raise UserError("PDFs need `pypdfium2`", where=name, hint="pip install 'agentharness[pdf]'") from None
    files = _files(path, name)
    rows: list[JsonDict] = []
    facts: list[list[str]] = []
    for document, file, shown in files:
        data = file.read_bytes()
        facts.append([document, canon.sha256(data)])
        try:
            opened = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as e:
            raise UserError(f"cannot be opened: {e}", where=shown, hint="a whole PDF without a password is wanted") from None
        try:
            for number in range(len(opened)):
                rows.append({"document": document, "page": number + 1, "image": _page(opened, number, dpi, file, shown, reading)})
        finally:
            opened.close()
    return Batch(rows, name, origin={"pdf": name, "files": len(files), "dpi": dpi, "sha256": canon.digest(facts)})


def _files(path: Path, name: str) -> list[tuple[str, Path, str]]:
    """(path without suffix, file, how messages name it) of one PDF, or of all in a folder that are not hidden."""
    if not path.is_dir():
        if not path.exists() and not path.suffix:
            near = [p.name for p in path.parent.iterdir() if p.is_dir()] if path.parent.is_dir() else []
            raise UserError("no such folder", where=name, hint=closest(path.name, near))
        check_file(path, name)
        return [(path.stem, path, name)]
    found = sorted((p.relative_to(path).as_posix(), p) for p in path.rglob("*") if p.suffix.lower() == ".pdf" and p.is_file())
    out = [(rel[:-4], p, f"{name}/{rel}") for rel, p in found if not any(part.startswith(".") for part in rel.split("/"))]
    if not out:
        raise UserError("holds no PDF", where=name, hint="files are told by .pdf")
    return out


def _page(opened: Any, number: int, dpi: int, file: Path, shown: str, reading: Reading) -> Any:
    import pypdfium2

    where, scale = f"{shown}, page {number + 1}", dpi / _POINTS
    try:
        page = opened[number]
        width, height = page.get_size()
        if width * scale * height * scale > MAX_PIXELS:
            raise UserError(f"is {width * scale:,.0f} by {height * scale:,.0f} pixels at {dpi} dpi", where=where, hint="a smaller dpi:")
        png = images.png_of_image(page.render(scale=scale).to_pil())
        page.close()
    except (pypdfium2.PdfiumError, ValueError) as e:
        raise UserError(f"cannot be rendered: {e}", where=where, hint="mend or remove it") from None
    packed = zlib.compress(png, 1)
    assets = reading.assets
    return assets.part(assets.add_packed(png, file, partial(zlib.decompress, packed), made=True))
