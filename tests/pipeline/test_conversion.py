"""Every host's form of one graph holds the same edges, at the same places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays

import grace_plugin as gp
from grace_plugin.exceptions import AdapterError
from grace_plugin.pipeline.conversion import edges_of

pytestmark = pytest.mark.host
NAMES = ["sun", "wind", "sea"]
LOSSLESS = ["networkx", "tigramite", "causal-learn", "edges", "numpy", "dynotears", "lingam"]
READING: dict[str, dict[str, Any]] = {
    "networkx": {"names": NAMES},
    "edges": {"names": NAMES, "own_lags": False},
    "numpy": {"layout": "cause,effect,lag"},
}


def skeleton(*cells: tuple[int, int, int]) -> gp.Skeleton:
    mask = np.zeros((3, 3, 3), dtype=bool)
    for cell in cells:
        mask[cell] = True
    return gp.Skeleton(mask, NAMES)


def back(native: Any, host: str) -> np.ndarray:
    mask = edges_of(native, **READING.get(host, {})).mask
    found = np.zeros((3, 3, 3), dtype=bool)
    found[:, :, : mask.shape[2]] = mask
    return found


def test_positions_in_every_form() -> None:
    given = skeleton((0, 2, 2), (1, 0, 1), (2, 1, 0))
    table = gp.convert(given, to="edges")
    assert table.to_dict("list") == {
        "cause": ["sun", "wind", "sea"],
        "effect": ["sea", "sun", "wind"],
        "lag": [2, 1, 0],
    }
    results = gp.convert(given, to="tigramite")
    assert results["graph"][0, 2, 2] == results["graph"][1, 0, 1] == results["graph"][2, 1, 0] == "-->"
    assert results["graph"][1, 2, 0] == "<--"
    assert (results["p_matrix"] == 0).sum() == 4
    matrices = gp.convert(given, to="lingam").adjacency_matrices_
    assert matrices[2, 2, 0] == matrices[1, 0, 1] == matrices[0, 1, 2] == 1.0
    w, a = gp.convert(given, to="dynotears")
    assert w[2, 1] == a[3 + 0, 2] == a[1, 0] == 1.0
    assert np.count_nonzero(w) + np.count_nonzero(a) == 3
    pairs = gp.convert(given, to="pairs")
    assert np.argwhere(pairs).tolist() == [[0, 2], [1, 0], [2, 1]]
    graph = gp.convert(given, to="causal-learn")
    assert {str(edge) for edge in graph.get_graph_edges()} == {
        "sun_lag2 --> sea_lag0",
        "wind_lag1 --> sun_lag0",
        "sea_lag0 --> wind_lag0",
    }
    assert (("sun", -2), ("sea", 0)) in gp.convert(given, to="networkx").edges


@pytest.mark.parametrize("host", LOSSLESS)
@settings(max_examples=25, deadline=None)
@given(mask=arrays(bool, (3, 3, 3)))
def test_there_and_back(host: str, mask: np.ndarray) -> None:
    mask[range(3), range(3), 0] = False
    mask[1, 0, 0] = mask[2, 0, 0] = mask[2, 1, 0] = False  # no cycle at lag 0
    mask[0, 1, 2] = True  # the largest lag and every variable are named
    mask[1, 2, 1] = True
    np.testing.assert_array_equal(back(gp.convert(gp.Skeleton(mask, NAMES), to=host), host), mask)


@pytest.mark.parametrize("host", LOSSLESS)
def test_an_open_pair_stays_open(host: str) -> None:
    given = skeleton((0, 1, 0), (1, 0, 0), (0, 2, 2), (1, 2, 1))
    np.testing.assert_array_equal(back(gp.convert(given, to=host), host), given.mask)


def test_a_refinement_and_names_of_data() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    x[1:, 2] += 0.9 * x[:-1, 0]
    found = gp.discover(x, 1)
    table = gp.convert(found, to="edges", data=pd.DataFrame(x, columns=NAMES))
    assert ("sun", "sea", 1) in set(table.itertuples(index=False, name=None))


def test_what_cannot_be_made_is_told() -> None:
    with pytest.raises(AdapterError, match=r"'statsmodels' cannot make objects .*'tigramite'"):
        gp.convert(skeleton((0, 1, 1)), to="statsmodels")
    with pytest.raises(AdapterError, match="form a cycle"):
        gp.convert(skeleton((0, 1, 0), (1, 2, 0), (2, 0, 0)), to="lingam")
