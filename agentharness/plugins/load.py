"""Python objects out of content folders and modules, with the user's own errors told from ours."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from agentharness import canon
from agentharness.errors import EpisodeError, UserError, closest
from agentharness.plugins import refs
from agentharness.plugins.find import Found
from agentharness.types.agent import Agent
from agentharness.types.part import JsonDict

T = TypeVar("T")


def load_object(ref: str, base: Path | None = None) -> Any:
    """The object that `file.py:Name` (a relative path counts from `base`) or `module:Name` names. Raises UserError, with the line that failed."""
    reference = refs.read(ref)
    if reference.kind == "file":
        module = load_file((base or Path()) / Path(reference.where).expanduser())
    elif reference.kind == "module":
        with _users(ref):
            module = _module(reference.where, ref)
    else:
        raise UserError(f"{ref!r} names no Python object", hint="write file.py:Name or module:Name")
    return _member(module, reference.name, reference.where)


def load_file(path: Path) -> ModuleType:
    """The module that a file makes, under a name of its own: two files of one name never meet, a changed file is a new module, no bytecode is left behind."""
    path = path.resolve()
    try:
        source = path.read_bytes()
    except OSError as e:
        raise UserError(f"cannot be read: {e.strerror}", where=str(path), hint="check the path") from None
    name = f"_agentharness_{path.stem}_{hashlib.sha256(bytes(path) + source).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise UserError("is no Python file", where=str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles look their module up by name
    try:
        with _users(str(path)):
            exec(compile(source, str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def make_agent(found: Found, options: JsonDict) -> Agent:
    """The agent in a folder (its agent.py's `make(options, folder)`), or the object of a file or module called as `Name(options, folder)`. Raises UserError."""
    where = found.target
    agent: Agent = call(load_object(where), dict(options), found.folder, where=where)
    if missing := [name for name in ("name", "needs_model", "privileged", "identity", "sit") if not hasattr(agent, name)]:
        raise UserError(
            f"makes a {type(agent).__name__} without {missing[0]!r}", where=where, hint="an agent has name, needs_model, privileged, identity() and sit(seat)"
        )
    return agent


def source_digest(found: Found) -> str | None:
    """sha256 of the file that a loaded agent's code begins in; None where it comes from no file."""
    where = found.target.rpartition(":")[0]
    file = where if found.origin != "module" else getattr(sys.modules.get(where), "__file__", None)
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    except OSError:
        return None


def identity(agent: Agent, where: str) -> JsonDict:
    """What the agent says of itself. Raises UserError where it is no dict of JSON."""
    said: Any = call(agent.identity, where=where)
    hint = "return what decides how it plays: texts, numbers, lists, dicts"
    if not isinstance(said, dict):
        raise UserError(f"identity() of agent {agent.name!r} gives {type(said).__name__}, not a dict", where=where, hint=hint)
    try:
        canon.dumps(said)
    except (TypeError, ValueError, RecursionError) as e:
        raise UserError(f"identity() of agent {agent.name!r} holds what is no JSON: {e}", where=where, hint=hint) from None
    return said


def call(function: Callable[..., T], *args: Any, where: str) -> T:
    """Calls the user's function; its errors become UserErrors that name file and line."""
    with _users(where):
        return function(*args)


def _module(name: str, ref: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as e:
        if e.name is None or not (name == e.name or name.startswith(f"{e.name}.")):
            raise
        raise UserError(f"no module {e.name!r}", where=ref, hint="install it, or write path/to/file.py:Name") from None


def _member(module: ModuleType, name: str, where: str) -> Any:
    if not hasattr(module, name):
        own = [n for n, value in vars(module).items() if not n.startswith("_") and getattr(value, "__module__", "") == module.__name__]
        raise UserError(f"has no {name!r}", where=where, hint=closest(name, own))
    return getattr(module, name)


@contextmanager
def _users(where: str) -> Iterator[None]:
    try:
        yield
    except (UserError, EpisodeError):
        raise
    except SyntaxError as e:
        raise UserError(f"{type(e).__name__}: {e.msg}", where=f"{e.filename or where}:{e.lineno or 0}") from e
    except (Exception, SystemExit) as e:
        raise UserError(f"{type(e).__name__}: {e}", where=_line(e) or where) from e


def _line(error: BaseException) -> str:
    """file:line of the deepest frame in code that is neither the engine's, the interpreter's nor an installed package's."""
    engine = Path(__file__).resolve().parents[1]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        inside = path.is_relative_to(engine) and not path.is_relative_to(engine / "_content")
        if not inside and not path.is_relative_to(sysconfig.get_path("stdlib")) and "site-packages" not in path.parts and path.suffix:
            return f"{frame.filename}:{frame.lineno}"
    return ""
