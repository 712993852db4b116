"""What prepared data ask of the tests: columns beside each effect, and how strong cells are tested again."""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.prepare.preparing import Prepared
from grace_plugin.regression.beside import Columns
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.robust import plain_p_value, robust_p_value
from grace_plugin.regression.row_model import RowRules


def effect_columns(prepared: Prepared, rows: LaggedRows, controls: FloatArray | None = None) -> Columns:
    """Effect -> [n, m]: its trends, steps and cycles at the lagged rows, and controls of every effect."""
    own = {effect: table[rows.times] for effect, table in prepared.controlled.items()}
    if controls is None:
        return own
    return {
        effect: np.column_stack([own[effect], controls]) if effect in own else controls
        for effect in range(rows.n_variables)
    }


def row_rules(prepared: Prepared, curves: bool = True) -> RowRules:
    """How the tests on rows go by what the data ask for."""
    asked = prepared.believes_residuals or bool(prepared.controlled)
    retest = robust_p_value if prepared.believes_residuals else plain_p_value
    return RowRules(
        curves,
        retest if asked else None,
        prepared.memory,
        prepared.controlled,
        sees_hidden=prepared.sees_hidden,
    )
