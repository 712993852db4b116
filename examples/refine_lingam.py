"""VARLiNGAM weighs every edge; its own pruning and refine are compared with the known graph.

lingam keeps neither names nor data: refine takes the data, and goes by the order of their columns.
"""

import lingam
import numpy as np

import grace_plugin as gp

SIZE, MAX_LAG = 6, 2
TRUE = {(0, 1, 1), (1, 2, 0), (0, 3, 2), (3, 4, 1), (5, 4, 0), (2, 5, 2)}  # (cause, effect, lag)
TRUE |= {(variable, variable, 1) for variable in range(SIZE)}


def simulate(rows: int = 400) -> np.ndarray:
    values = np.random.default_rng(0).laplace(size=(rows, SIZE))
    for t in range(MAX_LAG, rows):
        for cause, effect, lag in sorted(TRUE, key=lambda edge: -edge[2]):  # causes of this row come last
            values[t, effect] += 0.4 * values[t - lag, cause]
    return values


def report(title: str, model: lingam.VARLiNGAM) -> None:
    lag_effect_cause = np.argwhere(model.adjacency_matrices_)  # lingam's axis order
    found = {(int(cause), int(effect), int(lag)) for lag, effect, cause in lag_effect_cause}
    print(f"{title:26} {len(found & TRUE):4} of {len(TRUE)} {len(found - TRUE):6}")


data = simulate()
full = lingam.VARLiNGAM(lags=MAX_LAG, criterion=None, prune=False, random_state=0).fit(data)
lasso = lingam.VARLiNGAM(lags=MAX_LAG, criterion=None, prune=True, random_state=0).fit(data)
print("                             true edges  false")
report("unpruned", full)
report("pruned by lingam", lasso)
report("unpruned, refined", gp.refine(full, data))
report("pruned by lingam, refined", gp.refine(lasso, data))
