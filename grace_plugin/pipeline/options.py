"""Plain keyword options, sorted to the parts that understand them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grace_plugin._common.config import COMMON_OPTIONS, refuse_unknown_options
from grace_plugin._common.signatures import keyword_only
from grace_plugin.engines import engine_of
from grace_plugin.hosts.registry import find_data_reader


def sort_options(
    function: Callable[..., Any], data: Any, options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Those of `function`, those of the data's own host, and the rest; unknown ones are refused."""
    own, reader = keyword_only(function), data_option_names(data)
    refuse_unknown_options(options, {*own, *reader, *engine_of(options).options, *COMMON_OPTIONS})
    return (
        {name: value for name, value in options.items() if name in own},
        {name: value for name, value in options.items() if name in reader},
        {name: value for name, value in options.items() if name not in own | reader},
    )


def data_option_names(data: Any) -> set[str]:
    """The options of the host whose data container `data` is, if it is one."""
    reader = find_data_reader(data)
    return set() if reader is None else keyword_only(reader.to_panel)
