"""What is left of a column that others explain before it counts as nothing: one place for all regressions.

Columns are standardised, so these are shares of a variance.
"""

from __future__ import annotations

DEAD_FEATURE = 1e-6  # of a feature beside earlier ones of the same value
COLLINEAR = 1e-7  # of a candidate beside the model: less cannot be told apart from it
LEAST_VARIANCE = 1e-14  # of a residual, so that an exact fit divides by no zero
