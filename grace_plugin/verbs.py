"""The two verbs: a host's result and data in, the refined result (or all that was learned) out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Protocol

from grace_plugin.config import COMMON_OPTIONS, ENGINES, RefineConfig, make_config, refuse_unknown_options
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.outcome import Outcome
from grace_plugin.panel import Panel, as_panel
from grace_plugin.protocols import Adapter, CompositeAdapter
from grace_plugin.refinement import Refinement, joined_refinements
from grace_plugin.registry import find_adapter, find_data_reader, get_adapter
from grace_plugin.skeleton import BoolArray, Skeleton


def refine(native: Any, data: Any = None, **options: Any) -> Any:
    """Return an object like `native` without its false edges; `native` itself is not changed.

    Args:
        native: a host's result; see `available_adapters()`.
        data: numpy [time, variable], pandas, a tigramite DataFrame, a list or dict of arrays, or an iterable
            of row chunks; not needed where `native` holds its own data.
        **options: see `RefineConfig`; options of the engine and of the host's adapter are taken too.

    >>> import networkx as nx, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> x[1:, 1] += 0.8 * x[:-1, 0]
    >>> graph = nx.DiGraph([(("a", -1), ("b", 0)), (("b", -1), ("a", 0))])
    >>> list(refine(graph, x).edges)
    [(('a', -1), ('b', 0))]
    """
    return analyze(native, data, **options).native


def analyze(native: Any, data: Any = None, **options: Any) -> Refinement:
    """Refine `native` and return everything that was learned; `.native` is what `refine` returns.

    Takes what `refine` takes.

    >>> import networkx as nx, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> x[1:, 1] += 0.8 * x[:-1, 0]
    >>> graph = nx.DiGraph([(("a", -1), ("b", 0)), (("b", -1), ("a", 0))])
    >>> analyze(graph, x).edges[["cause", "effect", "lag", "kept"]]
      cause effect  lag   kept
    0     a      b    1   True
    1     b      a    1  False
    """
    if isinstance(native, Skeleton):
        return refine_skeleton(native, data, **options)
    adapter = _adapter_for(native, options.pop("adapter", None))
    data = _own_data(adapter, native, options) if data is None else data
    host_options, data_options, rest = _sorted_options(adapter, data, options)
    config = make_config(rest, _engine(rest).options)
    panel = read_panel(data, data_options)
    if panel is None:
        msg = (
            f"This {adapter.name} result does not hold its own data; pass them: refine(result, data). "
            f"Results that do: {adapter.accepts}."
        )
        raise DataError(msg)
    if isinstance(adapter, CompositeAdapter) and (parts := adapter.split(native)) is not None:
        refined = {
            key: _refined(adapter, part.native, _part_panel(panel, part.samples), config, host_options)
            for key, part in parts.items()
        }
        whole = adapter.join(native, {key: one.native for key, one in refined.items()})
        return joined_refinements(whole, refined)
    return _refined(adapter, native, panel, config, host_options)


def refine_skeleton(skeleton: Skeleton, data: Any, **options: Any) -> Refinement:
    """`analyze` for candidate edges that come from no host; `.native` is the pruned Skeleton."""
    data_options = {name: options.pop(name) for name in _data_options(data) & set(options)}
    config = make_config(options, _engine(options).options)
    panel = read_panel(data, data_options)
    if panel is None:
        msg = "A Skeleton holds no data; pass them as the second argument."
        raise DataError(msg)
    skeleton, panel = matched(skeleton, panel)
    outcome = decide(skeleton, panel, config)
    pruned = Skeleton(outcome.graph, skeleton.names, skeleton.scores)
    return Refinement(pruned, skeleton, outcome, config)


class Engine(Protocol):
    """What decides: see `grace_plugin.engines`."""

    @property
    def options(self) -> tuple[str, ...]:
        """The names of its own options."""

    def refine(self, skeleton: Skeleton, panel: Panel, config: RefineConfig) -> Outcome:
        """Decide about every candidate."""


def decide(skeleton: Skeleton, panel: Panel, config: RefineConfig) -> Outcome:
    """Run the chosen engine."""
    return _load_engine(config.engine).refine(skeleton, panel, config)


def read_panel(data: Any, data_options: Mapping[str, Any]) -> Panel | None:
    """`data` of any accepted form; a host's own container goes through its adapter."""
    if data is None or isinstance(data, Panel):
        return data
    reader = find_data_reader(data)
    if reader is not None:
        return reader.to_panel(data, **data_options)
    refuse_unknown_options(data_options, ())
    return as_panel(data)


def matched(skeleton: Skeleton, panel: Panel) -> tuple[Skeleton, Panel]:
    """Both in the skeleton's variable order, matched by name where both have names."""
    if panel.n_variables != skeleton.n_variables:
        msg = (
            f"The graph has {skeleton.n_variables} variables {_shown(skeleton.names)}, the data have "
            f"{panel.n_variables}; select the columns that the graph was learned from."
        )
        raise DataError(msg)
    if skeleton.named:
        return skeleton, panel.ordered(skeleton.names)
    return (skeleton if panel.names is None else skeleton.renamed(panel.names)), panel


def _refined(
    adapter: Adapter, native: Any, panel: Panel, config: RefineConfig, host_options: Mapping[str, Any]
) -> Refinement:
    skeleton, panel = matched(adapter.to_skeleton(native, **host_options), panel)
    outcome = decide(skeleton, panel, config)
    refined = adapter.from_graph(native, outcome.graph, outcome=outcome, **host_options)
    return Refinement(refined, skeleton, outcome, config, source=native, adapter=adapter.name)


def _own_data(adapter: Adapter, native: Any, options: Mapping[str, Any]) -> Any:
    """The data that `native` carries; some hosts need an option (a naming function) to read them too."""
    read: Callable[..., Any] = adapter.data_of
    taken = _keyword_only(read)
    return read(native, **{name: value for name, value in options.items() if name in taken})


def _part_panel(panel: Panel, samples: BoolArray | None) -> Panel:
    return panel if samples is None else panel.restricted(samples)


def _adapter_for(native: Any, name: str | None) -> Adapter:
    return find_adapter(native) if name is None else get_adapter(name)


def _sorted_options(
    adapter: Adapter, data: Any, options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Those of the adapter, those of the data reader, and the rest; unknown ones are refused."""
    host, reader = _keyword_only(adapter.to_skeleton), _data_options(data)
    engine = set(_engine(options).options)
    refuse_unknown_options(options, {*host, *engine, *reader, *COMMON_OPTIONS, "adapter"})
    return (
        {name: value for name, value in options.items() if name in host},
        {name: value for name, value in options.items() if name in reader},
        {name: value for name, value in options.items() if name not in host | reader},
    )


def _data_options(data: Any) -> set[str]:
    reader = find_data_reader(data)
    return set() if reader is None else _keyword_only(reader.to_panel)


def _keyword_only(function: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


def _engine(options: Mapping[str, Any]) -> Engine:
    return _load_engine(options.get("engine", "additive"))


def _load_engine(name: object) -> Engine:
    if not isinstance(name, str) or name not in ENGINES:
        msg = f"engine={name!r} is not one of {sorted(ENGINES)}."
        raise OptionError(msg)
    module, _, attribute = ENGINES[name].partition(":")
    engine: Engine = getattr(import_module(module), attribute)()
    return engine


def _shown(names: tuple[str, ...], most: int = 6) -> str:
    dots = ", ..." if len(names) > most else ""
    return f"({', '.join(names[:most])}{dots})"
