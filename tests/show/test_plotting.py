"""Pictures: the right marks at the right places, for few and for many variables."""

from collections.abc import Iterator

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

import grace_plugin as gp
from grace_plugin.exceptions import OptionError
from grace_plugin.results.json_reader import read_json
from grace_plugin.show import KINDS, draw_network
from grace_plugin.show.style import BLUE, GREY, RED, lag_words
from tests.support.people import HOSTILE, small_refinement


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    from matplotlib import pyplot as plt

    plt.switch_backend("agg")
    yield
    plt.close("all")


def colours(axes: Axes) -> list[str]:
    return [to_hex(patch.get_edgecolor()) for patch in axes.patches]


def words(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def true_graph() -> np.ndarray:
    truth = np.zeros((4, 4, 3), dtype=bool)
    truth[0, 1, 1] = truth[1, 2, 2] = truth[3, 0, 1] = True
    return truth


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "before_after"])
def test_every_kind_returns_figure_and_axes_and_can_be_saved(kind: str, tmp_path) -> None:
    edge = ("rain", "river", 1) if kind == "response" else None
    figure, axes = small_refinement().plot(kind, edge=edge)
    assert axes.figure is figure
    figure.savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 4000


def test_before_has_every_pair_and_after_what_is_left() -> None:
    figure, (before, after) = small_refinement().plot()
    assert len(before.patches) == 12
    assert len(after.patches) == 2
    assert before.get_title() == "before: 32 edges"
    assert after.get_title() == "after: 2 edges"
    assert words(after).count("1") == 1  # lag labels
    assert words(after).count("2") == 1
    figure.canvas.draw()


def test_truth_colours_right_false_and_missed() -> None:
    _, (before, after) = small_refinement().plot(truth=true_graph())
    assert colours(after).count(BLUE.lower()) == 2
    assert colours(after).count(GREY) == 1  # tea -> rain, which is in the truth and not in the graph
    assert RED.lower() not in colours(after)
    assert RED.lower() in colours(before)
    assert "before: 32 edges, 29 of them false" in before.get_title()


def test_a_missed_edge_is_dashed_grey() -> None:
    _, axes = small_refinement().plot("graph", truth=true_graph())
    dashed = [patch for patch in axes.patches if patch.get_linestyle() == "--"]
    assert len(dashed) == 1
    assert to_hex(dashed[0].get_edgecolor()[:3]) == GREY


def test_truth_of_pairs_says_nothing_about_own_lags() -> None:
    pairs = true_graph().any(axis=2)
    _, (before, _) = small_refinement().plot(truth=pairs)
    assert "18 of them false" in before.get_title()  # 9 wrong pairs at two lags each


def test_arrows_point_from_cause_to_effect() -> None:
    graph = np.zeros((2, 2, 2), dtype=bool)
    graph[0, 1, 1] = True
    _, axes = draw_network({BLUE: graph}, ["a", "b"], np.array([[0.0, 0.0], [5.0, 1.0]]))
    start, end = axes.patches[0]._posA_posB
    assert tuple(start) == (0.0, 0.0)
    assert tuple(end) == (5.0, 1.0)


def test_the_same_pair_in_two_colours_has_two_arrows_apart() -> None:
    graph = np.zeros((2, 2, 3), dtype=bool)
    graph[0, 1, 1] = True
    other = np.roll(graph, 1, axis=2)
    _, axes = draw_network({RED: graph, BLUE: other}, ["a", "b"])
    bends = [patch.get_connectionstyle().rad for patch in axes.patches]
    assert len(set(bends)) == 2


def test_own_lags_are_written_in_the_node() -> None:
    graph = np.zeros((2, 2, 4), dtype=bool)
    graph[0, 0, 1:] = True
    _, axes = draw_network({BLUE: graph}, ["a", "b"])
    assert "self 1-3" in words(axes)


def test_many_variables_become_a_matrix_with_causes_down() -> None:
    d = 30
    x = np.random.default_rng(0).normal(size=(300, d))
    x[1:, 7] += x[:-1, 3]
    mask = np.zeros((d, d, 2), dtype=bool)
    mask[:, :, 1] = np.random.default_rng(1).random((d, d)) < 0.1
    mask[3, 7, 1] = True
    figure, (before, after) = gp.analyze(gp.Skeleton(mask), x).plot()
    image = after.images[0].get_array()
    np.testing.assert_allclose(image[3, 7], to_rgb(RED), atol=0.1)  # the strongest, and it pushes up
    np.testing.assert_allclose(image[7, 3], 1.0)
    assert after.get_ylabel() == "cause"
    assert len(before.images) == 1
    figure.canvas.draw()


def test_time_series_graph_ends_at_the_effect_now() -> None:
    _, axes = small_refinement().plot("time_series")
    ends = {tuple(map(tuple, patch._posA_posB)) for patch in axes.patches}
    assert ends == {((1, 0), (2, 1)), ((0, 1), (2, 2))}  # (time, variable): rain(t-1) -> river(t), ...
    assert [label.get_text() for label in axes.get_xticklabels()] == ["t-2", "t-1", "t"]


def test_gate_histogram_counts_every_candidate() -> None:
    _, axes = small_refinement().plot("gates")
    tops = [bar.get_y() + bar.get_height() for bar in axes.containers[-1]]
    assert sum(tops) == 32


def test_response_draws_the_fitted_curve() -> None:
    refinement = small_refinement()
    _, axes = refinement.plot("response", edge=("rain", "river", 1))
    curve = refinement.explain("rain", "river", 1).curve
    assert curve is not None
    np.testing.assert_allclose(axes.lines[-1].get_ydata(), curve.effect, atol=0.1 * np.ptp(curve.effect))
    assert axes.get_xlabel() == "rain, 1 step before"


def test_given_axes_are_used() -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    assert small_refinement().plot("graph", ax=axes) == (figure, axes)


def test_wrong_calls_are_refused() -> None:
    refinement = small_refinement()
    with pytest.raises(OptionError, match="time_series"):
        refinement.plot("hairball")
    with pytest.raises(OptionError, match="needs edge="):
        refinement.plot("response")
    with pytest.raises(OptionError, match=r"truth has shape \(2, 2\)"):
        refinement.plot(truth=np.ones((2, 2), dtype=bool))
    with pytest.raises(OptionError, match="no fitted curve"):
        read_json(refinement.to_json()).plot("response", edge=("rain", "river", 1))


def test_words_in_pictures() -> None:
    assert lag_words([5, 1, 2]) == "1, 2, 5"
    assert lag_words([]) == ""


def test_names_with_formula_signs_are_drawn_as_they_are() -> None:
    mask = np.zeros((2, 2, 2), dtype=bool)
    mask[0, 1, 1] = True
    x = np.random.default_rng(0).normal(size=(100, 2))
    figure, _ = gp.analyze(gp.Skeleton(mask, ["$", r"$\frac$ of _^"]), x).plot()
    figure.canvas.draw()


def test_repr_html_escapes_names_and_shows_counts() -> None:
    page = small_refinement()._repr_html_()
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert "32 candidate edges, 2 kept" in page


def test_repr_lists_strongest_edges() -> None:
    lines = repr(small_refinement()).splitlines()
    assert lines[0].startswith("Refinement: 32 candidate edges, 2 kept")
    assert "strongest kept:" in lines
    assert "strongest pruned (of 30):" in lines
    assert any(line.split() == ["rain", "->", "river", "@", "1", *line.split()[5:]] for line in lines)


@pytest.mark.filterwarnings("ignore:'\\w+' deprecated - use:DeprecationWarning")  # pydot's own
@pytest.mark.host  # pydot reads what was written
def test_dot_quotes_names_and_marks_pruned_edges() -> None:
    refinement = small_refinement()
    dot = refinement.to_dot(pruned=True)
    assert dot.count("style=dashed") == 30
    assert refinement.to_dot().count(" -> ") == 2
    import pydot

    (parsed,) = pydot.graph_from_dot_data(dot)
    assert len(parsed.get_edges()) == 32


def test_the_style_sheet_leaves_all_else_as_the_user_has_it() -> None:
    import matplotlib as mpl

    from grace_plugin.show.style import sheet

    with mpl.rc_context({"font.family": "monospace", "interactive": True, "axes.spines.top": True}):
        before = dict(mpl.rcParams)
        with sheet():
            assert mpl.rcParams["font.family"] == ["monospace"]
            assert mpl.rcParams["interactive"]  # without it notebooks would not show a second picture
            assert not mpl.rcParams["axes.spines.top"]
        assert dict(mpl.rcParams) == before
        with sheet():
            mpl.interactive(False)
        assert not mpl.is_interactive()
