"""From the short level to the long form, and the long form as YAML."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from agentharness.config.yaml import Document, KeyPath, Place, scalar
from agentharness.env import presets
from agentharness.env.keys import fields
from agentharness.env.mistakes import wrong
from agentharness.env.presets import Filled, Missing, Preset
from agentharness.env.short import KEYS, holes
from agentharness.env.short_columns import SPECIAL
from agentharness.env.spec import TaskSpec
from agentharness.env.task import Places
from agentharness.errors import closest

"""Keys of the design that this version does not know."""

_WHOLE = {("oracle",)}
"""Long keys that replace a preset's as a whole: half of one oracle and half of another is none."""


def short_keys() -> dict[str, list[str]]:
    """Short key -> the presets that know it (all: an empty list). Keys that are also long ones are not among them."""
    out: dict[str, list[str]] = {key: [] for key in KEYS if key not in fields(TaskSpec)}
    for name in presets.names():
        for key in presets.get(name).short:
            out.setdefault(key, []).append(name)
    return out


def is_short(data: dict[str, Any]) -> bool:
    """Whether a task is written on the short level: it has a key that only this level has."""
    return any(key in short_keys() for key in data)


def expand(document: Document) -> tuple[dict[str, Any], Places]:
    """The long form of a task on the short level, and where the user wrote what. Raises UserError for a key that is unknown, missing or of the wrong shape."""
    preset = _preset(document)
    _check_keys(document, preset)
    filled = holes(document, preset)
    long, places = Filled({}), Places(document.file)
    for form in (presets.get(presets.BARE), preset):
        layer = presets.fill(form.long, filled)
        _keep_gold(long.data, layer.data)
        merge(long.data, places, layer.data, _found(document, layer))
    said = {key: deepcopy(value) for key, value in document.data.items() if key in fields(TaskSpec) and key != "slices"}
    merge(long.data, places, said, document.places)
    places.known[()] = document.place(("preset",)) if "preset" in document.data else document.place(())
    _check_filled(document, preset, long.data)
    return long.data, places


def merge(into: dict[str, Any], places: Places, over: dict[str, Any], known: dict[KeyPath, Place], path: KeyPath = ()) -> None:
    """Lays `over` upon `into`, mapping by mapping; lists and texts replace, an empty value below the top removes. `known`: places of `over`.

    A mapping that both have keeps its place, for what of it is not laid over still comes from there.
    """
    for key, value in over.items():
        at = (*path, key)
        old = into.get(key)
        if value is None and path and key in into:
            del into[key]
        elif isinstance(value, dict) and isinstance(old, dict) and at not in _WHOLE:
            merge(old, places, value, known, at)
        else:
            into[key] = value
            for stale in [p for p in places.known if p[: len(at)] == at]:
                del places.known[stale]
            places.known |= {p: place for p, place in known.items() if p[: len(at)] == at}


def _preset(document: Document) -> Preset:
    name = document.data.get("preset", presets.BARE)
    if not isinstance(name, str):
        raise wrong(document, ("preset",), "`preset` must be a name", hint=closest("", presets.names()))
    return presets.get(name, str(document.place(("preset",))))


def _check_keys(document: Document, preset: Preset) -> None:
    known, mine = short_keys(), {*fields(TaskSpec), *KEYS, *preset.short}
    for key in document.data:
        if key not in mine and key in known:
            hint = f"add `preset: {known[key][0]}`" if preset.name == presets.BARE else f"this task has preset {preset.name}"
            raise wrong(document, (key,), f"`{key}` belongs to preset {' or '.join(known[key])}", hint=hint, key=True)
        if key not in mine:
            raise wrong(document, (key,), f"{key}: unknown key", hint=closest(key, mine), key=True)


def _keep_gold(below: dict[str, Any], layer: dict[str, Any]) -> None:
    """A column that the user calls gold stays so, whatever a preset shows."""
    implied = layer.get("columns", {}).get("rows", {})
    said = below.get("columns", {}).get("rows", {})
    for column in [c for c in implied if said.get(c) == "gold"]:
        del implied[column]


def _found(document: Document, layer: Filled) -> dict[KeyPath, Place]:
    """Places of a filled layer: of each hole's short key, and of all that stands under it where the hole holds the user's own mapping or list."""
    out: dict[KeyPath, Place] = {}
    for at, short in layer.origins.items():
        out[at] = document.place(short)
        for path, place in document.places.items():
            if path[: len(short)] == short and len(path) > len(short) and _has(layer.data, (*at, *path[len(short) :])):
                out.setdefault((*at, *path[len(short) :]), place)
    return out


def _has(data: Any, path: KeyPath) -> bool:
    for key in path:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return False
    return True


_SAID = {"rows": "data", "nodes.rows": "nodes.from", "nodes.columns": "nodes.from", "documents.table": "documents.from"}
"""A hole -> the short key that fills it, where the names differ."""


def _check_filled(document: Document, preset: Preset, data: Any) -> None:
    if isinstance(data, Missing):
        key = _SAID.get(data.hole, data.hole.partition("_")[0])
        key = key.partition(".")[0] if key.partition(".")[0] in SPECIAL else key
        example = f"{key.partition('.')[0]}: {{{key.partition('.')[2]}: …}}" if "." in key else f"{key}: …"
        what = f"the task has no `{key}`" if preset.name == presets.BARE else f"preset {preset.name} needs `{key}`"
        above = key.rpartition(".")[0]
        at: KeyPath = (above,) if above in document.data else ("preset",)
        raise wrong(document, at, what, hint=f"add `{example}`")
    for inner in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        _check_filled(document, preset, inner)


def to_yaml(spec: TaskSpec) -> str:
    """The long form as YAML, defaults left out; reading it back gives an equal TaskSpec."""
    import yaml as pyyaml

    class Writer(pyyaml.SafeDumper):
        """Quotes by our own reading of plain words, which is YAML 1.2's; never writes aliases."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(writer: pyyaml.SafeDumper, value: str) -> pyyaml.ScalarNode:
        style = None if scalar(value) == value and isinstance(scalar(value), str) else "'"
        if "'" in value or any(c in value for c in "\n\r\t\x85\u2028\u2029"):  # line breaks to YAML: only escapes keep them
            style = '"'
        return writer.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Writer.add_representer(str, text)
    data = spec.model_dump(mode="json", by_alias=True, exclude_defaults=True, warnings=False)
    return pyyaml.dump(data, Dumper=Writer, sort_keys=False, allow_unicode=True, default_flow_style=None, width=150)
