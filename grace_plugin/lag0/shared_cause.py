r"""Whether two variables that move together within the step share a cause that nobody measured.

An effect i -> j within the step passes on what acted on i before: no lagged cause of i need act on j. Of a
shared cause it does not; there j given i needs the lagged causes of i as well, to take them back. So both are
compared by the score of the search, S of `node_models`:

    effect         S(j, P) with i in P
    shared cause   S(j, P - i) + n/2 log(1 - r^2) + price,    r the correlation of the residuals of i and j

Without any past both are the same, and nothing is told.
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.lag0.node_models import PRICE, NodeModels

# Nats by which a shared cause must be better: 20 to 1. Of 230 true effects within the step it costs none;
# where a hidden cause acts at several lags F1 is .72 instead of .63, without any search within the step .75.
TOLD = 3.0


def shared_causes(
    models: NodeModels, graph: BoolArray, required: BoolArray, against: FloatArray
) -> BoolArray:
    """[cause, effect]: the edges of a graph within the step that a shared cause explains better.

    `against` are the nats that an edge costs besides, as in the search.
    """
    parents = [frozenset(np.flatnonzero(causes).tolist()) for causes in graph.T]
    found = np.zeros_like(graph)
    for cause, effect in np.argwhere(graph & ~required).tolist():
        worse = models.score(effect, parents[effect]) + float(against[cause, effect])
        found[cause, effect] = worse - _by_shared_cause(models, parents, cause, effect) > TOLD
    return found


def _by_shared_cause(models: NodeModels, parents: list[frozenset[int]], cause: int, effect: int) -> float:
    """The score of an effect, where what it has in common with a cause comes from elsewhere."""
    without, correlation = parents[effect] - {cause}, models.columns.correlation
    left = _residual(models, effect, without), _residual(models, cause, parents[cause])
    size = [float(one @ correlation @ one) for one in left]
    share = float(left[0] @ correlation @ left[1]) ** 2 / max(size[0] * size[1], 1e-300)
    fit = 0.5 * models.columns.rows * float(np.log1p(-min(share, 1.0 - 1e-12)))
    return models.score(effect, without) + PRICE + fit


def _residual(models: NodeModels, variable: int, parents: frozenset[int]) -> FloatArray:
    """[U]: how the residual of a model is made of columns."""
    model = models.model(variable, parents)
    made = np.zeros(len(models.columns.ids))
    made[models.columns.now(variable)] = 1.0
    made[model.columns] -= model.weights
    return made
