"""Series with and without a common cycle; `python -m tests.cycle_cases` counts alarms and false edges."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import grace_plugin as gp
from grace_plugin.prepare.cycles import shared_cycles
from grace_plugin.series.panel import as_panel

Process = Callable[[int, int], Any]
COLUMNS = 8
PERIOD = 24


def cyclic(rows: int = 1000, share: float = 0.4, period: float = PERIOD, seed: int = 0) -> Any:
    """Independent AR(1) series; all but the last have the cycle, each with a phase of its own."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    for t in range(1, rows):
        x[t] += 0.5 * x[t - 1]
    wave = np.sin(2 * np.pi * np.arange(rows)[:, None] / period + rng.uniform(0, 6, 4))
    x[:, :3] = x[:, :3] / x[:, :3].std(axis=0) * np.sqrt(1 - share) + np.sqrt(2 * share) * wave[:, :3]
    return x


def without_cycle(x: Any) -> Any:
    """The remedy that the warning names last."""
    mean = np.stack([x[place::PERIOD].mean(axis=0) for place in range(PERIOD)])
    return x - mean[np.arange(len(x)) % PERIOD]


def with_columns(x: Any) -> Any:
    """The cycle as variables of the data, where it should be given as controls."""
    angle = 2 * np.pi * np.arange(len(x)) / PERIOD
    return np.column_stack([x, np.sin(angle), np.cos(angle)])


def edges_between(x: Any, **options: Any) -> int:
    graph = gp.discover(x, 3, **options).graph[:4, :4].copy()
    graph[np.arange(4), np.arange(4)] = False
    return int(graph.sum())


def noise(seed: int, rows: int) -> Any:
    return np.random.default_rng(seed).normal(size=(rows, COLUMNS))


def slow(seed: int, rows: int, past: float) -> Any:
    """AR(1)."""
    x = noise(seed, rows + 200)
    for t in range(1, len(x)):
        x[t] += past * x[t - 1]
    return x[200:]


def oscillators(seed: int, rows: int, modulus: float, period: float = 12.0) -> Any:
    """AR(2) of one frequency, driven by noise of its own in each column."""
    x = noise(seed, rows + 300)
    for t in range(2, len(x)):
        x[t] += 2.0 * modulus * np.cos(2.0 * np.pi / period) * x[t - 1] - modulus**2 * x[t - 2]
    return x[300:]


def driven(seed: int, rows: int, modulus: float) -> Any:
    """A chain that begins with one such oscillator: a narrow band that causes share."""
    x = noise(seed + 10_000, rows + 1)
    first = oscillators(seed, rows + 1, modulus)[:, 0]
    x[:, 0] = first / first.std()
    x[:, 1:] *= 0.5
    for column in range(1, COLUMNS):
        x[1:, column] += x[:-1, column - 1]
    return x[1:]


def lorenz96(seed: int, rows: int, force: float = 8.0, step: float = 0.02) -> Any:
    """Runge-Kutta steps, one row in five."""

    def slope(x: Any) -> Any:
        return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + force

    x, found = force + 0.1 * np.random.default_rng(seed).normal(size=COLUMNS), []
    for _ in range(5 * (rows + 100)):
        a = slope(x)
        b = slope(x + step / 2 * a)
        c = slope(x + step / 2 * b)
        x = x + step / 6 * (a + 2 * b + 2 * c + slope(x + step * c))
        found.append(x)
    return np.array(found[500::5])


NULLS: dict[str, Process] = {
    "white noise": noise,
    "AR(1), 0.5": partial(slow, past=0.5),
    "AR(1), 0.95": partial(slow, past=0.95),
    "AR(2) oscillators, modulus 0.9": partial(oscillators, modulus=0.9),
    "AR(2) oscillators, modulus 0.95": partial(oscillators, modulus=0.95),
    "AR(2) oscillators, modulus 0.98": partial(oscillators, modulus=0.98),
    "a chain behind one of modulus 0.95": partial(driven, modulus=0.95),
}


def alarms(process: Process, rows: int, seeds: range) -> int:
    """In how many of `seeds` a cycle is seen."""
    return sum(next(shared_cycles(as_panel(process(seed, rows))), None) is not None for seed in seeds)


def table(sizes: tuple[int, ...] = (160, 500, 2000)) -> Iterator[str]:
    yield f"| alarms in 200 seeds | {' | '.join(f'{rows} rows' for rows in sizes)} |"
    yield "|---|" + "---|" * len(sizes)
    for name, process in NULLS.items():
        counts = [str(alarms(process, rows, range(200))) for rows in sizes]
        yield f"| {name} | {' | '.join(counts)} |"


def harm(shares: tuple[float, ...] = (0.1, 0.2, 0.4), seeds: range = range(10)) -> Iterator[str]:
    """False edges among four independent series, three of them with the cycle."""
    yield "| share of the cycle | as they are | mean cycle subtracted | sine and cosine added |"
    yield "|---|---|---|---|"
    for share in shares:
        worlds = [cyclic(share=share, seed=seed) for seed in seeds]
        remedies: tuple[Callable[[Any], Any], ...] = (np.array, without_cycle, with_columns)
        means = [np.mean([edges_between(remedy(x)) for x in worlds]) for remedy in remedies]
        yield f"| {share:.0%} | {' | '.join(f'{mean:.1f}' for mean in means)} |"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in (*table(), *harm()))
