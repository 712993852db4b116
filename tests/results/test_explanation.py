"""Why an edge stayed or went: numbers that agree with the table, the right rival, the right curve."""

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import OptionError
from grace_plugin.results.explanation import Explanation
from grace_plugin.results.json_reader import read_json
from grace_plugin.results.refinement import joined_refinements
from tests.support.people import HOSTILE, small_data, small_refinement


@pytest.fixture(scope="module")
def chain() -> gp.Refinement:
    """a -> b -> c, each at lag 1: a -> c at lag 2 is the false edge that b -> c explains away."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(800, 3))
    for t in range(2, len(x)):
        x[t, 1] += 0.9 * x[t - 1, 0]
        x[t, 2] += 0.9 * x[t - 1, 1]
    mask = np.zeros((3, 3, 3), dtype=bool)
    mask[0, 1, 1] = mask[1, 2, 1] = mask[0, 2, 2] = True
    return gp.analyze(gp.Skeleton(mask, ["a", "b", "c"]), 10.0 + 2.0 * x)


def test_a_pruned_edge_names_what_took_its_place(chain: gp.Refinement) -> None:
    why = chain.explain("a", "c", 2)
    assert not why.kept
    assert why.rival == ("b", "c", 1)
    # Without b -> c, a explains 0.81 of what noise of variance 1.81 + ... leaves: far more than it does now.
    assert why.rival_gain > 20 * why.gain
    assert str(why).startswith("a -> c at lag 2 went")
    assert "b -> c at lag 1 took its place" in str(why)
    assert f"p = {why.p_value:.2g}" in str(why)


def test_a_kept_edge_names_whose_place_it_took(chain: gp.Refinement) -> None:
    why = chain.explain(1, 2, 1)
    assert why.kept
    assert why.reason == "certificate"
    assert why.rival == ("a", "c", 2)
    row = chain.edges.query("cause == 'b' and effect == 'c'").iloc[0]
    assert (why.gate, why.gain, why.p_value) == (row.gate, row.gain, row.p_value)
    assert "b -> c at lag 1 stayed" in str(why)


def test_gain_of_the_fit_is_that_of_the_engine(chain: gp.Refinement) -> None:
    from grace_plugin.regression.additive_fit import AdditiveFit

    fit = AdditiveFit(chain.outcome.details.moments)
    assert fit.gain([], (1, 2, 1)) == pytest.approx(chain.explain("b", "c", 1).gain, rel=1e-6)
    assert fit.gain([(1, 2, 1)], (0, 2, 2)) == pytest.approx(chain.explain("a", "c", 2).gain, rel=1e-4)


def test_curve_is_in_the_units_of_the_data(chain: gp.Refinement) -> None:
    curve = chain.explain("a", "b", 1).curve
    assert curve is not None
    inner = (curve.cause > curve.usual[0]) & (curve.cause < curve.usual[1])
    slope = np.polyfit(curve.cause[inner], curve.effect[inner], 1)[0]
    assert slope == pytest.approx(0.9, abs=0.08)
    assert curve.usual[0] == pytest.approx(6.0, abs=0.5)
    assert curve.usual[1] == pytest.approx(14.0, abs=0.5)


def test_curve_of_a_square_is_a_bowl() -> None:
    curve = small_refinement().explain("river", HOSTILE, 2).curve
    assert curve is not None
    middle, left, right = (curve.effect[np.argmin(np.abs(curve.cause - x))] for x in (0.0, -2.0, 2.0))
    assert left - middle == pytest.approx(0.7 * 4, rel=0.15)
    assert right - middle == pytest.approx(0.7 * 4, rel=0.15)


def test_an_edge_that_was_no_candidate(chain: gp.Refinement) -> None:
    why = chain.explain("c", "a", 1)
    assert "never a candidate" in str(why)
    assert why.reason == "skeleton"
    assert np.isnan(why.gain)


def test_a_required_edge_says_so() -> None:
    mask = np.zeros((2, 2, 2), dtype=bool)
    mask[0, 1, 1] = True
    noise = np.random.default_rng(0).normal(size=(200, 2))
    why = gp.analyze(gp.Skeleton(mask), noise, keep=[(0, 1)]).explain(0, 1, 1)
    assert "stayed because it is required" in str(why)


def test_an_unoriented_pair_can_be_explained_from_both_ends() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2))
    x[:, 1] += x[:, 0]
    mask = np.zeros((2, 2, 2), dtype=bool)
    mask[0, 1, 0] = mask[1, 0, 0] = mask[0, 0, 1] = True
    pair = gp.analyze(gp.Skeleton(mask), x)
    for ends in ((0, 1), (1, 0)):
        why = pair.explain(*ends, 0)
        assert why.kept
        assert why.curve is not None
        assert np.polyfit(why.curve.cause, why.curve.effect, 1)[0] > 0.3


def test_a_result_from_a_file_needs_the_data_for_the_rest(chain: gp.Refinement) -> None:
    again = read_json(small_refinement().to_json())
    bare = again.explain("rain", "river", 1)
    assert bare.curve is None
    assert bare.rival is None
    assert "data=" in bare.no_curve
    assert again.explain("rain", "river", 1, data=small_data()).curve is not None


@pytest.mark.parametrize(
    ("edge", "words"),
    [
        (("a", "b", 7), "from 0 to 2"),
        (("a", "b", True), "whole number"),
        (("a", "bb", 1), "Did you mean 'b'"),
        ((5, "b", 1), "no variable 5"),
    ],
)
def test_wrong_edges_are_refused(chain: gp.Refinement, edge: tuple, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        chain.explain(*edge)


def test_parts_are_explained_one_by_one(chain: gp.Refinement) -> None:
    whole = joined_refinements(None, {"winter": chain})
    with pytest.raises(OptionError, match="winter"):
        whole.explain("a", "b", 1)
    assert isinstance(whole.parts["winter"].explain("a", "b", 1), Explanation)


def test_a_partner_at_a_lag_that_is_not_reported_has_no_surface() -> None:
    """x0 at lag 1 acts together with x1 at lag 4, and lags up to 1 are reported."""
    x = np.random.default_rng(0).normal(size=(600, 3))
    x[4:, 2] += x[3:-1, 0] + x[:-4, 1] + 1.5 * x[3:-1, 0] * x[:-4, 1]
    found = gp.discover(x, 1)
    row = found.edges.set_index(["cause", "effect", "lag"]).loc[("x0", "x2", 1)]
    assert (row.kept, row.partner_lag) == (True, 4)
    explained = found.explain("x0", "x2", 1)
    assert explained.surface is None
    assert explained.curve is not None
