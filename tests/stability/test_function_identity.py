"""A cached bootstrap knows its function: its code and everything around it, or it asks for a key."""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import OptionError
from grace_plugin.stability.function_identity import identity_of

LEVEL = 1


def plain(data: Any, level: int = 0) -> Any:
    return data, level


def named(data: Any) -> Any:
    return data, LEVEL


def closing(value: Any) -> Callable[[Any], Any]:
    def run(data: Any) -> Any:
        return data, value

    return run


def inner(value: int) -> Callable[[Any], Any]:
    exec(f"def run(data):\n    def one(): return {value}\n    return one()", made := {})
    return made["run"]


class Host:
    def __init__(self, level: Any) -> None:
        self.level = level

    def run(self, data: Any) -> Any:
        return data, self.level

    def __call__(self, data: Any) -> Any:
        return data, self.level


def cached(value: int) -> Any:
    return functools.lru_cache(closing(value))


PAIRS: dict[str, Callable[[int], Any]] = {
    "a partial's arguments": lambda n: functools.partial(plain, level=n),
    "a partial's positional arguments": lambda n: functools.partial(plain, n),
    "a closure": lambda n: closing(n),
    "a closure over an array": lambda n: closing(np.arange(5) + n),
    "a closure over a table": lambda n: closing(pd.DataFrame({"a": [n]})),
    "a closure over a function": lambda n: closing(closing(n)),
    "a closure over an object": lambda n: closing(Host(n)),
    "a closure over two of three": lambda n: closing([[1, 2], ["x"], [[1, 2], ["x"]][n - 1]]),
    "a default": lambda n: lambda data, level=n: (data, level),
    "a keyword default": lambda n: lambda data, *, level=n: (data, level),
    "a constant of an inner function": inner,
    "a bound method's object": lambda n: Host(n).run,
    "a callable object": lambda n: Host({"deep": [n]}),
    "a cached function": cached,
    "a set": lambda n: closing({"a", str(n)}),
}


@pytest.mark.parametrize("make", PAIRS.values(), ids=PAIRS)
def test_what_differs_is_told(make: Callable[[int], Any]) -> None:
    assert identity_of(make(1)) == identity_of(make(1))
    assert identity_of(make(1)) != identity_of(make(2))


def test_a_global_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity_of(named)
    monkeypatch.setitem(globals(), "LEVEL", 2)
    assert identity_of(named) != before


def test_a_module_of_the_users_own_is_told_by_its_file(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_steps.py").write_text("def step(x):\n    return x + 1\n")
    steps = importlib.import_module("my_steps")
    monkeypatch.setitem(globals(), "steps", steps)
    exec("def run(data): return steps.step(data)", globals())
    run = globals().pop("run")
    before = identity_of(run)
    (tmp_path / "my_steps.py").write_text("def step(x):\n    return x + 2\n")
    assert identity_of(run) != before
    sys.modules.pop("my_steps")


def test_a_class_is_told_by_its_methods() -> None:
    def made(value: int) -> Any:
        return type("Same", (), {"run": lambda self, data: closing(value), "__qualname__": "Same"})()

    assert identity_of(made(1).run) != identity_of(made(2).run)


def test_what_cannot_be_told_asks_for_a_key(tmp_path: Path) -> None:
    lock = threading.Lock()
    x = np.random.default_rng(0).normal(size=(300, 2))

    def run(data: Any) -> gp.Skeleton:
        with lock:
            return gp.Skeleton(np.ones((2, 2, 2)) * [0, 1])

    with pytest.raises(OptionError, match=r"closure\['lock'\] is an object of type lock.*cache_key="):
        gp.bootstrap(run, x, window=100, runs=2, cache=tmp_path)
    assert len(gp.bootstrap(run, x, window=100, runs=2).records) == 2  # without a cache nothing is asked
    gp.bootstrap(run, x, window=100, runs=2, cache=tmp_path, cache_key="first")
    gp.bootstrap(run, x, window=100, runs=2, cache=tmp_path, cache_key="second")
    assert len(list(tmp_path.rglob("*.npz"))) == 4


def test_another_functions_result_does_not_come_back(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(400, 2))
    x[1:, 1] += 0.9 * x[:-1, 0]

    def run(cell: tuple[int, int, int], data: Any) -> gp.Skeleton:
        mask = np.zeros((2, 2, 2), dtype=bool)
        mask[cell] = True
        return gp.Skeleton(mask)

    found = [
        gp.bootstrap(functools.partial(run, cell), x, window=200, runs=3, cache=tmp_path).graph[0, 1, 1]
        for cell in ((0, 1, 1), (1, 0, 1))
    ]
    assert found == [True, False]


def test_a_functions_result_is_pruned_by_name() -> None:
    x = np.random.default_rng(0).normal(size=(400, 3))
    x[1:, 0] += 0.9 * x[:-1, 2]
    table = pd.DataFrame(x, columns=["flow", "level", "rain"])
    found = gp.bootstrap(lambda data: [("rain", "flow", 1), ("level", "rain", 1)], table, window=200, runs=5)
    assert found.native == [("rain", "flow", 1)]
