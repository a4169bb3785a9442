"""Rows from a Python function: `file.py:function` beside the task, or `module:function`. Runs only in trusted tasks."""

from __future__ import annotations

import datetime as dt
import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from agentharness import canon
from agentharness.corpus.assets import Assets
from agentharness.corpus.batch import Batch, Reading
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

_FUNCTION = re.compile(r"[\w./-]+\.py:[A-Za-z_]\w*")


def is_code(locator: str) -> bool:
    """Whether a text names a function of a Python file, and not a file of rows."""
    return _FUNCTION.fullmatch(locator) is not None


def read_python(locator: str, reading: Reading) -> Batch:
    """Rows that the function returns, as a list or an iterator of dicts.

    Pictures in them become image parts: {"bytes": …}, Pillow images, uint8 arrays, paths of image files.
    """
    if not reading.trusted:
        raise UserError(f"the source {locator!r} is Python code from outside the project", where="source.python", hint="read it, then say trust=true")
    target, _, name = locator.rpartition(":")
    if not target or not name:
        raise UserError(f"{locator!r} names no function", where="source.python", hint="file.py:function or module:function")
    file = reading.folder / target if target.endswith(".py") else None
    module = _load(file, target) if file is not None else _import(target)
    function: Callable[[], Iterable[Any]] | None = getattr(module, name, None)
    if not callable(function):
        raise UserError(f"{target} has no function {name!r}", where="source.python", hint=closest(name, [n for n in vars(module) if not n.startswith("_")]))
    rows: list[JsonDict] = []
    try:
        for row in function():
            rows.append(_row(row, len(rows), locator, reading.assets))
    except UserError:
        raise
    except (Exception, SystemExit) as e:
        raise _raised(e, locator, module) from e
    origin: JsonDict = {"python": locator}
    if file is not None:
        data = file.read_bytes()
        origin |= {"sha256": canon.sha256(data), "size": len(data)}
    return Batch(rows, locator, origin=origin)


def _load(file: Path, shown: str) -> Any:
    if not file.is_file():
        raise UserError("no such file", where=shown, hint="source.python is relative to the task's folder")
    name = f"agentharness_source_{canon.sha256(str(file.resolve()).encode())[:16]}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as e:
        del sys.modules[name]
        raise _raised(e, shown, module) from e
    return module


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise UserError(f"module {name!r} cannot be imported: {e}", where="source.python", hint="install it, or name a file.py beside the task") from None
    except (Exception, SystemExit) as e:
        raise UserError(f"module {name!r} raised {type(e).__name__}: {e}", where="source.python", hint="its own code failed at import") from e


def _raised(e: BaseException, locator: str, module: Any) -> UserError:
    """One line for an exception of the user's code, at the last line of it that lies in the user's file."""
    own = getattr(module, "__file__", None)
    lines = [f.lineno for f in traceback.extract_tb(e.__traceback__) if f.filename == own]
    if isinstance(e, SyntaxError) and e.filename == own:
        lines.append(e.lineno)
    where = f"{Path(own).name}:{lines[-1]}" if own and lines else locator
    return UserError(f"raised {type(e).__name__}: {e}", where=where, hint="the source's own code failed")


def _row(row: Any, i: int, locator: str, assets: Assets) -> JsonDict:
    if not isinstance(row, dict):
        raise UserError(f"gives {type(row).__name__}, not a dict", where=f"{locator}, row {i}", hint="return dicts, column -> value")
    return {str(column): _plain(value, f"{locator}, row {i}, {column}", assets) for column, value in row.items()}


def _plain(value: Any, where: str, assets: Assets) -> Any:
    """JSON of a value, pictures as image parts."""
    if value is None or type(value) in (str, bool, int, float):
        return value
    if isinstance(value, dict):
        if isinstance(value.get("bytes"), bytes) and set(value) <= {"bytes", "path"}:
            return assets.part(assets.add_bytes(value["bytes"]))
        return {str(k): _plain(v, where, assets) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, where, assets) for v in value]
    if isinstance(value, Path):
        return assets.part(assets.add_file(value))
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    kind = f"{type(value).__module__}.{type(value).__name__}"
    if kind.startswith("PIL."):
        return assets.part(assets.add_image(value))
    if kind == "numpy.ndarray":
        return _array(value, where, assets)
    if kind.startswith("numpy."):
        return _plain(value.item(), where, assets)
    hint = 'pictures are {"bytes": …}' if isinstance(value, bytes) else "text, numbers, lists, dicts and pictures"
    raise UserError(f"holds {kind.removeprefix('builtins.')}, which is no data", where=where, hint=hint)


def _array(value: Any, where: str, assets: Assets) -> Any:
    """A uint8 array of height x width, or x 1, 3 or 4 channels, is a picture; any other is its list."""
    channels = 1 if value.ndim == 2 else value.shape[2] if value.ndim == 3 else 0
    if str(value.dtype) == "uint8" and channels in (1, 3, 4) and value.size:
        return assets.part(assets.add_pixels(value.shape[1], value.shape[0], channels, value.tobytes()))
    return _plain(value.tolist(), where, assets)
