"""What a world is, and the list of all of them.

A world is one idea: a short seeded function that draws data whose graph is known. Its knob is a number from 0
("off": the same process without the violation) to 1 ("strong").
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Rng = np.random.Generator

STRENGTHS = {"off": 0.0, "weak": 1 / 3, "medium": 2 / 3, "strong": 1.0}
MAX_LAG = 3


@dataclass(frozen=True)
class World:
    """Data with their graph.

    Attributes:
        data: rows [T, d]; NaN where nothing was observed.
        truth: bool [cause, effect, lag], lag 0 with its direction.
        parts: rows of each series where the data are several, one below the other; empty where they are one.
        scored: "lags" where the lag of an edge is known, "pairs" where only cause and effect are (systems of
            differential equations, slow sampling: the truth stands at one lag for its form alone).
        null: nothing acts on anything else.
    """

    data: FloatArray
    truth: BoolArray
    parts: tuple[int, ...] = ()
    name: str = ""
    group: str = ""
    scored: str = "lags"
    null: bool = False

    @property
    def max_lag(self) -> int:
        return self.truth.shape[2] - 1

    @property
    def series(self) -> list[FloatArray]:
        """The separate series, one or several."""
        return np.split(self.data, np.cumsum(self.parts)[:-1]) if self.parts else [self.data]


Draw = Callable[[Rng, int, int, float], World]


@dataclass(frozen=True)
class Kind:
    """One idea of a world and where the study looks at it."""

    name: str
    group: str
    about: str
    draw: Draw
    scored: str
    null: bool
    sizes: tuple[tuple[int, int], ...]
    strengths: tuple[str, ...]


KINDS: dict[str, Kind] = {}


def world(
    group: str,
    sizes: Sequence[tuple[int, int]] = ((6, 500),),
    strengths: Sequence[str] = ("medium", "strong"),
    scored: str = "lags",
    null: bool = False,
    name: str = "",
    about: str = "",
) -> Callable[[Draw], Draw]:
    """Put a function into the list: the first line of its docstring says what it is about."""

    def put(draw: Draw) -> Draw:
        called = name or str(getattr(draw, "__name__", ""))
        said = about or (draw.__doc__ or "").strip().splitlines()[0]
        if called in KINDS:
            msg = f"There is a world called {called!r} already; a world is added, never altered."
            raise ValueError(msg)
        KINDS[called] = Kind(called, group, said, draw, scored, null, tuple(sizes), tuple(strengths))
        return draw

    return put


def draw_world(kind: Kind, seed: int, d: int, rows: int, strength: str) -> World:
    """One data set; strengths and names of worlds have random numbers of their own."""
    rng = np.random.default_rng([seed, *kind.name.encode()])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other people's generators warn of their own affairs
        made = kind.draw(rng, d, rows, STRENGTHS[strength])
    return replace(made, name=kind.name, group=kind.group, scored=kind.scored, null=kind.null)
