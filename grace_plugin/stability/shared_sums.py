"""Sums that overlapping windows have in common, added up once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grace_plugin._common.config import RefineConfig
from grace_plugin.engines import MomentsEngine, load_engine
from grace_plugin.moments.features import LINEAR_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.features import basis_of, with_features
from grace_plugin.series.controls import has_controls
from grace_plugin.stability.plan import BootstrapPlan
from grace_plugin.stability.window_runner import HostRun, SharedSums, cut
from grace_plugin.stability.windows import Window, shared_units

_SHARING_PAYS = 4  # explained rows of a window per lag and shared piece


def shared_sums(
    plan: BootstrapPlan, config: RefineConfig, windows: Sequence[Window], scheme: str, wanted: bool
) -> SharedSums | None:
    """Common pieces of windows, where the engine works on sums and where it pays."""
    if plan.max_lag is None or not isinstance(load_engine(config.engine), MomentsEngine):
        return None
    if isinstance(plan.rule, HostRun) or plan.panel.levels is not None or has_controls(plan.panel):
        return None
    lag = max(plan.max_lag, config.control_lag)
    if scheme in ("resampled", "pairs"):
        units = tuple(window.spans for window in windows)
    else:
        units = shared_units(windows, lag)
    if not (wanted or scheme in ("resampled", "pairs") or _pays(windows, units, lag)):
        return None
    fewest = min(windows, key=lambda one: sum(span.stop - span.first for span in one.spans))
    if plan.skeleton is None:  # candidates are searched
        config = with_features(config, cut(plan.panel, fewest), lag)
    basis = basis_of(config)
    by_run = {window.run: parts for window, parts in zip(windows, units, strict=True)}
    return SharedSums(by_run, Moments.of(plan.panel, 0, LINEAR_BASIS), lag, basis)


def _pays(windows: Sequence[Window], units: Sequence[Sequence[Any]], max_lag: int) -> bool:
    """Adding a piece costs about as much as summing up (max_lag + 1) * `_SHARING_PAYS` rows."""
    rows = sum(span.stop - span.first - max_lag for window in windows for span in window.spans)
    once = sum(unit.stop - unit.first - max_lag for unit in {unit for group in units for unit in group})
    added = sum(len(group) for group in units)
    return bool(rows - once > _SHARING_PAYS * (max_lag + 1) * added)
