"""scikit-learn's hand-written digits: 1,797 pictures of 8 x 8 pixels in 17 greys, enlarged to 64 x 64 (each pixel a block of 8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def rows() -> Iterator[dict[str, Any]]:
    """`image` is an 8-bit grey picture, `digit` the label as text. Raises ImportError without the extra `digits`."""
    try:
        import numpy as np
        from sklearn.datasets import load_digits
    except ImportError:
        raise ImportError("these rows come from scikit-learn: pip install 'agentharness[digits]'") from None

    digits = load_digits()
    for picture, label in zip(digits.images, digits.target, strict=True):
        grey = (picture * 15.9375).round().astype(np.uint8)  # 0..16 -> 0..255
        yield {"image": np.kron(grey, np.ones((8, 8), np.uint8)), "digit": str(label)}
