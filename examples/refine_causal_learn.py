"""PC on lag-expanded columns finds the true edges and false ones; refine takes the false ones out.

The graph holds its own data (its test's), so refine needs nothing else.
"""

import numpy as np
import pandas as pd
from causallearn.graph.GraphClass import CausalGraph
from causallearn.search.ConstraintBased.PC import pc

import grace_plugin as gp

NAMES = ["rain", "soil", "river", "lake", "wind", "dust"]
MAX_LAG = 2
TRUE = {("rain", "soil", 1), ("soil", "river", 1), ("rain", "river", 2), ("river", "lake", 1)}
TRUE |= {("wind", "dust", 1)} | {(name, name, 1) for name in NAMES}


def simulate(rows: int = 300) -> pd.DataFrame:
    values = np.random.default_rng(0).normal(size=(rows, len(NAMES)))
    for t in range(MAX_LAG, rows):
        for cause, effect, lag in sorted(TRUE):
            values[t, NAMES.index(effect)] += 0.45 * values[t - lag, NAMES.index(cause)]
    return pd.DataFrame(values, columns=NAMES)


def edges_into_the_present(graph: CausalGraph) -> set[tuple[str, str, int]]:
    found = set()
    for edge in graph.G.get_graph_edges():
        ends = [node.get_name().split("_lag") for node in (edge.get_node1(), edge.get_node2())]
        (effect, late), (cause, early) = sorted(ends, key=lambda end: end[1])
        if late == "0":
            found.add((cause, effect, int(early)))
    return found


def report(title: str, graph: CausalGraph) -> None:
    found = edges_into_the_present(graph)
    print(f"{title:8} {len(found & TRUE):4} of {len(TRUE)} {len(found - TRUE):5}")
    for cause, effect, lag in sorted(found - TRUE):
        print(f"{'':24} {cause} -> {effect} at lag {lag}")


data = simulate()
columns = gp.lag_expand(data, MAX_LAG)
knowledge = gp.lagged_knowledge(NAMES, MAX_LAG)
# A lenient test misses little; what it lets in wrongly is for refine to find.
graph = pc(
    columns.to_numpy(), 0.3, node_names=list(columns), background_knowledge=knowledge, show_progress=False
)
print("           true edges  false")
report("pc", graph)
report("refined", gp.refine(graph))
