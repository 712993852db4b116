"""The neural engine on small known graphs: decisions, options, data forms, and good manners."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import grace_plugin as gp
from grace_plugin._common.config import make_config
from grace_plugin.engines.neural import training as neural_training
from grace_plugin.engines.neural.engine import NeuralEngine
from grace_plugin.engines.neural.options import PAPER, NeuralOptions
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.series.panel import as_panel

pytestmark = pytest.mark.neural

TRUTH = {(0, 0, 1), (0, 1, 1), (1, 2, 2)}


def process(rows: int = 400, seed: int = 0) -> np.ndarray:
    """0 -> 0 and 0 -> 1 at lag 1 (linear), 1 -> 2 at lag 2 (absolute value)."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    for t in range(2, rows):
        x[t, 0] += 0.6 * x[t - 1, 0]
        x[t, 1] += 0.8 * x[t - 1, 0]
        x[t, 2] += 1.2 * abs(x[t - 2, 1])
    return x


def full(d: int = 3, max_lag: int = 2) -> np.ndarray:
    mask = np.ones((d, d, max_lag + 1), dtype=bool)
    mask[:, :, 0] = False
    return mask


def found(result: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(int(c), int(e), int(lag)) for c, e, lag in np.argwhere(result.graph)}


def refine(mask: np.ndarray, data: Any, **options: Any) -> gp.Refinement:
    return gp.analyze(gp.Skeleton(mask), data, engine="neural", progress=False, **options)


def test_edges_are_found_at_their_absolute_positions() -> None:
    usual = refine(full(), process())
    assert found(usual) == TRUTH
    assert usual.gates.shape == (3, 3, 3)
    assert (usual.gates[:, :, 0] == 0.0).all()
    assert (usual.gates[usual.graph] > 0.5).all()
    assert np.isfinite(usual.outcome.p_value[full()]).all()
    assert np.isnan(usual.outcome.p_value[~full()]).all()
    assert set(usual.edges.loc[usual.edges["kept"], "reason"].astype(str)) == {"certificate"}
    assert (usual.outcome.p_value[usual.graph] <= usual.alpha).all()
    assert usual.outcome.rows_used == 398


def test_a_product_of_parents_needs_interactions_or_the_neural_engine() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 3))
    x[1:, 2] += 1.5 * x[:-1, 0] * x[:-1, 1]
    mask = full(3, 1)
    truth = {(0, 2, 1), (1, 2, 1)}
    assert not truth <= found(gp.analyze(gp.Skeleton(mask), x, interactions=False))
    assert found(gp.analyze(gp.Skeleton(mask), x)) == truth
    assert found(refine(mask, x)) == truth


def test_same_input_same_output_and_another_seed_is_another_run() -> None:
    first, again, other = (refine(full(), process(), seed=seed, epochs=5).gates for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("certify", ["either", "likelihood"])
def test_another_default_dtype_of_torch_changes_nothing(certify: str) -> None:
    options = {"epochs": 3, "certify": certify, "certificate_epochs": 1, "gate_threshold": 0.3}
    plain = refine(full(), process(200), **options)
    torch.set_default_dtype(torch.float64)  # as gcastle does when it is imported
    try:
        other = refine(full(), process(200), **options)
    finally:
        torch.set_default_dtype(torch.float32)
    assert np.array_equal(plain.gates, other.gates)


def test_global_state_of_torch_is_left_alone() -> None:
    torch.manual_seed(7)
    before = torch.get_rng_state(), torch.get_num_threads(), torch.get_default_dtype()
    grad = torch.is_grad_enabled()
    refine(full(), process(200), epochs=2, certify="likelihood", certificate_epochs=1, gate_threshold=0.3)
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1:] == (torch.get_num_threads(), torch.get_default_dtype())
    assert torch.is_grad_enabled() == grad


def test_inputs_are_not_changed() -> None:
    data, mask = process(200), full()
    copies = data.copy(), mask.copy()
    refine(mask, data, epochs=2)
    np.testing.assert_array_equal(data, copies[0])
    np.testing.assert_array_equal(mask, copies[1])


def test_kept_edges_stay_open_and_cost_nothing() -> None:
    result = refine(full(), process(), keep=[("x2", "x0", 1)], epochs=10, certify="additive")
    assert result.graph[2, 0, 1]
    assert result.gates[2, 0, 1] == 1.0
    table = result.edges.set_index(["cause", "effect", "lag"])
    assert str(table.loc[("x2", "x0", 1), "reason"]) == "keep"


@pytest.mark.parametrize("certify", ["additive", "likelihood", "either"])
def test_certificates_close_what_gates_left_open(certify: str) -> None:
    result = refine(full(), process(), penalty=0.0, certify=certify, epochs=30)
    assert found(result) == TRUTH
    table = result.edges
    closed = table[~table["kept"] & (table["gate"] > 0.5)]
    assert len(closed)
    assert set(closed["reason"].astype(str)) == {"certificate"}
    assert (closed["p_value"] > result.alpha).all()


def test_held_out_likelihood_certifies_a_product() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 3))
    x[1:, 2] += 1.5 * x[:-1, 0] * x[:-1, 1]
    result = refine(full(3, 1), x, certify="likelihood")
    assert found(result) == {(0, 2, 1), (1, 2, 1)}
    assert (result.outcome.p_value[[0, 1], 2, 1] < result.alpha).all()
    assert (result.outcome.gain[[0, 1], 2, 1] > 0.1).all()


def test_without_a_certificate_gates_decide() -> None:
    result = refine(full(), process(200), certify=None, epochs=5, gate_threshold=0.3)
    np.testing.assert_array_equal(result.graph, result.gates > 0.3)
    assert set(result.edges["reason"].astype(str)) == {"gate"}


def test_unoriented_pairs_are_judged_once() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(400, 3))
    x[:, 1] += 0.8 * x[:, 0]
    x[1:, 1] += 0.5 * x[:-1, 2]
    mask = np.zeros((3, 3, 2), dtype=bool)
    mask[0, 1, 0] = mask[1, 0, 0] = mask[0, 2, 0] = mask[2, 0, 0] = True
    mask[2, 1, 1] = mask[0, 1, 1] = True
    result = refine(mask, x)
    assert found(result) == {(0, 1, 0), (1, 0, 0), (2, 1, 1)}
    assert result.gates[0, 1, 0] == result.gates[1, 0, 0] > 0.5
    assert result.gates[0, 2, 0] == result.gates[2, 0, 0]
    kept = refine(mask, x, keep=[(0, 2, 0)], epochs=3)
    assert kept.graph[0, 2, 0]
    assert kept.graph[2, 0, 0]


def test_a_directed_lag_0_edge_is_a_candidate_like_any_other() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(400, 2))
    x[:, 1] += 0.8 * x[:, 0]
    mask = np.zeros((2, 2, 2), dtype=bool)
    mask[0, 1, 0] = mask[1, 0, 1] = True
    assert found(refine(mask, x)) == {(0, 1, 0)}


def test_no_candidates_at_all() -> None:
    result = refine(np.zeros((3, 3, 2), dtype=bool), process(100))
    assert not result.graph.any()
    assert not result.gates.any()


def test_the_paper_s_letter() -> None:
    assert (PAPER.epochs, PAPER.patience, PAPER.warm_up) == (150, 20, 0)
    assert PAPER.learning_rate == PAPER.gate_learning_rate == 1e-3
    assert (PAPER.weight_decay, PAPER.hidden, PAPER.decoder_hidden) == (1e-4, 64, 64)
    assert (PAPER.features, PAPER.certify, PAPER.settled) == (("linear",), None, 0.0)
    assert (PAPER.batch_size, PAPER.rates, PAPER.gate_noise, PAPER.noise) == (
        "auto",
        "constant",
        "step",
        "decoder",
    )
    assert (PAPER.decoder_layers, PAPER.initial_weights) == (2, "normal")
    paper = refine(full(), process(), preset="paper", epochs=2)
    assert paper.penalty == pytest.approx(refine(full(), process(), penalty="paper", epochs=2).penalty)
    assert paper.outcome.details.options.gate_learning_rate == 1e-3
    # Gates that move at 1e-3 cannot get further than their rate times the number of steps.
    steps = 2 * -(-398 // 49)
    start, way = 0.5, 1.05e-3 * steps
    least, most = (1.2 / (1 + np.exp(-log_alpha)) - 0.1 for log_alpha in (start - way, start + way))
    live = paper.gates[full()]
    assert least <= live.min() < live.max() <= most


def test_what_adds_little_beside_strong_causes_can_be_priced_out() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(400, 3))
    x[1:, 1] += 2.5 * x[:-1, 0] + 0.4 * x[:-1, 2]
    mask = np.zeros((3, 3, 2), dtype=bool)
    mask[[0, 2], 1, 1] = True
    both = {(0, 1, 1), (2, 1, 1)}
    assert found(refine(mask, x)) == both
    assert found(refine(mask, x, least_share=0.2)) == {(0, 1, 1)}
    assert found(refine(mask, x, least_share=0.2, penalty=0.01)) == both


def test_a_strong_own_past_does_not_price_out_the_others() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(400, 2))
    for t in range(1, 400):
        x[t, 1] += 0.95 * x[t - 1, 1] + 0.4 * x[t - 1, 0]
    mask = np.zeros((2, 2, 2), dtype=bool)
    mask[:, 1, 1] = True
    for share in (0.0, 0.05, 0.2):
        assert found(refine(mask, x, least_share=share)) == {(0, 1, 1), (1, 1, 1)}


def test_settled_effects_leave_training_early() -> None:
    early, late = refine(full(), process()), refine(full(), process(), settled=0.0, patience=60)
    np.testing.assert_array_equal(early.graph, late.graph)
    assert early.outcome.details.epochs[0] <= late.outcome.details.epochs[0] == 60
    loose = refine(full(), process(), settled=0.45)
    assert 20 < loose.outcome.details.epochs[0] < 60


def test_lag_concentration_closes_the_second_lag_of_a_pair() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 2))
    x[2:, 1] += 1.5 * x[1:-1, 0] + 0.6 * x[:-2, 0]
    mask = np.zeros((2, 2, 3), dtype=bool)
    mask[0, 1, 1:] = True
    both = {(0, 1, 1), (0, 1, 2)}
    assert found(refine(mask, x)) == both
    assert found(refine(mask, x, lag_concentration=1.0)) == {(0, 1, 1)}
    assert found(refine(mask, x, lag_concentration=1.0, free_lags=2)) == both
    lags = np.ones((2, 2))
    lags[0, 1] = 2
    assert found(refine(mask, x, lag_concentration=1.0, pair_free_lags=lags)) == both


@pytest.mark.parametrize("preset", [None, "paper"])
def test_lag_concentration_leaves_the_free_lag_open(preset: str | None) -> None:
    """A pull on all lags of a pair alike would close every one of them."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(400, 2))
    x[2:, 1] += 1.0 * x[:-2, 0]
    mask = np.zeros((2, 2, 6), dtype=bool)
    mask[0, 1, 1:] = True
    assert found(refine(mask, x, lag_concentration=1.0, preset=preset)) == {(0, 1, 2)}


def test_gaps_series_and_streams_give_the_windows_of_the_additive_engine() -> None:
    data = process(300)
    gap = data.copy()
    gap[100] = np.nan
    options: dict[str, Any] = {"epochs": 3, "gaps": "drop"}
    assert refine(full(), gap, **options).outcome.rows_used == 298 - 3
    pieces = [data[:150], data[150:]]
    assert refine(full(), pieces, **options).outcome.rows_used == 296
    streamed = refine(full(), iter(pieces), **options)
    assert streamed.outcome.rows_used == 298
    additive = gp.analyze(gp.Skeleton(full()), gap, control_lag=0, gaps="drop")
    assert additive.outcome.rows_used == 295


def test_missing_values_are_never_read() -> None:
    """What stands in a row that no complete window holds cannot matter."""
    data = process(300)
    one, other = data.copy(), data.copy()
    one[100] = np.nan
    other[100, 1:] = np.nan
    other[100, 0] = one[99, 0]
    first, second = (refine(full(), x, epochs=3).gates for x in (one, other))
    np.testing.assert_allclose(first, second, atol=0.02)  # the standardisation sees one value more


def test_masked_targets_are_left_out() -> None:
    data = process(300)
    panel = as_panel(data).restricted(np.arange(300) < 200)
    config = make_config({"engine": "neural", "epochs": 2}, NeuralEngine.options)
    assert NeuralEngine().refine(gp.Skeleton(full()), panel, config).rows_used == 198


def test_errors_are_those_of_the_additive_engine() -> None:
    for spoilt, match in ((np.inf, "infinite"), (None, "constant")):
        data = process(100)
        data[5 if spoilt else slice(None), 1] = spoilt or 1.0
        messages = []
        for engine in ("additive", "neural"):
            with pytest.raises(DataError, match=match) as caught:
                gp.analyze(gp.Skeleton(full()), data, engine=engine)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]
    with pytest.raises(DataError, match="complete windows"):
        refine(full(), process(15))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"epochs": 0}, "whole number from 1"),
        ({"certify": "maybe"}, "certify='maybe'; give one of"),
        ({"preset": "papr"}, "preset='papr'"),
        ({"gate_noise": "both"}, "gate_noise"),
        ({"learning_rate": -1.0}, "a number from 0"),
        ({"least_share": -0.1}, "a number from 0"),
        ({"settled": "early"}, "a number from 0"),
        ({"features": ("square",)}, "starts with 'linear'"),
        ({"folds": 1}, "from 2"),
        ({"batch_size": "big"}, "batch_size"),
        ({"pair_free_lags": np.ones(3)}, "pair_free_lags has shape"),
        ({"epoch": 3}, "Did you mean 'epochs'"),
    ],
)
def test_wrong_options_are_refused_with_what_is_accepted(options: dict[str, Any], match: str) -> None:
    with pytest.raises(OptionError, match=match):
        refine(full(), process(50), **options)


@pytest.mark.parametrize(
    "options",
    [{"features": ["linear", "square"]}, {"noise": "constant"}, {"gate_noise": "row"}, {"rates": "cosine"}],
)
def test_every_deviation_is_an_option_that_changes_something(options: dict[str, Any]) -> None:
    plain = refine(full(), process(200), epochs=3)
    changed = refine(full(), process(200), epochs=3, **options)
    assert not np.array_equal(plain.gates, changed.gates)


def test_patience_ends_training_but_not_before_the_warm_up() -> None:
    rates: dict[str, Any] = {"learning_rate": 0.0, "gate_learning_rate": 0.0, "epochs": 40, "patience": 1}
    early = refine(full(), process(100), warm_up=0, **rates)
    late = refine(full(), process(100), warm_up=20, **rates)
    assert early.outcome.details.epochs[0] < 15
    assert 20 < late.outcome.details.epochs[0] < 40


def test_progress_shows_the_open_gates(capsys: pytest.CaptureFixture[str]) -> None:
    gp.analyze(gp.Skeleton(full()), process(100), engine="neural", epochs=200, warm_up=200, progress=True)
    assert "of 18 open" in capsys.readouterr().err


def test_interrupted_training_leaves_no_mess(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: Iterator[int] = iter(range(100))
    step = neural_training._Trainer._step

    def interrupted(self: Any, times: torch.Tensor) -> torch.Tensor:
        if next(calls) == 10:
            raise KeyboardInterrupt
        return step(self, times)

    state = torch.get_rng_state()
    expected = refine(full(), process(100), epochs=4)
    monkeypatch.setattr(neural_training._Trainer, "_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gp.analyze(gp.Skeleton(full()), process(100), engine="neural", epochs=40, progress=True)
    monkeypatch.undo()
    capsys.readouterr()
    assert torch.equal(state, torch.get_rng_state())
    assert torch.is_grad_enabled()
    np.testing.assert_array_equal(refine(full(), process(100), epochs=4).gates, expected.gates)


def test_options_given_beside_the_preset_win() -> None:
    own = NeuralOptions.of({"preset": "paper", "epochs": 7}, gp.Skeleton(full()))
    assert (own.epochs, own.gate_learning_rate) == (7, 1e-3)


def test_an_exclusive_or_of_two_is_found_among_all_lagged_values() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 5))
    x[2:, 4] += 0.9 * np.sign(x[1:-1, 0] * x[:-2, 1])
    found = gp.discover(x, 2, engine="neural", skeleton="full", progress=False)
    assert {tuple(cell) for cell in np.argwhere(found.graph)} == {(0, 4, 1), (1, 4, 2)}
    alike = gp.discover(x, 2, engine="neural", skeleton="full", progress=False, interactions=False)
    assert not alike.graph[:, 4].any()
