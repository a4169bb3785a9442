"""share and amount: numbers that a world counted."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.score.values import amount, share


@pytest.mark.parametrize(
    ("subject", "reference", "value"),
    [
        (3, 4, 0.75),
        (0, 4, 0.0),
        (9, 4, 1.0),
        (-1, 4, 0.0),
        (2.5, 5, 0.5),
        (None, 4, 0.0),
        ("3", 4, 0.0),
        (True, 4, 0.0),
        (1, 0, None),
        (1, None, None),
        (1, -2, None),
    ],
)
def test_share(subject: Any, reference: Any, value: float | None) -> None:
    assert share(subject, reference).value == value


@pytest.mark.parametrize(("subject", "value"), [(3, 3.0), (-2.5, -2.5), (0, 0.0), (None, None), ("3", None), (False, None), (float("inf"), None)])
def test_amount(subject: Any, value: float | None) -> None:
    assert amount(subject, None).value == value
