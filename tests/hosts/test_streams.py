"""Where a stream of row chunks was cut never matters."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.hosts import streams
from grace_plugin.hosts.convert import read_panel
from grace_plugin.moments.sums import Moments


def world(seed, rows=420):
    """Drifting, skewed series: the first chunk has another mean and scale than the whole."""
    rng = np.random.default_rng(seed)
    x = rng.gamma(1.5, size=(rows, 3)) + np.linspace(0.0, 2.0, rows)[:, None]
    for t in range(2, rows):
        x[t, 1] += 0.4 * abs(x[t - 1, 0] - 2.0)
        x[t, 2] += 0.3 * x[t - 2, 1]
    return x


def cut(x, seed):
    rng = np.random.default_rng(seed)
    bounds = np.sort(rng.choice(np.arange(1, len(x)), size=int(rng.integers(1, 9)), replace=False))
    return (part for part in np.split(x, bounds))


@pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
@pytest.mark.parametrize("seed", range(6))
def test_chunks_give_the_graph_of_the_whole_array(seed):
    x = world(seed)
    whole, streamed = gp.discover(x, 3), gp.discover(cut(x, seed), 3)
    assert np.array_equal(whole.graph, streamed.graph)
    assert np.array_equal(whole.outcome.gain, streamed.outcome.gain, equal_nan=True)
    every = gp.Skeleton(np.ones((3, 3, 3)) * [0, 1, 1])
    assert np.array_equal(gp.analyze(every, x).graph, gp.analyze(every, cut(x, seed)).graph)


@pytest.mark.parametrize("seed", range(6))
def test_a_stream_too_long_to_gather_has_moments_that_no_cut_changes(seed, monkeypatch):
    monkeypatch.setattr(streams, "GATHERED_BYTES", 8 * 3 * 100)  # 100 rows
    x = world(seed)
    found = [Moments.of(read_panel(cut(x, other), {}), 3) for other in (seed, seed + 100)]
    np.testing.assert_allclose(found[0].center, x[:100].mean(axis=0))
    for name in ("center", "scale", "first", "rows"):
        np.testing.assert_allclose(getattr(found[0], name), getattr(found[1], name), rtol=1e-9)
    np.testing.assert_allclose(found[0].second, found[1].second, rtol=1e-9, atol=1e-6)
    assert read_panel(cut(x, seed), {}).stream is not None
    assert read_panel(iter([x[:100]]), {}).stream is None


def test_all_rows_are_there_once(monkeypatch):
    monkeypatch.setattr(streams, "GATHERED_BYTES", 8 * 3 * 100)
    x = world(0)
    for rows in (1, 99, 100, 101, 420):
        panel = read_panel((x[start : start + rows] for start in range(0, len(x), rows)), {})
        assert np.array_equal(np.concatenate([one.values for one, _ in panel.chunks(64)]), x)
