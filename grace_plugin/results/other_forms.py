"""The graph in forms that other libraries go on from: xarray, and DoWhy's graph unrolled over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grace_plugin._common.checks import choice, whole
from grace_plugin.exceptions import MissingPackageError, OptionError
from grace_plugin.results.findings import Findings

if TYPE_CHECKING:
    import networkx as nx
    import xarray as xr

_AXES = ("cause", "effect", "lag")


def to_dowhy(findings: Findings, depth: int | None, open_pairs: str) -> nx.DiGraph:
    """See `Refinement.to_dowhy`."""
    import networkx as nx

    choice("open_pairs", open_pairs, ("refuse", "drop"))
    most = findings.skeleton.max_lag
    reach = max(2 * most, 1) if depth is None else whole("depth", depth, most)
    cells = findings.graph.copy()
    both = cells[:, :, 0] & cells[:, :, 0].T
    if both.any() and open_pairs == "refuse":
        first, second = (findings.names[place] for place in np.argwhere(both)[0])
        msg = (
            f"The direction between {first} and {second} within one step is open, and DoWhy takes directed "
            "edges alone: forbid one direction (forbid=), refine with orient=True, or leave such edges out "
            'with to_dowhy(open_pairs="drop").'
        )
        raise OptionError(msg)
    cells[:, :, 0] &= ~both
    graph = nx.DiGraph()
    graph.add_nodes_from(f"{name}_lag{lag}" for lag in range(reach + 1) for name in findings.names)
    for cause, effect, lag in np.argwhere(cells).tolist():
        for shift in range(reach - lag + 1):
            ends = f"{findings.names[cause]}_lag{lag + shift}", f"{findings.names[effect]}_lag{shift}"
            graph.add_edge(*ends, lag=lag)
    return graph


def to_xarray(findings: Findings) -> xr.Dataset:
    """See `Refinement.to_xarray`."""
    try:
        import xarray as xr
    except ImportError as error:
        msg = "to_xarray() needs the package xarray: pip install xarray."
        raise MissingPackageError(msg) from error
    outcome = findings.outcome
    arrays = {
        "graph": outcome.graph,
        "candidate": findings.skeleton.mask,
        "gate": outcome.gates,
        "gain": outcome.gain,
        "p_value": outcome.p_value,
        **{name: outcome.further(name) for name in outcome.records.further},
    }
    names = list(findings.names)
    return xr.Dataset(
        {name: (_AXES, array.copy()) for name, array in arrays.items()},
        coords={"cause": names, "effect": names, "lag": np.arange(outcome.shape[2])},
        attrs={"rows_used": outcome.rows_used, "alpha": outcome.alpha, "penalty": outcome.penalty},
    )
