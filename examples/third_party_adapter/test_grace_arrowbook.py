"""The whole conformance suite of grace-plugin, for one host, in a few lines."""

from __future__ import annotations

import numpy as np
from arrowbook import find_arrows

import grace_plugin as gp
from grace_plugin.testing.contract import AdapterContract


def weather() -> np.ndarray:
    """Wind drives the waves one step later, and the waves the sand two steps later."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 3))
    for t in range(2, len(x)):
        x[t, 0] += 0.4 * x[t - 1, 0]
        x[t, 1] += 0.8 * x[t - 1, 0]
        x[t, 2] += 0.8 * x[t - 2, 1]
    return x


class TestArrowbook(AdapterContract):
    adapter_name = "arrowbook"
    names = ("wind", "waves", "sand")
    edges = (("wind", "waves", 1), ("waves", "sand", 2))
    no_edges = (("waves", "wind", 1), ("sand", "waves", 2), ("waves", "sand", 1), ("waves", "sand", 3))
    supports_lag_zero = False

    def make_native(self):
        return find_arrows(weather(), ["wind", "waves", "sand"], horizon=3, threshold=0.3)


def test_false_arrows_are_pruned():
    book = find_arrows(weather(), ["wind", "waves", "sand"], horizon=3, threshold=0.1)
    refined = gp.refine(book, weather())
    left = {(arrow.cause, arrow.effect, arrow.steps_back) for arrow in refined.arrows}
    assert left == {("wind", "wind", 1), ("wind", "waves", 1), ("waves", "sand", 2)}
    assert len(book.arrows) > len(left)
