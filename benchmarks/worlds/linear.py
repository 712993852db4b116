"""Linear worlds: sizes of effects, how many, how much memory, and paths that cancel."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.process import run, weights

Range = tuple[float, float]


def _between(knob: float, off: Range, strong: Range) -> Range:
    return tuple(a + knob * (b - a) for a, b in zip(off, strong, strict=True))  # type: ignore[return-value]


def drawn(rng: Rng, made: FloatArray, rows: int) -> World:
    return World(run(rng, made, rows), made != 0)


@world(
    "linear",
    sizes=((5, 50), (5, 100), (5, 250), (5, 1000), (5, 4000), (10, 500), (20, 500), (50, 500)),
    strengths=("medium",),
)
def linear_var(rng: Rng, d: int, rows: int, knob: float) -> World:
    """A sparse linear vector autoregression; the knob is the size of its effects, 0 has none."""
    return drawn(rng, weights(rng, d, size=(0.375 * knob, 0.75 * knob)), rows)


@world("linear", sizes=((6, 500), (10, 1000)))
def weak_effects(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Effects shrink from .25 to .5 down to .06 to .12."""
    return drawn(rng, weights(rng, d, size=_between(knob, (0.25, 0.5), (0.06, 0.12))), rows)


@world("linear", sizes=((6, 500), (10, 500)))
def dense(rng: Rng, d: int, rows: int, knob: float) -> World:
    """From about one cause for each variable to half of all others."""
    return drawn(rng, weights(rng, d, per=1.2 + knob * max(0.0, 0.5 * (d - 1) - 1.2)), rows)


@world("linear", sizes=((10, 1000),))
def many_small_effects(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Half of all others act, each by .05 to .15 where the knob is strong."""
    per = 1.2 + knob * max(0.0, 0.5 * (d - 1) - 1.2)
    return drawn(rng, weights(rng, d, per=per, size=_between(knob, (0.25, 0.5), (0.05, 0.15))), rows)


@world("linear", strengths=("weak", "medium", "strong"))
def own_past(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Own memory of 0, .3, .9 and .99; one half of the variables acts on the other: no path is long."""
    memory = {0: 0.0, 1: 0.3, 2: 0.9, 3: 0.99}[round(3 * knob)]
    made = weights(rng, d, per=0.0, own=(memory, memory), acyclic=True)
    order = rng.permutation(d)
    pairs = [(i, j) for i in order[: d // 2] for j in order[d // 2 :]]
    for place in rng.permutation(len(pairs))[:d]:
        cause, effect = pairs[place]
        made[cause, effect, rng.integers(1, 4)] = rng.choice((-1.0, 1.0)) * rng.uniform(0.2, 0.4)
    return drawn(rng, made, rows)


@world("linear")
def cancelling_paths(rng: Rng, d: int, rows: int, knob: float) -> World:
    """x acts on z through y and directly, and both cancel: a violation of faithfulness.

    The triples are x -> y (lag 1), y -> z (lag 1), x -> z (lag 2) with minus the product of the two, times
    the knob; own memory is 0, so that at knob 1 x and z are independent at every lag.
    """
    made = np.zeros((d, d, 4))
    for x in range(0, d - 2, 3):
        first, second = rng.uniform(0.5, 0.8, size=2) * rng.choice((-1.0, 1.0), size=2)
        made[x, x + 1, 1], made[x + 1, x + 2, 1], made[x, x + 2, 2] = first, second, -knob * first * second
    order = rng.permutation(d)
    return drawn(rng, made[np.ix_(order, order)], rows)


@world("linear", sizes=((6, 500), (10, 1000)))
def spread_lags(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Every effect, own memory too, acts over three steps: the knob is how evenly."""
    shares = knob ** np.arange(3)
    made = np.zeros((d, d, 4))
    acts = weights(rng, d, lags=(1,), size=(0.3, 0.5), own=(0.3, 0.5))[:, :, 1]
    made[:, :, 1:] = acts[:, :, None] * shares / shares.sum()
    return drawn(rng, made, rows)
