"""Ten lines without any other library: a graph with false edges in, a graph without them out."""

import networkx as nx
import numpy as np

import grace_plugin as gp

# rain feeds the river a day later, the river feeds the sea two days later; tea has nothing to do with it.
values = np.random.default_rng(0).normal(size=(400, 4))
values[1:, 1] += 0.8 * values[:-1, 0]
values[2:, 2] += 0.8 * values[:-2, 1]
names = ["rain", "river", "sea", "tea"]

# Somebody's guess: nodes are (name, -lag), and every variable may act on every other one.
guess = nx.DiGraph()
guess.add_edges_from(((c, -lag), (e, 0)) for c in names for e in names for lag in (1, 2) if c != e)

refined = gp.refine(guess, values, names=names)
print(f"{guess.number_of_edges()} edges before, {refined.number_of_edges()} after:")
for (cause, lag), (effect, _) in refined.edges:
    print(f"  {cause} -> {effect} at lag {-lag}")

why = gp.analyze(guess, values, names=names).explain("rain", "sea", 2)
print(why)
