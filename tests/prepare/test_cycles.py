"""A cycle that several variables share is named, with its period; chance is not taken for one."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.pipeline.data_warnings import DataWarning
from grace_plugin.prepare import cycles as _cycles
from grace_plugin.prepare.cycles import Cycle, shared_cycles
from grace_plugin.series.panel import as_panel
from tests.support import cycle_cases
from tests.support.cycle_cases import cyclic, edges_between, with_columns, without_cycle


def found(x: Any) -> list[Cycle]:
    return list(shared_cycles(as_panel(x)))


@pytest.mark.parametrize("period", [2.3, 7.0, 24.0, 31.7, 190.0])
@pytest.mark.parametrize("share", [0.35, 0.98])
def test_the_period_and_the_variables_are_found(period: float, share: float) -> None:
    (cycle,) = found(cyclic(period=period, share=share))
    assert cycle.period == pytest.approx(period, rel=0.01)
    assert cycle.part.tolist() == [True, True, True, False]


def test_two_cycles_are_told_apart() -> None:
    x = cyclic(share=0.4)
    x[:, [0, 3]] += 2 * np.sin(2 * np.pi * np.arange(1000) / 7)[:, None]
    first, second = sorted(found(x), key=lambda cycle: cycle.period)
    assert first.period == pytest.approx(7, rel=0.01)
    assert first.part.tolist() == [True, False, False, True]
    assert second.period == pytest.approx(24, rel=0.01)
    assert second.part.tolist() == [True, True, True, False]


@pytest.mark.filterwarnings("ignore:Own past reaches back over several")
def test_the_warning_is_needed_and_its_remedies_work() -> None:
    x = cyclic()
    with pytest.warns(DataWarning, match=r"\['x0', 'x1', 'x2'\] share a cycle of about 24.0 rows: edges"):
        assert edges_between(x, prepare="none") > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert edges_between(without_cycle(x)) == 0
    with pytest.warns(DataWarning, match="follow exactly") as told:  # the sine and the cosine do
        assert edges_between(with_columns(x)) == 0
    assert not any("cycle" in str(one.message) for one in told)


def test_refine_and_bootstrap_say_it_too() -> None:
    mask = np.ones((4, 4, 3), dtype=bool) & (np.arange(3) > 0)
    with pytest.warns(DataWarning, match="share a cycle"):
        gp.refine(gp.Skeleton(mask, list("abcd")), cyclic())
    with pytest.warns(DataWarning, match="share a cycle"):
        gp.bootstrap("basis", cyclic(), max_lag=1, window=200, runs=2)


def test_a_stream_that_fits_into_memory_is_looked_at_too() -> None:
    with pytest.warns(DataWarning, match="share a cycle"):
        gp.discover(iter([cyclic()[:500], cyclic()[500:]]), 2)


def test_missing_and_unused_rows_do_not_matter() -> None:
    x = cyclic()
    x[np.random.default_rng(1).random(x.shape) < 0.1] = np.nan
    assert found(x)[0].part.tolist() == [True, True, True, False]
    panel = as_panel(cyclic())
    spoiled = panel.series[0].values.copy()
    spoiled[100:120] = 1e9
    used = np.ones(1000, dtype=bool)
    used[100:120] = False
    one = replace(panel.series[0], values=spoiled, as_target=used, as_input=used)
    (cycle,) = shared_cycles(replace(panel, series=(one,)))
    assert cycle.part.tolist() == [True, True, True, False]


def test_one_column_alone_and_few_rows_are_no_shared_cycle() -> None:
    x = cyclic()
    assert not found(x[:, [0, 3]])
    assert not found(x[:, :1])
    assert not found(x[:99])
    assert not found(cyclic(period=250.0))  # four cycles


def test_only_so_many_rows_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(cyclic())
    monkeypatch.setattr(_cycles, "_MOST_NUMBERS", 400)
    assert not found(cyclic())  # four cycles are in the first hundred rows


@pytest.mark.parametrize("rows", [160, 500, 2000])
@pytest.mark.parametrize("name", [name for name in cycle_cases.NULLS if "0.98" not in name])
def test_chance_is_silent(name: str, rows: int) -> None:
    assert cycle_cases.alarms(cycle_cases.NULLS[name], rows, range(5)) == 0


def test_lorenz_96_and_the_examples_are_silent() -> None:
    assert not found(cycle_cases.lorenz96(0, 400))
    for name in ("toy_climate", "elbe_flood"):
        assert not found(gp.load_example(name).data)


@pytest.mark.host
def test_the_generator_of_the_paper_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.worlds import paper as data

    monkeypatch.setattr(data, "CACHE", tmp_path)
    assert not any(found(data.scp(10, seed, 1000)[0]) for seed in range(3))
