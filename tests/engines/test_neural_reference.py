"""Every equation of the paper's model, written out slowly, against the engine's batched version."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from grace_plugin.engines.level import paper_penalty
from grace_plugin.engines.neural.certificate import whole_gains
from grace_plugin.engines.neural.data import Gathered, Problem, Windows
from grace_plugin.engines.neural.gates import deterministic, open_probability, sample
from grace_plugin.engines.neural.model import (
    Architecture,
    Sparsity,
    Weights,
    initial_weights,
    negative_log_likelihood,
    predict,
)
from grace_plugin.engines.neural.schedule import Patience, Schedule, batch_size
from grace_plugin.engines.neural.training import _Trainer
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.regressions import Regressions
from grace_plugin.series.panel import as_panel

pytestmark = pytest.mark.neural

TAU, GAMMA, ZETA = 2.0 / 3.0, -0.1, 1.1


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def slow_sample(log_alpha: float, u: float) -> float:
    s = sigmoid((math.log(u) - math.log(1.0 - u) + log_alpha) / TAU)
    return min(max(s * (ZETA - GAMMA) + GAMMA, 0.0), 1.0)


def slow_open_probability(log_alpha: float) -> float:
    return sigmoid(log_alpha - TAU * math.log(-GAMMA / ZETA))


def silu(x: float) -> float:
    return x * sigmoid(x)


def slow_prediction(
    weights: Weights, problem: int, columns: list[int], x: list[list[float]], z: list[float]
) -> tuple[float, float]:
    """Encoder (eq. 2), gated sum (eq. 3), decoder (eq. 4) for one row of one effect."""
    encoder = weights.encoder.detach().double().numpy()
    size = encoder.shape[2]
    aggregate = np.zeros(size)
    for place, column in enumerate(columns):
        hidden = encoder[column, -1].copy()  # the bias
        for feature, value in enumerate(x[place]):
            hidden += encoder[column, feature] * value
        aggregate += z[place] * hidden
    first = weights.hidden.detach().double().numpy()[problem]
    first_bias = weights.hidden_bias.detach().double().numpy()[problem]
    layer = [silu(float(aggregate @ first[:, m] + first_bias[m])) for m in range(first.shape[1])]
    second = weights.output.detach().double().numpy()[problem]
    second_bias = weights.output_bias.detach().double().numpy()[problem]
    mean, raw = (float(np.dot(second[i], layer) + second_bias[i]) for i in range(2))
    return mean, math.log1p(math.exp(raw)) + 1e-3


def slow_nll(x: float, mean: float, sigma: float) -> float:
    return (x - mean) ** 2 / (2 * sigma**2) + math.log(sigma) + 0.5 * math.log(2 * math.pi)


def small_case(features: tuple[str, ...] = ("linear",)) -> tuple[np.ndarray, Windows, Gathered, Weights]:
    data = np.random.default_rng(3).normal(size=(40, 3))
    panel = as_panel(data)
    moments = Moments.of(panel, 2)
    windows = Windows(panel, moments, features, "cpu")
    problems = [
        Problem(0, np.array([[0, 1], [1, 2], [2, 1]]), np.array([False, False, True])),
        Problem(2, np.array([[1, 1]]), np.array([False])),
    ]
    gathered = Gathered.of(problems, windows, 3)
    generator = torch.Generator().manual_seed(1)
    weights = initial_weights(2, gathered.n_inputs, len(features), Architecture(8, 6), generator)
    return (data - data.mean(axis=0)) / data.std(axis=0), windows, gathered, weights


@pytest.mark.parametrize("log_alpha", [-3.0, -0.5, 0.0, 2.5])
def test_gate_sample_value_and_probability(log_alpha: float) -> None:
    tensor = torch.tensor(log_alpha, dtype=torch.float64)
    for u in (0.001, 0.2, 0.5, 0.9, 0.999):
        drawn = sample(tensor, torch.tensor(u, dtype=torch.float64))
        assert float(drawn) == pytest.approx(slow_sample(log_alpha, u), abs=1e-12)
    value = min(max(sigmoid(log_alpha) * (ZETA - GAMMA) + GAMMA, 0.0), 1.0)
    assert float(deterministic(tensor)) == pytest.approx(value, abs=1e-12)
    assert float(open_probability(tensor)) == pytest.approx(slow_open_probability(log_alpha), abs=1e-12)
    many = torch.linspace(1e-5, 1 - 1e-5, 200_001, dtype=torch.float64)
    share = float((sample(tensor, many) > 0).double().mean())
    assert share == pytest.approx(slow_open_probability(log_alpha), abs=1e-4)


def constants(log_alpha: float) -> tuple[float, float]:
    """kappa = dP(z != 0)/dlog_alpha and R = E[dz/dlog_alpha] (appendix B), by automatic differentiation."""
    tensor = torch.tensor(log_alpha, dtype=torch.float64, requires_grad=True)
    (kappa,) = torch.autograd.grad(open_probability(tensor), tensor)
    noise = (torch.arange(400_000, dtype=torch.float64) + 0.5) / 400_000
    (slope,) = torch.autograd.grad(sample(tensor, noise).mean(), tensor)
    return float(kappa), float(slope)


def test_constants_of_appendix_b() -> None:
    kappa, slope = constants(0.0)
    assert kappa == pytest.approx(0.140, abs=1e-3)
    assert slope == pytest.approx(0.219, abs=1e-3)
    assert slope / kappa == pytest.approx(1.56, abs=1e-2)
    kappa, slope = constants(-0.5)
    assert slope / kappa == pytest.approx(1.12, abs=1e-2)
    assert -TAU * math.log(-GAMMA / ZETA) == pytest.approx(1.60, abs=2e-3)


def test_initial_gate_is_below_the_threshold() -> None:
    assert float(deterministic(torch.tensor(-0.5))) == pytest.approx(0.36, abs=0.01)
    assert Schedule().initial_gate == -0.5


@pytest.mark.parametrize("features", [("linear",), ("linear", "square")])
@pytest.mark.parametrize("per_row", [False, True])
def test_prediction_is_the_paper_s_term_by_term(features: tuple[str, ...], per_row: bool) -> None:
    standard, windows, gathered, weights = small_case(features)
    times = windows.times[:5]
    inputs = windows.inputs(gathered.offsets, times)
    shape = (2, 3, 5) if per_row else (2, 3)
    gates = torch.rand(shape, generator=torch.Generator().manual_seed(2))
    gates = gates * (gathered.live[..., None] if per_row else gathered.live)
    mean, sigma = predict(weights, gathered.columns, inputs, gates, Architecture(8, 6))
    for e, parents in enumerate(([(0, 1), (1, 2), (2, 1)], [(1, 1)])):
        for b, t in enumerate(times.tolist()):
            values = [[standard[t - lag, cause]] for cause, lag in parents]
            if len(features) == 2:
                values = [[v[0], min(v[0] ** 2, 9.0) - 1.0] for v in values]
            z = [float(gates[e, k, b] if per_row else gates[e, k]) for k in range(len(parents))]
            columns = [lag * 3 + cause for cause, lag in parents]
            expected = slow_prediction(weights, e, columns, values, z)
            assert float(mean[e, b].detach()) == pytest.approx(expected[0], abs=1e-4)
            assert float(sigma[e, b].detach()) == pytest.approx(expected[1], abs=1e-4)


def test_constant_noise_does_not_depend_on_the_parents() -> None:
    _, windows, gathered, weights = small_case()
    inputs = windows.inputs(gathered.offsets, windows.times)
    gates = gathered.live.float()
    _, sigma = predict(weights, gathered.columns, inputs, gates, Architecture(8, 6, constant_noise=True))
    assert float(sigma.detach().std(dim=1).max()) == pytest.approx(0.0, abs=1e-6)
    _, sigma = predict(weights, gathered.columns, inputs, gates, Architecture(8, 6))
    assert float(sigma.detach().std(dim=1).min()) > 1e-3


def test_likelihood() -> None:
    for x, mean, sigma in ((0.3, -1.0, 0.5), (2.0, 2.0, 1.5)):
        got = negative_log_likelihood(torch.tensor(x), torch.tensor(mean), torch.tensor(sigma))
        assert float(got) == pytest.approx(slow_nll(x, mean, sigma), abs=1e-6)
        normal = torch.distributions.Normal(mean, sigma)
        assert float(got) == pytest.approx(-float(normal.log_prob(torch.tensor(x))), abs=1e-6)


def test_l0_and_lag_concentration() -> None:
    log_alpha = torch.tensor([[0.5, -1.0, 2.0, 9.0], [0.1, 0.2, 0.3, 9.0]])
    trained = torch.tensor([[True, True, True, False], [True, True, True, False]])
    causes = torch.tensor([[0, 0, 1, 0], [1, 1, 1, 0]])
    free = np.array([[1.0, 2.0], [0.5, 1.5]])  # [cause, effect]
    table = torch.from_numpy(free.T.copy()).float().flatten()
    pairs = torch.arange(2)[:, None] * 2 + causes
    got, _ = Sparsity(0.3, 0.7, pairs, table).cost_and_slope(log_alpha, trained)
    expected = 0.0
    for e in range(2):
        lags = {0: 0.0, 1: 0.0}
        for k in range(3):
            probability = slow_open_probability(float(log_alpha[e, k]))
            expected += 0.3 * probability
            lags[int(causes[e, k])] += probability
        expected += 0.7 * sum(max(total - free[cause, e], 0.0) for cause, total in lags.items())
    assert float(got) == pytest.approx(expected, abs=1e-5)


def test_pairs_are_numbered_per_effect_with_their_own_free_lags() -> None:
    _, _, gathered, _ = small_case()
    free = np.arange(9.0).reshape(3, 3)  # [cause, effect]
    pairs, table = gathered.pairs_and(free)
    for e, effect in enumerate((0, 2)):
        for k in range(int(gathered.live[e].sum())):
            assert float(table[pairs[e, k]]) == free[int(gathered.causes[e, k]), effect]
    assert len({int(pairs[0, k]) for k in range(3)} | {int(pairs[1, 0])}) == 4


def test_loss_of_one_batch() -> None:
    """Eq. 9: the likelihood averaged over rows and effects, plus lambda * s * sum of P(z != 0)."""
    standard, windows, gathered, _ = small_case()
    schedule = Schedule(batch_size=8)
    generator = torch.Generator().manual_seed(5)
    trainer = _Trainer(gathered, windows, Sparsity(0.2), Architecture(8, 6), schedule, generator)
    state = generator.get_state()
    times = windows.times[:8]
    loss = float(trainer._loss(times))
    generator.set_state(state)
    noise = torch.rand((2, 3), generator=generator).double().numpy()
    expected = 0.0
    for e, (effect, parents) in enumerate(((0, [(0, 1), (1, 2), (2, 1)]), (2, [(1, 1)]))):
        z = [slow_sample(-0.5, noise[e, k] * (1 - 2e-6) + 1e-6) for k in range(len(parents))]
        if effect == 0:
            z[2] = 1.0  # not up for decision
        for t in times.tolist():
            x = [[standard[t - lag, cause]] for cause, lag in parents]
            columns = [lag * 3 + cause for cause, lag in parents]
            mean, sigma = slow_prediction(trainer.weights, e, columns, x, z)
            expected += slow_nll(standard[t, effect], mean, sigma) / (8 * 2)
    expected += 0.2 / 2 * 3 * slow_open_probability(-0.5)
    assert loss == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("rows", "expected"), [(40, 32), (256, 32), (400, 50), (2000, 250), (9000, 256)])
def test_batch_size_rule(rows: int, expected: int) -> None:
    assert batch_size(rows) == expected == max(32, min(rows // 8, 256))


def test_batches_leave_no_small_rest() -> None:
    """995 rows in batches of 124 leave 3 rows over; a step on them counts as much as any other."""
    _, windows, gathered, _ = small_case()
    for rounded, expected in ((False, [111] * 5 + [110] * 4), (True, [125] * 3 + [124] * 5)):
        schedule = Schedule(batch_size=124, rounded_steps=rounded)
        generator = torch.Generator().manual_seed(5)
        trainer = _Trainer(gathered, windows, Sparsity(0.2), Architecture(8, 6), schedule, generator)
        order = torch.randperm(995, generator=generator)
        batches = trainer._batches(order)
        assert [len(batch) for batch in batches] == expected
        assert torch.equal(torch.cat(list(batches)), order)


def test_settled_problems_are_left_alone_and_the_others_go_on() -> None:
    _, windows, gathered, _ = small_case()
    schedule = Schedule(batch_size=37, weight_decay=0.0, settled=0.2)
    generator = torch.Generator().manual_seed(5)
    pairs, table = gathered.pairs_and(np.ones((3, 3)))
    sparsity = Sparsity(torch.tensor([[0.2], [0.1]]), 0.3, pairs, table)
    trainer = _Trainer(gathered, windows, sparsity, Architecture(8, 6), schedule, generator)
    assert not trainer.settle()
    with torch.no_grad():
        trainer.log_alpha[0] = 3.0
    assert trainer.settle()
    assert (trainer.unsettled, trainer.gathered.effects.tolist()) == (1, [2])
    assert trainer.gathered.live.shape == (1, 1)  # no padding that the other one needed
    before = [tensor.detach().clone() for tensor in trainer.weights.tensors]
    trainer._step(windows.times)
    for old, new in zip(before[1:], trainer.weights.tensors[1:], strict=True):
        assert torch.equal(old[0], new[0])
        assert new.numel() == 0 or not torch.equal(old[1], new[1])  # one hidden layer has none further in
    assert (trainer.log_alpha[0] == 3.0).all()
    assert float(trainer.log_alpha.detach()[1, 0]) != -0.5
    with torch.no_grad():
        trainer.log_alpha[1] = -4.0
    assert trainer.settle()
    assert trainer.unsettled == 0


def test_settled_problems_do_not_change_the_loss_of_the_others() -> None:
    """The loss of one problem is that of a run in which it is the only one."""
    _, windows, gathered, _ = small_case()
    schedule = Schedule(settled=0.2)
    generator = torch.Generator().manual_seed(5)
    trainer = _Trainer(gathered, windows, Sparsity(0.2), Architecture(8, 6), schedule, generator)
    with torch.no_grad():
        trainer.log_alpha[0] = 3.0
    trainer.settle()
    alone = gathered.some(torch.tensor([1]))
    other = _Trainer(alone, windows, Sparsity(0.2), Architecture(8, 6), schedule, generator)
    other.weights = trainer.weights.of(torch.tensor([1]))
    other._gather()
    state = generator.get_state()
    left = float(trainer._loss(windows.times))
    generator.set_state(state)
    assert float(other._loss(windows.times)) == pytest.approx(left, abs=1e-6)


def test_gain_of_all_candidates_together() -> None:
    """Against plain least squares with the adjusted residual variance."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(300, 3))
    data[1:, 2] += 0.8 * data[:-1, 0] + 0.5 * data[:-1, 1] ** 2
    panel = as_panel(data)
    moments = Moments.of(panel, 1, ("linear", "square"))
    parents = np.array([[0, 1], [1, 1], [2, 1]])
    fixed = np.zeros(3, dtype=bool)
    asked = [Problem(2, parents, fixed), Problem(0, parents[:1], fixed[:1])]
    got = whole_gains(Regressions(moments, ("a", "b", "c")), asked)
    standard = (data - moments.center) / moments.scale
    for (effect, count), gain in zip(((2, 3), (0, 1)), got, strict=True):
        columns = [
            f(standard[:-1, c]) for c in range(count) for f in (lambda x: x, lambda x: np.minimum(x**2, 9))
        ]
        design = np.column_stack([np.ones(299), *columns])
        target = standard[1:, effect]
        residual = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
        left = (residual @ residual / (298 - 2 * count)) / target.var(ddof=1)
        assert gain == pytest.approx(max(0.0, -0.5 * np.log(left)), abs=1e-6)


def test_penalty_rule_with_l0_normalisation() -> None:
    mask = np.zeros((20, 20, 6), dtype=bool)
    mask[0, 1:11, 1:4] = True
    density = 30 / (20 * 20 * 6 - 20)
    rule = max(0.007 + 0.16 * density, 1 / 20 + 4 / 995 - 0.4 * density**0.8)
    steps = math.ceil(995 / 124)
    assert paper_penalty(Skeleton(mask), 995) == pytest.approx(rule / steps * 20)


def test_patience_counts_epochs_without_a_better_loss() -> None:
    patience = Patience(3)
    losses = [5.0, 4.0, 4.5, 4.2, 3.9, 4.0, 4.0, 4.0]
    assert [patience.exhausted(loss) for loss in losses] == [False] * 7 + [True]


def test_adam_moves_weights_and_gates_at_their_own_rates() -> None:
    """The first step of Adam is the learning rate times the gradient's sign."""
    _, windows, gathered, _ = small_case()
    schedule = Schedule(batch_size=37, weight_decay=0.0, learning_rate=1e-3, gate_learning_rate=1e-2)
    generator = torch.Generator().manual_seed(5)
    trainer = _Trainer(gathered, windows, Sparsity(0.2), Architecture(8, 6), schedule, generator)
    before = trainer.weights.output.detach().clone()
    trainer._step(windows.times)
    moved = (trainer.weights.output.detach() - before).abs()
    assert float(moved.median()) == pytest.approx(1e-3, rel=0.02)
    gates = (trainer.log_alpha.detach() + 0.5).abs()[trainer.trained]
    assert float(gates.median()) == pytest.approx(1e-2, rel=0.02)
    assert float((trainer.log_alpha.detach() + 0.5)[~trainer.trained].abs().max()) == 0.0


def test_cosine_rates_fall_to_zero() -> None:
    _, windows, gathered, _ = small_case()
    schedule = Schedule(batch_size=37, cosine=True, epochs=4)
    generator = torch.Generator().manual_seed(5)
    trainer = _Trainer(gathered, windows, Sparsity(0.2), Architecture(8, 6), schedule, generator)
    rates = []
    for number in range(4):
        trainer.epoch(windows.times, number)
        rates.append(trainer.optimiser.param_groups[0]["lr"])
    expected = [1e-3 * 0.5 * (1 + math.cos(math.pi * n / 4)) for n in range(4)]
    assert rates == pytest.approx(expected)
