"""Reading a run folder without its lock: episode lines, facts, prompts and parts. A torn tail (a run that is still writing) is passed over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from agentharness import canon
from agentharness.errors import UserError
from agentharness.store.appender import corrupt, parse, plain, read_lines
from agentharness.store.migrate import check_version, migrate
from agentharness.types.episode import Facts, Key
from agentharness.types.part import JsonDict, Part, text

EPISODES = "episodes.jsonl"
ATTEMPTS = "attempts.jsonl"
ASSETS = "assets"
TEXTS = "assets/texts.jsonl"
"""Action sets and system prompts of a run, a line each: {"sha256", "value"}."""
_COST = "its episode is played again"
_FACTS = ("schema_version", "key", "status", "reward", "rewards", "metrics", "usage", "cost", "slices", "clock", "error")


def read_episodes(path: Path | str, *, attempts: bool = False) -> Iterator[JsonDict]:
    """Episode lines of a run folder (or of one .jsonl file) in the present schema, in file order; with `attempts`, those that are not final follow.

    One line in memory at a time; of two lines with one key in episodes.jsonl the first counts. Raises UserError for a missing folder, a corrupt line (file and
    line number) or a newer schema.
    """
    for file in _files(Path(path), attempts):
        seen: set[str] = set()
        for number, _, raw in read_lines(file):
            line = migrate(parse(raw, file, number, cost=_COST), where=f"{file}:{number}")
            key = _key(line, file, number)
            if file.name == EPISODES and key in seen:
                continue
            seen.add(key)
            yield line


def facts(path: Path | str, *, attempts: bool = True) -> list[Facts]:
    """One Facts per key: of its final episode; with `attempts`, else of its last attempt. Final ones first, each in file order. Raises as `read_episodes`."""
    done: dict[str, Facts] = {}
    last: dict[str, Facts] = {}
    for file in _files(Path(path), attempts):
        for found, _ in scan(file):
            if file.name == ATTEMPTS:
                last[found.id] = found
            else:
                done.setdefault(found.id, found)
    return [*done.values(), *(f for f in last.values() if f.id not in done)]


def scan(file: Path) -> Iterator[tuple[Facts, int]]:
    """(facts, attempt number, 0 where it is not said: the first) of each line of episodes.jsonl or attempts.jsonl, without a look at steps and messages."""
    for number, _, raw in read_lines(file):
        data = parse(raw, file, number, cost=_COST, loads=plain)
        small = {k: data[k] for k in _FACTS if k in data}
        if b'"$' in raw:
            small = canon.loads(orjson.dumps(small))
        check_version(small, where=f"{file}:{number}")
        try:
            yield Facts.from_line(small), (small.get("clock") or {}).get("attempt") or 0
        except (KeyError, TypeError, AttributeError) as e:
            raise corrupt(file, number, cost=_COST) from e


def texts(path: Path) -> dict[str, Any]:
    """What a run keeps once: digest -> action set or system message. Raises UserError for a corrupt line."""
    file = path / TEXTS
    lines = (parse(raw, file, number, cost="it is shown empty") for number, _, raw in read_lines(file)) if file.exists() else ()
    return {line["sha256"]: line["value"] for line in lines}


def prompt_of(line: JsonDict, call: JsonDict, once: Mapping[str, Any] | None = None) -> list[JsonDict]:
    """The messages that a call was made with: its ranges [start, end) into the line's table of messages, all before its reply where it names none.

    `once`: see `texts`; without it a message that is kept once a run stands as its digest. Raises UserError for a range outside the table.
    """
    table = [(once or {}).get(m["sha256"], m) if "sha256" in m else m for m in line["messages"]]
    out: list[JsonDict] = []
    for start, end in call.get("prompt") or [[0, call["reply"]]]:
        if not 0 <= start <= end <= len(table):
            raise UserError(f"a call's prompt names messages {start} to {end} of {len(table)}", where=_name(line), hint="the line was changed by hand")
        out += table[start:end]
    return out


def parts_of(line: JsonDict, step: JsonDict) -> list[Part]:
    """What a step showed: its own parts, or those of the message it points at."""
    if step.get("message") is None:
        return list(step.get("parts") or [])
    index, table = step["message"], line["messages"]
    if not 0 <= index < len(table):
        raise UserError(f"a step points at message {index} of {len(table)}", where=_name(line), hint="the line was changed by hand")
    content: Any = table[index].get("content")
    if isinstance(content, str):
        return [text(content)]
    return list(content or [])


def read_asset(path: Path, sha256: str) -> bytes:
    """Bytes of an asset of a run folder. Raises UserError where it is missing or its bytes are not those of its name."""
    file = path / ASSETS / sha256
    try:
        data = file.read_bytes()
    except FileNotFoundError as e:
        raise UserError("no such asset in this run", where=str(file), hint="copy the whole run folder, `assets` included") from e
    if canon.sha256(data) != sha256:
        raise UserError("the asset's bytes are not those of its name", where=str(file), hint="copy it again from the run it came from")
    return data


def _files(path: Path, attempts: bool) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UserError("no such run folder", where=str(path), hint="give a folder under results/, or an episodes.jsonl")
    found = [path / name for name in ((EPISODES, ATTEMPTS) if attempts else (EPISODES,)) if (path / name).exists()]
    if not found and not (path / "manifest.json").exists():
        raise UserError("is not a run folder: no manifest.json, no episodes.jsonl", where=str(path))
    return found


def _key(line: JsonDict, file: Path, number: int) -> str:
    try:
        return Key.from_json(line["key"]).id
    except (KeyError, TypeError) as e:
        raise corrupt(file, number, cost=_COST) from e


def _name(line: JsonDict) -> str:
    key = line.get("key") or {}
    return f"episode row {key.get('row')!r} sample {key.get('sample')}"
