"""Processes without a common cycle, and how often one is seen in them: `python -m tests.cycle_nulls`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from grace_plugin._cycles import shared_cycles
from grace_plugin.panel import as_panel

Process = Callable[[int, int], Any]
COLUMNS = 8


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


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in table())
