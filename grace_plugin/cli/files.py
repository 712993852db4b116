"""Files of the command line: results in, graphs and tables out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.config import OptionValue
from grace_plugin._common.files import write_text, written
from grace_plugin._common.npz import read_npz
from grace_plugin._common.versions import package_version
from grace_plugin.cli.data_files import read_table
from grace_plugin.cli.safe_text import without_formulas
from grace_plugin.exceptions import DataError, GraceError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.protocols import HostResult

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from grace_plugin.results.refinement import Refinement

TABLE_FORMAT = "grace_plugin.table"
RESULT_SUFFIXES = (".json", ".npz", ".gml", ".graphml", ".dot", ".csv")


def read_result(path: Path) -> HostResult:
    """A host's result, or candidate edges, as an object that `refine` takes."""
    readers = {".json": _json_result, ".npz": _npz_result, ".csv": _csv_edges}
    texts = dict.fromkeys((".gml", ".graphml", ".dot"), _text)
    reader = {**readers, **texts}.get(path.suffix.lower())
    if reader is None:
        msg = (
            f"{path} is no result that can be read; give a file that ends in one of {list(RESULT_SUFFIXES)}."
        )
        raise DataError(msg)
    try:
        return reader(path)
    except GraceError:
        raise
    except (OSError, ValueError, TypeError, LookupError, RecursionError, OverflowError) as error:
        msg = f"{path} cannot be read: {(str(error).splitlines() or [type(error).__name__])[0]}"
        raise DataError(msg) from error


def _json_result(path: Path) -> Any:
    from grace_plugin.results.json_form import is_refinement
    from grace_plugin.results.json_reader import read_json

    stored = json.loads(path.read_text(encoding="utf-8"))
    if is_refinement(stored):
        return read_json(path).native
    if isinstance(stored, dict) and "graph" in stored:
        return {name: np.array(value) if isinstance(value, list) else value for name, value in stored.items()}
    if isinstance(stored, dict) and stored.get("format") == TABLE_FORMAT:
        stored = [row for row in stored["edges"] if row["kept"]]
    if isinstance(stored, list):
        return _edge_rows(stored)
    msg = (
        f"{path} holds none of the known forms: what `grace ... --out` wrote, a tigramite result with a "
        '"graph" of link marks, or a list of edges with cause, effect and lag.'
    )
    raise DataError(msg)


def _edge_rows(rows: list[Any]) -> Any:
    import pandas as pd

    if rows and all(isinstance(row, dict) for row in rows):
        return pd.DataFrame(rows)
    return [tuple(row) for row in rows]


def _npz_result(path: Path) -> Any:
    arrays = read_npz(path)
    if "graph" in arrays and arrays["graph"].dtype.kind == "U":
        return arrays
    for name in ("mask", "graph"):
        if name in arrays:
            return Skeleton(arrays[name], arrays.get("names"))
    msg = f"{path} holds {sorted(arrays)}; give 'graph' (tigramite's marks) or 'mask' [cause, effect, lag]."
    raise DataError(msg)


def _csv_edges(path: Path) -> Any:
    table = read_table(path)
    edges = get_adapter("edges")
    if not edges.is_native(table):
        msg = (
            f"{path} has the columns {list(table.columns)}; a table of edges has one for the cause (cause, "
            "source, from, node1, Variable i), one for the effect (effect, target, to, sink, node2, "
            "Variable j) and one for the lag (lag, time_lag, Time lag of i)."
        )
        raise DataError(msg)
    if "kept" not in table.columns:
        return table
    if table["kept"].dtype.kind not in "bi":
        msg = f"The column kept of {path} holds other values than True and False; mend or drop it."
        raise DataError(msg)
    return table[table["kept"].astype(bool)]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def write_result(refinement: Refinement, path: Path) -> None:
    """The refined graph in the form that the file's ending asks for."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        refinement.to_json(path)
    elif suffix == ".csv":
        write_text(path, without_formulas(refinement.edges).to_csv(index=False))
    elif suffix == ".npz":
        _write_npz(refinement, path)
    elif suffix == ".dot":
        write_text(path, refinement.to_dot())
    elif suffix in (".gml", ".graphml"):
        _write_nodes(refinement, path, suffix)
    else:
        msg = f"--out {path}: give a file that ends in one of {list(RESULT_SUFFIXES)}."
        raise DataError(msg)


def _write_npz(refinement: Refinement, path: Path) -> None:
    native = refinement.native
    if isinstance(native, Mapping):
        arrays = {k: np.asarray(v) for k, v in native.items() if v is not None and np.ndim(v)}
        stored = {k: v for k, v in arrays.items() if v.dtype.kind in "biufU"}
    else:
        names = np.array(refinement.names)
        stored = {"mask": refinement.graph, "names": names, "gates": refinement.gates}
    with written(path) as file:
        np.savez(file, **stored)  # type: ignore[arg-type]


def _write_nodes(refinement: Refinement, path: Path, suffix: str) -> None:
    import networkx as nx

    native = refinement.native
    if isinstance(native, str) and ("<graphml" in native) == (suffix == ".graphml"):
        write_text(path, native)
        return
    graph = refinement.to_networkx()
    for *_, marks in graph.edges(data=True):
        del marks["lag"]  # the names of the nodes tell it, and once is enough
    renamed = nx.relabel_nodes(graph, {node: f"{node[0]}_lag{-node[1]}" for node in graph})
    with written(path) as file:
        (nx.write_gml if suffix == ".gml" else nx.write_graphml)(renamed, file)


def write_picture(figure: Figure, path: Path) -> None:
    """A figure in the format that the file's ending names."""
    form, known = path.suffix[1:].lower() or "png", figure.canvas.get_supported_filetypes()
    if form not in known:
        msg = f"The picture {path}: give a file that ends in one of {sorted(known)}."
        raise DataError(msg)
    with written(path) as file:
        figure.savefig(file, format=form, dpi=120)


def format_table(table: pd.DataFrame, form: str, about: Mapping[str, OptionValue] | None = None) -> str:
    """A table for standard output: aligned text, json or csv; json says what the table is `about`, too."""
    if form == "csv":
        return str(without_formulas(table).to_csv(index=False)).rstrip("\n")
    if form == "json":
        rows = json.loads(table.to_json(orient="records"))
        return json.dumps(rows if about is None else {**about, "edges": rows}, indent=1, default=str)
    if table.empty:
        return "(no edges)"
    return str(table.to_string(index=False, float_format=lambda value: f"{value:.3g}"))


_OPTION = {"form": "format", "everything": "all"}  # what people type, where Python's own name is another


def about(command: str, settings: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """What a table in JSON is about, as results/schemas/table.json has it."""
    head = {"format": TABLE_FORMAT, "version": 1, "library": package_version(), "command": command}
    return {**head, "settings": {_OPTION.get(name, name): value for name, value in settings.items()}}
