"""Candidates from tigramite, where it is installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.protocols import HostResult
from grace_plugin.series.panel import Panel, Series
from grace_plugin.skeletons.source import Source

_MISSING = 999_999.0  # tigramite marks missing values by a number


def pcmci_skeleton(
    source: Source, *, skeleton_alpha: float = 0.05, pc_alpha: float | None = 0.2, test: HostResult = None
) -> Skeleton:
    """The lagged links of PCMCI; the scores are the absolute test statistics.

    Args:
        source: the data.
        skeleton_alpha: links with a larger p-value are no candidates.
        pc_alpha: level of PCMCI's first stage.
        test: a conditional independence test of tigramite; ParCorr by default.
    """
    pcmci = _pcmci(source.panel, test)
    results = pcmci.run_pcmci(
        tau_min=1, tau_max=source.max_lag, pc_alpha=pc_alpha, alpha_level=skeleton_alpha
    )
    return get_adapter("tigramite").to_skeleton(results).renamed(source.names)


def pcmciplus_skeleton(source: Source, *, skeleton_alpha: float = 0.05, test: HostResult = None) -> Skeleton:
    """The links of PCMCI+, contemporaneous ones included.

    Args:
        source: the data.
        skeleton_alpha: level of its tests.
        test: a conditional independence test of tigramite; ParCorr by default.
    """
    pcmci = _pcmci(source.panel, test)
    results = pcmci.run_pcmciplus(tau_min=0, tau_max=source.max_lag, pc_alpha=skeleton_alpha)
    return get_adapter("tigramite").to_skeleton(results).renamed(source.names)


def _pcmci(panel: Panel, test: Any) -> Any:
    try:  # by name: the core has no import statement for any host
        frames = import_module("tigramite.data_processing")
        parcorr = import_module("tigramite.independence_tests.parcorr")
        algorithm = import_module("tigramite.pcmci")
    except ImportError as error:
        msg = (
            f"This skeleton needs tigramite, which could not be imported ({error}); "
            "pip install 'grace-plugin[tigramite]', or choose another skeleton."
        )
        raise OptionError(msg) from error
    values = [np.asarray(one.values, dtype=np.float64) for one in panel.series]
    excluded = [_excluded(one) for one in panel.series]
    masked = any(mask.any() for mask in excluded)
    frame = frames.DataFrame(
        _one_or_many([np.where(np.isnan(one), _MISSING, one) for one in values]),
        mask=_one_or_many(excluded) if masked else None,
        missing_flag=_MISSING,
        analysis_mode="single" if len(values) == 1 else "multiple",
    )
    if test is None:
        test = parcorr.ParCorr(mask_type="xyz" if masked else None)
    return algorithm.PCMCI(frame, test, verbosity=0)


def _excluded(one: Series) -> BoolArray:
    """[T, d]: rows that may not serve as target or as past; tigramite has one mask for both."""
    rows = np.zeros(len(one.values), dtype=np.bool_)
    for allowed in (one.as_target, one.as_input):
        if allowed is not None:
            rows |= ~allowed
    return np.repeat(rows[:, None], one.values.shape[1], axis=1)


def _one_or_many(arrays: list[Any]) -> Any:
    return arrays[0] if len(arrays) == 1 else dict(enumerate(arrays))
