"""Networks: colours tell signs, widths strengths, labels stay apart, layouts hold still."""

import json
from collections.abc import Iterator

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import grace_plugin as gp
from grace_plugin.exceptions import OptionError
from grace_plugin.results.json_reader import read_json
from grace_plugin.results.refinement import Refinement
from grace_plugin.show import draw_network, draw_unrolled
from grace_plugin.show.labels import chosen_labels, distinct, wrapped
from grace_plugin.show.layout import along, bend_past, placed
from grace_plugin.show.strength import Strengths
from grace_plugin.show.style import BLUE, INK, Link, links_of
from tests.support.people import small_refinement


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    from matplotlib import pyplot as plt

    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def signed() -> Refinement:
    """0 pushes 1 up strongly, 2 down weakly, and 3 by its square."""
    x = np.random.default_rng(0).normal(size=(600, 4))
    x[1:, 1] += 1.5 * x[:-1, 0]
    x[1:, 2] -= 0.4 * x[:-1, 0]
    x[1:, 3] += x[:-1, 0] ** 2
    mask = np.zeros((4, 4, 2), dtype=bool)
    mask[0, 1:, 1] = True
    return gp.analyze(gp.Skeleton(mask), x)


def test_signs_are_those_of_the_effects(signed: Refinement) -> None:
    found = Strengths.of(signed)
    assert found.sign[0, 1:, 1].tolist() == [1.0, -1.0, 0.0]
    # a + 1.5 b has the correlation 1.5 / sqrt(1 + 1.5 ** 2) with b
    assert found.size[0, 1, 1] == pytest.approx(1.5 / np.sqrt(3.25), abs=0.05)
    assert np.isnan(found.size[1, 0, 1])


def test_colours_and_widths_of_arrows(signed: Refinement) -> None:
    figure, axes = signed.plot("graph")
    up, down, square = (np.array(to_rgb(patch.get_edgecolor())) for patch in axes.patches)
    assert up[0] > up[2] + 0.5
    assert down[2] > down[0]
    assert tuple(square) == to_rgb(INK)
    widths = [patch.get_linewidth() for patch in axes.patches]
    assert widths[0] > 1.5 * widths[1]
    assert len(figure.axes) == 2  # the colour bar
    assert "dark: bent" in figure.axes[1].get_ylabel()
    assert len(signed.plot("graph", colorbar=False)[0].axes) == 1


def test_a_result_from_a_file_tells_signs_by_the_stored_intervals(signed: Refinement) -> None:
    _, axes = read_json(signed.to_json()).plot("graph")
    _, before = signed.plot("graph")
    assert [patch.get_edgecolor() for patch in axes.patches] == [
        patch.get_edgecolor() for patch in before.patches
    ]


def test_without_signs_edges_are_blue_and_there_is_no_colour_bar(signed: Refinement) -> None:
    stored = json.loads(signed.to_json())
    stored["edges"] = {name: column for name, column in stored["edges"].items() if "further" not in name}
    figure, axes = read_json(json.dumps(stored)).plot("graph")
    assert {to_rgb(patch.get_edgecolor()) for patch in axes.patches} == {to_rgb(BLUE)}
    assert len(figure.axes) == 1


def test_an_open_pair_is_one_line_without_a_head() -> None:
    graph = np.zeros((3, 3, 2), dtype=bool)
    graph[0, 1, 0] = graph[1, 0, 0] = graph[0, 1, 1] = graph[2, 1, 0] = True
    assert links_of(graph) == [Link(0, 1, (1,)), Link(2, 1, (0,)), Link(0, 1, (0,), True)]
    _, axes = draw_network({BLUE: graph}, ["a", "b", "c"])
    heads = [type(patch.get_arrowstyle()).__name__ for patch in axes.patches]
    assert heads == ["CurveFilledB", "CurveFilledB", "Curve"]
    assert axes.patches[0].get_connectionstyle().rad != axes.patches[2].get_connectionstyle().rad


def test_long_names_stay_apart() -> None:
    names = [f"sea_surface_temperature_of_the_region_number_{i}_of_fifty" for i in range(50)]
    assert len(set(distinct(names, 20))) == 50
    assert distinct(["same", "same"], 10) == ["same", "same"]
    assert "".join(wrapped("aVeryLongNameWithoutSpaces", 6)) == "aVeryLongNameWithoutSpaces"
    graph = np.zeros((50, 50, 2), dtype=bool)
    graph[3, 4, 1] = True
    _, axes = draw_network({BLUE: graph}, names)
    texts = [text.get_text() for text in axes.texts]
    assert len(set(texts)) == 51  # and one lag


def test_labels_of_the_user() -> None:
    assert chosen_labels(["a", "b"], {"b": "Rain"}) == ("a", "Rain")
    assert chosen_labels(["a", "b"], ["x", "y"]) == ("x", "y")
    with pytest.raises(OptionError, match=r"no variables"):
        chosen_labels(["a", "b"], {"c": "Rain"})
    with pytest.raises(OptionError, match=r"each of the 2"):
        chosen_labels(["a", "b"], ["x"])
    _, axes = small_refinement().plot("graph", labels=["a", "b", "c", "d"])
    assert {"a", "b", "c", "d"} <= {text.get_text() for text in axes.texts}


@pytest.mark.parametrize("layout", ["auto", "circle", "kamada_kawai", "spring"])
@pytest.mark.parametrize("links", [0, 1, 30])
def test_layouts_hold_still_and_keep_variables_apart(layout: str, links: int) -> None:
    graph = np.zeros((20, 20, 2), dtype=bool)
    graph.reshape(-1, 2)[np.random.default_rng(0).choice(400, links, replace=False), 1] = True
    places = placed(layout, graph)
    np.testing.assert_array_equal(places, placed(layout, graph))
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 9.0 * np.eye(20)
    assert apart.min() > 0.02
    with pytest.raises(OptionError, match="kamada_kawai"):
        placed("hairball", graph)


def test_an_arrow_bends_past_a_variable_in_its_way() -> None:
    ends = (np.array([0.0, 0.0]), np.array([2.0, 0.0]))
    others = np.array([[1.0, 0.16], [1.0, 5.0]])
    bend = bend_past(ends, others, 0.2, one_way=True)
    way = along(ends, bend, np.linspace(0, 1, 50)[:, None])
    assert np.linalg.norm(way - others[0], axis=1).min() > 0.19


def test_a_network_of_many_variables_shows_the_strongest(signed: Refinement) -> None:
    _, axes = signed.plot("network", strongest=1)
    assert [patch._posA_posB for patch in axes.patches] == [signed.plot("graph")[1].patches[0]._posA_posB]
    assert axes.get_title() == "the 1 strongest of 3 pairs"


def test_no_edge_at_all_can_be_drawn(signed: Refinement) -> None:
    nothing = gp.analyze(gp.Skeleton(signed.skeleton.mask), np.random.default_rng(5).normal(size=(300, 4)))
    assert not nothing.graph.any()
    for kind in ("before_after", "graph", "network", "matrix", "time_series"):
        nothing.plot(kind)[0].canvas.draw()


@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_vector_pictures_can_be_written(signed: Refinement, form: str, tmp_path) -> None:
    path = tmp_path / f"graph.{form}"
    signed.plot("graph")[0].savefig(path)
    assert path.stat().st_size > 4000


def test_positions_must_fit() -> None:
    with pytest.raises(OptionError, match=r"\(4, 2\)"):
        small_refinement().plot("graph", positions=np.zeros((3, 2)))


def test_graphviz_puts_causes_above_their_effects() -> None:
    graph = np.zeros((3, 3, 2), dtype=bool)
    graph[2, 0, 1] = graph[0, 1, 1] = True
    heights = placed("graphviz", graph)[:, 1]
    assert heights[2] > heights[0] > heights[1]


def test_without_graphviz_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grace_plugin.show.graphviz.shutil.which", lambda _: None)
    with pytest.raises(OptionError, match="needs the program dot"):
        placed("graphviz", np.zeros((2, 2, 2), dtype=bool))


def test_a_time_series_graph_has_pages() -> None:
    graph = np.zeros((45, 45, 2), dtype=bool)
    graph[44, 0, 1] = graph[3, 44, 1] = True
    names = [f"x{index}" for index in range(45)]
    _, first = draw_unrolled(graph, names)
    assert [tick.get_text() for tick in first.get_yticklabels()] == [*names[:10], "x44"]
    assert first.get_title(loc="left") == "page 1 of 5: effects 1 to 10 of 45"
    assert len(first.patches) == 1
    _, last = draw_unrolled(graph, names, page=5)
    assert [tick.get_text() for tick in last.get_yticklabels()] == [*names[40:], "x3"]
    with pytest.raises(OptionError, match="from 1 to 5"):
        draw_unrolled(graph, names, page=6)


def test_arrows_over_several_steps_keep_off_the_dots_between() -> None:
    graph = np.zeros((5, 5, 4), dtype=bool)
    graph[0, 3, 3] = graph[4, 0, 2] = graph[1, 1, 3] = True
    figure, axes = draw_unrolled(graph, list("abcde"))
    figure.canvas.draw()
    dots = axes.transData.transform([(column, row) for column in range(4) for row in range(5)])
    for patch in axes.patches:
        way = patch.get_transform().transform_path(patch.get_path()).interpolated(1).vertices
        ends = axes.transData.transform(patch._posA_posB)
        others = [dot for dot in dots if min(np.hypot(*(dot - end)) for end in ends) > 1]
        curve = [
            (1 - s) ** 2 * way[0] + 2 * s * (1 - s) * way[1] + s**2 * way[2] for s in np.linspace(0, 1, 60)
        ]
        assert min(np.hypot(*(dot - point)) for dot in others for point in curve) > 4


def test_a_network_of_many_leaves_out_variables_without_an_edge() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 40))
    x[1:, 1] += x[:-1, 0]
    _, axes = gp.discover(x, max_lag=1).plot("network")
    assert "left out" in axes.get_title()
    shown = {text.get_text() for text in axes.texts}
    assert {"x0", "x1"} <= shown
    assert len(shown) < 40


def test_labels_of_many_long_names_stay_apart() -> None:
    names = [f"sea surface temperature, region {index} of the northern hemisphere" for index in range(100)]
    for most in (12, 20, 36):
        short = distinct(names, most)
        assert len(set(short)) == 100
        assert max(map(len, short)) <= most
