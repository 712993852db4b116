"""Refine a tigramite result: PCMCI finds edges, grace_plugin removes the false ones."""

import sys
import time
from pathlib import Path

import matplotlib as mpl
import numpy as np
from tigramite import data_processing
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI

import grace_plugin as gp
from grace_plugin.show import plot_before_after

MAX_LAG = 3
PICTURE = Path("grace-demo.png")


def main() -> int:
    mpl.use("Agg")
    example = gp.load_example("toy_climate")
    print(f"Data: {example.name}, {len(example.data)} days of {', '.join(example.names)}.")

    started = time.perf_counter()
    frame = data_processing.DataFrame(example.data.to_numpy(), var_names=list(example.names))
    found = PCMCI(dataframe=frame, cond_ind_test=ParCorr()).run_pcmci(
        tau_min=1, tau_max=MAX_LAG, pc_alpha=0.05
    )
    found_in = time.perf_counter() - started

    started = time.perf_counter()
    refined = gp.refine(found, frame)
    refined_in = time.perf_counter() - started

    truth = true_graph(example.edges, example.names)
    before, after = found["graph"] == "-->", refined["graph"] == "-->"
    print_edges(before, after, truth, example.names)
    print_scores({"tigramite PCMCI": before, "after gp.refine": after}, truth)
    print(f"PCMCI took {found_in:.1f} s, gp.refine {refined_in:.1f} s.")

    figure, _ = plot_before_after(gp.analyze(found, frame), truth=truth)
    figure.savefig(PICTURE, dpi=120)
    print(f"Picture of both graphs: {PICTURE}")
    return 0


def true_graph(edges: tuple[tuple[str, str, int], ...], names: tuple[str, ...]) -> np.ndarray:
    """The true edges as [cause, effect, lag]."""
    graph = np.zeros((len(names), len(names), MAX_LAG + 1), dtype=bool)
    for cause, effect, lag in edges:
        graph[names.index(cause), names.index(effect), lag] = True
    return graph


def print_edges(before: np.ndarray, after: np.ndarray, truth: np.ndarray, names: tuple[str, ...]) -> None:
    print(f"\n{'edge':<26} {'tigramite':<12} {'refined':<10} {'in truth'}")
    order = np.argwhere(before | after | truth)
    for cell in sorted(map(tuple, order), key=lambda cell: (not truth[cell], not after[cell], cell[1])):
        cause, effect, lag = cell
        edge = f"{names[cause]} -> {names[effect]} @ {lag}"
        seen = ["yes" if graph[cell] else "-" for graph in (before, after)]
        print(f"{edge:<26} {seen[0]:<12} {seen[1]:<10} {'true' if truth[cell] else 'FALSE'}")


def print_scores(graphs: dict[str, np.ndarray], truth: np.ndarray) -> None:
    print(f"\n{'':<18} {'edges':>6} {'true':>6} {'false':>6} {'missed':>7} {'precision':>10} {'recall':>7}")
    for name, graph in graphs.items():
        right = int((graph & truth).sum())
        edges = int(graph.sum())
        missed = int((truth & ~graph).sum())
        print(
            f"{name:<18} {edges:>6} {right:>6} {edges - right:>6} {missed:>7} "
            f"{right / max(edges, 1):>10.2f} {right / max(int(truth.sum()), 1):>7.2f}"
        )
    print()


if __name__ == "__main__":
    sys.exit(main())
