"""PCMCI and VARLiNGAM see different edges; one decision judges them all, and says who proposed which."""

import lingam
import numpy as np
import pandas as pd
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI

import grace_plugin as gp

NAMES = ["sun", "sea", "cloud", "rain"]
TRUE = {("sun", "sea", 1), ("sea", "cloud", 2), ("cloud", "rain", 1), ("sun", "rain", 2)}


def simulate(rows: int = 400) -> pd.DataFrame:
    values = np.random.default_rng(0).laplace(size=(rows, len(NAMES)))
    for t in range(2, rows):
        values[t] += 0.3 * values[t - 1]
        for cause, effect, lag in sorted(TRUE):
            values[t, NAMES.index(effect)] += 0.4 * values[t - lag, NAMES.index(cause)]
    return pd.DataFrame(values, columns=NAMES)


data = simulate()
pcmci = PCMCI(DataFrame(data.to_numpy(), var_names=NAMES), ParCorr()).run_pcmci(tau_max=3, pc_alpha=0.2)
model = lingam.VARLiNGAM(lags=3, criterion=None, prune=True, random_state=0).fit(data)

found = gp.consensus({"PCMCI": pcmci, "VARLiNGAM": model}, data)
table = found.edges.query("cause != effect")
print(
    table[["cause", "effect", "lag", "kept", "probability", "hosts", "votes"]].round(2).to_string(index=False)
)
print(found.weights.round(2).to_string(index=False))
kept = {(row.cause, row.effect, row.lag) for row in table[table.kept].itertuples()}
print(f"{len(kept & TRUE)} of {len(TRUE)} true edges kept, {len(kept - TRUE)} false")
print("as a networkx graph:", found.to("networkx"))
