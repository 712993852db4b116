"""The default engine: effects add up, each one possibly nonlinear; everything from moments."""

from __future__ import annotations

from dataclasses import fields

from grace_plugin._common.config import RefineConfig
from grace_plugin.engines.additive.judged_run import JudgedRun, Verdict
from grace_plugin.engines.additive.options import AdditiveOptions
from grace_plugin.engines.additive.run import Run
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.regressions import affordable
from grace_plugin.series.panel import Panel


class AdditiveEngine:
    """(skeleton, data, options) -> gates, decisions and tests."""

    options = tuple(field.name for field in fields(AdditiveOptions))

    def refine(self, skeleton: Skeleton, panel: Panel, config: RefineConfig) -> Outcome:
        """Read the data and decide about every candidate."""
        own = AdditiveOptions(**config.engine_options)
        moments = Moments.of(panel, skeleton.max_lag, tuple(own.basis))
        return self.refine_moments(skeleton, moments, config, panel)

    def refine_moments(
        self, skeleton: Skeleton, moments: Moments, config: RefineConfig, panel: Panel | None = None
    ) -> Outcome:
        """The same from moments that were computed before; without rows there is no second look."""
        own = AdditiveOptions(**config.engine_options)
        return Run(skeleton, affordable(moments), config, own, panel).outcome()

    def refine_judged(
        self, skeleton: Skeleton, moments: Moments, config: RefineConfig, verdict: Verdict
    ) -> Outcome:
        """Gates for candidates of known direction that are decided already; pairs are decided here."""
        own = AdditiveOptions(**config.engine_options)
        return JudgedRun(skeleton, moments, config, own, verdict).outcome()
