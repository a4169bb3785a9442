"""Rewards that can be won without a look at the row: by one text for all rows, by the list of all labels, by saying what was shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agentharness.check.agents import ECHO, FIXED
from agentharness.check.finding import Colour, Finding, found, rate
from agentharness.check.plays import Played, play
from agentharness.check.subject import Subject
from agentharness.check.words import folded
from agentharness.env.expr import ExprError
from agentharness.env.schema import required
from agentharness.env.world import World
from agentharness.stats.intervals import mean, wilson

TEXTS = ("", "yes", "A")
MOST_LABELS, LONGEST = 100, 4000
"""Labels, and characters, of a list of all of them."""
WON = 0.9
"""Mean reward from which on a reward is as good as won."""
LOPSIDED = 2 / 3
"""Mean reward of one text for all rows from which on it should stand beside every score of the task. Two labels are half and half at best."""
APART = 0.1
"""By how much a text must score above its share among the right answers, its interval aside, before the scorer is to blame."""


@dataclass(slots=True, frozen=True)
class _Try:
    """One blind answer: how it is called, and the share of rows for which it is right."""

    name: str
    right: float
    played: Played


async def hackable(subject: Subject, oracle: Played | None, noop: Played) -> Finding | None:
    """Plays the blind answers. None where the task has no reward."""
    world = subject.world
    if not world.rewards:
        return None
    answers = _right(subject, oracle)
    tries = [_Try("doing nothing", 0.0, noop)]
    if world.answering is not None:
        action, arg = world.answering
        for text in dict.fromkeys([*_commonest(answers), *TEXTS]):
            played = await play(subject, FIXED, options={"action": action, "arg": arg, "text": text})
            tries.append(_Try(f"always {_short(text)}", _share(text, answers), played))
        if labels := _labels(world, answers):
            played = await play(subject, FIXED, options={"action": action, "arg": arg, "text": ", ".join(labels)})
            tries.append(_Try(f"the list of all {len(labels)} labels", 0.0, played))
        tries.append(_Try("what was shown", 0.0, await play(subject, ECHO, options={"action": action, "arg": arg})))
    for action in _enders(world):
        tries.append(_Try(f"{action} at once", 0.0, await play(subject, FIXED, options={"action": action})))
    return _judged(tries, oracle)


def _judged(tries: Sequence[_Try], oracle: Played | None) -> Finding:
    top = (oracle.mean if oracle is not None else None) or 1.0
    colours = [_colour(one, tries, top) for one in tries]
    worst: Colour = "red" if "red" in colours else "yellow" if "yellow" in colours else "green"
    named = sorted((one for one, colour in zip(tries, colours, strict=True) if colour == worst), key=lambda one: -(one.played.mean or 0.0))
    if worst == "red":
        text = "; ".join(f"{one.name} wins {rate(one.played.mean, one.played.interval)}" for one in named[:3])
        return found("hackable", "red", text, todo="choose a stricter scorer, or a reward of what the agent did")
    parts = _parts(tries)
    if worst == "yellow":
        text = "; ".join(f"{one.name} scores {rate(one.played.mean, one.played.interval)}, for it is often right" for one in named[:3])
        return found("hackable", "yellow", "; ".join([text, *parts]), todo="show this score beside every other: it needs no look at the row")
    best = max(tries, key=lambda one: one.played.mean or 0.0)
    text = f"the best blind answer, {best.name}, scores {rate(best.played.mean, best.played.interval)}"
    if parts:
        return found("hackable", "yellow", "; ".join([text, *parts]), todo="fine for a reward that stands beside others; alone it would be won")
    return found("hackable", "green", text)


def _colour(one: _Try, tries: Sequence[_Try], top: float) -> Colour:
    """Red: as good as won, or won clearly more often than it is right. What is no right answer may score as the commonest one does, which may be the same in
    other words; a list of labels or an echo as the best single text does; all of them as doing nothing does, where that is right now and then."""
    value, interval, n = one.played.mean or 0.0, one.played.interval, len(one.played.values)
    if one.name == "doing nothing":
        return "green"  # the finding `noop` is about it
    if value >= WON * top and n > 1:
        return "red"
    single = [t for t in tries if t.name.startswith("always")]
    others = single[:1] if one in single else single
    honest = max(one.right, tries[0].played.mean or 0.0, *(t.played.mean or 0.0 for t in others if one is not t), 0.0)
    bounds = wilson(round(honest * n), n)
    if interval is not None and bounds is not None and interval[0] > bounds[1] and value - honest > APART:
        return "red"
    return "yellow" if value > LOPSIDED * top and n > 1 else "green"


def _parts(tries: Sequence[_Try]) -> list[str]:
    """Of several rewards, those that a blind answer wins alone."""
    out: dict[str, str] = {}
    for one in tries:
        names = one.played.games[0].rewards if one.played.games else {}
        for name in names:
            value = mean([game.rewards.get(name) or 0.0 for game in one.played.games]) or 0.0
            if len(names) > 1 and value >= WON and name not in out:
                out[name] = f"the reward {name!r} is won by {one.name} ({value:.3f})"
    return list(out.values())


def _right(subject: Subject, oracle: Played | None) -> dict[str, tuple[str, str]]:
    """Row -> a text that is right, and what it comes to (what a scorer takes from it, else the text): what the oracle submitted, else the first text that a
    reward compares with."""
    if oracle is not None:
        solved = [game for game in oracle.games if isinstance(game.submission, str) and (game.reward or 0.0) > 0]
        return {game.row: (game.submission, folded(game.extracted or game.submission)) for game in solved}
    out: dict[str, tuple[str, str]] = {}
    for row in subject.rows:
        for rule in subject.world.rewards.values():
            try:
                reference = rule.resolve(subject.world.full(row), {"submission": None, "vars": {}, "over": True})[1]
            except ExprError:
                continue
            first = reference[0] if isinstance(reference, list) and reference else reference
            if isinstance(first, str):
                out.setdefault(row, (first, folded(first)))
    return out


def _commonest(answers: dict[str, tuple[str, str]]) -> list[str]:
    """The text that is right most often; none where there are no texts."""
    counts = Counter(meaning for _, meaning in answers.values())
    return [next(text for text, meaning in answers.values() if meaning == best) for best, _ in counts.most_common(1)]


def _share(text: str, answers: dict[str, tuple[str, str]]) -> float:
    """Share of the rows for which this text is right."""
    meaning = next((meaning for known, meaning in answers.values() if known == text), folded(text))
    return sum(right == meaning for _, right in answers.values()) / len(answers) if answers else 0.0


def _labels(world: World, answers: dict[str, tuple[str, str]]) -> list[str]:
    """All labels, where there is a closed set of them: the task's own `derive`, else right answers that repeat."""
    for values in world.compiled.derived.values():
        if isinstance(values, list) and 1 < len(values) <= MOST_LABELS:
            return _fitting([str(value) for value in values])
    labels = sorted({text for text, _ in answers.values()})
    return _fitting(labels) if 1 < len(labels) <= min(MOST_LABELS, len(answers) / 2) else []


def _fitting(labels: list[str]) -> list[str]:
    return labels if sum(len(label) + 2 for label in labels) <= LONGEST else []


def _enders(world: World) -> list[str]:
    """Actions that end the episode and need no argument."""
    out: list[str] = []
    for name, rule in world.spec.actions.items():
        needed = [arg for arg, said in rule.args.items() if not isinstance(said, dict) or required(said)]
        if any("end" in verb for verb in rule.do) and not needed:
            out.append(name)
    return out


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
