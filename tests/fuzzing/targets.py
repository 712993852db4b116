"""What is fuzzed: name -> a function that makes one damaged input and reads it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

import grace_plugin as gp
from grace_plugin.cli.data_files import read_data
from grace_plugin.cli.files import read_result
from grace_plugin.hosts.convert import matched, native_of, read_panel, skeleton_of
from grace_plugin.hosts.registry import find_adapter
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import as_panel
from grace_plugin.testing.contract import outcome_for

from .mutation import damaged_bytes, damaged_object

Target = Callable[[Random, Path], None]


@cache
def data() -> Any:
    return np.random.default_rng(0).normal(size=(60, 3))


@cache
def refined() -> gp.Refinement:
    mask = np.ones((3, 3, 2), dtype=bool)
    mask[:, :, 0] = False
    return gp.analyze(gp.Skeleton(mask, ["a", "b", "c"]), data())


@cache
def marks() -> dict[str, Any]:
    graph = np.full((3, 3, 2), "", dtype="<U3")
    graph[0, 1, 1], graph[1, 2, 0], graph[2, 1, 0] = "-->", "-->", "<--"
    value = np.where(graph == "", 0.0, 0.5)
    return {"graph": graph, "p_matrix": 1.0 - value, "val_matrix": value, "conf_matrix": None}


@cache
def files() -> dict[str, bytes]:
    """One good file of every kind that is read."""
    arrays, sums, plain = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.savez(arrays, **{name: value for name, value in marks().items() if value is not None})
    np.savez(plain, mask=marks()["graph"] != "", names=np.array(["a", "b", "c"]))
    moments = Moments.of(as_panel(data()), 1)
    np.savez(sums, **_sums(moments))
    graph = nx.DiGraph([("a_lag1", "b_lag0"), ("b_lag1", "c_lag0")])
    rows = [["a", "b", 1], ["b", "c", 1]]
    marked = nx.MultiDiGraph([("a", "b", {"lag": 1}), ("b", "c", {"lag": 2})])
    as_lists = {name: value.tolist() for name, value in marks().items() if value is not None}
    table = pd.DataFrame(data()[:8].round(2), columns=list("abc"), index=pd.date_range("2020", periods=8))
    return {
        "refinement.json": refined().to_json().encode(),
        "marks.json": json.dumps(as_lists).encode(),
        "rows.json": json.dumps(rows).encode(),
        "marks.npz": arrays.getvalue(),
        "mask.npz": plain.getvalue(),
        "sums.npz": sums.getvalue(),
        "edges.csv": b"cause,effect,lag,kept\na,b,1,True\nb,c,1,False\n",
        "graph.gml": "\n".join(nx.generate_gml(graph)).encode(),
        "graph.graphml": "\n".join(nx.generate_graphml(marked)).encode(),
        "graph.dot": b'digraph { "a_lag1" -> "b_lag0"; b_lag1 -> c_lag0 [lag=1] }',
        "table.csv": table.to_csv().encode(),
    }


def _sums(moments: Moments) -> dict[str, Any]:
    products = moments.products
    return {
        "blocks": products.blocks,
        "borders": products.borders,
        "signs": products.signs,
        "corrections": products.blocks[:0],
        "first": moments.first,
        "counts": np.array([moments.rows, moments.rows_given, moments.max_lag]),
        "center": moments.center,
        "scale": moments.scale,
        "basis": np.array(moments.basis),
    }


def _file(name: str, read: Callable[[Path], Any]) -> Target:
    def run(random: Random, folder: Path) -> None:
        path = folder / name
        path.write_bytes(damaged_bytes(files()[name], random))
        read(path)

    return run


def _json_object(random: Random, folder: Path) -> None:
    stored = damaged_object(json.loads(files()["refinement.json"]), random)
    gp.read_json(json.dumps(stored, default=str, skipkeys=True))


def _sums_object(random: Random, folder: Path) -> None:
    arrays = damaged_object(_sums(Moments.of(as_panel(data()), 1)), random)
    path = folder / "crafted.npz"
    np.savez(path, **{str(name): np.asarray(_plain(value)) for name, value in arrays.items()})
    Moments.load(path)


def _plain(value: Any) -> Any:
    return 0.0 if isinstance(value, (set, dict, list, tuple)) else value


def _result(make: Callable[[], Any], **options: Any) -> Target:
    """A host's result, damaged, read as the verbs read it, and written without half of its edges."""

    def run(random: Random, folder: Path) -> None:
        native = damaged_object(make(), random)
        adapter = find_adapter(native)
        given = {name: value for name, value in options.items() if random.random() < 0.9}
        skeleton = skeleton_of(adapter, native, given)
        matched(skeleton, as_panel(np.zeros((60, skeleton.n_variables))))
        kept = skeleton.mask & (np.arange(skeleton.mask.size).reshape(skeleton.mask.shape) % 2 == 0)
        native_of(adapter, native, kept, outcome_for(skeleton, kept), given)

    return run


def _graph() -> Any:
    return [[("a", -1), ("b", 0), {"weight": 1.0}], [("b", -1), ("c", 0), {}]]


def _networkx(random: Random, folder: Path) -> None:
    graph = nx.DiGraph()
    for row in damaged_object(_graph(), random):
        try:
            graph.add_edge(row[0], row[1], **row[2])
        except (TypeError, ValueError, LookupError, nx.NetworkXException):
            continue  # networkx itself refuses it
    adapter = find_adapter(graph)
    skeleton = skeleton_of(adapter, graph, {})
    nothing = np.zeros_like(skeleton.mask)
    native_of(adapter, graph, nothing, outcome_for(skeleton, nothing), {})


def _data(random: Random, folder: Path) -> None:
    forms = (lambda: data(), lambda: [data(), data()], lambda: {"one": data()}, lambda: data().tolist())
    read_panel(damaged_object(random.choice(forms)(), random), {})


TARGETS: dict[str, tuple[int, Target]] = {  # how often each is drawn, and what it does
    "read_json: bytes": (12, _file("refinement.json", gp.read_json)),
    "read_json: objects": (18, _json_object),
    "Moments.load: bytes": (8, _file("sums.npz", Moments.load)),
    "Moments.load: arrays": (6, _sums_object),
    "grace refine: tigramite json": (6, _file("marks.json", read_result)),
    "grace refine: rows json": (6, _file("rows.json", read_result)),
    "grace refine: refinement json": (3, _file("refinement.json", read_result)),
    "grace refine: tigramite npz": (6, _file("marks.npz", read_result)),
    "grace refine: mask npz": (4, _file("mask.npz", read_result)),
    "grace refine: csv": (3, _file("edges.csv", read_result)),
    "grace discover: csv": (3, _file("table.csv", read_data)),
    "tigramite dict": (12, _result(marks)),
    "numpy stack": (5, _result(lambda: [np.eye(3)[:, :, None] * [0, 1]][0], layout="cause,effect,lag")),
    "pair matrix": (5, _result(lambda: [np.eye(3)][0], max_lag=2)),
    "edge tuples": (8, _result(lambda: [("a", "b", 1), ("b", "c", 2), ("c", "c", 1)])),
    "edge dict": (6, _result(lambda: {("b", "a"): 1, ("c", "b"): 2})),
    "parents dict": (6, _result(lambda: {"b": [("a", -1)], "c": [("b", -2)], "a": []})),
    "weights (W, A)": (5, _result(lambda: (np.zeros((3, 3)), np.eye(3)))),
    "GML text": (4, lambda random, folder: _text("graph.gml", random)),
    "GraphML text": (4, lambda random, folder: _text("graph.graphml", random)),
    "DOT text": (1, lambda random, folder: _text("graph.dot", random)),
    "networkx": (8, _networkx),
    "data": (8, _data),
}


def _text(name: str, random: Random) -> None:
    text = damaged_bytes(files()[name], random).decode("utf-8", errors="replace")
    adapter = find_adapter(text)
    skeleton = skeleton_of(adapter, text, {})
    native_of(adapter, text, np.zeros_like(skeleton.mask), None, {})
