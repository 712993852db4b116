"""Stands for a causal discovery library that grace-plugin has never heard of.

Its result is a book of arrows. An arrow names the effect first and counts lags from the effect back to
the cause, which is the kind of convention an adapter is there to translate.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Arrow:
    """`effect` now depends on `cause`, `steps_back` steps ago."""

    effect: str
    cause: str
    steps_back: int
    strength: float


@dataclass
class ArrowBook:
    """What `find_arrows` returns."""

    variables: list[str]
    horizon: int
    arrows: list[Arrow]
    remarks: dict[str, str] = field(default_factory=dict)


def find_arrows(data: np.ndarray, variables: list[str], horizon: int, threshold: float = 0.1) -> ArrowBook:
    """Write down every lagged correlation above `threshold`: quick, and full of false arrows."""
    book = ArrowBook(list(variables), horizon, [], {"method": f"correlation above {threshold}"})
    for lag in range(1, horizon + 1):
        table = np.corrcoef(data[lag:].T, data[:-lag].T)[: len(variables), len(variables) :]
        for effect, cause in np.argwhere(np.abs(table) > threshold):
            book.arrows.append(Arrow(variables[effect], variables[cause], lag, float(table[effect, cause])))
    return book
