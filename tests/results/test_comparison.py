"""Two graphs side by side, edge by edge."""

from __future__ import annotations

import matplotlib as mpl
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from matplotlib import pyplot as plt

import grace_plugin as gp
from grace_plugin.exceptions import SkeletonError

mpl.use("Agg")
Edge = tuple[int, int, int]


def graph(*edges: Edge, d: int = 3, lags: int = 2, names: list[str] | None = None) -> gp.Skeleton:
    mask = np.zeros((d, d, lags + 1), dtype=bool)
    for edge in edges:
        mask[edge] = True
    return gp.Skeleton(mask, names)


def verdicts(found: gp.Comparison) -> dict[tuple[str, str, int], tuple[str, bool, bool]]:
    return {
        (row.cause, row.effect, row.lag): (row.verdict, row.reversed, row.other_lag)
        for row in found.edges.itertuples()
    }


def test_every_kind_of_difference_is_told() -> None:
    found = gp.compare(graph((0, 1, 1), (1, 2, 1), (2, 0, 1)), graph((0, 1, 1), (1, 2, 2), (0, 2, 1)))
    assert verdicts(found) == {
        ("x0", "x1", 1): ("shared", False, False),
        ("x1", "x2", 1): ("only first", False, True),
        ("x1", "x2", 2): ("only second", False, True),
        ("x2", "x0", 1): ("only first", True, False),
        ("x0", "x2", 1): ("only second", True, False),
    }
    assert (found.shd, found.precision, found.recall) == (4, pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_variables_are_matched_by_name_across_hosts() -> None:
    first = graph((0, 1, 1), names=["a", "b", "c"])
    second = nx.DiGraph([(("a", -1), ("b", 0)), (("c", -1), ("a", 0))])
    assert verdicts(gp.compare(first, second)) == {
        ("a", "b", 1): ("shared", False, False),
        ("c", "a", 1): ("only second", False, False),
    }


def test_a_lag_zero_edge_turned_round_is_one_change() -> None:
    assert gp.compare(graph((0, 1, 0)), graph((1, 0, 0))).shd == 1
    assert gp.compare(graph((0, 1, 0), (1, 0, 0)), graph((1, 0, 0))).shd == 1
    assert gp.compare(graph((0, 1, 0), (1, 0, 0)), graph()).shd == 1


def test_lags_beyond_one_graph_are_only_in_the_other() -> None:
    found = gp.compare(graph((0, 1, 1), lags=1), graph((0, 1, 3), lags=3))
    assert found.first.shape == found.second.shape == (3, 3, 4)
    assert found.shd == 2


def test_a_refinement_is_compared_by_what_it_kept() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2))
    x[1:, 1] += 0.8 * x[:-1, 0]
    found = gp.compare(gp.discover(x, 2), graph((0, 1, 1), d=2))
    assert (found.shd, found.f1) == (0, 1.0)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (graph(d=2), "has 3 variables, the second 2"),
        (graph(names=["a", "b", "d"]), r"\['c', 'd'\] are in one only"),
    ],
)
def test_graphs_of_other_variables_are_refused(other: gp.Skeleton, told: str) -> None:
    with pytest.raises(SkeletonError, match=told):
        gp.compare(graph(names=["a", "b", "c"]), other)


@pytest.mark.parametrize("d", [3, 30])
def test_the_picture_says_whose_edge_is_whose(d: int) -> None:
    figure = gp.compare(graph((0, 1, 1), d=d), graph((1, 2, 1), d=d)).plot()
    words = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert words == ["in both", "only first", "only second"]
    plt.close(figure)


@given(arrays(bool, (3, 3, 2)), arrays(bool, (3, 3, 2)))
def test_distance_is_symmetric_and_zero_for_equals_only(one: np.ndarray, other: np.ndarray) -> None:
    for mask in (one, other):
        mask[range(3), range(3), 0] = False
    a, b = gp.Skeleton(one), gp.Skeleton(other)
    assert gp.compare(a, b).shd == gp.compare(b, a).shd
    assert (gp.compare(a, b).shd == 0) == bool((one == other).all())
    assert gp.compare(a, b).precision == gp.compare(b, a).recall
