"""DYNOTEARS' weight matrices (W, A), thresholded as its users do, against refine.

causalnex, where DYNOTEARS lives, needs Python 3.10 or older. For lagged edges DYNOTEARS is an L1-penalised
regression, so a plain lasso VAR from scikit-learn gives matrices of the same form here; a causalnex
StructureModel goes into gp.refine in the same way.
"""

import numpy as np
from sklearn.linear_model import LassoCV

import grace_plugin as gp

SIZE, MAX_LAG, ROWS = 8, 2, 400
TRUE = {(0, 1, 1), (1, 2, 2), (2, 3, 1), (4, 5, 1), (5, 6, 2), (0, 7, 1)}
TRUE |= {(variable, variable, 1) for variable in range(SIZE)}


def simulate() -> np.ndarray:
    values = np.random.default_rng(0).laplace(size=(ROWS, SIZE))
    for t in range(MAX_LAG, ROWS):
        for cause, effect, lag in sorted(TRUE):
            values[t, effect] += 0.4 * values[t - lag, cause]
    return values


def lasso_var(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """W [cause, effect] at lag 0, and A [(lag - 1) * d + cause, effect]."""
    past = np.hstack([values[MAX_LAG - lag : ROWS - lag] for lag in range(1, MAX_LAG + 1)])
    fits = [LassoCV(cv=5, random_state=0).fit(past, target) for target in values[MAX_LAG:].T]
    return np.zeros((SIZE, SIZE)), np.column_stack([fit.coef_ for fit in fits])


def report(title: str, a: np.ndarray) -> None:
    found = {(int(row) % SIZE, int(effect), int(row) // SIZE + 1) for row, effect in np.argwhere(a)}
    print(f"{title:22}{len(found & TRUE):4} of {len(TRUE)}{len(found - TRUE):7}")


data = simulate()
w, a = lasso_var(data)
print("                      true edges  false")
report("lasso", a)
report("lasso, |w| > 0.05", np.where(np.abs(a) > 0.05, a, 0))
refined_w, refined_a = gp.refine((w, a), data)
report("refined", refined_a)
