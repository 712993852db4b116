"""lingam (and causal-learn's copy of it): estimators and bootstrap results with weight matrices.

All their matrices are [effect, cause]; lags come first, lag 0 before lag 1.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import AdapterError
from grace_plugin.graph.background import Knowledge, KnownCells
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton

from ._lingam_knowledge import is_prior_matrix, read_prior_matrix, write_prior_matrix

_PACKAGES = ("lingam.", "causallearn.search.FCMBased.lingam.")

Weights = npt.NDArray[Any]  # [sample, lag, effect, cause]


class LingamAdapter:
    """Takes fitted estimators with one matrix or one matrix per lag, and bootstrap results.

    Every weight other than zero is an edge, its absolute value the score; a NaN pair at lag 0 is an
    edge of unknown direction. In a bootstrap result an edge of any sample is a candidate, and its
    share of the samples is the score. lingam keeps no names: variables go by position.
    """

    name = "lingam"
    accepts = (
        "a fitted VARLiNGAM or VARMALiNGAM, another fitted lingam estimator with one adjacency_matrix_, "
        "or the result of their bootstrap()"
    )

    def is_native(self, obj: object) -> bool:
        """Whether `obj` is an estimator or bootstrap result of lingam with matrices of known shape."""
        if not any(kind.__module__.startswith(_PACKAGES) for kind in type(obj).__mro__):
            return False
        return _is_unfitted(obj) or _weights(obj) is not None

    def to_skeleton(self, native: Any) -> Skeleton:
        """The entries other than zero, from [lag, effect, cause] to [cause, effect, lag]."""
        weights = _fitted_weights(native)
        share = _present(weights).mean(axis=0)
        scores = share if _is_bootstrap(native) else np.abs(weights[0])
        return Skeleton(_swapped(share > 0), scores=_swapped(scores))

    def from_graph(self, native: Any, graph: BoolArray, *, outcome: Outcome | None = None) -> Any:
        """A copy with zeros in place of the pruned weights, in every sample of a bootstrap result.

        The causal order stays valid; residuals are those of the vector autoregression before any
        structure was imposed, and stay too. Moving-average weights are not touched. Total effects of a
        bootstrap result are worked out anew where they are sums over paths. lingam has no place for the
        p-value of an edge, so with an `outcome` the copy gets one: `grace_p_values_`, like its matrices.
        """
        weights = _fitted_weights(native)
        kept = graph.copy()
        kept[:, :, 0] |= graph[:, :, 0].T & self.to_skeleton(native).unoriented
        dropped = _present(weights) & ~_swapped(kept)
        result = copy.deepcopy(native)
        if dropped.any():
            _write(result, np.where(dropped, np.zeros((), weights.dtype), weights))
            _renew_total_effects(result, weights)
        if outcome is not None:
            result.grace_p_values_ = _swapped(outcome.p_value).copy()
        return result

    def from_skeleton(self, skeleton: Skeleton) -> Any:
        """A VARLiNGAM whose weights are the scores, or 1, and NaN for a pair of unknown direction."""
        from lingam import VARLiNGAM

        weights = np.where(skeleton.mask, 1.0 if skeleton.scores is None else skeleton.scores, 0.0)
        weights[:, :, 0][skeleton.unoriented] = np.nan
        model = VARLiNGAM(lags=max(1, skeleton.max_lag))
        model._adjacency_matrices = _swapped(weights)
        model._causal_order = _order(skeleton.mask[:, :, 0] & ~skeleton.unoriented)
        return model

    def is_knowledge(self, obj: object) -> bool:
        """Whether `obj` is a prior matrix."""
        return is_prior_matrix(obj)

    def read_knowledge(self, known: Any, names: Sequence[str] | None, max_lag: int | None) -> Knowledge:
        """What a prior matrix forbids within one step; it knows no lags."""
        del max_lag
        return read_prior_matrix(known, names)

    def write_knowledge(self, known: KnownCells, names: Sequence[str]) -> Any:
        """The prior matrix of `DirectLiNGAM`, which speaks of one step alone."""
        del names
        return write_prior_matrix(known)

    def data_of(self, native: Any) -> None:
        """None: lingam keeps residuals, not data."""


def _is_bootstrap(native: object) -> bool:
    return type(native).__name__.endswith("BootstrapResult")


def _is_unfitted(native: object) -> bool:
    if _is_bootstrap(native) or not hasattr(type(native), "fit"):
        return False
    fields = vars(native)
    return fields.get("_adjacency_matrices") is None and fields.get("_adjacency_matrix") is None


def _fitted_weights(native: Any) -> Weights:
    if _is_unfitted(native):
        msg = f"This {type(native).__name__} holds no adjacency matrix yet; call its fit(X) first."
        raise AdapterError(msg)
    weights = _weights(native)
    if weights is None:
        msg = f"The matrices of this {type(native).__name__} have a shape that is not known here."
        raise AdapterError(msg)
    return weights


def _weights(native: Any) -> Weights | None:
    """All matrices as [sample, lag, effect, cause], or None where they are of another shape."""
    matrices = vars(native).get("_adjacency_matrices")
    if _is_bootstrap(native):
        return _of_samples(matrices, vars(native).get("_order"))
    if matrices is None:
        single = vars(native).get("_adjacency_matrix")
        return None if np.ndim(single) != 2 else _stack([np.asarray(single)[np.newaxis]])
    if isinstance(matrices, tuple):  # VARMALiNGAM: the autoregressive part, the moving average
        matrices = matrices[0]
    return _stack([matrices]) if isinstance(matrices, np.ndarray) else None


def _of_samples(matrices: Any, order: Any) -> Weights | None:
    """Blocks of all lags side by side, [effect, (lag, cause)], one per sample."""
    if matrices is None or len(matrices) == 0 or any(np.ndim(block) != 2 for block in matrices):
        return None
    blocks = np.stack([np.asarray(block) for block in matrices])
    samples, size, width = blocks.shape
    if width % size:
        return None
    lags = width // size if order is None else int(order[0]) + 1  # what follows is the moving average
    return _stack(list(blocks.reshape(samples, size, -1, size).swapaxes(1, 2)[:, :lags]))


def _stack(samples: list[npt.NDArray[Any]]) -> Weights | None:
    weights = np.stack(samples)
    right = weights.ndim == 4 and weights.shape[2] == weights.shape[3] and weights.dtype.kind in "biuf"
    return weights if right else None


def _present(weights: Weights) -> BoolArray:
    present: BoolArray = weights != 0  # NaN is not 0 either
    diagonal = np.arange(weights.shape[2])
    present[:, 0, diagonal, diagonal] = False
    return present


def _swapped(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """[lag, effect, cause] to [cause, effect, lag], and back."""
    return array.transpose(2, 1, 0)


def _write(native: Any, weights: Weights) -> None:
    matrices = vars(native).get("_adjacency_matrices")
    if _is_bootstrap(native):
        for block, sample in zip(matrices, weights, strict=True):
            flat = sample.swapaxes(0, 1).reshape(len(block), -1)
            block[:, : flat.shape[1]] = flat
    elif matrices is None:
        native._adjacency_matrix = weights[0, 0]
    elif isinstance(matrices, tuple):
        native._adjacency_matrices = (weights[0], *matrices[1:])
    else:
        native._adjacency_matrices = weights[0]


def _renew_total_effects(native: Any, before: Weights) -> None:
    """Follow the new weights, if the effects were path sums over the old ones (a regression's are not)."""
    effects = vars(native).get("_total_effects")
    if effects is None or np.isnan(before).any():
        return
    old = _path_sums(before)
    if np.shape(effects) == old.shape and np.allclose(effects, old):
        native._total_effects = _path_sums(_fitted_weights(native))


def _path_sums(weights: Weights) -> FloatArray:
    """[sample, effect, (lag, cause)]: the sum over all directed paths that end at lag 0."""
    samples, lags, size, _ = weights.shape
    through_the_present = np.linalg.inv(np.eye(size) - weights[:, 0])  # an acyclic graph: never singular
    later = through_the_present[:, np.newaxis] @ weights[:, 1:]
    sums = np.concatenate([(through_the_present - np.eye(size))[:, np.newaxis], later], axis=1)
    return np.asarray(sums.swapaxes(1, 2).reshape(samples, size, lags * size), dtype=np.float64)


def _order(now: BoolArray) -> list[int]:
    """The variables, causes before effects; without a cycle there is such an order."""
    left, order = set(range(len(now))), []
    while left:
        free = sorted(one for one in left if not any(now[other, one] for other in left))
        if not free:
            msg = f"The edges at lag 0 among variables {sorted(left)} form a cycle; lingam has none."
            raise AdapterError(msg)
        order += free
        left -= set(free)
    return order
