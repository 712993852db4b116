"""Two causes that act together: who they are, and how their effect answers to both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.regression.additive_fit import AdditiveFit, Edge, ResponseCurve
from grace_plugin.results.findings import Findings


@dataclass(frozen=True, eq=False)
class ResponseSurface:
    """How an effect answers to two causes at once, all else equal; everything in the units of the data.

    Args:
        partner: the name of the other cause.
        partner_lag: steps between it and the effect.
        causes: values of the cause.
        partners: values of the other cause.
        effects: [cause, partner], what both add to the effect, relative to its mean.
    """

    partner: str
    partner_lag: int
    causes: FloatArray
    partners: FloatArray
    effects: FloatArray


def partner_of(refinement: Findings, edge: Edge) -> tuple[int, int, float] | None:
    """With whom a cause acts together, at which lag, and their product's weight; None: with nobody."""
    outcome = refinement.outcome
    if "partner" not in outcome.records.further or np.isnan(outcome.further("partner")[edge]):
        return None
    place, lag, weight = (
        float(outcome.further(name)[edge]) for name in ("partner", "partner_lag", "together")
    )
    return int(place), int(lag), weight


def surface_of(
    refinement: Findings, fit: AdditiveFit, parents: list[Edge], edge: Edge, curve: ResponseCurve
) -> ResponseSurface | None:
    """The curves of both causes and their product; None where a cause acts alone.

    A partner at a lag that was looked at but is not reported has no curve in the sums that a result keeps.
    """
    partner = partner_of(refinement, edge)
    if partner is None or not refinement.graph[edge]:
        return None
    place, lag, weight = partner
    if lag > fit.moments.max_lag:
        return None
    other = fit.curve(parents, (place, edge[1], lag))
    center, scale = fit.moments.center, fit.moments.scale
    first = (curve.cause - center[edge[0]]) / scale[edge[0]]
    second = (other.cause - center[place]) / scale[place]
    together = float(scale[edge[1]]) * weight * np.outer(first, second)
    effects = curve.effect[:, None] + other.effect[None, :] + together
    return ResponseSurface(refinement.names[place], lag, curve.cause, other.cause, effects)
