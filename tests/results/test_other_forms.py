"""The graph for libraries that go on from it: absolute positions, and the libraries themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import OptionError


def series(rows: int = 600) -> pd.DataFrame:
    """Effects a -> b (0.8) at lag 1, b -> c (0.5) at lag 1, a -> c (0.3) at lag 2."""
    x = np.random.default_rng(0).normal(size=(rows, 3))
    for t in range(2, rows):
        x[t, 1] += 0.8 * x[t - 1, 0]
        x[t, 2] += 0.5 * x[t - 1, 1] + 0.3 * x[t - 2, 0]
    return pd.DataFrame(x, columns=["a", "b", "c"])


def found() -> gp.Refinement:
    return gp.discover(series(), 2)


def test_every_edge_is_unrolled_to_every_time_that_has_room() -> None:
    graph = found().to_dowhy()
    assert len(graph) == 3 * 5
    expected = {(f"a_lag{1 + s}", f"b_lag{s}") for s in range(4)}
    expected |= {(f"b_lag{1 + s}", f"c_lag{s}") for s in range(4)}
    expected |= {(f"a_lag{2 + s}", f"c_lag{s}") for s in range(3)}
    assert set(graph.edges) == expected
    assert graph.edges["a_lag2", "c_lag0"]["lag"] == 2
    assert set(found().to_dowhy(depth=2).edges) == {one for one in expected if int(one[0][-1]) <= 2}
    assert list(gp.lag_expand(series(), 4).columns) == list(graph)


def test_an_open_pair_within_the_step_is_refused_or_dropped() -> None:
    x = np.random.default_rng(1).normal(size=(500, 2))
    x[:, 1] += x[:, 0]
    learned = gp.discover(pd.DataFrame(x, columns=["a", "b"]), 1, contemporaneous=True)
    assert learned.skeleton.unoriented[0, 1]
    with pytest.raises(OptionError, match="between a and b within one step is open"):
        learned.to_dowhy()
    assert not learned.to_dowhy(open_pairs="drop").edges
    with pytest.raises(OptionError, match="depth"):
        found().to_dowhy(depth=1)


@pytest.mark.host
@pytest.mark.filterwarnings("ignore")
def test_dowhy_estimates_effects_on_it() -> None:
    import dowhy

    learned, data = found(), gp.lag_expand(series(), 4)
    model = dowhy.CausalModel(data, treatment="b_lag1", outcome="c_lag0", graph=learned.to_dowhy())
    target = model.identify_effect(proceed_when_unidentifiable=True)
    assert "a_lag2" in target.get_backdoor_variables()
    estimate = model.estimate_effect(target, method_name="backdoor.linear_regression")
    assert estimate.value == pytest.approx(0.5, abs=0.1)


@pytest.mark.host
@pytest.mark.filterwarnings("ignore")
def test_gcm_draws_interventions_from_it() -> None:
    from dowhy import gcm

    gcm.config.disable_progress_bars()
    gcm.util.general.set_random_seed(0)
    learned, data = found(), gp.lag_expand(series(), 4)
    model = gcm.StructuralCausalModel(learned.to_dowhy())
    for node in model.graph:
        roots = not list(model.graph.predecessors(node))
        kind: Any = gcm.EmpiricalDistribution() if roots else gcm.AdditiveNoiseModel(_linear(gcm))
        model.set_causal_mechanism(node, kind)
    gcm.fit(model, data)
    drawn = [
        gcm.interventional_samples(model, {"a_lag2": lambda _, value=value: value}, num_samples_to_draw=3000)
        for value in (0.0, 1.0)
    ]
    effect = drawn[1]["c_lag0"].mean() - drawn[0]["c_lag0"].mean()
    assert effect == pytest.approx(0.8 * 0.5 + 0.3, abs=0.12)


def _linear(gcm: Any) -> Any:
    return gcm.ml.create_linear_regressor()


def test_xarray_has_every_cell_where_it_is() -> None:
    learned = found()
    data = learned.to_xarray()
    assert bool(data.graph.sel(cause="a", effect="c", lag=2))
    assert not bool(data.graph.sel(cause="c", effect="a", lag=2))
    np.testing.assert_array_equal(data.graph.transpose("cause", "effect", "lag"), learned.graph)
    np.testing.assert_array_equal(data.gate, learned.gates)
    assert float(data.probability.sel(cause="a", effect="b", lag=1)) > 0.9
    assert data.attrs["rows_used"] == learned.outcome.rows_used
