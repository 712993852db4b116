"""The door that users of scikit-learn expect: parameters first, then `fit`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.config import KnownEdge, Odds, Variable
from grace_plugin.exceptions import DataError
from grace_plugin.pipeline.discovery import discover
from grace_plugin.results.refinement import Refinement
from grace_plugin.series.forms import Data

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.graph.background import Knowledge


class GraceDiscovery(BaseEstimator):  # type: ignore[misc]
    """`discover` as a scikit-learn estimator; every parameter means what it means there.

    Rows of X are times, in order. There is nothing to predict: the graph is what is learned.

    Attributes:
        graph_: bool [cause, effect, lag].
        edges_: the table of all candidates.
        refinement_: everything that was learned.
        n_features_in_: the number of variables.
        feature_names_in_: their names, where X has names.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> x[1:, 1] += 0.8 * x[:-1, 0]
    >>> np.argwhere(GraceDiscovery(max_lag=2).fit(x).graph_)
    array([[0, 1, 1]])
    """

    def __init__(
        self,
        max_lag: int | str = "auto",
        *,
        skeleton: str = "basis",
        engine: str = "additive",
        penalty: str | float = "auto",
        alpha: str | float = "auto",
        fdr: float | None = None,
        gate_threshold: float = 0.5,
        keep: Iterable[KnownEdge] = (),
        forbid: Iterable[KnownEdge] = (),
        likely: Odds = (),
        knowledge: Knowledge | None = None,
        effects: Iterable[Variable] = (),
        controls: Iterable[Variable] | Data = (),
        prepare: str | Sequence[str] = "auto",
        interactions: bool = True,
        control_lag: int = 5,
        gaps: str = "fill",
        pool: str = "units",
        contemporaneous: bool | str = "auto",
        orient: bool = False,
        n_jobs: int | None = 1,
        seed: int = 0,
        progress: bool | None = None,
        lag_concentration: float = 0.0,
        free_lags: float = 1.0,
    ) -> None:
        self.max_lag = max_lag
        self.skeleton = skeleton
        self.engine = engine
        self.penalty = penalty
        self.alpha = alpha
        self.fdr = fdr
        self.gate_threshold = gate_threshold
        self.keep = keep
        self.forbid = forbid
        self.likely = likely
        self.knowledge = knowledge
        self.effects = effects
        self.controls = controls
        self.prepare = prepare
        self.interactions = interactions
        self.control_lag = control_lag
        self.gaps = gaps
        self.pool = pool
        self.contemporaneous = contemporaneous
        self.orient = orient
        self.n_jobs = n_jobs
        self.seed = seed
        self.progress = progress
        self.lag_concentration = lag_concentration
        self.free_lags = free_lags

    def fit(self, X: Data, y: None = None) -> GraceDiscovery:  # noqa: N803
        """Find the graph of X, in any form that `discover` takes; y is not used."""
        del y
        if issparse(X):
            msg = "Sparse input is not supported: give the rows as a dense array or table."
            raise DataError(msg)
        if isinstance(X, list) and X and all(np.ndim(row) == 1 for row in X):
            X = np.asarray(X, dtype=np.float64)  # noqa: N806 - rows as scikit-learn takes them
        self.refinement_: Refinement = discover(X, **self._given())
        self.n_features_in_ = len(self.refinement_.names)
        if self.refinement_.skeleton.named:
            self.feature_names_in_ = np.array(self.refinement_.names, dtype=object)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # missing values are filled in or left out, and told
        return tags

    def _given(self) -> dict[str, Any]:
        """The parameters that differ from their defaults, and the lag."""
        defaults = signature(type(self).__init__).parameters
        values = self.get_params(deep=False)
        changed = {name: value for name, value in values.items() if value is not defaults[name].default}
        return {"max_lag": self.max_lag, **changed}

    @property
    def graph_(self) -> BoolArray:
        return self._fitted.graph

    @property
    def edges_(self) -> pd.DataFrame:
        return self._fitted.edges

    @property
    def _fitted(self) -> Refinement:
        check_is_fitted(self, "refinement_")
        return self.refinement_
