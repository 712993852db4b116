"""Graphs of many variables: the same edges as by the usual path, held as records."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin._common import room
from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import DataError, DataWarning
from grace_plugin.graph.cell_skeleton import CellSkeleton
from grace_plugin.moments.features import RICH_BASIS
from grace_plugin.pipeline import run as pipeline
from grace_plugin.pipeline import wide as wide_path
from grace_plugin.pipeline.features import WAVES
from grace_plugin.regression.row_model import RowModel
from grace_plugin.regression.wide import judge as wide_judge

D, ROWS = 40, 400


def world(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(ROWS, D))
    for t in range(2, ROWS):
        x[t] += 0.4 * x[t - 1]
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 3] += 0.8 * np.abs(x[t - 2, 2])
        x[t, 6] += 0.9 * x[t - 1, 4] * x[t - 1, 5]
    return x


TRUE = {(0, 1, 1), (2, 3, 2), (4, 6, 1), (5, 6, 1)}


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every graph counts as one of many variables."""
    monkeypatch.setattr(pipeline, "MANY_CANDIDATES", 0)


def found(**options: Any) -> gp.Refinement:
    return gp.discover(world(), max_lag=2, progress=False, **options)


def cross(result: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(cause, effect, lag) for cause, effect, lag in result.native if cause != effect}


@pytest.mark.usefixtures("wide")
def test_edges_products_and_own_past_are_found() -> None:
    result = found()
    assert isinstance(result.native, CellSkeleton)
    assert cross(result) >= TRUE
    assert len(cross(result) - TRUE) <= 1
    assert sum(cause == effect for cause, effect, _ in result.native) >= D - 1
    assert any("acts together" in note for note in result.outcome.details.notes)
    edges = result.edges.set_index(["cause", "effect", "lag"])
    assert edges.loc[("x4", "x6", 1), "partner"] == "x5"
    assert edges.loc[("x2", "x3", 2), "bent"] > 0.8 > 0.2 > edges.loc[("x0", "x1", 1), "bent"]


def test_the_usual_path_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = found(contemporaneous=False)
    monkeypatch.setattr(pipeline, "MANY_CANDIDATES", 0)
    many = found()
    assert cross(usual) ^ cross(many) <= (cross(usual) | cross(many)) - TRUE
    assert len(cross(usual) ^ cross(many)) <= 1
    both = usual.edges.merge(many.edges, on=["cause", "effect", "lag"], suffixes=("", "_many"))
    kept = both[both["kept"] & both["kept_many"]]
    np.testing.assert_allclose(kept["effect_size"], kept["effect_size_many"], atol=0.02)
    np.testing.assert_allclose(kept["probability"], kept["probability_many"], atol=0.02)


@pytest.mark.usefixtures("wide")
@pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
def test_what_noise_of_the_measurement_makes_up_is_closed_here_too() -> None:
    """A chain of slow variables, each seen with noise of its own: own past shows how much that makes up."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(8000, 4))
    for t in range(1, len(x)):
        x[t] += 0.8 * x[t - 1]
        x[t, 1:] += 0.5 * x[t - 1, :-1]
    x += 0.3 * x.std(axis=0) * rng.normal(size=x.shape)
    result = gp.discover(x, max_lag=2, progress=False)
    assert cross(result) >= {(0, 1, 1), (1, 2, 1), (2, 3, 1)}
    small = result.edges[result.edges.reason == "small"]
    assert len(small)
    assert not small.kept.any()
    assert "small beside the others" in result.summary()


@pytest.mark.usefixtures("wide")
@pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
def test_rows_say_here_too_which_edges_are_small_and_which_values_were_filled_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bool] = []

    def first_of_others(model: RowModel, log_p: FloatArray, gain: FloatArray) -> BoolArray:
        asked.append(model.seen is not None)
        return model.cells[:, 0] == 0

    monkeypatch.setattr(wide_judge, "small_beside_others", first_of_others)
    x = world()
    x[100:103, 5] = np.nan
    result = gp.discover(x, max_lag=2, progress=False)
    small = result.edges[result.edges.reason == "small"]
    assert set(small.cause) == {"x0"}
    assert not small.kept.any()
    assert (0, 1, 1) not in cross(result)
    assert len(asked) >= D
    assert all(asked)


@pytest.mark.usefixtures("wide")
def test_two_processes_give_the_same_to_the_bit() -> None:
    one, two = found(n_jobs=1), found(n_jobs=2)
    assert one.edges.equals(two.edges)


@pytest.mark.usefixtures("wide")
def test_arrays_are_made_on_request_and_refused_where_they_do_not_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = found()
    assert result.graph.shape == (D, D, 3)
    assert set(map(tuple, np.argwhere(result.graph).tolist())) == set(result.native)
    assert result.scores[0, 1, 1] == result.scores.max() or result.scores[0, 1, 1] > 1.0
    other = found()
    monkeypatch.setattr(room, "machine_memory", lambda: 1000)
    for name in ("graph", "gates", "scores"):
        with pytest.raises(DataError, match=r"needs 0\.0 GB"):
            getattr(other, name)
    assert len(other.edges) >= len(other.native)
    assert "40 variables" in other.summary()


@pytest.mark.usefixtures("wide")
def test_other_cuts_are_read_from_the_listed_cells() -> None:
    result = found()
    strict = result.at(alpha=1e-12)
    assert set(strict.native) <= set(result.native)
    assert set(result.at(fdr=0.2).native) >= TRUE


@pytest.mark.usefixtures("wide")
def test_knowledge_and_chosen_effects_count() -> None:
    result = found(keep=[(20, 21, 2)], forbid=[(0, 1)], effects=[1, 3, 21])
    edges = cross(result)
    assert (20, 21, 2) in edges
    assert (2, 3, 2) in edges
    assert not {edge for edge in edges if edge[:2] == (0, 1)}
    assert {effect for _, effect, _ in result.native} <= {1, 3, 21}
    kept = result.edges.query("cause == 'x20' and effect == 'x21' and lag == 2")
    assert kept["reason"].tolist() == ["keep"]


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("rows", [400, 900])
def test_waves_are_seen_here_too(rows: int) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(rows, D))
    for t in range(1, rows):
        x[t, 1] += (1.0 - 4.0 * np.exp(-np.square(x[t - 1, 0]) / 2.0)) * x[t - 1, 0]
    result = gp.discover(x, max_lag=1, progress=False)
    assert (0, 1, 1) in cross(result)
    assert result.outcome.details.basis == RICH_BASIS
    assert (WAVES in result.outcome.details.notes) == (rows == 400)  # more rows have it unasked


@pytest.mark.usefixtures("wide")
def test_an_effect_within_one_step_that_is_asked_for_takes_the_usual_path() -> None:
    assert not isinstance(found(contemporaneous=True).native, CellSkeleton)


def within_step(**options: Any) -> gp.Refinement:
    """An effect within the step, whose cause remembers: its past stands in for it."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(ROWS, D))
    for t in range(1, ROWS):
        x[t] += 0.6 * x[t - 1]
        x[t, 9] += 0.8 * x[t, 8]
    return gp.discover(x, max_lag=2, progress=False, **options)


@pytest.mark.usefixtures("wide")
def test_effects_within_one_step_are_not_passed_over_in_silence() -> None:
    with pytest.warns(DataWarning, match=r"1 of 780 pairs moves together within one step .*x8 and x9"):
        result = within_step()
    assert any("believe those of such variables little" in note for note in result.outcome.details.notes)
    shown = result.outcome.details.step
    assert shown is not None
    assert (shown.pairs, shown.variables) == (1, D)
    first, second = np.argwhere(np.triu(shown.standing))[0]
    assert (shown.names[first], shown.names[second]) == ("x8", "x9")


@pytest.mark.usefixtures("wide")
@pytest.mark.filterwarnings("error::grace_plugin.exceptions.DataWarning")
def test_nothing_is_said_of_pairs_that_are_ruled_out_or_not_asked_for() -> None:
    assert within_step(forbid=[(8, 9, 0), (9, 8, 0)]).outcome.details.step is None
    assert within_step(effects=["x8", "x10"]).outcome.details.step is None
    assert within_step(effects=["x9"]).outcome.details.step is None
    assert found().outcome.details.step is None


@pytest.mark.usefixtures("wide")
def test_gaps_several_series_and_names_are_as_everywhere() -> None:
    x = world()
    x[100:103, 5] = np.nan
    halves = [x[:200], x[200:]]
    result = gp.discover(halves, max_lag=2, progress=False)
    assert (0, 1, 1) in cross(result)
    import pandas as pd

    named = gp.discover(pd.DataFrame(world(), columns=[f"v{i}" for i in range(D)]), max_lag=2, progress=False)
    assert named.native.names[3] == "v3"
    assert named.edges["cause"].str.startswith("v").all()


@pytest.mark.usefixtures("wide")
def test_control_lags_that_do_not_fit_are_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        wide_path, "machine_memory", lambda: int(D * ROWS * (36 + 8 + 12 + 8 * 3) / 0.8) + 1000
    )
    result = found()
    assert any("Lags up to 3 were looked at" in note for note in result.outcome.details.notes)
    assert any("within one step were not looked for" in note for note in result.outcome.details.notes)


@pytest.mark.usefixtures("wide")
def test_what_cannot_fit_is_refused_before_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide_path, "machine_memory", lambda: 1000)
    with pytest.raises(
        DataError, match=r"40 variables with 400 rows and lags up to 2 need about .* fewer workers"
    ):
        found()


@pytest.mark.cluster
@pytest.mark.xdist_group("clusters")
@pytest.mark.usefixtures("wide")
def test_a_cluster_gives_the_same_to_the_bit(dask_client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide_path, "_MOST_IN_BLOCK", 5)  # blocks enough for both workers
    alone = found()
    from distributed import get_task_stream

    with get_task_stream(client=dask_client) as stream, joblib.parallel_config(backend="dask"):
        together = found()
    assert alone.edges.equals(together.edges)
    assert len({task["worker"] for task in stream.data}) == 2
