"""How graphs of worlds are scored, by hand; hosts stand where the truth stands; rows survive packing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import main, seeds_of
from benchmarks.core import NOT_THERE, Job, Row, run_jobs
from benchmarks.hosts import graphs, on_worlds
from benchmarks.packed import PackedStore, packed, unpacked
from benchmarks.studies import _world_scores as scores
from benchmarks.studies import worlds as study
from benchmarks.worlds import Entry, World, make, worlds


def _graph(*places: tuple[int, int, int], d: int = 3, lags: int = 2) -> np.ndarray:
    graph = np.zeros((d, d, lags + 1), dtype=bool)
    for place in places:
        graph[place] = True
    return graph


def _world(truth: np.ndarray, scored: str = "lags") -> World:
    return World(np.zeros((10, len(truth))), truth, scored=scored)


def test_own_past_is_left_out_and_the_lag_counts() -> None:
    world = _world(_graph((0, 1, 1), (1, 2, 0), (2, 2, 1)))
    found = scores.scored(world, _graph((0, 1, 2), (1, 2, 0), (0, 0, 1)))
    assert found["f1"] == found["lag_f1"] == 0.5
    assert found["pair_f1"] == 1.0
    assert found["false"] == 1.0
    assert scores.scored(_world(world.truth, "pairs"), _graph((0, 1, 2), (1, 2, 0)))["f1"] == 1.0


def test_a_direction_within_a_step_counts_half_where_it_is_open_and_not_at_all_where_it_is_wrong() -> None:
    world = _world(_graph((1, 2, 0)))
    assert scores.scored(world, _graph((1, 2, 0)))["f1"] == 1.0
    assert scores.scored(world, _graph((2, 1, 0)))["f1"] == 0.0
    open_mark = scores.scored(world, _graph((1, 2, 0), (2, 1, 0)))
    assert (open_mark["precision"], open_mark["recall"], open_mark["f1"]) == (0.5, 0.5, 0.5)


def test_an_empty_truth_is_met_by_an_empty_graph() -> None:
    world = _world(_graph())
    assert scores.scored(world, _graph())["f1"] == 1.0
    assert scores.scored(world, _graph((0, 1, 1)))["f1"] == 0.0
    assert scores.ranked(world, np.zeros((3, 3, 3))) == {}


def test_levels_and_rankings_by_hand() -> None:
    world = _world(_graph((0, 1, 1), (1, 2, 1)))
    strength = np.zeros((3, 3, 3))
    strength[0, 1, 1], strength[1, 2, 1], strength[2, 0, 1] = 6.0, 2.2, 3.0
    graph = strength > 1.3
    assert scores.curve(world, graph, strength, (1.0, 2.5, 4.0)) == pytest.approx([0.8, 0.5, 2 / 3])
    assert scores.best_in_hindsight(world, graph, strength) == pytest.approx(0.8)
    numbers = scores.ranked(world, strength)  # 12 cells of lags 1 and 2: one of 10 false ones is above 2.2
    assert numbers["auroc"] == pytest.approx(1 - 0.5 / 10)
    assert numbers["auprc"] == pytest.approx((1 + 2 / 3) / 2)
    assert scores.fdr(strength).sum() == 3
    strength[2, 0, 1] = 1.4
    assert np.argwhere(scores.fdr(strength)).tolist() == [[0, 1, 1]]  # 18 cells: 10^-2.2 * 18 / 2 > .05


def test_a_level_keeps_directions_that_the_program_found() -> None:
    strength = np.zeros((3, 3, 3))
    strength[0, 1, 0] = strength[1, 0, 0] = strength[1, 2, 0] = strength[2, 1, 0] = 5.0
    graph = _graph((0, 1, 0), (1, 2, 0), (2, 1, 0))
    assert np.argwhere(scores.at_level(graph, strength, 3.0)).tolist() == [[0, 1, 0], [1, 2, 0], [2, 1, 0]]
    assert not scores.at_level(graph, strength, 6.0).any()


@pytest.mark.host
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("host", list(on_worlds.PROGRAMS))
def test_hosts_find_the_cells_of_a_strong_world(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The strongest lagged cells of a host are the true ones: nothing is transposed or shifted."""
    monkeypatch.setattr(on_worlds, "OPINIONS", tmp_path)
    world = make("linear_var", 2003, d=4, T=1500, strength="strong")
    said = on_worlds.opinion(host, world, Entry("linear_var", 4, 1500, "strong"), 2003)
    again = on_worlds.opinion(host, world, Entry("linear_var", 4, 1500, "strong"), 2003)
    assert (said.strength == again.strength).all()
    numbers = scores.scored(world, said.graph, said.strength)
    if host == "Granger":
        assert (
            scores.best_in_hindsight(
                World(world.data, world.truth, scored="pairs"), said.graph, said.strength
            )
            == 1
        )
        assert numbers["pair_f1"] > 0.7
    else:
        assert numbers["auroc"] > 0.99
        assert numbers["recall"] == 1.0
        assert scores.best_in_hindsight(world, said.graph, said.strength) > 0.9


@pytest.mark.host
@pytest.mark.filterwarnings("ignore")
def test_several_series_and_gaps_reach_every_host() -> None:
    for name in ("genes", "missing_at_random"):
        world = make(name, 5, d=5, T=250, strength="strong")
        for host, program in on_worlds.PROGRAMS.items():
            graph, strength = program(world)
            assert graph.shape == strength.shape == world.truth.shape, host
            assert np.isfinite(strength).all(), host


def test_lines_are_drawn_across_gaps() -> None:
    values = np.array([[np.nan, 1.0], [2.0, np.nan], [np.nan, 3.0], [4.0, np.nan]])
    assert on_worlds.filled(values).tolist() == [[2.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 3.0]]


def test_rows_survive_packing_and_newer_ones_win(tmp_path: Path) -> None:
    rows = [Row("w", "m", 5, 100, seed, False, {"f1": seed / 10}, "day", "abc", "e1") for seed in range(3)]
    rows[1].numbers["auroc"] = 0.7
    (line,) = packed(rows)
    assert line["numbers"] == {"f1": [0.0, 0.1, 0.2], "auroc": [None, 0.7, None]}
    assert list(unpacked(line)) == rows
    store = PackedStore(tmp_path / "new.jsonl", tmp_path / "packed.jsonl")
    for row in rows:
        store.add(row)
    assert store.pack() == 1
    store.path.unlink()
    assert store.rows() == rows
    newer = Row("w", "m", 5, 100, 1, False, {"f1": 0.9}, "day", "abd", "e2")
    store.add(newer)
    assert store.rows()[1] == newer
    assert store.pack(keep=lambda row: row.seed == 1) == 1
    store.path.unlink()
    assert store.rows() == [newer]


def test_rows_of_an_older_engine_and_rows_that_wait_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PackedStore(tmp_path / "new.jsonl", tmp_path / "packed.jsonl")
    made: list[str] = []

    def job(name: str, numbers: dict[str, float], ours: bool = True) -> Job:
        return Job(name, 1, 2, 3, lambda: made.append(name) or numbers, ours)

    jobs = [job("ours", {"f1": 1.0}), job("host", {"f1": 0.5}, ours=False), job("waits", {NOT_THERE: 1.0})]
    run_jobs("x", jobs, store, quick=False)
    made.clear()
    run_jobs("x", jobs, store, quick=False, stale=True)
    assert made == ["waits"]
    monkeypatch.setattr("benchmarks.core.engine", lambda: "another")
    made.clear()
    rows = run_jobs("x", jobs, store, quick=False, stale=True)
    assert made == ["ours", "waits"]
    assert [row.engine == "another" for row in rows] == [True, False, True]


def test_seeds_of_both_kinds_are_refused() -> None:
    assert seeds_of(["0-2", "7"]) == [0, 1, 2, 7]
    assert seeds_of(["tuning"]) == list(range(1000, 1020))
    with pytest.raises(ValueError, match="They stay apart"):
        list(study.jobs(False, [0, 1000]))
    with pytest.raises(SystemExit, match="no method called"):
        list(study.jobs(True, None, ["nonsense"]))
    with pytest.raises(SystemExit, match="takes no --methods"):
        main(["run", "noise", "--quick", "--methods", "hosts"])


def test_methods_have_groups() -> None:
    assert study.wanted(["hosts"]) == list(on_worlds.PROGRAMS)
    assert study.wanted(["discover", "VAR"]) == ["VAR", "discover"]
    assert "PCMCI refined" in study.wanted(["refined"])


def test_an_option_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    world = make("linear_var", 0, d=3, T=100)
    entry = Entry("linear_var", 3, 100, "strong")
    monkeypatch.setitem(study.RULES, "discover, odd", {"an_option_of_tomorrow": 1})
    assert study.of_ours("discover, odd", world, entry, 0) == {NOT_THERE: 1.0}
    numbers = study.of_ours("discover", world, entry, 0)
    assert {"f1", "precision", "recall", "auroc", "auprc", "warned", "cpu"} <= set(numbers)


def test_graphs_of_hosts_are_kept_in_place_and_merged_with_those_that_are_known(tmp_path: Path) -> None:
    entry, kept = worlds("linear_var")[0], tmp_path / "graphs.jsonl"
    shape = (entry.d, entry.d, 4)
    for host, seed, place in (("VAR", 3, (0, 1, 2)), ("PCMCI+", 3, (1, 0, 3)), ("PCMCI+", 12, (2, 1, 0))):
        graph = np.zeros(shape, dtype=bool)
        graph[place] = True
        file = on_worlds.opinion_file(entry, host, str(seed), tmp_path)
        file.parent.mkdir(exist_ok=True)
        np.savez_compressed(file, graph=graph)
        assert graphs.pack(kept, tmp_path) == len(graphs.stored(kept))
        file.unlink()  # what is stored stays, whatever becomes of the cache
    found = graphs.stored(kept)
    assert set(found) == {(entry.key, "VAR", 3), (entry.key, "PCMCI+", 3), (entry.key, "PCMCI+", 12)}
    assert np.argwhere(graphs.as_graph(found[entry.key, "PCMCI+", 12], shape)).tolist() == [[2, 1, 0]]
    assert np.argwhere(graphs.as_graph(found[entry.key, "VAR", 3], shape)).tolist() == [[0, 1, 2]]
