"""Data of any form, a host's own containers included, matched with the variables of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.config import Options, refuse_unknown_options
from grace_plugin._common.signatures import keyword_only
from grace_plugin.exceptions import AdapterError, DataError, GraceError, OptionError
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.registry import available_adapters, find_data_reader, get_adapter
from grace_plugin.hosts.streams import gathered
from grace_plugin.protocols import (
    Adapter,
    HostResult,
    LabelledAdapter,
    MakingAdapter,
    OrientingAdapter,
    TableAdapter,
)
from grace_plugin.series.controls import has_controls
from grace_plugin.series.forms import Data, HostData
from grace_plugin.series.panel import Panel, as_panel, refuse_long_lag


def read_panel(data: Data | None, data_options: Options) -> Panel | None:
    """`data` of any accepted form; a host's own container goes through its adapter."""
    if data is None or isinstance(data, Panel):
        return data
    reader = find_data_reader(data)
    if reader is not None:
        return reader.to_panel(data, **data_options)
    refuse_unknown_options(data_options, keyword_only(as_panel))
    return gathered(as_panel(data, **data_options))


def matched(skeleton: Skeleton, panel: Panel) -> tuple[Skeleton, Panel]:
    """Both in the skeleton's variable order, matched by name where both have names."""
    if panel.n_variables != skeleton.n_variables:
        msg = (
            f"The graph has {skeleton.n_variables} variables {_shown(skeleton.names)}, the data have "
            f"{panel.n_variables}; select the columns that the graph was learned from."
            + (" Controls are no nodes: run the host without them." if has_controls(panel) else "")
        )
        raise DataError(msg)
    refuse_long_lag(panel, skeleton.max_lag)
    if skeleton.named:
        return skeleton, panel.ordered(skeleton.names)
    return (skeleton if panel.names is None else skeleton.renamed(panel.names)), panel


def read_together(
    adapter: Adapter, native: HostResult, panel: Panel, options: Options
) -> tuple[Skeleton, Panel, Options]:
    """The candidates of `native` and the data over the same variables in the same order.

    The options come back with the names of the columns that were found: `native_of` needs the same.
    """
    panel = _series_in(adapter, native, panel, options)
    options = _with_column_names(adapter, native, panel, options)
    return *matched(skeleton_of(adapter, native, options), panel), options


def skeleton_of(adapter: Adapter, native: HostResult, options: Options) -> Skeleton:
    """What `adapter` reads; a result that is damaged in an unforeseen way gets a sentence too."""
    with _told(adapter, native):
        return adapter.to_skeleton(native, **options)


def native_of(
    adapter: Adapter, native: HostResult, graph: BoolArray, outcome: Outcome | None, options: Options
) -> HostResult:
    """What `adapter` writes, likewise."""
    with _told(adapter, native):
        return adapter.from_graph(native, graph, outcome=outcome, **options)


def made_as(host: str, skeleton: Skeleton) -> HostResult:
    """A new object of a host with these edges."""
    maker = get_adapter(host)
    if not isinstance(maker, MakingAdapter):
        makers = [name for name in available_adapters() if isinstance(get_adapter(name), MakingAdapter)]
        msg = f"The adapter {host!r} cannot make objects of its host; convert to one of {makers}."
        raise AdapterError(msg)
    return maker.from_skeleton(skeleton)


def oriented_native(
    adapter: OrientingAdapter, native: HostResult, directions: BoolArray, options: Options
) -> HostResult:
    """`native` with its open edges at lag 0 pointing as `directions` [cause, effect] say, likewise."""
    with _told(adapter, native):
        return adapter.orient(native, directions, **options)


def own_data(adapter: Adapter, native: HostResult, options: Options) -> HostData | None:
    """The data that `native` carries; some hosts need an option (a naming function) to read them too."""
    read: Callable[..., Any] = adapter.data_of
    taken = keyword_only(read)
    with _told(adapter, native):
        return read(native, **{name: value for name, value in options.items() if name in taken})


def _series_in(adapter: Adapter, native: HostResult, panel: Panel, options: Options) -> Panel:
    """A table of lagged columns, which a host without a time axis ran on, as the series it was made from."""
    if not isinstance(adapter, TableAdapter) or panel.stream is not None:
        return panel
    with _told(adapter, native):
        found = adapter.series_in(native, panel, **options)
    return panel if found is None else found


def _with_column_names(adapter: Adapter, native: HostResult, panel: Panel, options: Options) -> Options:
    """Labels in no order, and formats that name only variables with edges, learn them from the data."""
    if options.get("names") is not None or "names" not in keyword_only(adapter.to_skeleton):
        return options
    unordered = isinstance(adapter, LabelledAdapter) and adapter.needs_names(native)
    if panel.names is None:
        return {**options, "names": _counted_names(adapter, native, panel, options)} if unordered else options
    if unordered:
        return {**options, "names": panel.names}
    known = skeleton_of(adapter, native, options)
    return {**options, "names": panel.names} if _some_of(known, panel.names) else options


def _some_of(known: Skeleton, names: tuple[str, ...]) -> bool:
    return known.named and set(known.names) < set(names)


def _counted_names(adapter: Adapter, native: HostResult, panel: Panel, options: Options) -> tuple[str, ...]:
    """Names for the columns of an array, if the graph's own are x0, x1, ... or 0, 1, ..."""
    known = skeleton_of(adapter, native, options)
    for prefix in ("x", ""):
        columns = tuple(f"{prefix}{index}" for index in range(panel.n_variables))
        if not known.named or set(known.names) <= set(columns):
            return columns
    msg = (
        f"The graph names its variables {_shown(known.names)}, and the {panel.n_variables} columns of the "
        "data have no names: which is which? Pass names= with all variables in the order of the columns, or "
        "the data as a pandas DataFrame. Only x0, x1, ... and 0, 1, ... are read as columns."
    )
    raise OptionError(msg)


@contextmanager
def _told(adapter: Adapter, native: HostResult) -> Iterator[None]:
    """Say whose object could not be read, whatever went wrong inside."""
    try:
        yield
    except GraceError:
        raise
    except Exception as error:  # a host's object may be damaged, or of a version that is not known
        first_line = (str(error).splitlines() or [""])[0]
        msg = (
            f"This {type(native).__name__} cannot be read as a {adapter.name} result "
            f"({type(error).__name__}: {first_line}). Accepted are: {adapter.accepts}."
        )
        raise AdapterError(msg) from error


def _shown(names: tuple[str, ...], most: int = 6) -> str:
    dots = ", ..." if len(names) > most else ""
    return f"({', '.join(names[:most])}{dots})"
