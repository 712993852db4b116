"""Graphs of every kind: rows of docs/hard_use.md -> arguments of Skeleton, or results of hosts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

import grace_plugin as gp


def full(d: int = 3, max_lag: int = 2) -> Any:
    mask = np.ones((d, d, max_lag + 1), dtype=bool)
    mask[:, :, 0] = False
    return mask


def marks(d: int = 3, max_lag: int = 2) -> dict[str, Any]:
    """A tigramite result with every lagged edge."""
    graph = np.where(full(d, max_lag), "-->", "").astype("<U3")
    value = np.where(graph == "", 0.0, 0.5)
    return {"graph": graph, "p_matrix": 1.0 - value, "val_matrix": value, "conf_matrix": None}


def _marked(mark: str) -> dict[str, Any]:
    result = marks()
    result["graph"] = result["graph"].astype("<U5")
    result["graph"][2, 0, 1] = mark
    return result


def _newer() -> dict[str, Any]:
    return {**marks(), "effect_sizes": {"x": [1, 2]}, "format_version": 99, "notes": object()}


def _every_edge() -> Any:
    mask = np.ones((3, 3, 3), dtype=bool)
    mask[range(3), range(3), 0] = False
    return mask


SKELETONS: dict[str, Callable[[], dict[str, Any]]] = {
    "two axes": lambda: {"mask": np.ones((3, 3))},
    "four axes": lambda: {"mask": np.ones((3, 3, 3, 3))},
    "not square": lambda: {"mask": np.ones((3, 2, 3))},
    "no variables": lambda: {"mask": np.zeros((0, 0, 2))},
    "no lags": lambda: {"mask": np.zeros((3, 3, 0))},
    "a loop at lag 0": lambda: {"mask": np.ones((3, 3, 3))},
    "0 and 1 as floats": lambda: {"mask": full().astype(float)},
    "0 and 1 as objects": lambda: {"mask": full().astype(object)},
    "0 and 1, big-endian": lambda: {"mask": full().astype(">i4")},
    "nested lists": lambda: {"mask": full().tolist()},
    "a ragged list": lambda: {"mask": [[[1]], [[1, 2]]]},
    "weights": lambda: {"mask": full() * 0.5},
    "NaN": lambda: {"mask": np.full((3, 3, 3), np.nan)},
    "text": lambda: {"mask": full().astype(str)},
    "dates": lambda: {"mask": np.zeros((3, 3, 3), "datetime64[s]")},
    "masked, all hidden": lambda: {"mask": np.ma.masked_array(full(), full())},
    "nothing (None)": lambda: {"mask": None},
    "too few names": lambda: {"mask": full(), "names": ["a"]},
    "repeated names": lambda: {"mask": full(), "names": ["a", "a", "b"]},
    "names that look the same as text": lambda: {"mask": full(), "names": [1, "1", 2]},
    "names as one string": lambda: {"mask": full(), "names": "abc"},
    "names as a number": lambda: {"mask": full(), "names": 3},
    "names with halves of characters": lambda: {"mask": full(), "names": ["\ud800", "b", "c"]},
    "names in any script": lambda: {"mask": full(), "names": ["\u202e", "é", "e\u0301"]},
    "scores of another shape": lambda: {"mask": full(), "scores": np.zeros((2, 2, 2))},
    "scores of text": lambda: {"mask": full(), "scores": np.full((3, 3, 3), "a")},
    "complex scores": lambda: {"mask": full(), "scores": np.ones((3, 3, 3), complex)},
    "required edges that are no candidates": lambda: {"mask": full(), "required": np.ones((3, 3, 3))},
    "required as text": lambda: {"mask": full(), "required": "all"},
}

RESULTS: dict[str, Callable[[], Any]] = {
    "nothing (None)": lambda: None,
    "a number": lambda: 7,
    "the data once more": lambda: pd.DataFrame({"a": [1.0, 2.0]}),
    "a function": lambda: len,
    "no candidate at all": lambda: gp.Skeleton(np.zeros((3, 3, 3), bool)),
    "every candidate": lambda: gp.Skeleton(_every_edge()),
    "max_lag 0": lambda: gp.Skeleton(~np.eye(3, dtype=bool)[:, :, None]),
    "more variables than the data": lambda: gp.Skeleton(full(4)),
    "fewer variables than the data": lambda: gp.Skeleton(full(2)),
    "other names than the data": lambda: gp.Skeleton(full(), ["x", "y", "z"]),
    "as many lags as rows": lambda: gp.Skeleton(full(3, 160)),
    "lags that leave 19 windows": lambda: gp.Skeleton(full(3, 141)),
    "tigramite": marks,
    "tigramite, newer version with more keys": _newer,
    "tigramite, only the graph": lambda: {"graph": marks()["graph"]},
    "tigramite, an edge mark that does not exist": lambda: _marked("=>="),
    "tigramite, an edge mark of five characters": lambda: _marked("-->-->"),
    "tigramite, p-values of another shape": lambda: {**marks(), "p_matrix": np.ones((2, 2, 2))},
    "tigramite, values that are text": lambda: {**marks(), "val_matrix": np.full((3, 3, 3), "a")},
    "tigramite, a graph of other axes": lambda: {**marks(), "graph": marks()["graph"][0]},
    "an empty graph of networkx": nx.DiGraph,
    "edges into the past": lambda: nx.DiGraph([(("a", 0), ("b", -1))]),
    "an edge at lag 10**12": lambda: [("a", "b", 10**12), ("b", "c", 1)],
    "a variable number 10**9": lambda: [(0, 10**9, 1)],
    "an edge with half a lag": lambda: pd.DataFrame({"cause": ["a"], "effect": ["b"], "lag": [0.5]}),
    "lags of both signs": lambda: [("a", "b", 1), ("b", "c", -2)],
    "a matrix of NaN": lambda: np.full((3, 3), np.nan),
    "a GML text that is cut off": lambda: 'graph [ node [ id 0 label "a" ] edge [ source 0 target 1',
    "a GML text nested 100,000 deep": lambda: "graph [" + "a [" * 100_000,
}
