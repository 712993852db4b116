"""causal-learn's `BackgroundKnowledge` over lagged nodes as ours, and back.

A rule over nodes `rain_lag1` and `river_lag0` speaks of that lag, one over `rain` and `river` of every lag.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grace_plugin.exceptions import OptionError
from grace_plugin.graph.background import Knowledge, KnownCells

from ._lagged_names import read_lagged_names


def is_background_knowledge(obj: object) -> bool:
    """Whether `obj` is causal-learn's; the host is not imported for it."""
    return any(
        kind.__name__ == "BackgroundKnowledge" and kind.__module__.startswith("causallearn")
        for kind in type(obj).__mro__
    )


def read_background_knowledge(given: Any, names: Sequence[str] | None, max_lag: int | None) -> Knowledge:
    """Its rules, patterns and tiers as edges; names and lags are those of its nodes where none are given."""
    from causallearn.graph.GraphNode import GraphNode

    names, max_lag = _extent(given, names, max_lag)
    required, forbidden = [], []
    for cause in names:
        for effect in names:
            for lag in range(max_lag + 1):
                if cause == effect and lag == 0:
                    continue
                lagged = GraphNode(f"{cause}_lag{lag}"), GraphNode(f"{effect}_lag0")
                plain = GraphNode(cause), GraphNode(effect)
                both = (lagged, plain) if cause != effect else (lagged,)
                if any(given.is_forbidden(*pair) for pair in both):
                    forbidden.append((cause, effect, lag))
                if any(given.is_required(*pair) for pair in both):
                    required.append((cause, effect, lag))
    return Knowledge(required=required, forbidden=forbidden)


def write_background_knowledge(known: KnownCells, names: Sequence[str], time: Any) -> Any:
    """The rules of all lagged nodes, added to `time`, which says that time runs forward."""
    from causallearn.graph.GraphNode import GraphNode

    most = known.required.shape[2] - 1

    def copies(cell: Any) -> Any:
        cause, effect, lag = cell
        for shift in range(most - lag + 1):
            yield GraphNode(f"{names[cause]}_lag{lag + shift}"), GraphNode(f"{names[effect]}_lag{shift}")

    for cell in np.argwhere(known.forbidden).tolist():
        for pair in copies(cell):
            time.add_forbidden_by_node(*pair)
    for cell in np.argwhere(known.required).tolist():
        for pair in copies(cell):
            time.add_required_by_node(*pair)
    return time


def _extent(given: Any, names: Sequence[str] | None, max_lag: int | None) -> tuple[list[str], int]:
    rules = (*given.forbidden_rules_specs, *given.required_rules_specs)
    nodes = [*given.tier_value_map, *(node for rule in rules for node in rule)]
    if nodes:
        read = read_lagged_names(list(dict.fromkeys(node.get_name() for node in nodes)))
        names = list(read.names) if names is None else names
        max_lag = read.max_lag if max_lag is None else max_lag
    if names is None or max_lag is None:
        msg = "This BackgroundKnowledge names no nodes, only patterns; give names= and max_lag=."
        raise OptionError(msg)
    return list(names), max_lag
