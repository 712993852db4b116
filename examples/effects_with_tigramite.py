"""From a refined graph to the size of an effect, with tigramite's own CausalEffects.

CausalEffects believes the graph that it is given: a false edge makes it adjust for the wrong variables.
"""

import numpy as np
from tigramite.causal_effects import CausalEffects
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI

import grace_plugin as gp

NAMES = ["sun", "sea", "cloud", "rain"]
TRUE = {(0, 1, 1): 0.6, (1, 2, 1): 0.7, (0, 2, 2): 0.4, (2, 3, 1): 0.8}  # (cause, effect, lag): weight


def simulate(rows: int = 2000) -> np.ndarray:
    values = np.random.default_rng(0).normal(size=(rows, len(NAMES)))
    for t in range(2, rows):
        values[t] += 0.3 * values[t - 1]
        for (cause, effect, lag), weight in TRUE.items():
            values[t, effect] += weight * values[t - lag, cause]
    return values


frame = DataFrame(simulate(), var_names=NAMES)
found = PCMCI(frame, ParCorr()).run_pcmci(tau_max=2, pc_alpha=0.2)
refined = gp.refine(found, frame)
print(
    "edges of PCMCI:",
    int((found["graph"] == "-->").sum()),
    " refined:",
    int((refined["graph"] == "-->").sum()),
)

cause, effect = [(1, -1)], [(2, 0)]  # the sea one step before, the clouds now
effects = CausalEffects(refined["graph"], graph_type="stationary_dag", X=cause, Y=effect, verbosity=0)
named = sorted(f"{NAMES[variable]} at lag {-lag}" for variable, lag in effects.get_optimal_set())
print("adjusted for:", ", ".join(named))

from sklearn.linear_model import LinearRegression  # noqa: E402

effects.fit_total_effect(dataframe=frame, estimator=LinearRegression())
low, high = effects.predict_total_effect(np.array([[0.0], [1.0]])).ravel()
print(f"effect of the sea on the clouds one step later: {high - low:.2f} (true: {TRUE[1, 2, 1]})")
