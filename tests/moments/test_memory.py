"""Sums that no machine can hold are refused with a sentence, before memory runs out."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataError
from grace_plugin.moments import memory


@pytest.mark.filterwarnings("ignore:Rows are times and columns are variables")
def test_twenty_thousand_columns_get_a_sentence(monkeypatch):
    monkeypatch.setattr(memory, "machine_memory", lambda: 100_000_000_000)
    x = np.zeros((60, 20_000), dtype=np.float32)
    x[::2] = 1.0
    with pytest.raises(DataError, match=r"20000 variables with 3 features .* GB of memory"):
        gp.discover(x, 2)


def test_a_machine_that_runs_out_of_memory_all_the_same(monkeypatch):
    from grace_plugin.moments import accumulator

    def full(*_):
        raise MemoryError

    monkeypatch.setattr(accumulator, "_Accumulator", full)
    with pytest.raises(DataError, match="GB of memory"):
        gp.discover(np.random.default_rng(0).normal(size=(200, 3)), 2)


def test_the_memory_of_this_machine_is_known():
    assert memory.machine_memory() > 100_000_000
