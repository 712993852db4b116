"""The public surface that others rely on: every name is there, and takes what it should."""

from __future__ import annotations

import inspect
from dataclasses import fields

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin._common.config import RefineConfig

VERBS = {
    "refine": ["native", "data"],
    "analyze": ["native", "data"],
    "discover": ["data", "max_lag", "skeleton"],
    "bootstrap": ["source", "data", "max_lag", "window", "runs", "threshold", "seed", "n_jobs"],
    "wrap": ["host"],
    "consensus": ["natives", "data"],
    "compare": ["first", "second"],
    "convert": ["native", "to"],
    "suggest_max_lag": ["data"],
    "Skeleton": ["mask", "names"],
    "GraceDiscovery": ["max_lag"],
    "available_adapters": [],
    "get_adapter": ["name"],
    "register_adapter": ["adapter", "clobber"],
    "load_example": ["name"],
}
OPTIONS = [
    "engine",
    "penalty",
    "alpha",
    "fdr",
    "gate_threshold",
    "keep",
    "forbid",
    "knowledge",
    "effects",
    "controls",
    "prepare",
    "interactions",
    "contemporaneous",
    "orient",
    "n_jobs",
    "seed",
    "progress",
]
OF_REFINEMENT = [
    "native",
    "skeleton",
    "gates",
    "graph",
    "edges",
    "pairs",
    "scores",
    "pair_scores",
    "path",
    "names",
    "penalty",
]
METHODS = {
    "at": ["fdr", "alpha", "probability"],
    "by_unit": [],
    "holdout": ["data"],
    "detectable": [],
    "to_networkx": [],
    "to_tigramite": [],
    "to_xarray": [],
    "to_dowhy": [],
    "plot": [],
    "report": ["path"],
    "summary": [],
}
COLUMNS = {
    "cause",
    "effect",
    "lag",
    "gate",
    "gain",
    "p_value",
    "q_value",
    "probability",
    "effect_raw",
    "low",
    "high",
    "kept",
    "reason",
    "oriented",
}
OF_STABILITY = ["frequency", "pair_frequency", "graph", "edges", "native", "runs"]


def series() -> np.ndarray:
    x = np.random.default_rng(0).normal(size=(200, 2))
    x[1:, 1] += 0.8 * x[:-1, 0]
    return x


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_is_there_and_takes_what_it_should(name: str) -> None:
    assert name in gp.__all__
    taken = inspect.signature(getattr(gp, name)).parameters
    assert [one for one in VERBS[name] if one not in taken] == []


@pytest.mark.parametrize("door", ["refine", "analyze", "discover", "bootstrap", "GraceDiscovery"])
def test_every_door_takes_every_option(door: str) -> None:
    taken = inspect.signature(getattr(gp, door)).parameters
    own = [one.name for one in fields(RefineConfig) if one.name != "engine_options"]
    assert [one for one in {*OPTIONS, *own} if one not in taken] == []


def test_a_refinement_has_every_attribute_and_method() -> None:
    found = gp.discover(series(), 1)
    assert [name for name in OF_REFINEMENT if not hasattr(found, name)] == []
    for name, wanted in METHODS.items():
        taken = inspect.signature(getattr(found, name)).parameters
        assert [one for one in wanted if one not in taken] == [], name
    assert COLUMNS - set(found.edges.columns) == set()


def test_a_stability_has_every_attribute() -> None:
    found = gp.bootstrap("basis", series(), max_lag=1, window=80, runs=2)
    assert [name for name in OF_STABILITY if not hasattr(found, name)] == []


def test_an_estimator_has_what_it_learned() -> None:
    found = gp.GraceDiscovery(max_lag=1, effects=[1]).fit(series())
    assert found.graph_[0, 1, 1]
    assert [name for name in ("graph_", "edges_", "refinement_") if not hasattr(found, name)] == []
