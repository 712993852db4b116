"""The two verbs: a host's result and data in, the refined result (or all that was learned) out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.config import KnownEdge, Odds, Options, OptionValue, RefineConfig, Variable
from grace_plugin.exceptions import DataError
from grace_plugin.graph.background import Knowledge
from grace_plugin.graph.knowledge import unasked_edges
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.convert import (
    matched,
    native_of,
    oriented_native,
    own_data,
    read_together,
)
from grace_plugin.hosts.registry import find_adapter, get_adapter
from grace_plugin.pipeline.candidates import FixedCandidates
from grace_plugin.pipeline.options import collected, data_option_names, read_data, sort_options
from grace_plugin.pipeline.run import Job, run
from grace_plugin.protocols import Adapter, CompositeAdapter, HostResult, OrientingAdapter
from grace_plugin.results.refinement import Refinement, joined_refinements
from grace_plugin.series.forms import Data
from grace_plugin.series.panel import Panel

N = TypeVar("N")


def refine(
    native: N,
    data: Data | None = None,
    *,
    adapter: str | None = None,
    engine: str = "additive",
    penalty: str | float = "auto",
    alpha: str | float = "auto",
    fdr: float | None = None,
    gate_threshold: float = 0.5,
    keep: Iterable[KnownEdge] = (),
    forbid: Iterable[KnownEdge] = (),
    likely: Odds = (),
    knowledge: Knowledge | None = None,
    effects: Iterable[Variable] = (),
    controls: Iterable[Variable] | Data = (),
    prepare: str | Sequence[str] = "auto",
    interactions: bool = True,
    control_lag: int = 5,
    gaps: str = "fill",
    pool: str = "units",
    contemporaneous: bool | str = "auto",
    orient: bool = False,
    n_jobs: int | None = 1,
    seed: int = 0,
    progress: bool | None = None,
    lag_concentration: float = 0.0,
    free_lags: float = 1.0,
    **host_options: OptionValue,
) -> N:
    """Return an object like `native` without its false edges; `native` itself is not changed.

    Args:
        native: a host's result; see `available_adapters()`.
        data: numpy [time, variable], a table (pandas, polars, pyarrow), xarray, a tigramite DataFrame, a list
            or dict of arrays or tables, or an iterable of row chunks; not needed where `native` has its own.
        adapter: the name of the host, where an object could be of several.
        engine: "additive" (default) or "neural".
        penalty: the price of an open gate; "auto", "paper" (the paper's rule), or nats per sample.
        alpha: where to cut: "auto" keeps an edge that is likelier true than not, learned from all cells of
            the graph; a number is a level of the evidence; "level" is the fixed rule of version 0.1.
        fdr: a false discovery rate instead: the largest graph whose expected share of false edges is at most
            this.
        gate_threshold: a gate above it proposes its edge.
        keep: edges never pruned, as (cause, effect, lag) or (cause, effect) for all lags of a pair, by
            name or by position.
        forbid: edges never looked at, written likewise; "*" stands for every other variable or lag.
        likely: factors on the odds of edges before the data speak, {(cause, effect, lag): 10.0}.
        knowledge: all of this and more in one `gp.Knowledge`.
        effects: the variables to explain, by name or position; edges into others are not judged and stay as
            the host has them. () explains all.
        controls: columns of the data, or a table with the same rows, that every effect is judged beside and
            that are no nodes: a calendar, a holiday, a treatment.
        prepare: what the data ask for before anything is added up: "auto", "none", or a list of rules.
        interactions: whether products of two lagged values are looked for.
        control_lag: lags up to this one are looked at even if the graph's largest lag is smaller, so that
            their effects are not mistaken for later ones; they are not reported. 0 turns it off.
        gaps: "fill" puts the expectation of missing values in their place where they would cost many rows;
            "drop" leaves out every row with a missing value in it or in its past.
        pool: of several series, "units" takes each about its own mean, "levels" leaves their levels in.
        contemporaneous: whether `discover` and `bootstrap` look for effects within one step (lag 0): True,
            False, or "auto" for where residuals move together as such effects would have it.
        orient: whether `refine` gives a host's unoriented edges at lag 0 the direction that the data tell.
        n_jobs: worker processes through joblib: its backend (loky, Dask, Ray) serves, -1 takes every core.
            They share the search for causes where it takes seconds, and in `discover` all that is judged
            where an effect has more than 2500 candidates (variables times lags).
        seed: for engines that draw random numbers.
        progress: True or False shows or hides the bar; None shows it where a terminal waits for seconds.
        lag_concentration: weight of the paper's optional penalty on pairs with many open lags.
        free_lags: how many open lags per pair cost nothing extra.
        **host_options: options of the engine and of the host's adapter; `unit=` and `time=` name columns (or
            levels, or dimensions) of tables that hold several units, or their times.

    >>> import networkx as nx, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> x[1:, 1] += 0.8 * x[:-1, 0]
    >>> graph = nx.DiGraph([(("a", -1), ("b", 0)), (("b", -1), ("a", 0))])
    >>> list(refine(graph, x, names=["a", "b"]).edges)
    [(('a', -1), ('b', 0))]
    """
    refined: N = analyze(native, data, adapter=adapter, **collected(locals())).native
    return refined


def analyze(
    native: HostResult,
    data: Data | None = None,
    *,
    adapter: str | None = None,
    engine: str = "additive",
    penalty: str | float = "auto",
    alpha: str | float = "auto",
    fdr: float | None = None,
    gate_threshold: float = 0.5,
    keep: Iterable[KnownEdge] = (),
    forbid: Iterable[KnownEdge] = (),
    likely: Odds = (),
    knowledge: Knowledge | None = None,
    effects: Iterable[Variable] = (),
    controls: Iterable[Variable] | Data = (),
    prepare: str | Sequence[str] = "auto",
    interactions: bool = True,
    control_lag: int = 5,
    gaps: str = "fill",
    pool: str = "units",
    contemporaneous: bool | str = "auto",
    orient: bool = False,
    n_jobs: int | None = 1,
    seed: int = 0,
    progress: bool | None = None,
    lag_concentration: float = 0.0,
    free_lags: float = 1.0,
    **host_options: OptionValue,
) -> Refinement:
    """Refine `native` and return everything that was learned; `.native` is what `refine` returns.

    Takes what `refine` takes.

    >>> import networkx as nx, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> x[1:, 1] += 0.8 * x[:-1, 0]
    >>> graph = nx.DiGraph([(("a", -1), ("b", 0)), (("b", -1), ("a", 0))])
    >>> analyze(graph, x, names=["a", "b"]).edges[["cause", "effect", "lag", "kept"]]
      cause effect  lag   kept
    0     a      b    1   True
    1     b      a    1  False
    """
    options = collected(locals())
    if isinstance(native, Skeleton):
        return _refined_skeleton(native, data, options)
    return _refined_native(
        find_adapter(native) if adapter is None else get_adapter(adapter), native, data, options
    )


def _refined_native(adapter: Adapter, native: HostResult, data: Data | None, options: Options) -> Refinement:
    data = own_data(adapter, native, options) if data is None else data
    host_options, data_options, rest = sort_options(adapter.to_skeleton, data, options)
    panel, config = read_data(data, data_options, rest)
    if panel is None:
        msg = (
            f"This {type(native).__name__}, read by the {adapter.name} adapter, does not hold its own data; "
            "pass the table or array that it was learned from: refine(result, data)."
        )
        raise DataError(msg)
    if isinstance(adapter, CompositeAdapter) and (parts := adapter.split(native)) is not None:
        panel = panel.loaded()  # every part reads the rows
        refined = {
            key: _refined(adapter, part.native, _part_panel(panel, part.samples), config, host_options)
            for key, part in parts.items()
        }
        whole = adapter.join(native, {key: one.native for key, one in refined.items()})
        return joined_refinements(whole, refined)
    return _refined(adapter, native, panel, config, host_options)


def _refined_skeleton(skeleton: Skeleton, data: Data | None, options: Options) -> Refinement:
    """For candidate edges that come from no host; `.native` is the pruned Skeleton."""
    data_options = {name: options[name] for name in data_option_names(data) & set(options)}
    rest = {name: value for name, value in options.items() if name not in data_options}
    panel, config = read_data(data, data_options, rest)
    if panel is None:
        msg = "A Skeleton holds no data; pass them as the second argument."
        raise DataError(msg)
    skeleton, panel = matched(skeleton, panel)
    learned = run(_job(skeleton, panel, config))
    graph = learned.outcome.graph | unasked_edges(config, skeleton)
    pruned = Skeleton(graph, skeleton.names, skeleton.scores)
    return Refinement(pruned, learned.skeleton, learned.outcome, learned.config)


def _refined(
    adapter: Adapter, native: HostResult, panel: Panel, config: RefineConfig, host_options: Options
) -> Refinement:
    skeleton, panel, host_options = read_together(adapter, native, panel, host_options)
    learned = run(_job(skeleton, panel, config))
    graph = learned.outcome.graph | unasked_edges(config, skeleton)
    refined = native_of(adapter, native, graph, learned.outcome, host_options)
    if config.orient and isinstance(adapter, OrientingAdapter):
        told = skeleton.unoriented & learned.skeleton.directed[:, :, 0]
        refined = oriented_native(adapter, refined, told, host_options)
    return Refinement(
        refined, learned.skeleton, learned.outcome, learned.config, source=native, adapter=adapter.name
    )


def _job(skeleton: Skeleton, panel: Panel, config: RefineConfig) -> Job:
    return Job(panel, FixedCandidates(skeleton), skeleton.max_lag, config)


def _part_panel(panel: Panel, samples: BoolArray | None) -> Panel:
    return panel if samples is None else panel.restricted(samples)
