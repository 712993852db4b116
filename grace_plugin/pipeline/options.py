"""Plain keyword options, sorted to the parts that understand them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grace_plugin._common.checks import shown
from grace_plugin._common.config import (
    COMMON_OPTIONS,
    Options,
    OptionValue,
    RefineConfig,
    make_config,
    refuse_unknown_options,
)
from grace_plugin._common.signatures import keyword_only
from grace_plugin.engines import engine_of
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.background import Knowledge
from grace_plugin.hosts.convert import read_panel
from grace_plugin.hosts.registry import find_data_reader
from grace_plugin.protocols import HostResult
from grace_plugin.series.controls import with_controls
from grace_plugin.series.forms import Data
from grace_plugin.series.panel import Panel, as_panel


def collected(of_door: Options) -> dict[str, OptionValue]:
    """The options of a door, given its `locals()`: what differs from the defaults, and `host_options`.

    A door lists every option of `RefineConfig` by name, so that an editor shows them.
    """
    named = {name: of_door[name] for name in COMMON_OPTIONS if name in of_door}
    usual = RefineConfig()
    chosen = {name: value for name, value in named.items() if not _same(value, getattr(usual, name))}
    return {**_with_knowledge(chosen, of_door.get("knowledge")), **of_door["host_options"]}


def _with_knowledge(chosen: dict[str, Any], knowledge: Knowledge | None) -> dict[str, Any]:
    """The short options `keep`, `forbid` and `likely` with all that `knowledge` says."""
    if knowledge is None:
        return chosen
    if not isinstance(knowledge, Knowledge):
        msg = f"knowledge={shown(knowledge)}; give gp.Knowledge(required=..., forbidden=..., ...)."
        raise OptionError(msg)
    required, forbidden, likely = knowledge.flat()
    return {
        **chosen,
        "keep": (*chosen.get("keep", ()), *required),
        "forbid": (*chosen.get("forbid", ()), *forbidden),
        "likely": (*likely.items(), *dict(chosen.get("likely", ())).items()),
    }


def _same(value: object, default: object) -> bool:
    return value is default or (type(value) is type(default) and value == default)


def sort_options(
    function: Callable[..., HostResult], data: Data | None, options: Options
) -> tuple[dict[str, OptionValue], dict[str, OptionValue], dict[str, OptionValue]]:
    """Those of `function`, those of the data's own host, and the rest; unknown ones are refused."""
    own, reader = keyword_only(function), data_option_names(data)
    refuse_unknown_options(options, {*own, *reader, *engine_of(options).options, *COMMON_OPTIONS})
    return (
        {name: value for name, value in options.items() if name in own},
        {name: value for name, value in options.items() if name in reader},
        {name: value for name, value in options.items() if name not in own | reader},
    )


def read_data(
    data: Data | None, data_options: Options, options: Options
) -> tuple[Panel | None, RefineConfig]:
    """The rows beside their controls, and every option checked; no rows where there are no data."""
    config = make_config(options, engine_of(options).options)
    panel = read_panel(data, data_options)
    return None if panel is None else with_controls(panel, options.get("controls")), config


def data_option_names(data: Data | None) -> set[str]:
    """The options of the host whose data container `data` is, or those of plain tables."""
    reader = find_data_reader(data)
    return keyword_only(as_panel if reader is None else reader.to_panel)
