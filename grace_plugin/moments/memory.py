"""Whether the sums of so many variables and lags fit into this machine at all."""

from __future__ import annotations

from grace_plugin._common.room import machine_memory
from grace_plugin.exceptions import DataError


def refuse_too_large(variables: int, features: int, max_lag: int) -> None:
    """Refuse sums that hold more numbers than the machine has room for, before it tries."""
    needed = 8 * (max_lag + 1) * (variables * features) ** 2
    if needed > machine_memory():
        raise too_large(variables, features, max_lag)


def too_large(variables: int, features: int, max_lag: int) -> DataError:
    """The error for sums that do not fit."""
    needed = 8e-9 * (max_lag + 1) * (variables * features) ** 2
    return DataError(
        f"Sums of {variables} variables with {features} features and lags up to {max_lag} need "
        f"{needed:,.0f} GB of memory, more than this machine has; give fewer variables, smaller lags or "
        "fewer features (basis=)."
    )
