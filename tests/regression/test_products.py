"""Products: found with both factors, at a level that counts all of them, and judged with their causes."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.judge import Judged, judge
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.products import Product, find_products
from grace_plugin.series.panel import as_panel


def _judged(x: np.ndarray, max_lag: int = 3, interactions: bool = True) -> Judged:
    panel = as_panel(x)
    moments = Moments.of(panel, max_lag)
    rows = LaggedRows.of(panel, max_lag, moments.center, moments.scale)
    return judge(moments, rows, interactions=interactions)


def _level(judged: Judged, cell: tuple[int, int, int]) -> float:
    return float(judged.evidence.dense()[cell])


def _together(kind: str, seed: int, rows: int = 600) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(rows, 5))
    a, b = x[:-2, 0], x[1:-1, 1]
    how = {"product": a * b, "threshold": a * (b > 0.0), "exclusive or": np.sign(a) * np.sign(b)}
    x[2:, 2] += how[kind]
    return x


@pytest.mark.parametrize("kind", ["product", "threshold", "exclusive or"])
def test_causes_that_act_together_are_found_and_name_each_other(kind: str) -> None:
    judged = _judged(_together(kind, 0))
    assert list(judged.products) == [2]
    assert judged.partners(0, 2, 2) == [(1, 1)]
    assert judged.partners(1, 2, 1) == [(0, 2)]
    strongest = judged.evidence.cells[np.argsort(judged.evidence.log_p)[:2]].tolist()
    assert sorted(strongest) == [[0, 2, 2], [1, 2, 1]]
    assert np.sort(judged.evidence.log_p)[1] < np.log(1e-8)


def test_without_interactions_a_product_hides() -> None:
    judged = _judged(_together("product", 0), interactions=False)
    assert not judged.products
    assert _level(judged, (0, 2, 2)) > np.log(1e-3)


def test_independent_series_have_no_products() -> None:
    found = 0
    for seed in range(25):
        x = np.random.default_rng(seed).normal(size=(300, 5))
        found += sum(map(len, _judged(x, 2).products.values()))
    assert found <= 4  # .05 a graph are allowed


def test_rare_events_make_no_products() -> None:
    found = 0
    for seed in range(10):
        x = (np.random.default_rng(seed).random((500, 5)) < 0.01) + 0.0
        x += 1e-3 * np.random.default_rng(seed).normal(size=x.shape)
        found += len(_judged(x, 2).products)
    assert found <= 1


def test_factors_come_from_the_candidates_where_lagged_values_are_many() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(400, 150))
    x[1:, 2] += 0.8 * x[:-1, 0] + x[:-1, 0] * x[:-1, 1]
    panel = as_panel(x)
    rows = LaggedRows.of(panel, 3, np.zeros(150), np.ones(150))
    models = {2: rows.features([(0, 1)], ("linear",))}
    found = find_products(rows, models, {2: np.array([[0, 1]])})
    assert {found[2][0].first, found[2][0].second} == {(0, 1), (1, 1)}
    assert find_products(rows, models, {2: np.empty((0, 2), dtype=np.int64)}) == {}


def test_forbidden_cells_are_no_factors() -> None:
    x = _together("product", 1)
    rows = LaggedRows.of(as_panel(x), 3, np.zeros(5), np.ones(5))
    allowed = np.ones((5, 5, 4), dtype=bool)
    models = {2: np.empty((rows.count, 0))}
    none = {2: np.empty((0, 2), dtype=np.int64)}
    assert len(find_products(rows, models, none, allowed)[2]) == 1
    allowed[0, 2, 2] = False
    assert find_products(rows, models, none, allowed) == {}


def test_a_product_knows_its_columns_and_partners() -> None:
    rows = LaggedRows(np.array([[1.0, 5.0], [2.0, -1.0], [3.0, 0.5]]), np.array([1, 2]), 1)
    product = Product((0, 1), (1, 1), -10.0, 2)
    assert product.column(rows).tolist() == [3.0, -2.0]  # 5 counts as 3
    assert product.partner((0, 1)) == (1, 1)
    assert product.partner((1, 0)) is None


def test_chaos_is_read_from_its_products() -> None:
    """Lorenz-96, coarse steps: the three neighbours of every variable, and hardly anything else."""
    x = np.empty((400, 6))
    x[0] = 8.0 + np.random.default_rng(0).normal(size=6)
    noise = np.random.default_rng(1).normal(size=x.shape)
    for t in range(1, 400):
        state = x[t - 1]
        for _ in range(5):
            slope = (np.roll(state, -1) - np.roll(state, 2)) * np.roll(state, 1) - state + 8.0
            state = state + 0.01 * slope
        x[t] = state + 0.05 * noise[t]
    true = np.zeros((6, 6), dtype=bool)
    for step in (-2, -1, 1):
        true[(np.arange(6) + step) % 6, np.arange(6)] = True
    off = ~np.eye(6, dtype=bool)
    best = {
        name: np.sort(_judged(x, 1, on).evidence.dense()[:, :, 1][true & off])[-1]
        for name, on in (("products", True), ("additive", False))
    }
    assert best["products"] < np.log(1e-6) < best["additive"]


def test_the_table_and_the_words_name_the_partner() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 4))
    for t in range(3, 600):
        x[t, 2] += 0.8 * x[t - 1, 0] * x[t - 2, 1]
        x[t, 3] += 0.3 * x[t - 1, 2] ** 2
    found = gp.discover(x, 3, progress=False)
    table = found.edges[found.edges.kept].set_index(["cause", "effect", "lag"])
    told = table[["partner", "partner_lag"]]
    assert told.loc[("x0", "x2", 1)].tolist() == ["x1", 2.0]
    assert told.loc[("x1", "x2", 2)].tolist() == ["x0", 1.0]
    assert told.loc[("x2", "x3", 1)].isna().all()
    assert table.bent[("x2", "x3", 1)] > 0.9
    assert np.isclose(table.together[("x0", "x2", 1)], 0.61, atol=0.1)
    assert "it acts together with x1 at lag 2" in str(found.explain("x0", "x2", 1))
    assert gp.read_json(found.to_json()).edges.equals(found.edges)


def test_the_surface_of_two_causes() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 3)) * [1.0, 5.0, 1.0]
    for t in range(3, 600):
        x[t, 2] += 0.2 * x[t - 1, 0] * x[t - 2, 1]
    found = gp.discover(x, 3, progress=False)
    surface = found.explain("x0", "x2", 1).surface
    assert surface is not None
    assert (surface.partner, surface.partner_lag) == ("x1", 2)
    corners = surface.effects[[75, 75, 25, 25], [75, 25, 75, 25]]  # 1.5 standard deviations up and down
    expected = 0.2 * 1.5 * 1.0 * 1.5 * 5.0 * np.array([1.0, -1.0, -1.0, 1.0])
    assert np.allclose(corners, expected, atol=0.5)
    _, axes = found.plot(kind="response", edge=("x0", "x2", 1))
    assert axes.get_ylabel() == "x1, 2 steps before"
