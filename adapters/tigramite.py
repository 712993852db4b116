"""tigramite: result dicts of every method, the PCMCI-like objects themselves, and its DataFrame."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import AdapterError, OptionError
from grace_plugin.graph.background import Knowledge, KnownCells
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.protocols import Part
from grace_plugin.series.panel import Panel

from ._tigramite_data import AUTO, names_of, panel_of, panel_of_nodes, panel_with_dummies
from ._tigramite_knowledge import is_link_assumptions, read_link_assumptions, write_link_assumptions
from ._tigramite_marks import candidates, checked_graph, cleared, is_graph_array, oriented, pruned_cells

# What tigramite itself writes where it has tested nothing, so that every consumer knows the values.
_UNTESTED = {"graph": "", "p_matrix": 1.0, "val_matrix": 0.0, "conf_matrix": 0.0}
_UNTESTED_SUMMARY = {"most_frequent_links": "", "val_matrix_mean": 0.0, "val_matrix_interval": 0.0}


class TigramiteAdapter:
    """Takes what tigramite returns.

    Result dicts (`run_pcmci`, `run_pcmciplus`, `run_lpcmci`, `run_jpcmciplus`, `run_bivci`, `run_fullci`,
    `run_pcalg`, ...) give a dict; a bare graph array gives an array; the objects (`PCMCI`, `LPCMCI`,
    `JPCMCIplus`) stand for their last results and give the dict that their run returned, pruned. Of
    `run_bootstrap_of` and `run_sliding_window_of` the summary is pruned and the single results stay;
    the dict of `run_rpcmci` is refined regime by regime.

    A pruned cell gets what tigramite writes where it has tested nothing: mark "", p-value 1, value 0,
    confidence bounds 0; at lag 0 in both mirrored cells. With an outcome the dict has three more
    keys, `gates`, `grace_gain` and `grace_p_value`, all [cause, effect, lag].

    A link that `link_assumptions` forced has p-value 0 and value 1 exactly: it is required. Edges of
    context nodes are required too; edges of dummy nodes, and marks that are not known, stay untouched
    and are no candidates. Only a JPCMCIplus object knows its context; for a dict pass `context=` and
    `dummies=`.
    """

    name = "tigramite"
    accepts = (
        "a result dict of any run_*() method, or its graph array; a PCMCI, LPCMCI or JPCMCIplus object "
        'after a run (holds its own data); a dict with a "dataframe" key (likewise)'
    )

    def is_native(self, obj: object) -> bool:
        """Whether `obj` is one of tigramite's results or objects, told by structure alone."""
        if isinstance(obj, dict):
            return (
                is_graph_array(obj.get("graph"))
                or _is_composite(obj)
                or _is_summary(obj)
                or _lacks_graph(obj)
            )
        return (is_graph_array(obj) and obj.dtype.kind == "U") or _is_host_object(obj)

    def to_skeleton(
        self,
        native: Any,
        *,
        context: Sequence[int | str] | None = None,
        dummies: Sequence[int | str] | None = None,
        names: Sequence[str] | None = None,
    ) -> Skeleton:
        """The edges of the result's graph; the scores are the absolute test statistics.

        Args:
            native: the result.
            context: context nodes of J-PCMCI+, by index or name; their edges are never pruned.
            dummies: its dummy nodes, likewise; their edges stay as they are and are no candidates.
            names: one name per variable, where `native` has none.
        """
        results = _results_of(native)
        mask = candidates(_graph_of(results))
        names = names_of(names) or _names_of(native)
        given, left_alone = _context_nodes(native)
        if context is not None:
            given = _indices("context", context, names, len(mask))
        if dummies is not None:
            left_alone = _indices("dummies", dummies, names, len(mask))
        for node in left_alone:
            mask[node], mask[:, node] = False, False
        required = _forced(results) & mask
        for node in given:
            required[node] |= mask[node]
            required[:, node] |= mask[:, node]
        return Skeleton(mask, names, _scores(results), required)

    def from_graph(
        self,
        native: Any,
        graph: BoolArray,
        *,
        outcome: Outcome | None = None,
        context: Sequence[int | str] | None = None,
        dummies: Sequence[int | str] | None = None,
        names: Sequence[str] | None = None,
    ) -> Any:
        """A new result dict (or graph array) without the pruned edges."""
        results = _results_of(native)
        before = self.to_skeleton(native, context=context, dummies=dummies, names=names).mask
        gone = pruned_cells(before, graph)
        if isinstance(native, np.ndarray):
            return cleared({"graph": native}, gone, _UNTESTED)["graph"]
        notes = {} if outcome is None else _notes(outcome)
        if _is_summary(results):
            return _copy(results) | {"summary_results": _pruned_summary(results, gone) | notes}
        return _copy(results) | cleared(results, gone, _UNTESTED) | notes

    def from_skeleton(self, skeleton: Skeleton) -> dict[str, Any]:
        """A result dict: marks, and the scores (or 1) as values; p-values are 0 where there is an edge."""
        mask = skeleton.mask
        now = mask[:, :, 0]
        marks = np.where(mask, "-->", "").astype("<U3")
        marks[:, :, 0] = np.where(now & now.T, "o-o", np.where(now, "-->", np.where(now.T, "<--", "")))
        scores = np.ones(mask.shape) if skeleton.scores is None else skeleton.scores
        values = np.where(mask, scores, 0.0)
        values[:, :, 0] = np.maximum(values[:, :, 0], values[:, :, 0].T)
        return {"graph": marks, "val_matrix": values, "p_matrix": np.where(marks == "", 1.0, 0.0)}

    def is_knowledge(self, obj: object) -> bool:
        """Whether `obj` is a dict of link_assumptions."""
        return is_link_assumptions(obj)

    def read_knowledge(self, known: Any, names: Sequence[str] | None, max_lag: int | None) -> Knowledge:
        """What link_assumptions say."""
        return read_link_assumptions(known, names, max_lag)

    def write_knowledge(self, known: KnownCells, names: Sequence[str]) -> Any:
        """link_assumptions for all `run_*` methods; odds have no place there."""
        del names
        return write_link_assumptions(known)

    def orient(
        self,
        native: Any,
        directions: BoolArray,
        *,
        context: Sequence[int | str] | None = None,
        names: Sequence[str] | None = None,
    ) -> Any:
        """A copy in which `o-o` and `x-x` at lag 0 become `-->` as `directions` say; a summary stays."""
        del context, names
        if isinstance(native, np.ndarray):
            return oriented(native, directions)
        if "graph" not in native:
            return _copy(native)
        return _copy(native) | {"graph": oriented(native["graph"], directions)}

    def data_of(self, native: Any) -> Any | None:
        """The DataFrame of an object, with its mask as the object's test used it, or of a dict's key."""
        if isinstance(native, Mapping):
            return native.get("dataframe")
        if not _is_host_object(native):
            return None
        frame = native.dataframe
        # RPCMCI writes a mask of its own into the DataFrame; the regimes say the same and more.
        mask_type = None if _is_a(native, "RPCMCI") else native.cond_ind_test.mask_type
        if frame.has_vector_data:
            return panel_of_nodes(frame, mask_type)
        return frame if frame.mask is None else panel_of(frame, mask_type)

    def split(self, native: Any) -> dict[str, Part] | None:
        """The regimes of `run_rpcmci`, each with the times that belong to it."""
        if not _is_composite(native):
            return None
        members = np.asarray(native["regimes"]) > 0.5
        return {
            f"regime {key}": Part(results, members[row])
            for row, (key, results) in enumerate(native["causal_results"].items())
        }

    def join(self, native: Any, parts: Mapping[str, Any]) -> Any:
        """The dict of `run_rpcmci` with refined results per regime."""
        refined = {key: parts[f"regime {key}"] for key in native["causal_results"]}
        return _copy(native) | {"causal_results": refined}

    def is_data(self, obj: object) -> bool:
        """Whether `obj` is a tigramite DataFrame."""
        return any(
            kind.__name__ == "DataFrame" and kind.__module__ == "tigramite.data_processing"
            for kind in type(obj).__mro__
        )

    def to_panel(
        self, data: Any, *, mask_type: str | None = AUTO, dummies: Sequence[int | str] | None = None
    ) -> Panel:
        """All datasets, with missing values, mask and reference points.

        Args:
            data: the DataFrame.
            mask_type: how the mask counts, as in tigramite's tests: letters of "xyz", or None. A row is
                masked when any of its variables is.
            dummies: the nodes of J-PCMCI+ that are made of several columns, by index or name.
        """
        return panel_of(data, mask_type) if dummies is None else panel_with_dummies(data, mask_type, dummies)


def _is_a(obj: object, name: str) -> bool:
    return any(
        kind.__name__ == name and kind.__module__.partition(".")[0] == "tigramite"
        for kind in type(obj).__mro__
    )


def _is_host_object(obj: object) -> bool:
    return _is_a(obj, "PCMCIbase")


def _is_composite(obj: object) -> bool:
    return isinstance(obj, dict) and "regimes" in obj and isinstance(obj.get("causal_results"), dict)


def _is_summary(obj: object) -> bool:
    summary = obj.get("summary_results") if isinstance(obj, dict) else None
    return isinstance(summary, dict) and is_graph_array(summary.get("most_frequent_links"))


def _lacks_graph(obj: dict[Any, Any]) -> bool:
    values = obj.get("val_matrix")
    return "graph" not in obj and isinstance(values, np.ndarray) and values.ndim == 3


def _results_of(native: Any) -> dict[str, Any]:
    if isinstance(native, np.ndarray):
        return {"graph": native}
    if _is_composite(native):
        msg = "The dict of run_rpcmci holds one graph per regime; read them one by one with split()."
        raise AdapterError(msg)
    if isinstance(native, dict):
        return native
    if _is_a(native, "RPCMCI"):
        msg = "An RPCMCI object does not keep its results; pass the dict that run_rpcmci returned."
        raise AdapterError(msg)
    results = getattr(native, "results", None)
    if isinstance(results, dict):
        return results
    if is_graph_array(getattr(native, "graph", None)):  # LPCMCI has the arrays, but no dict of them
        parts = {"graph": "graph", "p_matrix": "pval_max_matrix", "val_matrix": "val_min_matrix"}
        return {key: getattr(native, attribute) for key, attribute in parts.items()}
    msg = f"This {type(native).__name__} object has no results yet; call one of its run_*() methods first."
    raise AdapterError(msg)


def _graph_of(results: Mapping[str, Any]) -> npt.NDArray[Any]:
    if _is_summary(results):
        return checked_graph(results["summary_results"]["most_frequent_links"])
    if "graph" not in results:
        msg = (
            f"The result has no graph, only {sorted(results)}; run the method without val_only=True, or add "
            "one: results['graph'] = pcmci.get_graph_from_pmatrix(...)."
        )
        raise AdapterError(msg)
    return checked_graph(results["graph"])


def _scores(results: Mapping[str, Any]) -> FloatArray | None:
    values = (
        results["summary_results"].get("val_matrix_mean")
        if _is_summary(results)
        else results.get("val_matrix")
    )
    return None if values is None else np.abs(np.asarray(values, dtype=np.float64))


def _forced(results: Mapping[str, Any]) -> BoolArray:
    graph = _graph_of(results)
    if "p_matrix" not in results or "val_matrix" not in results:
        return np.zeros(graph.shape, dtype=np.bool_)
    certain = (np.asarray(results["p_matrix"]) == 0.0) & (np.asarray(results["val_matrix"]) == 1.0)
    return np.asarray(certain & (graph == "-->"), dtype=np.bool_)


def _names_of(native: Any) -> tuple[str, ...] | None:
    holder = native.get("dataframe") if isinstance(native, dict) else native
    return names_of(getattr(holder, "var_names", None))


def _context_nodes(native: Any) -> tuple[list[int], list[int]]:
    """Observed context and dummies, which only the object knows."""
    if not _is_a(native, "JPCMCIplus"):
        return [], []
    observed = [*native.time_context_nodes, *native.space_context_nodes]
    return observed, [*native.time_dummy, *native.space_dummy]


def _indices(option: str, given: Sequence[int | str], names: Sequence[str] | None, count: int) -> list[int]:
    known = list(names or ())
    found = [known.index(node) if node in known else node for node in given]
    wrong = [node for node in found if not isinstance(node, (int, np.integer)) or not 0 <= node < count]
    if wrong:
        msg = f"{option}= names {wrong}; give indices from 0 to {count - 1} or names of {known}."
        raise OptionError(msg)
    return [int(node) for node in found]


def _pruned_summary(results: Mapping[str, Any], gone: BoolArray) -> dict[str, Any]:
    summary = copy.deepcopy(results["summary_results"])
    summary |= cleared(summary, gone, _UNTESTED_SUMMARY)
    runs = results.get("boot_results", results.get("window_results", {})).get("graph")
    if runs is not None and "link_frequency" in summary:  # it counts the outcome that is shown: no link
        summary["link_frequency"][gone] = (np.asarray(runs) == "").mean(axis=0)[gone]
    return dict(summary)


def _notes(outcome: Outcome) -> dict[str, FloatArray]:
    return {
        "gates": outcome.gates.copy(),
        "grace_gain": outcome.gain.copy(),
        "grace_p_value": outcome.p_value.copy(),
    }


def _copy(results: Mapping[str, Any]) -> dict[str, Any]:
    """Deep, but for the data, which nobody changes and which may be large."""
    return {key: value if key == "dataframe" else copy.deepcopy(value) for key, value in results.items()}
