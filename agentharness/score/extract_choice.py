"""A choice out of a text: the letter of an option, never a guess."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentharness.errors import UserError
from agentharness.score.extract import Extracted, answer_text, last_line, place, plain_form

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MARKUP = re.compile(r"\\(?:text|mathrm|mathbf|textbf|boxed)\s*(?=\{)|[*_`$\"“”{}\[\]\\]")
_HEAD = re.compile(r"[\s(:]*(?:(?:the|option|choice|letter|answer)\s+){0,2}\(?(?P<letter>[A-Za-z])(?P<rest>(?![A-Za-z0-9'’]).*)", re.DOTALL | re.IGNORECASE)
_END = re.compile(r"\s*(?:[).:;,!?\-–—]|because\b|since\b|as\b|for\b|which\b|\Z)")
_MORE = re.compile(r"\)?\s*(?:,|;|/|&|\+|\band\b|\bor\b)+\s*(?:and\s|or\s)?\s*\(?(?P<letter>[A-Za-z])(?![A-Za-z0-9'’])", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|wrong|incorrect|false|except|unlikely|eliminate|rule[sd]?|unless|instead)\b|n['’]t\b", re.IGNORECASE
)
_NAMED = re.compile(r"\b(?:option|choice|letter)\s+\(?([A-Za-z])\)?(?![A-Za-z0-9'’])|\(([A-Za-z])\)|(?<![A-Za-z0-9'’.])([A-Z])(?![A-Za-z0-9'’])")


def options(choices: Any) -> dict[str, str]:
    """Letter -> text, from a list of texts, a letter -> text mapping, or a number of options (no texts); None: all 26 letters, no texts."""
    if choices is None:
        return dict.fromkeys(LETTERS, "")
    if isinstance(choices, Mapping):
        return {str(k).strip().upper(): str(v) for k, v in choices.items()}
    if isinstance(choices, int) and not isinstance(choices, bool) and 1 < choices <= len(LETTERS):
        return dict.fromkeys(LETTERS[:choices], "")
    if isinstance(choices, Sequence) and not isinstance(choices, str) and 1 < len(choices) <= len(LETTERS):
        return dict(zip(LETTERS, map(str, choices), strict=False))
    raise UserError(f"choices must be 2 to {len(LETTERS)} options", where="choices", hint="a list of texts, {letter: text}, or how many there are")


def choice(text: Any, choices: Any = None, *, multiple: bool = False) -> Extracted:
    """The letter that a text chooses, upper case; with `multiple` a frozenset of letters. `value` None: none chosen, or more than one could be meant.

    Rules, the first that applies decides: a place the text names (box, marker: `extract.place`), the whole text, its last line, then the only option that it
    mentions, by letter or by text, unless it holds a negation. A place that holds no option is no answer. With more than ten options "I" in prose is a word;
    the words "a" and "I" are letters only where nothing else follows.
    """
    known = options(choices)
    answer = answer_text(text)
    if answer is None:
        return Extracted(None, None, "unclosed think")
    answer = plain_form(answer).strip()
    marked = place(answer)
    if marked is not None:
        value = _read(marked.text, known, multiple, strict=False) or _by_text(marked.text, known, multiple)
        return Extracted(value, marked.text.strip()[:200], marked.rule if value else f"{marked.rule}, no option")
    for rule, piece in (("whole", answer), ("last line", last_line(answer))):
        value = _read(piece, known, multiple, strict=True)
        if value:
            return Extracted(value, piece.strip()[:200], rule)
    value = _mentioned(answer, known, multiple) or _by_text(answer, known, multiple)
    return Extracted(value, answer[:200] if value else None, "only mention" if value else "no option")


def _read(piece: str, known: Mapping[str, str], multiple: bool, *, strict: bool) -> Any:
    """The letter that a piece of text opens with. `strict`: nothing may follow but the option's own text (a sentence after it is no choice)."""
    piece = " ".join(_MARKUP.sub("", piece).split())
    whole = [t for t in known if known[t] and piece.rstrip(".").casefold() == known[t].strip().rstrip(".").casefold()]
    if len(whole) == 1 and len(piece) > 1:
        return frozenset(whole) if multiple else whole[0]
    if multiple:
        compact = re.match(r"[\s(:]*([A-Z]{2,26})(?![A-Za-z0-9'’])", piece)
        if compact and len(set(compact[1])) == len(compact[1]) and set(compact[1]) <= set(known):
            return frozenset(compact[1])
    head = _HEAD.match(piece)
    if head is None or not _alone(head, strict):
        return None
    letters, rest = [head["letter"].upper()], head["rest"]
    while len(letters) <= len(LETTERS) and (more := _MORE.match(rest)):
        letters.append(more["letter"].upper())
        rest = rest[more.end() :]
    if any(letter not in known for letter in letters) or (len(letters) > 1 and not multiple):
        return None
    if strict and not _only(rest, [known[letter] for letter in letters]):
        return None
    return frozenset(letters) if multiple else letters[0]


def _alone(head: re.Match[str], strict: bool) -> bool:
    """Whether the letter stands as a letter: before an end, or (not strict) a capital before words, but for the words A and I."""
    if _END.match(head["rest"]) or _MORE.match(head["rest"]):
        return True
    return not strict and head["letter"] in LETTERS and head["letter"] not in "AI"


def _only(rest: str, texts: list[str]) -> bool:
    rest = rest.strip(" ).:;,!?-–—").casefold()
    return not rest or any(rest == t.strip(" .").casefold() for t in texts if t)


def _mentioned(text: str, known: Mapping[str, str], multiple: bool) -> Any:
    """The one letter that a sentence names: `option B`, `(B)`, a capital that stands alone. None with a negation anywhere."""
    bare = text
    for option in known.values():
        if option and _NOT.search(option):
            bare = re.sub(rf"\b{re.escape(option)}\b", "", bare, flags=re.IGNORECASE)
    if multiple or _NOT.search(bare):
        return None
    found = set()
    for match in _NAMED.finditer(_MARKUP.sub("", text)):
        named, capital = match[1] or match[2], match[3]
        if named and named.upper() in known:
            found.add(named.upper())
        elif capital and capital in known and capital not in "AI":
            found.add(capital)
    return found.pop() if len(found) == 1 else None


def _by_text(text: str, known: Mapping[str, str], multiple: bool) -> Any:
    """The one option whose text stands in the text as whole words; a shorter option inside a longer one does not count. None with a negation elsewhere."""
    low = " ".join(text.casefold().split())
    by_words: dict[str, list[str]] = {}
    for letter, option in known.items():
        by_words.setdefault(" ".join(option.casefold().split()).rstrip("."), []).append(letter)
    found: set[str] = set()
    for words in sorted(by_words, key=len, reverse=True):
        if words:
            low, n = re.subn(rf"(?<!\w){re.escape(words)}(?!\w)", "\0", low)
            found.update(by_words[words] if n else ())
    if _NOT.search(low) or not found or (len(found) > 1 and not multiple):
        return None
    return frozenset(found) if multiple else found.pop()
