"""Wrong options: (function, option) -> the function's call with one value for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import grace_plugin as gp

from .data_kinds import good
from .graph_kinds import full

VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "'x'": lambda: "x",
    "-1": lambda: -1,
    "0": lambda: 0,
    "2.5": lambda: 2.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "True": lambda: True,
    "10**12": lambda: 10**12,
    "[1]": lambda: [1],
    "array": lambda: np.array([1, 2]),
    "object()": object,
}


def _analyze(option: str) -> Callable[[Any], Any]:
    return lambda value: gp.analyze(gp.Skeleton(full()), good(), **{option: value})


def _discover(option: str, skeleton: str = "basis") -> Callable[[Any], Any]:
    return lambda value: gp.discover(good(), **{"max_lag": 2, "skeleton": skeleton, option: value})


def _bootstrap(option: str) -> Callable[[Any], Any]:
    return lambda value: gp.bootstrap("basis", good(), **{"max_lag": 2, "runs": 2, option: value})


OPTIONS: dict[str, Callable[[Any], Any]] = {
    "refine: engine": _analyze("engine"),
    "refine: penalty": _analyze("penalty"),
    "refine: alpha": _analyze("alpha"),
    "refine: gate_threshold": _analyze("gate_threshold"),
    "refine: keep": _analyze("keep"),
    "refine: seed": _analyze("seed"),
    "refine: device": _analyze("device"),
    "refine: progress": _analyze("progress"),
    "refine: lag_concentration": _analyze("lag_concentration"),
    "refine: basis": _analyze("basis"),
    "refine: steps": _analyze("steps"),
    "refine: decide": _analyze("decide"),
    "discover: max_lag": _discover("max_lag"),
    "discover: control_lag": _discover("control_lag"),
    "discover: skeleton": _discover("skeleton"),
    "discover: entry": _discover("entry"),
    "discover: max_parents": _discover("max_parents"),
    "discover: skeleton_alpha": _discover("skeleton_alpha", "cdnots"),
    "discover: max_sets": _discover("max_sets", "cdnots"),
    "discover: trends": _discover("trends", "cdnots"),
    "discover: folds": _discover("folds", "lasso"),
    "bootstrap: window": _bootstrap("window"),
    "bootstrap: runs": _bootstrap("runs"),
    "bootstrap: threshold": _bootstrap("threshold"),
    "bootstrap: seed": _bootstrap("seed"),
    "bootstrap: n_jobs": _bootstrap("n_jobs"),
    "bootstrap: scheme": _bootstrap("scheme"),
    "bootstrap: level": _bootstrap("level"),
    "lag_expand: max_lag": lambda value: gp.lag_expand(good(), value),
    "wrap": gp.wrap,
    "get_adapter": gp.get_adapter,
    "register_adapter": gp.register_adapter,
    "register_skeleton": lambda value: gp.register_skeleton("never registered", value),
    "load_example": gp.load_example,
    "read_json": gp.read_json,
    "Moments.load": gp.Moments.load,
    "lagged_knowledge: max_lag": lambda value: gp.lagged_knowledge(["a"], value),
}
