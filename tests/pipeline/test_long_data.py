"""Rows that are too many to be held: sums of all of them, and stretches that look again."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.hosts import streams
from grace_plugin.pipeline import grounds
from grace_plugin.regression.by_sample import _of_all

ROWS = 20_000


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything above ten thousand numbers counts as long."""
    monkeypatch.setattr(grounds, "_MOST_NUMBERS", 10_000)
    monkeypatch.setattr(grounds, "_SAMPLED_ROWS", 2_000)


def world(seed: int = 0) -> np.ndarray:
    """0 -> 1 at lag 1, weakly; 2 and 3 together on 4 at lag 1."""
    x = np.random.default_rng(seed).normal(size=(ROWS, 5))
    for t in range(1, ROWS):
        x[t] += 0.4 * x[t - 1]
        x[t, 1] += 0.06 * x[t - 1, 0]
        x[t, 4] += 0.5 * x[t - 1, 2] * x[t - 1, 3]
    return x


def cross(found: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(cause, effect, lag) for cause, effect, lag in found.native if cause != effect}


@pytest.mark.usefixtures("long")
def test_weak_effects_are_seen_on_all_rows_and_products_on_stretches() -> None:
    found = gp.discover(world(), max_lag=1, contemporaneous=False, progress=False)
    assert cross(found) == {(0, 1, 1), (2, 4, 1), (3, 4, 1)}
    (told,) = (note for note in found.outcome.details.notes if "stretches" in note)
    assert "of 19,995 rows" in told
    assert found.edges.query("cause == 'x2' and effect == 'x4'")["partner"].tolist() == ["x3"]


@pytest.mark.filterwarnings("ignore:Tests of edges that nothing")
@pytest.mark.filterwarnings("ignore:Own past reaches back over several")
def test_a_stream_is_told_what_was_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "GATHERED_BYTES", 10_000)  # streams below it are put together
    found = gp.discover(iter([world()] * 4), max_lag=1, contemporaneous=False, progress=False)
    assert (0, 1, 1) in cross(found)
    told = [note for note in found.outcome.details.notes if "the rows can be read only once" in note]
    assert told == [
        "Bent curves, noise that changes and causes that act together were not looked for: the rows can be "
        "read only once."
    ]


@pytest.mark.usefixtures("long")
def test_noise_in_shared_spells_makes_no_edges() -> None:
    """Sums alone take all rows for alike: of independent series they make edges."""
    rng = np.random.default_rng(3)
    spells = np.exp(1.5 * np.sin(np.arange(ROWS) / 40.0))
    x = rng.normal(size=(ROWS, 6)) * spells[:, None]
    looked = gp.discover(x, max_lag=3, contemporaneous=False, progress=False)
    sums = gp.discover(x, max_lag=3, contemporaneous=False, progress=False, alpha="level", second_look=False)
    assert len(cross(looked)) < len(cross(sums))
    assert len(cross(looked)) <= 1


def test_what_a_closer_look_takes_off_is_a_share_of_the_chi_square() -> None:
    # chi-square(1) values of p: 10.83 at .001, 3.84 at .05, 2.71 at .1
    whole, plain, looked = (np.log([p, p]).reshape(1, 2, 1) for p in (1e-3, 0.05, 0.1))
    factors = np.array([False, True]).reshape(1, 2, 1)
    found = np.exp(_of_all(whole, plain, looked, factors)).ravel()
    assert found[0] == pytest.approx(0.0058, abs=2e-4)  # the p-value of 10.83 * 2.71 / 3.84 = 7.63
    assert found[1] == pytest.approx(found[0])
    assert np.exp(_of_all(whole, plain, plain, factors)).ravel() == pytest.approx([1e-3, 1e-3])
