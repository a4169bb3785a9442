"""`key=value` words, and the file that `config=` names under them, as a RunConfig."""

from __future__ import annotations

import re
import types
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, TypeGuard, Union, get_args, get_origin

from pydantic import ValidationError

from agentharness import canon
from agentharness.config import yaml
from agentharness.config.closed import Closed
from agentharness.config.run_config import Ref, RunConfig
from agentharness.errors import UserError, closest
from agentharness.types.part import JsonDict

_INT = re.compile(r"[-+]?[0-9]+\Z")


def parse(argv: list[str]) -> RunConfig:
    """The run that the words describe. Raises UserError, one line that names the key."""
    words = split(argv)
    file = words.pop("config", None)
    document = _read(Path(file), words) if file is not None else yaml.Document({}, "")
    ours: JsonDict = {}
    for key, text in words.items():
        _put(ours, _path(key), _value(key, text), key)
    return from_config(_over(document.data, ours), document, words)


def split(argv: list[str]) -> dict[str, str]:
    """Key -> text of each `key=value` word. Raises UserError for a word without `=`, an empty value, a key given twice."""
    out: dict[str, str] = {}
    for word in argv:
        key, equals, text = word.partition("=")
        if not equals:
            raise UserError(f"{word!r} is no key=value", hint=_meant(word))
        if key in out:
            raise UserError("is given twice", where=key, hint="keep one")
        if not text:
            raise UserError("has no value", where=key, hint=f"write {key}=VALUE, or leave it out")
        out[key] = text
    return out


def from_config(data: Any, document: yaml.Document | None = None, ours: Collection[str] = ()) -> RunConfig:
    """A RunConfig from its nested form (the inverse of `to_config`). `document`: where the data stands; `ours`: keys that came from the command line.
    Raises UserError."""
    try:
        return RunConfig.model_validate(data)
    except ValidationError as e:
        raise _explain(e.errors(include_url=False)[0], document, ours) from None


def kind(annotation: Any) -> Any:
    """The bare type of a field: what stands beside None in `X | None`, else the annotation itself."""
    if get_origin(annotation) in (types.UnionType, Union):
        return next(a for a in get_args(annotation) if a is not type(None))
    return annotation


def is_closed(annotation: Any) -> TypeGuard[type[Closed]]:
    """Whether an annotation is a mapping with a closed list of keys."""
    return isinstance(annotation, type) and issubclass(annotation, Closed)


def _meant(word: str) -> str:
    name = word.lstrip("-").replace("-", "_")
    if name in RunConfig.model_fields:
        return f"write {name}={'true' if kind(RunConfig.model_fields[name].annotation) is bool else 'VALUE'}"
    return f"write key=VALUE, such as task={word}"


def _read(file: Path, said: Collection[str]) -> yaml.Document:
    """A YAML file, or JSON with a `config` key: a run's manifest. `said`: keys of the command line."""
    document = _json(file) if file.suffix == ".json" else yaml.load(file)
    data = document.data if document.data is not None else {}
    if isinstance(data, dict) and isinstance(data.get("config"), dict):
        if file.suffix == ".json" and "out" not in said and isinstance(data.get("identity"), dict):
            data["config"]["out"] = str(file.parent)  # a run folder may have been moved: it goes on where it lies
        data = data["config"]
        document.places = {path[1:]: place for path, place in document.places.items() if path[:1] == ("config",)}
    if not isinstance(data, dict):
        raise UserError("holds no keys", where=str(document.place(())), hint="write `key: value` lines, as in `task: atlas`")
    document.data = data
    return document


def _json(file: Path) -> yaml.Document:
    try:
        return yaml.Document(canon.loads(file.read_bytes()), str(file))
    except OSError as e:
        raise UserError(f"cannot be read: {e.strerror}", where=str(file), hint="check the path") from None
    except (ValueError, RecursionError) as e:
        raise UserError(f"is not JSON: {e}", where=str(file), hint="a manifest.json is written by a run; other files end in .yaml") from None


def _path(key: str) -> tuple[str, ...]:
    """Where a key stands in the nested form. Raises UserError for one that no run has."""
    top, dot, rest = key.partition(".")
    field = RunConfig.model_fields.get(top)
    if field is None:
        raise UserError(f"unknown key {key!r}", hint=closest(top, [*RunConfig.model_fields, "config"]))
    bare = kind(field.annotation)
    if not dot:
        return (top, "name") if bare is Ref else (top,)
    if bare is Ref and all(rest.split(".")):
        return (top, *rest.split("."))
    if get_origin(bare) is dict and is_closed(get_args(bare)[1]) and rest:
        name, _, inner = rest.partition(".")
        fields = get_args(bare)[1].model_fields
        if inner and inner not in fields:
            raise UserError(f"unknown key {key!r}", hint=closest(key, [f"{top}.{name}.{field}" for field in fields]))
        return (top, name, inner or next(iter(fields)))  # the first field is what a bare value means
    if get_origin(bare) is dict and rest:
        return (top, rest)  # a column's name may hold dots
    if is_closed(bare) and bare is not Ref:
        if rest not in bare.model_fields:
            raise UserError(f"unknown key {key!r}", hint=closest(key, [f"{top}.{name}" for name in bare.model_fields]))
        return (top, rest)
    raise UserError(f"unknown key {key!r}", hint=f"write {top}=VALUE" if get_origin(bare) is not dict and bare is not Ref else f"write {top}.KEY=VALUE")


def _value(key: str, text: str) -> Any:
    """The value that the text is for this key. Raises UserError where it is of another type."""
    path = _path(key)
    annotation: Any = RunConfig.model_fields[path[0]].annotation
    bare = kind(annotation)
    if bare is Ref:
        return _free(key, text) if "." in key or text[0] in "[{" else text
    if get_origin(bare) is dict and len(path) == 3:
        annotation = get_args(bare)[1].model_fields[path[2]].annotation
        bare = kind(annotation)
    elif get_origin(bare) is dict:
        return text if len(path) > 1 else _free(key, text)
    if is_closed(bare):
        if len(path) == 1:
            return _free(key, text)
        bare = bare.model_fields[path[1]].annotation
    if text == "null" and bare is not annotation:
        return None
    if bare is bool:
        if text.lower() not in ("true", "false"):
            raise UserError(f"must be true or false, not {text!r}", where=key)
        return text.lower() == "true"
    if bare is int:
        if not _INT.match(text) or len(text) > 20:
            raise UserError(f"must be a whole number, not {text[:40]!r}", where=key)
        return int(text)
    if bare is float:
        value = yaml.scalar(text)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise UserError(f"must be a number, not {text[:40]!r}", where=key)
        return float(value)
    return text


def _free(key: str, text: str) -> Any:
    """An option's value: JSON where it starts as a list, an object or quoted text, else by YAML's core schema."""
    if text[0] not in '[{"':
        return yaml.scalar(text)
    try:
        return canon.loads(text)
    except (ValueError, RecursionError) as e:
        raise UserError(f"is not JSON: {e}", where=key, hint="in a shell, put single quotes around the word") from None


def _put(tree: JsonDict, path: tuple[str, ...], value: Any, key: str) -> None:
    if path[-1:] == ("name",) and len(path) == 2 and isinstance(value, dict):
        path = path[:1]  # task={"name": …}
    for i, step in enumerate(path):
        last = i == len(path) - 1
        if not isinstance(tree, dict) or (last and step in tree):
            raise UserError("sets what another key sets too", where=key, hint="keep one")
        if last:
            tree[step] = value
        else:
            tree = tree.setdefault(step, {})


def _over(base: JsonDict, ours: JsonDict) -> JsonDict:
    """`ours` over `base`: mappings join key by key, a bare name joins as {name: …}, anything else is replaced."""
    out = dict(base)
    for key, value in ours.items():
        theirs = out.get(key)
        field = RunConfig.model_fields.get(key)
        if field is not None and kind(field.annotation) is Ref and theirs is not None and not isinstance(theirs, dict):
            theirs = {"name": theirs}
        out[key] = _join(theirs, value)
    return out


def _join(base: Any, ours: Any) -> Any:
    if not isinstance(base, Mapping) or not isinstance(ours, Mapping):
        return ours
    return {**base, **{k: _join(base.get(k), v) for k, v in ours.items()}}


def _explain(error: Any, document: yaml.Document | None, ours: Collection[str]) -> UserError:
    """pydantic's first complaint as our one line."""
    path = tuple(str(step) for step in error["loc"])
    key, what = ".".join(step for step in path if not step.isdigit()), error["type"]
    if what == "missing":
        return UserError("is missing", where=key, hint=f"write {key}=NAME")
    typed = any(word == key or word.startswith(f"{key}.") or key.startswith(f"{word}.") for word in ours)
    place = str(document.place(error["loc"])) if document is not None and document.file and not typed else ""
    value, context = error["input"], error.get("ctx", {})
    shown = repr(value) if len(repr(value)) < 60 else f"{repr(value)[:57]}…"
    if what == "extra_forbidden":
        fields = RunConfig.model_fields if len(path) == 1 else kind(RunConfig.model_fields[path[0]].annotation).model_fields
        return UserError(f"unknown key {key!r}", where=place, hint=closest(path[-1], fields))
    if what == "value_error":
        message = str(context["error"])
    elif what in _TYPES:
        message = f"must be {_TYPES[what]}, not {shown}"
    elif what in _BOUNDS:
        message = f"must be {_BOUNDS[what]} {next(iter(context.values()))}, not {shown}"
    elif what == "literal_error":
        message = f"must be {context['expected']}, not {shown}"
    else:
        message = error["msg"]
    return UserError(f"{key}: {message}" if place else message, where=place or key)


_TYPES = {
    "int_type": "a whole number", "float_type": "a number", "finite_number": "a finite number", "bool_type": "true or false", "string_type": "text",
    "dict_type": "a mapping", "model_type": "a mapping", "tuple_type": "a list",
}  # fmt: skip
_BOUNDS = {"greater_than_equal": "at least", "greater_than": "more than", "less_than": "less than", "less_than_equal": "at most"}
