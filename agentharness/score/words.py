"""Scorers that compare words: exact, contains, and the overlap metrics of SQuAD and HotpotQA."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable
from typing import Any

from agentharness import canon
from agentharness.score.extract import answer_text
from agentharness.types.score import Score

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
NO_SUBMISSION = Score(0.0, "no submission")
UNCLOSED = Score(0.0, "unclosed think")
_VERDICTS = ("yes", "no", "noanswer")


def exact(subject: Any, reference: Any, *, case: bool = False) -> Score:
    """1 where the texts are equal after strip, white space folded to one space and, unless `case`, casefold; else 0. The best over a list of references.

    Formula: [fold(subject) = fold(reference)]. Source: this project. A value that is no text is compared by its JSON text.
    """
    return best(subject, reference, lambda a, b: float(a == b or _fold(a, case) == _fold(b, case)), "exact")


def contains(subject: Any, reference: Any, *, case: bool = False) -> Score:
    """1 where the reference stands in the subject as whole words, folded as in `exact`; else 0. The best over a list of references. An empty reference is
    contained in nothing but an empty subject. A subject that lists every candidate scores 1: prefer a scorer that extracts.

    Formula: [fold(reference) in fold(subject) at word ends]. Source: this project.
    """

    def held(a: str, b: str) -> float:
        whole, part = _fold(a, case), _fold(b, case)
        return float(whole == part if not part else re.search(rf"(?<!\w){re.escape(part)}(?!\w)", whole) is not None)

    return best(subject, reference, held, "contains")


def squad_em(subject: Any, reference: Any) -> Score:
    """SQuAD's exact match: 1 where the normalised texts are equal, else 0; the best over a list of references.

    Normalised: lower case, ASCII punctuation removed (`well-known` becomes `wellknown`), the words a, an, the removed, white space folded.
    Source: Rajpurkar et al. 2016, the evaluation script of SQuAD 2.0.
    """
    return best(subject, reference, lambda a, b: float(normalise(a) == normalise(b)), "squad_em")


def squad_f1(subject: Any, reference: Any) -> Score:
    """SQuAD's F1 over bags of normalised tokens; the best over a list of references; 1 where both are empty, 0 where one is.

    Formula: common = sum of the smaller counts; p = common / subject tokens, r = common / reference tokens, F1 = 2pr / (p + r).
    Source: Rajpurkar et al. 2016, the evaluation script of SQuAD 2.0 (the script of 1.1 gives 0 where both are empty).
    """
    return best(subject, reference, lambda a, b: f1(normalise(a).split(), normalise(b).split()), "squad_f1")


def hotpot_f1(subject: Any, reference: Any) -> Score:
    """HotpotQA's answer F1: SQuAD's, but 0 where one side is exactly yes, no or noanswer and the other is not the same, and 0 where both are empty.

    Source: Yang et al. 2018, the evaluation script of HotpotQA. The best over a list of references (the script knows one).
    """

    def overlap(a: str, b: str) -> float:
        left, right = normalise(a), normalise(b)
        if left != right and (left in _VERDICTS or right in _VERDICTS):
            return 0.0
        return f1(left.split(), right.split()) if left or right else 0.0

    return best(subject, reference, overlap, "hotpot_f1")


def normalise(text: str) -> str:
    """SQuAD's normal form of a text."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def f1(left: list[str], right: list[str]) -> float:
    """F1 of two bags of tokens, in [0, 1]."""
    if not left or not right:
        return float(left == right)
    common = (Counter(left) & Counter(right)).total()
    return 2 * common / (len(left) + len(right))


def references(reference: Any) -> list[str]:
    """The accepted answers as texts: one, or each of a list."""
    return [_text(r) for r in reference] if isinstance(reference, list | tuple) else [_text(reference)]


def no_answer(subject: Any, reference: Any) -> Score | None:
    """The score that needs no comparison: no reference (unscored), no submission, a thought that never ended; None where there is something to compare."""
    if reference is None or reference == []:
        return Score(None, reason="the row has no reference answer")
    if subject is None:
        return NO_SUBMISSION
    return UNCLOSED if answer_text(subject) is None else None


def best(subject: Any, reference: Any, compare: Callable[[str, str], float], rule: str) -> Score:
    """The best comparison over the references, as texts."""
    early = no_answer(subject, reference)
    if early is not None:
        return early
    text = answer_text(subject) if isinstance(subject, str) else _text(subject)
    assert text is not None
    if not isinstance(reference, list | tuple):
        return Score(compare(text, _text(reference)), rule, text)
    return Score(max(compare(text, _text(r)) for r in reference), rule, text)


def as_json(value: Any) -> str:
    """A value's canonical JSON."""
    return canon.dumps(value).decode()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)


def _fold(text: str, case: bool) -> str:
    folded = " ".join(text.split())
    return folded if case else folded.casefold()
