"""A refinement as tigramite's results dict, for its plots."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import FloatArray
from grace_plugin.results.findings import Findings


class TigramiteForm(TypedDict):
    """What tigramite's plots read, [cause, effect, lag], and the gates beside it."""

    graph: npt.NDArray[np.str_]
    p_matrix: FloatArray
    val_matrix: FloatArray
    gates: FloatArray


def to_tigramite(findings: Findings) -> TigramiteForm:
    """See `Refinement.to_tigramite`."""
    marks = np.where(findings.graph, "-->", "").astype("<U3")
    now = findings.graph[:, :, 0]
    marks[:, :, 0] = np.where(now & now.T, "o-o", np.where(now, "-->", np.where(now.T, "<--", "")))
    value = np.where(findings.graph, np.sqrt(-np.expm1(-2.0 * np.nan_to_num(findings.outcome.gain))), 0.0)
    value[:, :, 0] = np.maximum(value[:, :, 0], value[:, :, 0].T)
    if "effect_size" in findings.outcome.records.further:
        sign = np.where(np.nan_to_num(findings.outcome.further("effect_size")) < 0.0, -1.0, 1.0)
        sign[:, :, 0] = np.minimum(sign[:, :, 0], sign[:, :, 0].T)
        value *= sign
    p_matrix = np.where(findings.graph, findings.outcome.p_value, 1.0)
    p_matrix[:, :, 0] = np.minimum(p_matrix[:, :, 0], p_matrix[:, :, 0].T)
    return TigramiteForm(graph=marks, p_matrix=p_matrix, val_matrix=value, gates=findings.gates.copy())
