"""A vector autoregression has a coefficient for everything; refine keeps those that matter and refits.

The result holds its own data, and what comes back is a VARResults again: it forecasts.
"""

import numpy as np
import pandas as pd
from statsmodels.tsa.api import VAR
from statsmodels.tsa.vector_ar.var_model import VARResultsWrapper

import grace_plugin as gp

NAMES = ["rain", "soil", "river", "lake", "wind", "dust"]
TRUE = {("rain", "soil", 1), ("soil", "river", 1), ("rain", "river", 2), ("river", "lake", 1)}
TRUE |= {("wind", "dust", 1)} | {(name, name, 1) for name in NAMES}


def simulate(rows: int) -> pd.DataFrame:
    values = np.random.default_rng(0).normal(size=(rows, len(NAMES)))
    for t in range(2, rows):
        for cause, effect, lag in sorted(TRUE):
            values[t, NAMES.index(effect)] += 0.4 * values[t - lag, NAMES.index(cause)]
    return pd.DataFrame(values, columns=NAMES)


def edges(result: VARResultsWrapper, threshold: float = 1.0) -> set[tuple[str, str, int]]:
    p_values = result.pvalues.iloc[result.k_trend :].stack()  # a pruned coefficient has none
    names = [(row.split(".")[1], effect, int(row[1])) for row, effect in p_values.index]
    return {edge for edge, p_value in zip(names, p_values, strict=True) if p_value <= threshold}


def forecast_error(result: VARResultsWrapper) -> float:
    unseen = data.to_numpy()
    errors = [result.forecast(unseen[t - 3 : t], 1)[0] - unseen[t] for t in range(300, 500)]
    return float(np.sqrt(np.mean(np.square(errors))))


def report(title: str, found: set[tuple[str, str, int]], last: str = "") -> None:
    print(f"{title:22}{len(found & TRUE):4} of {len(TRUE)}{len(found - TRUE):7}{last:>16}")


data = simulate(500)
fitted = VAR(data.iloc[:300]).fit(3)
refined = gp.refine(fitted)
print("                      true edges  false  forecast error")
report("VAR(3), all", edges(fitted), f"{forecast_error(fitted):.4f}")
report("VAR(3), p < 0.05", edges(fitted, 0.05))
report("refined", edges(refined), f"{forecast_error(refined):.4f}")
