"""Properties of refine, discover and bootstrap on small data with strong effects."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import grace_plugin as gp
from grace_plugin.stability.windows import Timeline, draw_windows, shared_units
from tests.support.property_cases import examples, lagged_mask, seeds, strong_process


def analyzed(x: object, d: int = 3, **options: object) -> gp.Refinement:
    return gp.analyze(gp.Skeleton(lagged_mask(d)), x, **options)


@examples(4)
@given(seeds, st.permutations(range(3)))
def test_p13_permuting_variables_permutes_the_graph(seed: int, order: list[int]) -> None:
    x, _ = strong_process(seed)
    plain, moved = analyzed(x), analyzed(x[:, order])
    assert np.array_equal(moved.graph, plain.graph[np.ix_(order, order)])
    np.testing.assert_allclose(moved.outcome.gain, plain.outcome.gain[np.ix_(order, order)], atol=1e-6)


@examples(4)
@given(seeds, st.lists(st.floats(-12, 12), min_size=3, max_size=3), st.floats(-100, 100))
def test_p14_units_and_offsets_change_nothing(seed: int, powers: list[float], offset: float) -> None:
    x, _ = strong_process(seed)
    plain, moved = analyzed(x), analyzed((x + offset) * 10.0 ** np.array(powers))
    assert np.array_equal(moved.graph, plain.graph)
    np.testing.assert_allclose(moved.outcome.gain, plain.outcome.gain, atol=1e-6)


@examples(4)
@given(seeds)
def test_p15_no_edge_comes_from_outside_the_skeleton(seed: int) -> None:
    x, _ = strong_process(seed)
    mask = lagged_mask(3) & (np.random.default_rng(seed).random((3, 3, 3)) < 0.5)
    result = gp.analyze(gp.Skeleton(mask), x)
    assert not (result.graph & ~mask).any()
    assert not result.gates[~mask].any()
    assert np.isnan(result.outcome.gain[~mask]).all()


@examples(4)
@given(seeds)
def test_p16_refining_again_changes_nothing(seed: int) -> None:
    x, _ = strong_process(seed)
    once = analyzed(x)
    assert np.array_equal(gp.analyze(once.native, x).graph, once.graph)


@examples(4)
@given(seeds)
def test_p17_strong_effects_stay_and_kept_edges_are_certified(seed: int) -> None:
    x, truth = strong_process(seed)
    result = analyzed(x)
    assert (result.graph & truth).sum() == truth.sum()
    assert (result.outcome.p_value[result.graph] <= result.alpha).all()


@examples(4)
@given(seeds)
def test_p18_required_edges_stay(seed: int) -> None:
    x, truth = strong_process(seed)
    cause, effect, lag = np.argwhere(lagged_mask(3) & ~truth)[seed % 10]
    assert analyzed(x, keep=[(int(cause), int(effect), int(lag))]).graph[cause, effect, lag]


@examples(4)
@given(seeds)
def test_p19_pure_noise_among_the_candidates_changes_little(seed: int) -> None:
    """Gains of the true edges move by less than 0.05 nats, and none of them goes."""
    x, truth = strong_process(seed)
    noise = np.random.default_rng(seed + 1).normal(size=(len(x), 1))
    plain, crowded = analyzed(x), analyzed(np.hstack([x, noise]), 4)
    assert (crowded.graph[:3, :3] & truth).sum() == truth.sum()
    assert np.abs(crowded.outcome.gain[:3, :3][truth] - plain.outcome.gain[truth]).max() < 0.05


@examples(4)
@given(seeds, st.integers(60, 200))
def test_p20_chunks_and_the_order_of_datasets_change_nothing(seed: int, cut: int) -> None:
    x, truth = strong_process(seed)
    streamed = analyzed(iter([x[:cut], x[cut:]]))
    assert (streamed.graph & truth).sum() == truth.sum()
    one, other = analyzed([x[:cut], x[cut:]]), analyzed([x[cut:], x[:cut]])
    assert np.array_equal(one.graph, other.graph)
    np.testing.assert_allclose(one.outcome.gain, other.outcome.gain, atol=1e-6)


@examples(4)
@given(seeds, st.integers(25, 400))
@pytest.mark.filterwarnings("ignore:.*rows are few")
def test_p21_more_data_never_change_the_type_of_anything(seed: int, rows: int) -> None:
    few, many = (gp.discover(strong_process(seed, n)[0], 2) for n in (rows, 450))
    for name in ("gates", "graph", "gain", "p_value", "reason"):
        one, other = getattr(few.outcome, name), getattr(many.outcome, name)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
    assert list(few.edges.columns) == list(many.edges.columns)
    assert {name: str(kind) for name, kind in few.edges.dtypes.items() if len(few.edges)} == {
        name: str(kind) for name, kind in many.edges.dtypes.items() if len(few.edges)
    }
    assert type(few.native) is type(many.native)


@examples(4)
@given(seeds)
def test_p22_what_is_written_as_json_comes_back(seed: int) -> None:
    x, _ = strong_process(seed)
    once = analyzed(x)
    again = gp.read_json(once.to_json())
    assert again.edges.equals(once.edges)
    assert np.array_equal(again.graph, once.graph)


@examples(40)
@given(st.integers(30, 400), st.integers(5, 60), st.integers(1, 12), st.integers(0, 4), seeds)
def test_p23_windows_lie_inside_the_data(rows: int, window: int, runs: int, max_lag: int, seed: int) -> None:
    window = min(window, rows)
    drawn = draw_windows([Timeline(rows)], window, runs, "moving", max_lag, seed)
    assert len(drawn) == runs
    for one in drawn:
        assert one.spans[0].first >= 0
        assert one.spans[0].stop - one.spans[0].first == window
        assert one.spans[0].stop <= rows
    assert drawn == draw_windows([Timeline(rows)], window, runs, "moving", max_lag, seed)


@examples(40)
@given(st.integers(30, 400), st.integers(8, 60), st.integers(1, 12), st.integers(0, 4), seeds)
def test_p24_shared_pieces_add_up_to_their_windows(
    rows: int, window: int, runs: int, max_lag: int, seed: int
) -> None:
    drawn = draw_windows([Timeline(rows)], min(window, rows), runs, "moving", max_lag, seed)
    for one, units in zip(drawn, shared_units(drawn, max_lag), strict=True):
        explained = [t for unit in units for t in range(unit.first + max_lag, unit.stop)]
        assert explained == list(range(one.spans[0].first + max_lag, one.spans[0].stop))


@examples(2)
@given(seeds, st.floats(0.0, 0.99), st.floats(0.0, 0.99))
def test_p25_a_higher_threshold_keeps_fewer_edges(seed: int, one: float, other: float) -> None:
    x, _ = strong_process(seed, 200)
    stable = gp.bootstrap("basis", x, max_lag=2, window=90, runs=3, seed=seed % 1000)
    again = gp.bootstrap("basis", x, max_lag=2, window=90, runs=3, seed=seed % 1000)
    assert np.array_equal(stable.frequency, again.frequency)
    assert ((stable.frequency * 3) % 1 == 0).all()
    low, high = stable.at(min(one, other)), stable.at(max(one, other))
    assert not (high.pair_graph & ~low.pair_graph).any()
