"""Thousands of series: who acts on whom, and how to look at so large a graph.

`python examples/many_series.py 2500` takes a minute of one core and half a GB; without a number, 600 series.
"""

import sys

import numpy as np

import grace_plugin as gp

SERIES = int(sys.argv[1]) if len(sys.argv) > 1 else 600

# Sensors of one plant: every tenth one drives two others, one step and three steps later.
rng = np.random.default_rng(0)
drivers = np.arange(0, SERIES, 10)
near, far = drivers + 1, (drivers + 25) % SERIES
values = rng.normal(size=(500, SERIES))
for t in range(3, len(values)):
    values[t] += 0.4 * values[t - 1]
    values[t, near] += 0.6 * values[t - 1, drivers]
    values[t, far] += 0.6 * np.abs(values[t - 3, drivers])

# n_jobs=-1 would take every core of this machine; joblib.parallel_config("dask") the workers of a cluster.
found = gp.discover(values, max_lag=3, n_jobs=1)
print(found.summary())

# The graph is a list of edges; `found.graph`, an array [cause, effect, lag], is made when it is asked for.
kept = found.edges.query("kept and cause != effect")
print(kept.head(5)[["cause", "effect", "lag", "effect_size", "probability"]].to_string(index=False))

true = {(c, e, 1) for c, e in np.stack([drivers, near], axis=1).tolist()}
true |= {(c, e, 3) for c, e in np.stack([drivers, far], axis=1).tolist()}
edges = {(c, e, lag) for c, e, lag in found.native if c != e}
print(f"{len(true & edges)} of {len(true)} true edges found, {len(edges - true)} others")

# One sensor's neighbourhood is small again.
name = f"x{near[0]}"
print(f"What acts on {name}:", sorted(kept[kept.effect == name]["cause"]))
