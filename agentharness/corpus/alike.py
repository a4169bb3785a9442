"""How alike two texts are. The one file that imports rapidfuzz."""

from __future__ import annotations

from agentharness.errors import UserError


def likeness(a: str, b: str, what: str, where: str = "") -> float:
    """Normalised Levenshtein similarity in [0, 1]: 1 - distance(a, b) / max(len(a), len(b)); 1 for two empty texts.

    Source: Levenshtein 1966. `what` and `where` stand in the UserError that is raised where rapidfuzz is not installed.
    """
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise UserError(f"{what} needs `rapidfuzz`", where=where, hint="pip install 'agentharness[text]'") from None
    return float(Levenshtein.normalized_similarity(a, b))
