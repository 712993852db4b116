"""What a result without lags means: every lag of each pair, up to a max_lag that the caller gives."""

from __future__ import annotations

from grace_plugin._common.checks import whole
from grace_plugin.exceptions import OptionError


def checked_max_lag(max_lag: object) -> int | None:
    """`max_lag` as an int, or None where it was not given."""
    if max_lag is None:
        return None
    return whole("max_lag", max_lag, 0)


def lags_of_a_pair(max_lag: int | None, include_lag0: bool) -> range:
    """The candidate lags of a pair that does not tell its lag; max_lag 0 means lag 0 only."""
    if max_lag is None:
        msg = (
            "This result does not tell its lags; pass max_lag, and every lag from 1 to max_lag of each "
            "pair becomes a candidate (lag 0 too with include_lag0=True; max_lag=0 means lag 0 only)."
        )
        raise OptionError(msg)
    return range(0 if include_lag0 or max_lag == 0 else 1, max_lag + 1)


def covering_max_lag(reached: int, max_lag: int | None) -> int:
    """The larger of the result's own largest lag and `max_lag`, which must not be the smaller one."""
    if max_lag is not None and max_lag < reached:
        msg = (
            f"The result has edges or columns at lag {reached}, beyond max_lag={max_lag}; raise max_lag, or "
            "leave it out, or remove those edges first."
        )
        raise OptionError(msg)
    return reached if max_lag is None else max_lag
