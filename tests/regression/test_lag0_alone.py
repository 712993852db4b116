"""A graph of lag 0 alone has no past to search, and is still judged."""

from __future__ import annotations

import numpy as np

import grace_plugin as gp


def test_a_graph_without_lags_is_refined():
    x = np.random.default_rng(0).normal(size=(300, 3))
    x[:, 1] += 0.9 * x[:, 0]
    found = gp.analyze(gp.Skeleton(~np.eye(3, dtype=bool)[:, :, None]), x)
    kept = {tuple(cell) for cell in np.argwhere(found.graph).tolist()}
    assert kept
    assert kept <= {(0, 1, 0), (1, 0, 0)}


def test_edges_of_one_step_alone_are_judged_whoever_lists_them():
    x = np.random.default_rng(0).normal(size=(400, 3))
    x[:, 1] += 0.7 * x[:, 0]
    given = [("x0", "x1", 0), ("x1", "x2", 0)]
    assert gp.refine(given, x) == given[:1]
