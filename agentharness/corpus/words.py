"""Texts as words, for the text index: the same for documents and for what an agent asks.

A word is a run of letters and digits, in lower case, without accents ("Côte d'Ivoire" is cote, d, ivoire; "km²" is km2). In scripts that are written without
spaces each sign is a word. No stemming, no stop words: they would decide for a language. A word longer than 255 bytes is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from agentharness.corpus.table import key_text

MOST_WORDS = 64
"""Different words of one question that count; the first ones."""
_LONGEST = 8192
"""Characters of a question that are read."""
_UNSPACED = re.compile("([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")


def plain(value: Any) -> str:
    """The text of a value, composed (NFC), signs of unspaced scripts apart. Lists and records are joined by spaces, numbers are as written; null and truth
    values say nothing."""
    if not isinstance(value, str):
        return " ".join(filter(None, map(plain, _parts(value))))
    if value.isascii():
        return value
    text = unicodedata.normalize("NFC", value.encode("utf-8", "replace").decode())  # lone surrogates are no text
    return _UNSPACED.sub(r" \1 ", text)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list):
        return value
    return [] if value is None or isinstance(value, bool) else [key_text(value)]


def analyzer(tantivy: Any) -> Any:
    """tantivy's analyser for `plain` texts."""
    kind = tantivy.Filter
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(kind.remove_long(255)).filter(kind.lowercase()).filter(kind.ascii_fold()).build()


def question(analyze: Callable[[str], list[str]], text: Any) -> tuple[str, ...]:
    """The different words of a question, sorted: order and repetition mean nothing."""
    if not isinstance(text, str):
        return ()
    words = dict.fromkeys(analyze(plain(text[:_LONGEST])))
    return tuple(sorted(list(words)[:MOST_WORDS]))
