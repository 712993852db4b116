"""The additive engine against plain, slow versions of the same mathematics, and on known graphs."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin._common.config import make_config
from grace_plugin.engines.additive.engine import AdditiveEngine
from grace_plugin.engines.additive.gate_training import (
    FIXED_OPEN,
    GateObjective,
    GateTraining,
    LagConcentration,
    train_gates,
)
from grace_plugin.engines.hard_concrete import GateMoments, deterministic, open_probability
from grace_plugin.engines.level import auto_alpha, paper_penalty
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.data_warnings import DataWarning
from grace_plugin.regression.regressions import Batch, Regressions
from grace_plugin.regression.sweep import SweptModel
from grace_plugin.series.panel import as_panel


def process(rows: int = 1000, seed: int = 0) -> np.ndarray:
    """0 -> 1 at lag 1 (linear), 1 -> 2 at lag 2 (square), 2 -> 3 at lag 0, autolags on 0 and 1."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    for t in range(2, rows):
        x[t, 0] += 0.4 * x[t - 1, 0]
        x[t, 1] += 0.3 * x[t - 1, 1] + 0.6 * x[t - 1, 0]
        x[t, 2] += 0.5 * (x[t - 2, 1] ** 2 - 1)
        x[t, 3] += 0.7 * x[t, 2]
    return x


TRUTH = {(0, 0, 1), (1, 1, 1), (0, 1, 1), (1, 2, 2)}


def full(d: int = 4, max_lag: int = 3, now: bool = False) -> np.ndarray:
    mask = np.ones((d, d, max_lag + 1), dtype=bool)
    mask[:, :, 0] = now & ~np.eye(d, dtype=bool)
    return mask


def found(result: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(int(c), int(e), int(lag)) for c, e, lag in np.argwhere(result.graph)}


def problem(rows: int = 300, max_lag: int = 2):  # type: ignore[no-untyped-def]
    data = process(rows)
    moments = Moments.of(as_panel(data), max_lag)
    return data, moments, largest(moments, full(4, max_lag))


def largest(moments: Moments, candidates: np.ndarray) -> Batch:
    """The first batch of problems: the effects with the most candidates."""
    regressions = Regressions(moments, ("a", "b", "c", "d"))
    effects = regressions.groups(candidates)[0]
    return regressions.gather(effects, [np.argwhere(candidates[:, effect]) for effect in effects])


def test_edges_are_found_at_their_absolute_positions() -> None:
    mask = full(now=False)
    mask[2, 3, 0] = True
    result = gp.analyze(gp.Skeleton(mask), process())
    assert found(result) == TRUTH | {(2, 3, 0)}
    table = result.edges.set_index(["cause", "effect", "lag"])
    assert table.loc[("x1", "x2", 2), "kept"]
    assert not table.loc[("x2", "x1", 2), "kept"]


def test_gram_and_cross_are_correlations_of_the_lagged_series() -> None:
    data, _moments, batch = problem()
    row = list(batch.effects).index(1)
    column = [(c, lag) for c, lag in zip(batch.causes[row], batch.lags[row], strict=True)].index((0, 1))
    lagged, target = data[1:-1, 0], data[2:, 1]
    expected = np.corrcoef(lagged, target)[0, 1]
    scale = lagged.std() / data[2:, 0].std()  # features are whitened at lag 0
    assert float(batch.cross[row, column * 3]) == pytest.approx(expected * scale, rel=1e-9)


def test_the_gradient_is_that_of_the_expected_residual() -> None:
    """Against differences of E_z[RSS] written with mu, V and an explicit solve for the best weights."""
    _, _, batch = problem()
    shape, k = batch.causes.shape, batch.width
    log_alpha = np.random.default_rng(0).normal(size=shape)
    nodes = GateMoments(nodes=64)

    def expected(values: np.ndarray) -> np.ndarray:
        mean, variance, _, _ = nodes(values)
        mu = mean.repeat(k, axis=1)
        own = np.kron(np.eye(shape[1]), np.ones((k, k))) * variance.repeat(k, axis=1)[:, :, None]
        gated = batch.gram * (mu[:, :, None] * mu[:, None, :] + own)
        cross = (mu * batch.cross)[..., None]
        return 0.5 * np.log(1 - (cross * np.linalg.solve(gated, cross)).sum(axis=(1, 2)))

    for row in range(shape[0]):
        value, slope = GateObjective.of(batch, row, 0.0, LagConcentration())(log_alpha[row])
        assert value == pytest.approx(expected(log_alpha)[row], rel=1e-8)
        for candidate in range(shape[1]):
            step = 1e-5 * (np.arange(shape[1]) == candidate)
            numeric = (expected(log_alpha + step) - expected(log_alpha - step))[row] / 2e-5
            assert slope[candidate] == pytest.approx(numeric, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("concentration", [LagConcentration(), LagConcentration(3.0, 1.2)])
def test_the_price_of_open_gates_has_the_slope_that_it_says(concentration: LagConcentration) -> None:
    _, _, batch = problem()
    log_alpha = np.random.default_rng(1).normal(size=batch.causes.shape[1])
    priced, free = (GateObjective.of(batch, 0, price, concentration) for price in (0.7, 0.0))
    for candidate in range(len(log_alpha)):
        step = 1e-6 * (np.arange(len(log_alpha)) == candidate)
        above, below = (priced(at)[0] - free(at)[0] for at in (log_alpha + step, log_alpha - step))
        slope = priced(log_alpha)[1] - free(log_alpha)[1]
        assert slope[candidate] == pytest.approx((above - below) / 2e-6, rel=1e-5)


def test_gates_end_at_a_minimum_that_does_not_depend_on_other_effects() -> None:
    _, _, batch = problem(1000)
    penalty, fixed = np.full(len(batch.effects), 0.01), np.zeros_like(batch.live)
    together = train_gates(batch, penalty, fixed, GateTraining(), LagConcentration())
    longer = train_gates(batch, penalty, fixed, GateTraining(steps=2000), LagConcentration())
    np.testing.assert_array_equal(together, longer)  # it has converged
    for row in range(len(batch.effects)):
        objective = GateObjective.of(batch, row, 0.01, LagConcentration())
        _, slope = objective(together[row])
        inside = np.abs(together[row]) < FIXED_OPEN
        assert np.abs(slope[inside]).max(initial=0.0) < 0.01 * 1e-2


def test_no_step_leaves_the_gates_where_they_start() -> None:
    _, _, batch = problem()
    penalty, fixed = np.full(len(batch.effects), 0.01), np.zeros_like(batch.live)
    started = train_gates(batch, penalty, fixed, GateTraining(steps=0), LagConcentration())
    assert (started == GateTraining().initial).all()


def test_trained_gates_are_nearly_binary_and_fixed_ones_stay() -> None:
    _, _, batch = problem(1000)
    penalty = np.full(len(batch.effects), 0.01)
    fixed = np.zeros_like(batch.live)
    fixed[0, 0] = True
    log_alpha = train_gates(batch, penalty, fixed, GateTraining(), LagConcentration())
    values = deterministic(log_alpha)
    assert ((values > 0.1) & (values < 0.9)).mean() < 0.1
    assert values[0, 0] == 1.0


def test_lag_concentration_closes_second_lags() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1500, 2))
    for t in range(2, 1500):
        x[t, 1] += 0.5 * x[t - 1, 0] + 0.12 * x[t - 2, 0]
    skeleton = gp.Skeleton(full(2, 2))
    free = gp.analyze(skeleton, x, decide="gates")
    tight = gp.analyze(skeleton, x, decide="gates", lag_concentration=50.0)
    assert free.graph[0, 1, 1]
    assert free.graph[0, 1, 2]
    assert tight.graph[0, 1, 1]
    assert not tight.graph[0, 1, 2]


@pytest.mark.host
def test_tests_equal_least_squares_f_tests() -> None:
    """p-value and gain of an active and of an inactive candidate against statsmodels."""
    import statsmodels.api as sm

    data = process(400)
    moments = Moments.of(as_panel(data), 2, ("linear",))
    batch = largest(moments, full(4, 2))
    row = list(batch.effects).index(1)
    parents = list(zip(batch.causes[row].tolist(), batch.lags[row].tolist(), strict=True))
    model = SweptModel(batch)
    for candidate in (parents.index((0, 1)), parents.index((1, 1)), parents.index((3, 2))):
        model.flip(np.array([row]), np.array([candidate]))
    tests = model.tests()
    columns = {pair: data[2 - pair[1] : len(data) - pair[1], pair[0]] for pair in parents}
    target = data[2:, 1]

    def fit(pairs: list[tuple[int, int]]) -> object:
        return sm.OLS(target, sm.add_constant(np.column_stack([columns[p] for p in pairs]))).fit()

    active = [(0, 1), (1, 1), (3, 2)]
    for pair in active:
        expected = fit(active).compare_f_test(fit([p for p in active if p != pair]))[1]
        assert tests.p_value[row, parents.index(pair)] == pytest.approx(expected, rel=1e-6)
    bigger = fit([*active, (2, 1)])
    assert tests.p_value[row, parents.index((2, 1))] == pytest.approx(
        bigger.compare_f_test(fit(active))[1], rel=1e-6
    )
    assert tests.gain[row, parents.index((2, 1))] == pytest.approx(
        0.5 * np.log(fit(active).ssr / bigger.ssr), rel=1e-6
    )


@pytest.mark.host
def test_group_tests_combine_linear_and_full() -> None:
    import statsmodels.api as sm

    data = process(400)
    moments = Moments.of(as_panel(data), 2)
    batch = largest(moments, full(4, 2))
    row = list(batch.effects).index(2)
    parents = list(zip(batch.causes[row].tolist(), batch.lags[row].tolist(), strict=True))
    standard = (data - moments.center) / moments.scale
    lagged = standard[0 : len(data) - 2, 1]
    nonlinear = np.column_stack([np.clip(lagged, -3, 3) ** 2, np.abs(lagged)])
    target = data[2:, 2]
    nothing = sm.OLS(target, np.ones(len(target))).fit()
    linear = sm.OLS(target, sm.add_constant(lagged)).fit()
    everything = sm.OLS(target, sm.add_constant(np.column_stack([lagged, nonlinear]))).fit()
    expected = 2 * min(linear.compare_f_test(nothing)[1], everything.compare_f_test(nothing)[1])
    candidate = parents.index((1, 2))
    model = SweptModel(batch)
    assert model.tests().p_value[row, candidate] == pytest.approx(expected, rel=1e-6)
    model.flip(np.array([row]), np.array([candidate]))
    assert model.tests().p_value[row, candidate] == pytest.approx(expected, rel=1e-6)
    model.flip(np.array([row]), np.array([candidate]))
    assert model.tests().p_value[row, candidate] == pytest.approx(expected, rel=1e-6)


def test_an_unoriented_pair_is_judged_once_and_survives_as_a_pair() -> None:
    mask = full()
    mask[2, 3, 0] = mask[3, 2, 0] = mask[0, 3, 0] = mask[3, 0, 0] = True
    result = gp.analyze(gp.Skeleton(mask), process())
    assert result.graph[2, 3, 0]
    assert result.graph[3, 2, 0]
    assert not result.graph[0, 3, 0]
    assert not result.graph[3, 0, 0]
    rows = result.edges[result.edges.lag == 0]
    assert len(rows) == 2
    assert not rows.oriented.any()


def test_kept_edges_stay_and_say_why() -> None:
    mask = full()
    mask[0, 3, 0] = mask[3, 0, 0] = True
    result = gp.analyze(
        gp.Skeleton(mask, names=["a", "b", "c", "d"]), process(), keep=[("d", "a", 3), ("a", "d", 0), (2, 0)]
    )
    assert result.graph[3, 0, 3]
    assert result.graph[0, 3, 0]
    assert result.graph[3, 0, 0]
    assert result.graph[2, 0, 1:].all()
    assert (result.edges[result.edges.reason == "keep"].kept).all()
    assert (result.edges.reason == "keep").sum() == 5


def test_required_edges_count_as_kept() -> None:
    required = np.zeros_like(full())
    required[3, 1, 2] = True
    assert gp.analyze(gp.Skeleton(full(), required=required), process()).graph[3, 1, 2]


@pytest.mark.parametrize(
    ("keep", "words"),
    [
        ([("x0", "x9", 1)], "does not have"),
        ([("x0", "x1", 9)], "beyond the graph's largest lag"),
        ([("x0", "x1", 0)], "not among the candidate edges"),
        ([("x0",)], r"give \(cause"),
        (["x0"], r"give \(cause"),
        ("x0", "give a list"),
    ],
)
def test_bad_keep_is_refused(keep: object, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        gp.analyze(gp.Skeleton(full()), process(200), keep=keep)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"penalty": "big"}, "penalty='big'"),
        ({"penalty": -1.0}, "penalty=-1"),
        ({"alpha": 2}, "alpha=2"),
        ({"gate_threshold": 7}, "gate_threshold=7"),
        ({"engine": "magic"}, "engine='magic'"),
        ({"penalti": 1}, "Did you mean 'penalty'"),
        ({"decide": "dice"}, "decide='dice'"),
        ({"basis": ("cube",)}, "basis="),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        gp.analyze(gp.Skeleton(full()), process(200), **options)


def test_penalties_alpha_and_their_rules() -> None:
    skeleton = gp.Skeleton(full(20, 5))
    assert auto_alpha(skeleton) == pytest.approx(1 / 2000)
    assert auto_alpha(gp.Skeleton(full(3, 2))) == pytest.approx(1e-3)
    density = 2000 / (20 * 20 * 6 - 20)
    rule = max(0.007 + 0.16 * density, 1 / 20 + 4 / 995 - 0.4 * density**0.8)
    assert paper_penalty(skeleton, 995) == pytest.approx(rule * 20 / 9)
    strict = gp.analyze(gp.Skeleton(full()), process(), penalty=5.0)
    assert not strict.graph.any()
    assert strict.penalty == 5.0
    assert set(strict.edges.reason) == {"gate"}
    by_paper = gp.analyze(gp.Skeleton(full()), process(), penalty="paper")
    assert found(by_paper) <= TRUTH | {(1, 3, 2)}  # through 2 at lag 0, which is no candidate here


def test_gates_are_zero_outside_and_the_graph_is_a_subset() -> None:
    mask = full()
    mask[:, 2, :] = False
    result = gp.analyze(gp.Skeleton(mask), process())
    assert (result.gates[~mask] == 0).all()
    assert not (result.graph & ~mask).any()
    assert not (result.graph & ~(result.gates > 0.5)).any()
    assert np.isnan(result.outcome.p_value[~mask]).all()
    assert np.isfinite(result.outcome.p_value[mask]).all()
    assert (result.outcome.p_value[result.graph] <= result.alpha).all()


def test_the_result_is_the_same_to_the_last_bit() -> None:
    one, two = (gp.analyze(gp.Skeleton(full()), process()) for _ in range(2))
    assert np.array_equal(one.gates, two.gates)
    assert np.array_equal(one.outcome.p_value, two.outcome.p_value, equal_nan=True)


def test_an_empty_skeleton_gives_an_empty_graph() -> None:
    result = gp.analyze(gp.Skeleton(np.zeros((4, 4, 3), bool)), process(200))
    assert not result.graph.any()
    assert result.edges.empty
    assert "0 candidate edges, 0 kept" in result.summary()


def test_constant_columns_are_named() -> None:
    data = process(200)
    data[:, 2] = 3.0
    with pytest.raises(DataError, match=r"\['x2'\] are constant"):
        gp.analyze(gp.Skeleton(full()), data)


def test_too_few_rows_are_refused_with_their_number() -> None:
    with pytest.raises(DataError, match="17 complete windows of 4 rows are left of 20"):
        gp.analyze(gp.Skeleton(full()), process(20))


@pytest.mark.filterwarnings("ignore:.*rows are few")
def test_few_rows_fall_back_to_linear_features() -> None:
    result = gp.analyze(gp.Skeleton(full(4, 1)), process(50))
    assert result.outcome.details.basis == ("linear",)


def test_more_candidates_than_rows_work() -> None:
    rng = np.random.default_rng(3)
    data = rng.normal(size=(64, 21))  # 61 windows; 63 candidates of three features for every effect
    data[1:, 1] += 2.0 * data[:-1, 0]
    result = gp.analyze(gp.Skeleton(full(21, 3)), data)
    assert result.outcome.details.basis == DEFAULT_BASIS
    assert result.graph[0, 1, 1]
    assert result.graph.sum() <= 4


def test_duplicated_columns_do_not_both_stay() -> None:
    data = process(500)
    data = np.column_stack([data, data[:, 0]])
    with pytest.warns(DataWarning, match="x4 equals x0"):
        result = gp.analyze(gp.Skeleton(full(5)), data)
    assert int(result.graph[0, 1, 1]) + int(result.graph[4, 1, 1]) == 1


def test_integer_and_boolean_columns_are_fine() -> None:
    rng = np.random.default_rng(0)
    switch = rng.random((800, 1)) > 0.5
    effect = np.zeros((800, 1))
    effect[1:] = switch[:-1] * 1.0
    data = np.column_stack([switch, effect + rng.normal(size=(800, 1)), rng.integers(0, 9, (800, 1))])
    result = gp.analyze(gp.Skeleton(full(3, 2)), data)
    assert found(result) == {(0, 1, 1)}


def test_heavy_tails_and_unit_roots_leave_few_false_edges() -> None:
    rng = np.random.default_rng(0)
    tails = rng.standard_t(2, size=(600, 5))
    assert gp.analyze(gp.Skeleton(full(5)), tails).graph.sum() <= 2
    walks = np.cumsum(rng.normal(size=(600, 5)), axis=0)
    with pytest.warns(DataWarning, match="unit root"):
        result = gp.analyze(gp.Skeleton(full(5)), walks)
    assert {(i, i, 1) for i in range(5)} <= found(result)
    assert result.graph.sum() <= 9


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("shift", [0.0, 1e8])
def test_units_do_not_matter(scale: float, shift: float) -> None:
    if shift * 1e-16 > scale * 1e-3:
        shift = 1.0  # beyond that the shift itself has eaten the digits
    result = gp.analyze(gp.Skeleton(full()), process() * scale + shift)
    assert found(result) >= TRUTH
    assert not any(result.graph[c, e, lag] for c, e, lag in [(1, 0, 1), (2, 1, 2)])


def test_permuting_variables_permutes_the_result() -> None:
    order = np.array([2, 0, 3, 1])
    plain = gp.analyze(gp.Skeleton(full()), process())
    permuted = gp.analyze(gp.Skeleton(full()), process()[:, order])
    assert np.array_equal(permuted.graph, plain.graph[np.ix_(order, order)])


def test_pure_noise_keeps_at_most_about_one_edge_per_graph() -> None:
    false = [
        gp.analyze(gp.Skeleton(full(10, 3)), np.random.default_rng(seed).normal(size=(300, 10))).graph.sum()
        for seed in range(8)
    ]
    assert np.mean(false) <= 1.0


@pytest.mark.parametrize("decide", ["gates", "certificate", "both"])
def test_each_half_alone_can_decide(decide: str) -> None:
    assert found(gp.analyze(gp.Skeleton(full()), process(), decide=decide)) >= TRUTH


def test_moments_can_be_computed_before() -> None:
    engine = AdditiveEngine()
    config = make_config({}, engine.options)
    skeleton = gp.Skeleton(full())
    data = process()
    first = Moments.of(as_panel(data[:500]), 3)
    halves = first + Moments.of(as_panel(data[500:]), 3, reference=first)
    outcome = engine.refine_moments(skeleton, halves, config)
    assert {tuple(map(int, cell)) for cell in np.argwhere(outcome.graph)} >= TRUTH
    assert outcome.rows_used == 497 + 497


def test_open_probability_is_the_l0_term() -> None:
    assert float(open_probability(np.array(0.0))) == pytest.approx(0.8318, abs=1e-3)


def test_what_an_unoriented_neighbour_explains_is_closed() -> None:
    """1 -> 2 at lag 2 and 2 -> 3 at lag 0, seen as 2 - 3: then 1 -> 3 at lag 2 is indirect."""
    mask = full()
    alone = gp.analyze(gp.Skeleton(mask), process())
    assert alone.graph[1, 3, 2]  # without the neighbour it looks direct
    mask[2, 3, 0] = mask[3, 2, 0] = True
    beside = gp.analyze(gp.Skeleton(mask), process())
    assert found(beside) == TRUTH | {(2, 3, 0), (3, 2, 0)}
    assert beside.outcome.p_value[1, 3, 2] > beside.alpha


@pytest.mark.parametrize(("seed", "weight"), [(7, 0.15), (3, 0.2)])
def test_a_weak_cause_beside_a_strong_one_comes_back(seed: int, weight: float) -> None:
    """Where training stops early its gate has not opened; a price of one's own binds."""
    x = np.random.default_rng(seed).normal(size=(1000, 3))
    x[1:, 1] += weight * x[:-1, 0] + 3.0 * x[:-1, 2]
    trained = gp.analyze(gp.Skeleton(full(3, 1)), x)
    early = gp.analyze(gp.Skeleton(full(3, 1)), x, steps=1)
    assert found(trained) == found(early) == {(0, 1, 1), (2, 1, 1)}
    assert trained.gates[0, 1, 1] == 1.0
    assert early.gates[0, 1, 1] < 0.5
    bound = gp.analyze(gp.Skeleton(full(3, 1)), x, steps=1, penalty=trained.outcome.penalty)
    assert found(bound) == {(2, 1, 1)}
