"""What `analyze` returns: the refined native object and everything that was learned on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import Variable
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.protocols import HostResult
from grace_plugin.results.findings import Findings

if TYPE_CHECKING:
    from pathlib import Path

    import networkx as nx
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from grace_plugin.results.explanation import Explanation
    from grace_plugin.results.holdout import Holdout
    from grace_plugin.results.tigramite_form import TigramiteForm
    from grace_plugin.series.forms import Data


@dataclass(frozen=True, eq=False, repr=False)
class Refinement(Findings):
    """The result of one refinement; arrays are [cause, effect, lag].

    `native` is the host's own kind of object with the false edges gone. `parts` holds one
    Refinement per regime where the host's result had several graphs.

    >>> import grace_plugin as gp
    >>> found = gp.discover(gp.load_example("toy_climate").data, max_lag=3)
    >>> found.edges[["cause", "effect", "lag", "kept"]].head(2)
      cause  effect  lag  kept
    0  wind    rain    3  True
    1  soil  plants    1  True
    >>> found.explain("rain", "river", 2).kept
    True
    >>> sorted(found.to_networkx().predecessors(("river", 0)))
    [('rain', -2), ('river', -1), ('soil', -3)]
    """

    parts: Mapping[str, Refinement] = field(default_factory=dict)

    @cached_property
    def scores(self) -> FloatArray:
        """[cause, effect, lag]: the evidence of every possible edge, candidate or not; more is likelier."""
        from grace_plugin.results.cuts import scores

        return scores(self)

    @cached_property
    def pair_scores(self) -> FloatArray:
        """[cause, effect]: the same of every pair of variables, by its best lag."""
        return np.asarray(self.scores.max(axis=2))

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row per ordered pair of variables over all lags: score, p_value, q_value, probability, kept."""
        from grace_plugin.results.cuts import pair_table

        return pair_table(self)

    @cached_property
    def path(self) -> pd.DataFrame:
        """What every cut would keep: level, kept, probability, expected_false, fdr, expected_f1."""
        from grace_plugin.results.cuts import path_table

        return path_table(self)

    def at(
        self, *, alpha: float | None = None, fdr: float | None = None, probability: float | None = None
    ) -> Refinement:
        """The same result cut elsewhere, without a new run; `gates`, `gain` and effects stay as they are.

        Args:
            alpha: a level of the evidence.
            fdr: the largest graph whose expected share of false edges is at most this.
            probability: edges that are likelier than this.
        """
        from grace_plugin.results.cuts import cut_at

        return cut_at(self, alpha, fdr, probability)

    def detectable(self) -> float:
        """The smallest standardised effect that these rows could show at the level that was used."""
        from grace_plugin.results.cuts import detectable

        return detectable(self)

    def to_networkx(self) -> nx.DiGraph:
        """The kept edges as a DiGraph on (name, -lag) nodes, each with gate, gain and p_value.

        An unoriented contemporaneous edge becomes two opposite edges.
        """
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from((name, 0) for name in self.names)
        for cause, effect, lag in np.argwhere(self.graph):
            where = (cause, effect, lag)
            graph.add_edge(
                (self.names[cause], -int(lag)),
                (self.names[effect], 0),
                lag=int(lag),
                gate=float(self.gates[where]),
                gain=float(self.outcome.gain[where]),
                p_value=float(self.outcome.p_value[where]),
            )
        return graph

    def to_tigramite(self) -> TigramiteForm:
        """The kept edges as a tigramite results dict (graph, p_matrix, val_matrix), for its plots."""
        from grace_plugin.results.tigramite_form import to_tigramite

        return to_tigramite(self)

    def to_xarray(self) -> xr.Dataset:
        """All candidates as an xarray Dataset over (cause, effect, lag): graph, gate, gain, p_value, ...

        Needs the package xarray.
        """
        from grace_plugin.results.other_forms import to_xarray

        return to_xarray(self)

    def to_dowhy(self, depth: int | None = None, open_pairs: str = "refuse") -> nx.DiGraph:
        """The kept edges unrolled over time, as DoWhy's `CausalModel` and `gcm` take them.

        Args:
            depth: how many steps back nodes reach; by default twice the largest lag, so that the causes of
                every cause of something now are there to be adjusted for.
            open_pairs: what to do with edges within one step whose direction is open, which DoWhy cannot
                take: "refuse", or "drop" them.

        Nodes are called as the columns of `gp.lag_expand(data, depth)`, which are DoWhy's data.

        >>> import grace_plugin as gp
        >>> found = gp.discover(gp.load_example("toy_climate").data, max_lag=3)
        >>> graph = found.to_dowhy(depth=4)
        >>> sorted(graph.predecessors("river_lag0")), sorted(graph.predecessors("river_lag1"))
        (['rain_lag2', 'river_lag1', 'soil_lag3'], ['rain_lag3', 'river_lag2', 'soil_lag4'])
        """
        from grace_plugin.results.other_forms import to_dowhy

        return to_dowhy(self, depth, open_pairs)

    def summary(self) -> str:
        """A few lines for people: how many edges stayed, and by which settings."""
        from grace_plugin.results.display import summary_text

        return summary_text(self)

    def explain(self, cause: Variable, effect: Variable, lag: int, data: Data | None = None) -> Explanation:
        """Why this edge stayed or went, with its numbers, its rival and the fitted response curve.

        Args:
            cause: a name or a position.
            effect: likewise.
            lag: 0 to the largest lag.
            data: the data once more, where this result does not hold what is needed of them (it was read
                from a file, or another engine made it); without them there is no rival and no curve.
        """
        from grace_plugin.results.explanation import explain

        return explain(self, cause, effect, lag, data)

    def by_unit(self, data: Data | None = None, level: float = 0.05) -> pd.DataFrame:
        """In how many units each kept edge shows by itself, and with which weight.

        One row per kept edge and unit: `rows` and `p_value` of the unit alone beside the other kept edges,
        `weight` of the linear effect in pooled standard deviations, whether it `shows` at the `level`, and
        `shows_in` how many of the `units`.

        Args:
            data: the data once more, where this result was read from a file.
            level: of each unit's own test.

        >>> import numpy as np, grace_plugin as gp
        >>> rng = np.random.default_rng(0)
        >>> one, other = rng.normal(size=(2, 300, 2))
        >>> one[1:, 1] += 0.9 * one[:-1, 0]
        >>> found = gp.discover({"north": one, "south": other}, max_lag=1)
        >>> found.by_unit()[["cause", "effect", "unit", "shows", "shows_in", "units"]]
          cause effect   unit  shows  shows_in  units
        0    x0     x1  north   True         1      2
        1    x0     x1  south  False         1      2
        """
        from grace_plugin.results.by_unit import by_unit, rows_of_units

        return by_unit(self, rows_of_units(self, data), level)

    def holdout(self, data: Data, level: float = 0.05) -> Holdout:
        """Whether the graph holds on rows that it was not chosen on: later ones, or some kept aside.

        Args:
            data: rows of the same variables, in any form that `refine` takes (with the controls, if there are
                any).
            level: of each kept edge's test there.

        >>> import numpy as np, grace_plugin as gp
        >>> rng = np.random.default_rng(0)
        >>> x = rng.normal(size=(600, 2))
        >>> x[1:, 1] += 0.8 * x[:-1, 0]
        >>> checked = gp.discover(x[:400], max_lag=1).holdout(x[400:])
        >>> checked.edges[["cause", "effect", "lag", "holds"]]
          cause effect  lag  holds
        0    x0     x1    1   True
        >>> checked.prediction.round(2)
          effect  graph  candidates  own_past
        0     x0   0.00        0.00      0.01
        1     x1   0.44        0.44     -0.01
        """
        from grace_plugin.results.holdout import hold_out

        return hold_out(self, data, level)

    def plot(
        self,
        kind: str = "before_after",
        *,
        ax: Axes | Sequence[Axes] | None = None,
        truth: BoolArray | None = None,
        positions: FloatArray | None = None,
        edge: tuple[Variable, Variable, int] | None = None,
        labels: Mapping[str, str] | Sequence[str] | None = None,
        layout: str = "auto",
        strongest: int | None = None,
        page: int = 1,
        colorbar: bool = True,
    ) -> tuple[Figure, Any]:
        """Draw with matplotlib and return (figure, axes); see `grace_plugin.show.plot` for the arguments.

        `kind` is "before_after", "graph", "network", "matrix", "time_series", "gates", "response" or "path".
        """
        from grace_plugin.show import plot

        return plot(
            self,
            kind,
            ax=ax,
            truth=truth,
            positions=positions,
            edge=edge,
            labels=labels,
            layout=layout,
            strongest=strongest,
            page=page,
            colorbar=colorbar,
        )

    def report(self, path: str | Path, data: Data | None = None, title: str | None = None) -> Path:
        """Write one self-contained HTML file: overview, pictures, edge table, data quality, settings.

        Args:
            path: where to write.
            data: the data, for the section on their quality; left out without them.
            title: of the page.
        """
        from grace_plugin.show.report import write_report

        return write_report(self, path, data, title)

    def to_json(self, path: str | Path | None = None) -> str:
        """Everything but the native object as JSON text, also written to `path` if given.

        `grace_plugin.read_json` reads it back.
        """
        from grace_plugin.results.json_form import to_json

        return to_json(self, path)

    def to_dot(self, pruned: bool = False) -> str:
        """The kept edges in the language of Graphviz; with `pruned`, the others dashed."""
        from grace_plugin.results.dot import to_dot

        return to_dot(self, pruned)

    def __repr__(self) -> str:
        from grace_plugin.results.display import repr_text

        return repr_text(self)

    def _repr_html_(self) -> str:
        from grace_plugin.results.display import repr_html

        return repr_html(self)


def within(refinement: Refinement, cells: BoolArray) -> Refinement:
    """The same result for the candidates of a mask; others were looked at and are not shown."""
    old = refinement.skeleton
    assert old.required is not None
    names = old.names if old.named else None
    skeleton = Skeleton(old.mask & cells, names, old.scores, old.required & cells)
    return replace(refinement, skeleton=skeleton, outcome=refinement.outcome.within(cells))


def joined_refinements(native: HostResult, parts: Mapping[str, Refinement]) -> Refinement:
    """One Refinement over several: an edge counts as kept where any part keeps it."""
    every = list(parts.values())
    shape = tuple(max(one.graph.shape[axis] for one in every) for axis in range(3))
    first = every[0].outcome
    best = Outcome.of_arrays(
        gates=_widest([one.gates for one in every], shape, np.fmax, 0.0),
        graph=_any_of([one.graph for one in every], shape),
        gain=_widest([one.outcome.gain for one in every], shape, np.fmax, np.nan),
        p_value=_widest([one.outcome.p_value for one in every], shape, np.fmin, np.nan),
        reason=_widest([one.outcome.reason for one in every], shape, np.maximum, 0),
        penalty=first.penalty,
        alpha=first.alpha,
        rows_used=sum(one.outcome.rows_used for one in every),
        rows_given=first.rows_given,
    )
    skeleton = Skeleton(_any_of([one.skeleton.mask for one in every], shape), every[0].names)
    return Refinement(native, skeleton, best, every[0].config, adapter=every[0].adapter, parts=dict(parts))


def _any_of(arrays: list[BoolArray], shape: tuple[int, ...]) -> BoolArray:
    return np.asarray(_widest(arrays, shape, np.logical_or, False), dtype=np.bool_)


def _widest(arrays: list[Any], shape: tuple[int, ...], combine: Any, empty: Any) -> Any:
    """Combine arrays whose lag axes may differ in length."""
    result = np.full(shape, empty)
    for array in arrays:
        part = result[:, :, : array.shape[2]]
        part[...] = combine(part, array)
    return result
