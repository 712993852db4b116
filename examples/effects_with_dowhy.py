"""From a refined graph to the size of an effect, with DoWhy: an estimate, and an intervention.

`to_dowhy()` unrolls the graph over time; its nodes are the columns of `lag_expand`.
"""

import warnings

import numpy as np
import pandas as pd

import grace_plugin as gp

warnings.simplefilter("ignore")  # DoWhy's own, on new versions of what it uses
from dowhy import CausalModel, gcm  # noqa: E402

NAMES = ["sun", "sea", "cloud"]
SEA_ON_CLOUD, SUN_ON_SEA, SUN_ON_CLOUD = 0.7, 0.6, 0.4


def simulate(rows: int = 800) -> pd.DataFrame:
    values = np.random.default_rng(0).normal(size=(rows, len(NAMES)))
    for t in range(2, rows):
        values[t, 1] += SUN_ON_SEA * values[t - 1, 0]
        values[t, 2] += SEA_ON_CLOUD * values[t - 1, 1] + SUN_ON_CLOUD * values[t - 2, 0]
    return pd.DataFrame(values, columns=NAMES)


data = simulate()
graph = gp.discover(data, max_lag=2).to_dowhy()
table = gp.lag_expand(data, max_lag=4)  # as far back as the nodes of the graph

model = CausalModel(table, treatment="sea_lag1", outcome="cloud_lag0", graph=graph)
target = model.identify_effect(proceed_when_unidentifiable=True)
estimate = model.estimate_effect(target, method_name="backdoor.linear_regression")
print(f"effect of the sea on the clouds one step later: {estimate.value:.2f} (true: {SEA_ON_CLOUD})")

gcm.config.disable_progress_bars()
gcm.util.general.set_random_seed(0)
causal = gcm.StructuralCausalModel(graph)
for node in graph:
    root = not list(graph.predecessors(node))
    linear = gcm.AdditiveNoiseModel(gcm.ml.create_linear_regressor())
    causal.set_causal_mechanism(node, gcm.EmpiricalDistribution() if root else linear)
gcm.fit(causal, table)
means = [
    gcm.interventional_samples(causal, {"sun_lag2": lambda _, to=to: to}, num_samples_to_draw=5000)[
        "cloud_lag0"
    ]
    for to in (0.0, 1.0)
]
true = SUN_ON_SEA * SEA_ON_CLOUD + SUN_ON_CLOUD
effect = means[1].mean() - means[0].mean()
print(f"one more of sun, two steps before, makes of the clouds: {effect:.2f} (true: {true:.2f})")
