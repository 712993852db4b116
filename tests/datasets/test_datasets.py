from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from grace_plugin.datasets import load_example
from grace_plugin.exceptions import OptionError

MAIN_STEM = ["177", "176", "175", "174"]


def test_elbe_flood_is_complete() -> None:
    example = load_example("elbe_flood")
    assert example.data.shape == (3010, 42)
    assert isinstance(example.data.index, pd.DatetimeIndex)
    assert example.data.index[-1] == pd.Timestamp("2024-10-10 08:15")
    assert example.data.loc["2024-09-09 00:15", "174"] == 109.0
    assert int(example.data.isna().to_numpy().sum()) == 29
    assert len(example.edges) == 42
    assert example.positions is not None
    assert tuple(example.positions.index) == example.names
    assert example.positions.loc["176", "river"] == "Elbe"


def test_rivers_flow_down_and_never_back() -> None:
    example = load_example("elbe_flood")
    assert example.positions is not None
    assert nx.is_directed_acyclic_graph(nx.DiGraph(example.edges))
    height = example.positions["elev_m"]
    uphill = [edge for edge in example.edges if height[edge[0]] < height[edge[1]]]
    assert uphill == []


def test_the_licence_travels_with_the_series() -> None:
    assert "dl-de/by-2-0" in load_example("elbe_flood").notice


def test_select_keeps_the_edges_among_the_selected() -> None:
    part = load_example("elbe_flood").select(MAIN_STEM)
    assert part.names == tuple(MAIN_STEM)
    assert set(part.edges) == {("177", "176"), ("176", "175"), ("175", "174")}
    assert np.argwhere(part.pair_graph).tolist() == [[0, 1], [1, 2], [2, 3]]
    with pytest.raises(OptionError, match="'Prague'"):
        part.select(["Prague"])


def test_toy_climate_is_the_same_every_time_and_has_lagged_truth() -> None:
    first, second = load_example("toy_climate"), load_example("toy_climate")
    pd.testing.assert_frame_equal(first.data, second.data)
    assert first.data.shape == (600, 8)
    assert max(lag for *_, lag in first.edges) == 3
    assert int(first.pair_graph.sum()) == 11  # without each variable's memory of itself
    assert np.isfinite(first.data.to_numpy()).all()


def test_toy_climate_shows_its_effects() -> None:
    data = load_example("toy_climate").data
    assert data["rain"].shift(2).corr(data["river"]) > 0.4
    assert abs(data["sea"].shift(1).corr(data["wind"])) < 0.25  # a bowl: not seen by correlation
    assert data["sea"].shift(1).pow(2).corr(data["wind"]) > 0.4


def test_an_unknown_name_is_refused_with_a_hint() -> None:
    with pytest.raises(OptionError, match="Did you mean 'elbe_flood'"):
        load_example("elbe_floods")
