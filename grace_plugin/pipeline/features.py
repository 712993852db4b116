"""Which features of a lagged value a graph is learned with.

A fourth, which sees waves and saturation, costs .001 of F1 on linear worlds of few rows and is used where
rows can pay for it, or where the data ask for it (`regression/waves.py`).
"""

from __future__ import annotations

from dataclasses import replace

from grace_plugin._common.config import RefineConfig
from grace_plugin.moments.features import DEFAULT_BASIS, RICH_BASIS, check_basis
from grace_plugin.pipeline.judging import judges
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.waves import asks_for_waves
from grace_plugin.series.panel import Panel
from grace_plugin.series.standardise import standardisation

WAVES = (
    "Lagged values have a fourth feature, which sees waves and saturation: some effect bends in a way that "
    "values, squares and absolute values do not follow."
)
_ROWS = 800  # from which a search has the fourth feature whatever the data say
_ROWS_ASKED = 2000  # evenly spread; more would tell no more
_MOST_VARIABLES = 500  # more would make the sums large (.19 GiB with lags up to 5)


def basis_of(config: RefineConfig) -> tuple[str, ...]:
    """The features of a lagged value."""
    basis = config.engine_options.get("basis", DEFAULT_BASIS)
    check_basis(basis)
    return tuple(basis)


def with_features(
    config: RefineConfig, panel: Panel, max_lag: int, searched: bool = True, by_rows: bool = False
) -> RefineConfig:
    """Richer features where rows can pay for them or ask for them, and the sums stay small.

    Beside candidates that a host found, rows alone change nothing but a few false edges more. Other ways to
    decide than by evidence take the features as they are. Graphs that are made `by_rows` hold no sums.
    """
    if config.engine != "additive" or "basis" in config.engine_options:
        return config
    if panel.stream is not None or (panel.n_variables > _MOST_VARIABLES and not by_rows):
        return config
    if not (searched and _are_many(panel)) and not (judges(config) and _asks(panel, max_lag)):
        return config
    return replace(config, engine_options={**config.engine_options, "basis": RICH_BASIS})


def told_of_features(
    given: RefineConfig, used: RefineConfig, panel: Panel, searched: bool
) -> tuple[str, ...]:
    """What is said where the data asked for more features."""
    asked = basis_of(used) != basis_of(given) and not (searched and _are_many(panel))
    return (WAVES,) if asked else ()


def _are_many(panel: Panel) -> bool:
    return sum(len(one.values) for one in panel.series) >= _ROWS


def _asks(panel: Panel, max_lag: int) -> bool:
    if max_lag >= max((len(one.values) for one in panel.series), default=0):  # refused elsewhere
        return False
    panel, center, scale = standardisation(panel)
    return asks_for_waves(LaggedRows.of(panel, max_lag, center, scale).thinned(_ROWS_ASKED))
