"""Workers that hold much stay: what loky takes for a leak is what they work on."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from grace_plugin._common.parallel import pool_of_processes, run_through


def test_a_worker_that_comes_to_hold_more_than_loky_lets_it_is_not_replaced() -> None:
    import_module("psutil")  # without it loky looks at nothing

    @dataclass(frozen=True)  # in the function, so that workers need not import the tests
    class Holder:
        numbers: int

        def begin(self) -> None:
            time.held = np.ones(self.numbers)  # type: ignore[attr-defined]

        def run(self, item: int) -> int:
            time.sleep(0.6)  # loky looks once a second
            return os.getpid()

    with pool_of_processes():
        little = set(run_through(Holder(1), range(2), 2))
        much = set(run_through(Holder(45_000_000), range(6), 2))  # 360 MB
    assert len(little | much) == 2
