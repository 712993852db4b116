"""Generators that others wrote, run as they are: nobody can say that these were made to fit.

tigramite's structural causal processes, causalts' (the paper's own), lingam's causal-based simulator,
gcastle's random graphs with simulated samples. Where a generator has no knob, only "medium" is drawn.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from benchmarks.worlds.base import BoolArray, FloatArray, Rng, World, world
from benchmarks.worlds.process import run, within_step
from benchmarks.worlds.within_step import uniform

_TRIES = 100
_RUNS_AWAY = 1e3


def _seed(rng: Rng) -> int:
    return int(rng.integers(2**31 - _TRIES))


def _padded(truth: Any, lags: int = 3) -> BoolArray:
    """Room for at least three lags."""
    found = np.asarray(truth, dtype=np.bool_)
    return np.pad(found, ((0, 0), (0, 0), (0, max(0, lags + 1 - found.shape[2]))))


def _tigramite(rng: Rng, d: int, rows: int, knob: float, funcs: list[str], now: float) -> World:
    from tigramite.toymodels import structural_causal_processes as source

    sizes = [sign * size * (0.5 + 0.5 * knob) for sign in (-1, 1) for size in (0.3, 0.4, 0.5)]
    first = _seed(rng)
    for seed in range(first, first + _TRIES):
        links, noises = source.generate_structural_causal_process(
            N=d, L=d, dependency_funcs=funcs, dependency_coeffs=sizes, auto_coeffs=[0.3, 0.5, 0.7],
            contemp_fraction=now, max_lag=3, noise_sigmas=[0.5, 1.0, 2.0], seed=seed, noise_seed=seed,
        )  # fmt: skip
        values, broken = source.structural_causal_process(links, T=rows, noises=noises, seed=seed)
        if not broken and np.abs(values).max() < _RUNS_AWAY:
            return World(np.asarray(values, np.float64), _links_truth(links, d))
    msg = f"tigramite drew no stationary process from {_TRIES} seeds."
    raise RuntimeError(msg)


def _links_truth(links: dict[int, list[Any]], d: int) -> BoolArray:
    truth = np.zeros((d, d, 4), dtype=np.bool_)
    for effect, causes in links.items():
        for (cause, lag), coefficient, _ in causes:
            truth[cause, effect, -lag] = coefficient != 0
    return truth


@world("by others", sizes=((6, 500), (10, 500)), strengths=("strong",))
def tigramite_linear(rng: Rng, d: int, rows: int, knob: float) -> World:
    """tigramite's structural causal processes, linear, lagged."""
    return _tigramite(rng, d, rows, knob, ["linear"], 0.0)


@world("by others", strengths=("strong",))
def tigramite_nonlinear(rng: Rng, d: int, rows: int, knob: float) -> World:
    """tigramite's structural causal processes, linear and nonlinear links, lagged."""
    return _tigramite(rng, d, rows, knob, ["linear", "nonlinear"], 0.0)


@world("by others", sizes=((6, 500), (10, 500)), strengths=("strong",))
def tigramite_within_step(rng: Rng, d: int, rows: int, knob: float) -> World:
    """tigramite's structural causal processes, 30 % of the links within one step."""
    return _tigramite(rng, d, rows, knob, ["linear"], 0.3)


def _bundle(made: Any) -> World:
    return World(made["df"].to_numpy(np.float64), _padded(made["ground_truth"]))


@world("by others", sizes=((10, 300), (10, 1000)), strengths=("medium",))
def causalts_scp(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The paper's generator (causalts), sparse, lags to 3."""
    from causalts.synthetic_data import synthetic_datasets as source

    return _bundle(source.SCPGraphGenerator(n_vars=d, max_lag=3).sample(_seed(rng), T=rows, max_tries=500))


@world("by others", sizes=((10, 500),), strengths=("medium",))
def causalts_small_world(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The paper's generator on small-world graphs (causalts)."""
    from causalts.synthetic_data import synthetic_datasets as source

    return _bundle(source.topology_scp("small_world", _seed(rng), n_vars=d, T=rows, max_tries=500))


@world("by others", sizes=((10, 500),), strengths=("medium",))
def causalts_scale_free(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The paper's generator on scale-free graphs (causalts)."""
    from causalts.synthetic_data import synthetic_datasets as source

    return _bundle(source.topology_scp("scale_free", _seed(rng), n_vars=d, T=rows, max_tries=500))


@world("by others", strengths=("medium",))
def causalts_henon_chain(rng: Rng, d: int, rows: int, knob: float) -> World:
    """A chain of coupled Henon maps (causalts): the first of its seeds that does not run away."""
    from causalts.synthetic_data import synthetic_datasets as source

    first = _seed(rng)
    for seed in range(first, first + _TRIES):
        made = _bundle(source.henon_chain(seed, T=rows, M=d))
        if np.abs(made.data).max() < _RUNS_AWAY:
            return made
    msg = f"causalts drew no chain that stays finite from {_TRIES} seeds."
    raise RuntimeError(msg)


@world("by others", sizes=((7, 500),), strengths=("medium",))
def causalts_trends(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Seven variables with a shared quadratic trend and one true link (causalts)."""
    from causalts.synthetic_data import synthetic_datasets as source

    return _bundle(source.confounded_trends(_seed(rng), T=rows))


@world("by others", strengths=("strong",))
def lingam_simulated(rng: Rng, d: int, rows: int, knob: float) -> World:
    """lingam's causal-based simulator on shuffled residuals: independent rows, effects within one step."""
    import lingam

    made = within_step(rng, np.zeros((d, d, 4)), 1.2, (0.4 * knob, 0.8 * knob))
    source = run(rng, made, rows, uniform)
    simulator = lingam.CausalBasedSimulator()
    simulator.train(source, made[:, :, 0].T, cd_algo_name="DirectLiNGAM")  # lingam's order: [effect, cause]
    values = simulator.run(shuffle_residual=True, random_state=_seed(rng))
    return World(np.asarray(values, np.float64), made != 0)


def _gcastle(rng: Rng, d: int, rows: int, knob: float, method: str, kind: str) -> World:
    from castle.datasets import DAG, IIDSimulation

    size = 0.3 + 0.7 * knob
    graph = DAG.erdos_renyi(
        n_nodes=d, n_edges=round(1.4 * d), weight_range=(size, 1.5 * size), seed=_seed(rng)
    )
    np.random.seed(_seed(rng))  # noqa: NPY002  (gcastle draws from numpy's global state)
    logging.disable(logging.INFO)
    try:
        made = IIDSimulation(W=graph, n=rows, method=method, sem_type=kind)
    finally:
        logging.disable(logging.NOTSET)
    truth = np.zeros((d, d, 4), dtype=np.bool_)
    truth[:, :, 0] = np.asarray(made.B) != 0
    values: FloatArray = np.asarray(made.X, np.float64)
    return World(values, truth)


@world("by others", strengths=("strong",))
def gcastle_gaussian(rng: Rng, d: int, rows: int, knob: float) -> World:
    """gcastle's random graphs, independent rows: all effects within one step, no past at all, Gaussian."""
    return _gcastle(rng, d, rows, knob, "linear", "gauss")


@world("by others", strengths=("strong",))
def gcastle_exponential(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The same with exponential noise, whose shape orients."""
    return _gcastle(rng, d, rows, knob, "linear", "exp")


@world("by others", strengths=("strong",))
def gcastle_quadratic(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The same with quadratic effects."""
    return _gcastle(rng, d, rows, knob, "nonlinear", "quadratic")
