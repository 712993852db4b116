"""Sums that no machine can hold are refused with a sentence, before memory runs out."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataError
from grace_plugin.moments import memory
from grace_plugin.pipeline import wide
from grace_plugin.regression.wide import search


@pytest.mark.filterwarnings("ignore:Rows are times and columns are variables")
def test_more_columns_than_fit_get_a_sentence_before_anything_is_added_up(monkeypatch):
    monkeypatch.setattr(wide, "machine_memory", lambda: 1_000_000)
    x = np.random.default_rng(0).normal(size=(60, 1300))
    with pytest.raises(DataError, match=r"1300 variables with 60 rows .* GB of memory"):
        gp.discover(x, 2)


def test_thousands_of_copies_do_not_fill_the_memory():
    """Every lag of every copy explains the same: a few of them are looked at."""
    first = np.random.default_rng(1).normal(size=(80, 1))
    found = search._strongest(np.ones(5000, dtype=bool), np.tile(first.ravel(), 63)[:5000])
    assert len(found) == search._MOST_JOINING
    assert (np.diff(found) > 0).all()


def test_a_machine_that_runs_out_of_memory_all_the_same(monkeypatch):
    from grace_plugin.moments import accumulator

    def full(*_):
        raise MemoryError

    monkeypatch.setattr(accumulator, "_Accumulator", full)
    with pytest.raises(DataError, match="GB of memory"):
        gp.discover(np.random.default_rng(0).normal(size=(200, 3)), 2)


def test_the_memory_of_this_machine_is_known():
    assert memory.machine_memory() > 100_000_000
