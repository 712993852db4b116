"""Kept edges are tested once more, beside fine curves of one another."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.engines.additive.second_look import second_look
from grace_plugin.exceptions import OptionError
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import as_panel


def bent(seed: int, rows: int = 3000) -> np.ndarray:
    """x0 has a memory; x1 answers to the cube of x0 one row ago; coarse features miss its ends."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    for t in range(1, rows):
        x[t, 0] += 0.9 * x[t - 1, 0]
    x[1:, 1] += 0.2 * x[:-1, 0] ** 3
    x[2:, 2] += 0.5 * x[:-2, 1]
    return x


def candidates() -> gp.Skeleton:
    mask = np.zeros((3, 3, 4), dtype=bool)
    mask[0, 0, 1] = mask[0, 1, 1:] = mask[1, 2, 2] = mask[0, 2, 1:] = True
    return gp.Skeleton(mask)


TRUE = {(0, 0, 1), (0, 1, 1), (1, 2, 2)}


def found(graph: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(map(int, edge)) for edge in np.argwhere(graph)}


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_what_lives_on_the_remainder_of_a_bent_effect_is_closed(seed: int) -> None:
    x = bent(seed)
    once = gp.analyze(candidates(), x, second_look=False, alpha="level")
    twice = gp.analyze(candidates(), x, alpha="level")
    assert found(once.graph) > TRUE  # the coarse model mistakes its own misfit for effects
    assert found(twice.graph) == TRUE
    closed = once.graph & ~twice.graph
    assert (twice.outcome.p_value[closed] > twice.alpha).all()
    assert (twice.outcome.p_value[twice.graph] <= twice.alpha).all()


def test_required_edges_stay() -> None:
    kept = gp.analyze(candidates(), bent(0), keep=[("x0", "x1", 2)])
    assert kept.graph[0, 1, 2]


def test_a_stream_that_fits_into_memory_is_looked_at_again() -> None:
    x = bent(0)
    streamed = gp.analyze(candidates(), iter(np.array_split(x, 7)), alpha="level")
    whole = gp.analyze(candidates(), x, alpha="level")
    assert found(streamed.graph) == found(whole.graph)


@pytest.mark.filterwarnings("ignore:Something slow:grace_plugin.exceptions.DataWarning")  # what lines miss is
def test_linear_effects_alone_stay_linear() -> None:
    x = bent(0)
    linear = gp.analyze(candidates(), x, basis=("linear",), control_lag=0)
    alone = gp.analyze(candidates(), x, basis=("linear",), control_lag=0, second_look=False)
    assert found(linear.graph) == found(alone.graph)


@pytest.mark.host
def test_its_test_is_that_of_ordinary_regression() -> None:
    """Against statsmodels: the edge's features beside hinges of the other edge, on the rows themselves."""
    import statsmodels.api as sm

    x = bent(1, 400)
    graph = np.zeros((3, 3, 4), dtype=bool)
    graph[0, 1, 1] = graph[0, 1, 2] = True
    moments = Moments.of(as_panel(x), 3)
    (verdict,) = second_look(graph, graph, as_panel(x), moments, 0.01)
    z = (x - moments.center) / moments.scale
    effect, other, own = z[3:, 1], z[2:-1, 0], z[1:-2, 0]
    knots = np.arange(-1.5, 1.6, 0.5)
    base = np.column_stack([np.ones_like(other), other, np.maximum(other[:, None] - knots, 0.0)])
    without = sm.OLS(effect, base).fit()
    features = np.column_stack([own, np.clip(own, -3, 3) ** 2, np.abs(own)])
    p_full = sm.OLS(effect, np.column_stack([base, features])).fit().compare_f_test(without)[1]
    p_linear = sm.OLS(effect, np.column_stack([base, own])).fit().compare_f_test(without)[1]
    assert verdict.parents.tolist() == [[0, 1], [0, 2]]
    assert verdict.p_value[1] == pytest.approx(min(1.0, 2 * min(p_full, p_linear)), rel=1e-6)
    assert verdict.stays.all()


def test_chunks_of_rows_add_up() -> None:
    x = bent(2, 9000)  # more than one chunk
    graph = np.zeros((3, 3, 4), dtype=bool)
    graph[0, 1, 1:3] = True
    moments = Moments.of(as_panel(x), 3)
    (whole,) = second_look(graph, graph, as_panel(x), moments, 0.01)
    x[5000, 2] = np.nan  # a gap takes the windows that touch it, and no others
    (gap,) = second_look(graph, graph, as_panel(x), moments, 0.01)
    assert whole.gain == pytest.approx(gap.gain, rel=0.05)
    assert (whole.gain != gap.gain).all()


def test_no_look_where_rows_are_few() -> None:
    x = bent(0, 120)
    graph = np.ones((3, 3, 4), dtype=bool)
    graph[:, :, 0] = False
    assert list(second_look(graph, graph, as_panel(x), Moments.of(as_panel(x), 3), 0.01)) == []


def test_the_switch_is_true_or_false() -> None:
    with pytest.raises(OptionError, match="second_look='no'; give True or False"):
        gp.analyze(candidates(), bent(0, 200), second_look="no")
