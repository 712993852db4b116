"""Edge lists of any kind: tables, tuples, dicts, cdans, pywhy-graphs, and graphs written as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import AdapterError
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton, one_way

from ._edges_dot import DotForm
from ._edges_gml import GmlForm
from ._edges_graphml import GraphmlForm
from ._edges_graphs import CdansForm, PywhyForm
from ._edges_rows import EdgeOptions, Form, cells_of
from ._edges_tables import DelaysForm, ParentsForm, TableForm, TuplesForm

_FORMS: tuple[Form, ...] = (
    TableForm(),
    TuplesForm(),
    DelaysForm(),
    ParentsForm(),
    CdansForm(),
    PywhyForm(),
    GmlForm(),
    GraphmlForm(),
    DotForm(),
)


class EdgeListAdapter:
    """Takes whatever lists edges (cause, effect, lag); the result has the same type and order.

    Variables are given by name, or by number for a column of the data. A list without lags stands
    for every lag 1..max_lag of each pair, and an edge survives if any of its lags does. Both directions
    at lag 0 are one unoriented edge.

    A model without a variable's own past takes autocorrelation for influence. So where a list tells
    no lags, or holds no edge of any variable to itself, the own lags of all variables are candidates beside
    the listed edges; the result does not list them.
    """

    name = "edges"
    accepts = (
        "a pandas table with columns cause, effect, lag; a list or set of (cause, effect, lag[, score]); "
        "a dict {(effect, cause): lag} or {effect: [cause, ...]}; a cdans or pywhy-graphs time-series graph; "
        "GML, GraphML or DOT text"
    )

    def is_native(self, obj: object) -> bool:
        """Whether `obj` is one of the known forms; a table of measurements is not."""
        return any(form.matches(obj) for form in _FORMS)

    def to_skeleton(
        self,
        native: Any,
        *,
        max_lag: int | None = None,
        names: Sequence[Any] | None = None,
        include_lag0: bool = False,
        own_lags: bool = True,
    ) -> Skeleton:
        """The listed edges.

        Args:
            native: the edge list.
            max_lag: the largest lag; needed only where the edges tell no lags.
            names: all variables, in the order of the data's columns. A list does not name a variable
                without edges, so give them where there may be one.
            include_lag0: whether an edge without lag may also act at lag 0.
            own_lags: whether every variable's own lags are candidates where the list has none of them.
        """
        options = EdgeOptions(max_lag, names, include_lag0, own_lags)
        return cells_of(_form_of(native).read(native), options).skeleton

    def from_graph(
        self,
        native: Any,
        graph: BoolArray,
        *,
        outcome: Outcome | None = None,
        max_lag: int | None = None,
        names: Sequence[Any] | None = None,
        include_lag0: bool = False,
        own_lags: bool = True,
    ) -> Any:
        """A new object of the same type with only those edges of which a lag is in `graph`."""
        del outcome
        form = _form_of(native)
        cells = cells_of(form.read(native), EdgeOptions(max_lag, names, include_lag0, own_lags))
        return form.select(native, cells.surviving(graph))

    def orient(
        self,
        native: Any,
        directions: BoolArray,
        *,
        max_lag: int | None = None,
        names: Sequence[Any] | None = None,
        include_lag0: bool = False,
        own_lags: bool = True,
    ) -> Any:
        """A copy without the opposite one of two edges at lag 0, where `directions` tell which it is.

        An edge without direction that is listed once stays as it is.
        """
        options: dict[str, Any] = {
            "max_lag": max_lag,
            "names": names,
            "include_lag0": include_lag0,
            "own_lags": own_lags,
        }
        graph = one_way(self.to_skeleton(native, **options), directions)
        return self.from_graph(native, graph, **options)

    def from_skeleton(self, skeleton: Skeleton) -> Any:
        """A pandas table: cause, effect, lag and, where there are scores, score."""
        import pandas as pd

        cells = np.argwhere(skeleton.mask)
        names = np.array(skeleton.names, dtype=object)
        table = pd.DataFrame({"cause": names[cells[:, 0]], "effect": names[cells[:, 1]], "lag": cells[:, 2]})
        if skeleton.scores is not None:
            table["score"] = skeleton.scores[tuple(cells.T)]
        return table

    def data_of(self, native: Any) -> None:
        """An edge list holds no data."""
        return

    def needs_names(self, native: Any) -> bool:
        """Whether only the data can say which column a label means; cdans numbers its variables."""
        return not isinstance(_form_of(native), CdansForm)


def _form_of(native: Any) -> Form:
    for form in _FORMS:
        if form.matches(native):
            return form
    if isinstance(native, (list, tuple, set, frozenset)) and not native:
        return TuplesForm()  # what is left of a list from which everything was pruned
    if isinstance(native, dict) and all(isinstance(causes, list) for causes in native.values()):
        return ParentsForm()
    kind = type(native).__name__
    msg = f"An object of type {kind} is no known edge list; accepted are {EdgeListAdapter.accepts}."
    raise AdapterError(msg)
