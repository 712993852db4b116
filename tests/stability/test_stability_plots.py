from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.stability.bootstrapping import bootstrap
from grace_plugin.stability.plots import draw_map
from grace_plugin.stability.result import Stability


@pytest.fixture(scope="module")
def stable() -> Stability:
    x = np.random.default_rng(0).normal(size=(300, 3))
    x[1:, 1] += 0.8 * x[:-1, 0]
    x[2:, 2] += 0.8 * x[:-2, 1]
    data = pd.DataFrame(x, index=pd.date_range("2024-01-01", periods=300), columns=["a", "b", "c"])
    return bootstrap("basis", data, max_lag=2, window=120, runs=5)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def places() -> pd.DataFrame:
    return pd.DataFrame({"lat": [50.0, 50.5, 51.0], "lon": [13.0, 13.5, 14.5]}, index=["c", "a", "b"])


def test_the_heat_map_has_a_row_per_edge_and_a_column_per_window(stable: Stability) -> None:
    figure = stable.plot_over_time()
    axes = figure.axes[0]
    shown = np.asarray(axes.images[0].get_array())
    assert shown.shape == (2, 5)
    assert sorted(label.get_text() for label in axes.get_yticklabels()) == ["a → b  100%", "b → c  100%"]
    assert axes.get_xticklabels()[0].get_text().startswith("2024-")
    table = stable.over_time()
    assert table.columns.is_monotonic_increasing
    np.testing.assert_array_equal(table.loc[("b", "c")], 2.0)


def test_the_map_tells_right_missed_and_false(stable: Stability) -> None:
    truth = np.zeros((3, 3), dtype=bool)
    truth[0, 1] = truth[2, 0] = True
    figure = stable.plot_map(places(), truth)
    legend = figure.axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["missed (1)", "false (1)", "right (1)"]
    offsets = np.asarray(figure.axes[0].collections[0].get_offsets())
    np.testing.assert_allclose(offsets[0], [13.5, 50.5])  # a, wherever its row stands in the table


def test_the_map_without_truth_shows_what_is_kept(stable: Stability) -> None:
    figure = stable.plot_map(places())
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["kept (2)"]


def test_a_map_needs_every_place() -> None:
    with pytest.raises(DataError, match=r"missing rows: \['d'\]"):
        draw_map(("a", "d"), np.zeros((2, 2), dtype=bool), places())


def test_samples_of_blocks_have_no_place_in_time(stable: Stability) -> None:
    x = np.random.default_rng(0).normal(size=(300, 2))
    x[1:, 1] += 0.8 * x[:-1, 0]
    halves = bootstrap("basis", x, max_lag=1, window=30, runs=2, scheme="pairs")
    with pytest.raises(OptionError, match="no place in time"):
        halves.plot_over_time()


@pytest.mark.parametrize("kind", ["graph", "network", "matrix", "time_series", "over_time", "map"])
def test_every_kind_can_be_drawn(stable: Stability, kind: str) -> None:
    options = {"positions": places()} if kind == "map" else {}
    figure, axes = stable.plot(kind, **options)
    assert axes.figure is figure
    figure.canvas.draw()


def test_width_tells_the_share_of_windows_and_colour_the_sign(stable: Stability) -> None:
    _, axes = stable.plot("network")
    assert len(axes.patches) == 2
    assert len({patch.get_linewidth() for patch in axes.patches}) == 1  # both are in all windows
    for patch in axes.patches:
        red, _, blue = patch.get_edgecolor()[:3]
        assert red > blue  # rises


def test_a_wrong_kind_or_a_map_without_places_is_refused(stable: Stability) -> None:
    with pytest.raises(OptionError, match="give one of"):
        stable.plot("gates")
    with pytest.raises(OptionError, match="needs positions="):
        stable.plot("map")
