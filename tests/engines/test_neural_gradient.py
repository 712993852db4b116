"""The gradient that is written out, against automatic differentiation of the same loss."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grace_plugin.engines.neural.data import Gathered, Problem, Windows
from grace_plugin.engines.neural.gates import open_probability, sample
from grace_plugin.engines.neural.gradient import Draw, loss_and_slopes
from grace_plugin.engines.neural.model import (
    Architecture,
    Sparsity,
    Weights,
    initial_weights,
    negative_log_likelihood,
    predict,
)
from grace_plugin.engines.neural.schedule import Schedule
from grace_plugin.engines.neural.training import Trained, train
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import as_panel

pytestmark = pytest.mark.neural
E, K, B, V = 3, 4, 11, 6


def made(
    features: int, shape: Architecture
) -> tuple[Weights, torch.Tensor, torch.Tensor, torch.Tensor, torch.Generator]:
    generator = torch.Generator().manual_seed(4)
    weights = initial_weights(E, V, features, shape, generator)
    weights = Weights(*(tensor.double() for tensor in weights.tensors))
    columns = torch.randint(0, V, (E, K), generator=generator)
    inputs = torch.randn(E, K, features, B, generator=generator, dtype=torch.float64)
    return weights, columns, inputs, torch.randn(E, B, generator=generator, dtype=torch.float64), generator


@pytest.mark.parametrize("features", [1, 3])
@pytest.mark.parametrize("per_row", [False, True])
@pytest.mark.parametrize("constant_noise", [False, True])
@pytest.mark.parametrize("layers", [1, 3])
def test_slopes_are_those_of_automatic_differentiation(
    features: int, per_row: bool, constant_noise: bool, layers: int
) -> None:
    shape = Architecture(8, 5, constant_noise, decoder_layers=layers, normal_start=layers > 1)
    weights, columns, inputs, target, generator = made(features, shape)
    log_alpha = torch.linspace(-2.0, 3.0, E * K, dtype=torch.float64).reshape(E, K)
    trained = torch.rand(E, K, generator=generator) < 0.7
    fixed = ~trained & (torch.rand(E, K, generator=generator) < 0.5)
    state = generator.get_state()
    rows = B if per_row else 1
    trained, fixed = trained[..., None], fixed[..., None].double()
    draw = Draw.of(log_alpha[..., None], trained, fixed, rows, generator)
    slopes = Weights(*(torch.zeros_like(tensor) for tensor in weights.tensors))
    loss, of_gates = loss_and_slopes(
        weights, columns.flatten(), inputs, target, draw.gates, shape, slopes, 0.5, gates_move=True
    )
    assert of_gates is not None

    for tensor in (*weights.tensors, log_alpha):
        tensor.requires_grad_()
    generator.set_state(state)
    noise = torch.rand((E, K, rows), generator=generator, dtype=torch.float64) * (1 - 2e-6) + 1e-6
    gates = torch.where(trained, sample(log_alpha[..., None], noise), fixed)
    mean, sigma = predict(weights, columns, inputs, gates if per_row else gates[..., 0], shape)
    expected = negative_log_likelihood(target, mean, sigma).sum()
    (0.5 * expected).backward()
    assert float(loss) == pytest.approx(float(expected.detach()), abs=1e-9)
    for tensor, slope in zip(weights.tensors, slopes.tensors, strict=True):
        if not tensor.numel():  # there are no further layers
            continue
        assert tensor.grad is not None
        torch.testing.assert_close(slope, tensor.grad)
    torch.testing.assert_close(draw.slope(of_gates), log_alpha.grad)
    assert (draw.slope(of_gates)[~trained[..., 0]] == 0.0).all()
    assert float(draw.slope(of_gates).abs().sum()) > 0.01


def test_weights_start_with_the_spreads_of_the_authors_package() -> None:
    """As measured there before training: encoder .82 of three features, layers .125, outputs .0174."""
    shape = Architecture(decoder_layers=2, normal_start=True)
    weights = initial_weights(20, 120, 3, shape, torch.Generator().manual_seed(0))
    spreads = {
        name: float(tensor.std()) for name, tensor in vars(weights).items() if not name.endswith("bias")
    }
    expected = {"encoder": 0.8165 * 0.75**0.5, "hidden": 0.125, "further": 0.125, "output": 0.0174}
    assert spreads == pytest.approx(expected, rel=0.03)  # a fourth of the encoder are its biases
    biases = (weights.encoder[:, -1], weights.hidden_bias, weights.further_bias, weights.output_bias)
    assert not any(bias.any() for bias in biases)


def test_the_slope_of_the_price() -> None:
    """With crowded pairs, whose strongest free lags do not feel the crowd."""
    log_alpha = torch.tensor([[0.5, -1.0, 2.0, 9.0], [0.1, 0.2, 0.3, 9.0]], requires_grad=True)
    trained = torch.tensor([[True, True, True, False], [True, True, True, False]])
    pairs = torch.arange(2)[:, None] * 2 + torch.tensor([[0, 0, 1, 0], [1, 1, 1, 0]])
    free = torch.tensor([1.0, 2.0, 0.0, 1.0])
    _, slope = Sparsity(0.3, 0.7, pairs, free).cost_and_slope(log_alpha.detach(), trained)
    probability = torch.where(trained, open_probability(log_alpha), 0.0)
    (each,) = torch.autograd.grad(probability.sum(), log_alpha)
    # Of the pairs of problem 0, the first has two lags, one free; of problem 1, three, one free.
    price = torch.tensor([[0.3, 1.0, 0.3, 0.0], [1.0, 1.0, 0.3, 0.0]])
    torch.testing.assert_close(slope, each * price)


def _trained(problems: list[Problem], data: np.ndarray) -> Trained:
    panel = as_panel(data)
    windows = Windows(panel, Moments.of(panel, 2), ("linear",), torch.device("cpu"))
    gathered = Gathered.of(problems, windows, data.shape[1])
    schedule = Schedule(epochs=30, initial_gate=0.5, gate_learning_rate=2e-2, noise_per_row=True)
    generator = torch.Generator().manual_seed(1)
    return train(gathered, windows, windows.times, Sparsity(0.3), Architecture(), schedule, generator)


def test_gates_come_back_in_the_order_of_their_problems() -> None:
    """Whatever the number of their candidates, by which training sorts and cuts them."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(300, 30))
    data[1:, 3] += data[:-1, 0]
    few = [Problem(e, np.array([[0, 1]]), np.array([False])) for e in range(3, 28)]
    every = np.array([(cause, lag) for cause in range(30) for lag in (1, 2)])
    many = Problem(28, every, np.zeros(len(every), dtype=bool))
    problems = [*few[:20], many, *few[20:]]
    gates = _trained(problems, data).log_alpha
    assert gates.shape == (26, 60)
    assert int(gates[:, 0].argmax()) == 0  # 0 -> 3 is the only effect
    assert float(gates[0, 0]) > 1.0 > float(gates[1:, 0].max())
    assert (gates[np.arange(26) != 20, 1:] == 0.5).all()  # padding never moves
    assert (gates[20] != 0.5).all()


def test_a_shared_decoder_stays_one_and_learns_from_all_effects() -> None:
    rng = np.random.default_rng(0)
    data = rng.normal(size=(120, 3))
    panel = as_panel(data)
    windows = Windows(panel, Moments.of(panel, 1), ("linear",), torch.device("cpu"))
    problems = [Problem(e, np.array([[0, 1], [1, 1]]), np.zeros(2, dtype=bool)) for e in (1, 2)]
    gathered = Gathered.of(problems, windows, 3)
    shape = Architecture(8, 6, shared_decoder=True, decoder_layers=2)
    schedule = Schedule(epochs=2)

    def decoders(of: Gathered) -> list[torch.Tensor]:
        generator = torch.Generator().manual_seed(1)
        made = train(of, windows, windows.times, Sparsity(0.1), shape, schedule, generator)
        return made.weights.tensors[1:]

    for tensor in decoders(gathered):
        assert torch.equal(tensor[0], tensor[1])
    first_alone = decoders(gathered.some(torch.tensor([0])))
    assert not any(
        torch.equal(both[0], one[0]) for both, one in zip(decoders(gathered), first_alone, strict=True)
    )
