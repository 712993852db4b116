"""Every skeleton function on small data with a known graph, and the registry of them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin import skeletons
from grace_plugin.exceptions import DataError, OptionError, SkeletonError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.series.panel import as_panel
from grace_plugin.skeletons import Source, available_skeletons, get_skeleton, register_skeleton


def chain(rows: int = 600, seed: int = 0) -> np.ndarray:
    """0 -> 1 at lag 1, 1 -> 2 at lag 2, 3 alone; all linear, each with its own past."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    for t in range(2, rows):
        x[t] += 0.4 * x[t - 1]
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.7 * x[t - 2, 1]
    return x


CHAIN = {(0, 0, 1), (1, 1, 1), (2, 2, 1), (3, 3, 1), (0, 1, 1), (1, 2, 2)}


def _marked(name: str) -> Any:
    """Those that run tigramite are tests of a host."""
    return pytest.param(name, marks=[pytest.mark.host] if name.startswith("pcmci") else [])


NAMES = [_marked(name) for name in available_skeletons()]


def source(x: np.ndarray, max_lag: int = 2) -> Source:
    return Source(as_panel(x), max_lag)


@pytest.mark.parametrize("name", NAMES)
def test_every_skeleton_finds_the_chain(name: str) -> None:
    found = get_skeleton(name)(source(chain()))
    assert set(found) >= CHAIN
    assert found.mask.shape == (4, 4, 3)


@pytest.mark.parametrize("name", ["basis", "cdnots"])
def test_indirect_effects_are_no_candidates(name: str) -> None:
    found = get_skeleton(name)(source(chain(), 4))
    assert not found.mask[0, 2].any()
    assert len(found) < 3 * len(CHAIN)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_the_data_are_kept(name: str) -> None:
    import pandas as pd

    frame = pd.DataFrame(chain(200), columns=["a", "b", "c", "e"])
    assert get_skeleton(name)(source(frame)).names == ("a", "b", "c", "e")


@pytest.mark.parametrize("name", ["basis", "cdnots", "lasso", _marked("pcmci")])
def test_several_series_with_gaps_and_masked_rows(name: str) -> None:
    from dataclasses import replace

    x = chain(900)
    x[100:103, 1] = np.nan
    panel = as_panel([x[:450], x[450:]])
    allowed = np.ones(450, dtype=bool)
    allowed[300:320] = False
    spoiled = panel.series[1].values.copy()
    spoiled[300:320] = 1e6
    series = (panel.series[0], replace(panel.series[1], values=spoiled, as_target=allowed, as_input=allowed))
    found = get_skeleton(name)(Source(replace(panel, series=series), 2))
    assert found.mask[0, 1, 1]
    assert found.mask[1, 2, 2]


def test_basis_sees_what_correlation_cannot() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(800, 3))
    x[1:, 1] += np.abs(x[:-1, 0])
    x[2:, 2] += 0.7 * x[:-2, 0] ** 2
    bent = {(0, 1, 1), (0, 2, 2)}
    assert set(get_skeleton("basis")(source(x))) >= bent
    assert not bent & set(get_skeleton("cdnots")(source(x)))


def test_basis_agrees_with_least_squares() -> None:
    """The first entry is the best single group, and its gain is that of an ordinary regression."""
    x = chain(300)
    found = get_skeleton("basis")(source(x), max_parents=1)
    assert (found.mask.sum(axis=(0, 2)) <= 1).all()
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    effect, rows = 2, len(x) - 2
    gains = {}
    for cause in range(4):
        for lag in (1, 2):
            past = z[2 - lag : len(z) - lag, cause]
            features = np.column_stack([np.ones(rows), past, np.clip(past, -3, 3) ** 2, np.abs(past)])
            target = z[2:, effect]
            residual = target - features @ np.linalg.lstsq(features, target, rcond=None)[0]
            gains[cause, lag] = 0.5 * np.log(target.var() / residual.var())
    best = max(gains, key=lambda key: gains[key])
    assert found.mask[best[0], effect, best[1]]
    assert found.scores is not None
    assert found.scores[best[0], effect, best[1]] == pytest.approx(gains[best], rel=1e-6)


def test_basis_takes_binary_columns_and_copies() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(500, 4))
    x[:, 0] = rng.random(500) < 0.5
    x[:, 3] = x[:, 2]  # an exact copy can enter only once
    x[1:, 1] += 1.5 * x[:-1, 0] + x[:-1, 2]
    found = get_skeleton("basis")(source(x))
    assert found.mask[0, 1, 1]
    assert found.mask[[2, 3], 1, 1].sum() == 1


def test_basis_in_blocks_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from grace_plugin.skeletons import basis

    whole = get_skeleton("basis")(source(chain()))
    monkeypatch.setattr(basis, "BLOCK_NUMBERS", 1)
    apart = get_skeleton("basis")(source(chain()))
    np.testing.assert_array_equal(whole.mask, apart.mask)
    np.testing.assert_allclose(whole.scores, apart.scores, atol=1e-10)


def test_basis_with_few_rows_looks_for_linear_effects() -> None:
    found = get_skeleton("basis")(source(chain(50), 1))
    assert found.mask[0, 1, 1]


@pytest.mark.parametrize("name", ["basis", "full", "lasso"])
def test_lag_zero_is_left_to_the_search_within_the_step(name: str) -> None:
    assert not get_skeleton(name)(source(chain())).mask[:, :, 0].any()


def test_lasso_in_two_processes_is_the_same() -> None:
    x = chain(200)
    one, two = (get_skeleton("lasso")(source(x), n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.mask, two.mask)


def test_lasso_refuses_too_few_rows() -> None:
    with pytest.raises(DataError, match="too few for 5 folds"):
        get_skeleton("lasso")(source(chain(10)))


def test_pcmci_without_tigramite_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "tigramite.pcmci", None)
    with pytest.raises(OptionError, match=re.escape("pip install 'grace-plugin[tigramite]'")):
        get_skeleton("pcmci")(source(chain(100)))


def test_unknown_names_get_a_hint() -> None:
    with pytest.raises(OptionError, match="Did you mean 'basis'"):
        get_skeleton("bases")


def test_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skeletons, "_registered", {})

    def diagonal(source: Source, *, lags: int = 1) -> skeletons.Skeleton:
        mask = np.zeros((source.n_variables, source.n_variables, source.max_lag + 1), dtype=bool)
        mask[np.arange(len(mask)), np.arange(len(mask)), 1 : lags + 1] = True
        return source.skeleton(mask)

    def clashing(source: Source, *, alpha: float = 0.1) -> skeletons.Skeleton:
        return diagonal(source)

    register_skeleton("diagonal", diagonal)
    register_skeleton("diagonal", diagonal)  # the same again is harmless
    assert "diagonal" in available_skeletons()
    assert len(get_skeleton("diagonal")(source(chain(50)), lags=2)) == 8
    with pytest.raises(OptionError, match="exists already"):
        register_skeleton("basis", diagonal)
    register_skeleton("basis", diagonal, clobber=True)
    assert get_skeleton("basis") is diagonal
    with pytest.raises(OptionError, match=r"\['alpha'\]"):
        register_skeleton("clashing", clashing)


def test_a_stream_read_for_moments_cannot_be_read_again() -> None:
    x = chain(200)
    streamed = Source(as_panel(iter([x[:100], x[100:]])), 2)
    assert streamed.moments.rows == 198
    with pytest.raises(DataError, match="cannot be read again"):
        _ = streamed.panel


def test_a_skeleton_of_fewer_lags_has_no_candidates_beyond_them_and_other_shapes_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(skeletons, "_registered", {})
    x = np.random.default_rng(0).normal(size=(200, 3))
    x[1:, 1] += 0.8 * x[:-1, 0]

    def near(source: Source) -> Skeleton:
        return source.skeleton(np.ones((3, 3, 2), dtype=bool) & (np.arange(2) > 0))

    def wide(source: Source) -> Skeleton:
        lags = np.arange(source.max_lag + 1)
        return Skeleton(np.ones((4, 4, len(lags)), dtype=bool) & (lags > 0))

    register_skeleton("near", near)
    register_skeleton("wide", wide)
    found = gp.discover(x, 3, "near", control_lag=0)
    assert found.graph[0, 1, 1]
    assert found.graph.shape == (3, 3, 4)
    assert not found.skeleton.mask[:, :, 2:].any()
    with pytest.raises(SkeletonError, match=r"shape \(4, 4, 6\); the data have 3 variables"):
        gp.discover(x, 3, "wide")
