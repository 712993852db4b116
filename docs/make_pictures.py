"""Make the pictures of README and docs: python -m docs.make_pictures [toy many stability reports elbe]."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import grace_plugin as gp
from grace_plugin.show.style import BLUE, RED

IMAGES = Path(__file__).parent / "images"


def elbe() -> None:
    """The flood of September 2024 on 42 gauges: one run on all hours, and what most windows agree on."""
    example = gp.load_example("elbe_flood")
    logarithms = np.log(example.data.resample("1h").mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # windows in which a gauge stands still
        single = gp.discover(logarithms, max_lag=12)
        stable = gp.bootstrap("basis", logarithms, max_lag=12, runs=50)
    assert example.positions is not None
    places = example.positions[["lon", "lat"]].to_numpy() * [np.cos(np.deg2rad(51.0)), 1.0]
    figure, axes = plt.subplots(1, 2, figsize=(11.0, 5.6), layout="constrained")
    graphs = {"one run": single.graph.any(axis=2), "most of 50 windows": stable.pair_graph}
    for one, (name, pairs) in zip(axes, graphs.items(), strict=True):
        right, wrong = _map(one, pairs, example.pair_graph, places)
        one.set_title(f"{name}: {right} true edges, {wrong} false")
    _legend(figure)
    figure.savefig(IMAGES / "elbe.png", dpi=110)


def _map(axes: Any, pairs: np.ndarray, truth: np.ndarray, places: np.ndarray) -> tuple[int, int]:
    pairs = pairs & ~np.eye(len(pairs), dtype=bool)
    right, wrong = pairs & truth, pairs & ~truth
    for graph, colour, width, layer in (
        (wrong, RED, 0.5, 2),
        (truth, "#b9c0cb", 4.0, 1),
        (right, BLUE, 1.8, 3),
    ):
        for cause, effect in np.argwhere(graph):
            style = {"arrowstyle": "-|>" if layer > 1 else "-", "color": colour, "linewidth": width}
            axes.annotate(
                "",
                places[effect],
                places[cause],
                arrowprops={**style, "shrinkA": 0, "shrinkB": 0},
                zorder=layer,
            )
    axes.scatter(*places.T, s=14, color="#20242c", zorder=4)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return int(right.sum()), int(wrong.sum())


def _legend(figure: Any) -> None:
    from matplotlib.lines import Line2D

    styles = {"river (the truth)": ("#b9c0cb", 4.0), "true edge": (BLUE, 1.8), "false edge": (RED, 0.8)}
    lines = [Line2D([], [], color=c, linewidth=w, label=name) for name, (c, w) in styles.items()]
    figure.legend(handles=lines, loc="outside lower center", ncols=3, frameon=False)


def toy() -> None:
    """The kinds of pictures, on the simulated climate."""
    refinement = gp.discover(gp.load_example("toy_climate").data, max_lag=3)
    for kind in ("before_after", "graph", "matrix", "time_series", "gates"):
        figure, _ = refinement.plot(kind)
        figure.savefig(IMAGES / f"{kind}.png", dpi=90)
    figure, _ = refinement.plot("graph", layout="kamada_kawai", labels={"sun": "solar radiation"})
    figure.savefig(IMAGES / "graph_layout.png", dpi=90)
    figure, _ = refinement.plot("graph", layout="graphviz")
    figure.savefig(IMAGES / "graph_graphviz.png", dpi=90)
    figure, _ = refinement.plot("path")
    figure.savefig(IMAGES / "path.png", dpi=90)
    figure, _ = refinement.plot("response", edge=("sea", "wind", 1))
    figure.savefig(IMAGES / "response.png", dpi=90)


def regions(count: int, edges: int) -> pd.DataFrame:
    """Many variables with long names."""
    rng = np.random.default_rng(2)
    data = rng.normal(size=(600, count))
    for _ in range(edges):
        cause, effect = rng.choice(count, 2, replace=False)
        lag = rng.integers(1, 4)
        data[lag:, effect] += rng.choice([-0.5, 0.5]) * data[:-lag, cause]
    kinds = ("sea surface temperature", "geopotential height 500 hPa", "precipitation", "soil moisture")
    names = [
        f"{kinds[index % 4]}, region {index // 4 + 1} of the northern hemisphere" for index in range(count)
    ]
    return pd.DataFrame(data, columns=names)


def many() -> None:
    """Networks, a matrix and a page of a time-series graph of many variables."""
    refinement = gp.discover(regions(50, 60), max_lag=3)
    for kind, file in (
        ("network", "network_many"),
        ("graph", "matrix_many"),
        ("time_series", "time_series_many"),
    ):
        figure, _ = refinement.plot(kind)
        figure.savefig(IMAGES / f"{file}.png", dpi=75)


def stability() -> None:
    """What most windows agree on."""
    stable = gp.bootstrap("basis", gp.load_example("toy_climate").data, max_lag=3, window=150, runs=20)
    for kind in ("graph", "over_time"):
        figure, _ = stable.plot(kind)
        figure.savefig(IMAGES / f"stability_{kind}.png", dpi=80)


def reports() -> None:
    """Screenshots of the report with 8, 20 and 100 variables, an edge chosen, by Chromium."""
    from tests.support.browser import Browser

    toy = gp.load_example("toy_climate").data
    tables = {8: toy, 20: regions(20, 26), 100: regions(100, 130)}
    with tempfile.TemporaryDirectory() as folder, Browser((1100, 900)) as browser:
        for count, data in tables.items():
            page = gp.discover(data, max_lag=3).report(Path(folder) / f"{count}.html", data)
            browser.open(page)
            browser.value("document.getElementById('graph').scrollIntoView()")
            browser.value("document.querySelector('#table tbody tr.kept').click()")
            browser.settle()
            browser.screenshot(IMAGES / f"report_{count}.png")
            if count == 8:
                browser.value("document.getElementById('edges').scrollIntoView()")
                browser.settle()
                browser.screenshot(IMAGES / "report_edges.png")


def main() -> None:
    """All pictures."""
    mpl.use("Agg")
    IMAGES.mkdir(exist_ok=True)
    for make in (toy, many, stability, reports, elbe):
        if not sys.argv[1:] or make.__name__ in sys.argv[1:]:
            make()


if __name__ == "__main__":
    main()
