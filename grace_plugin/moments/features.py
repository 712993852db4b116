"""The features of one standardised value: what an additive effect can look like."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin._common.checks import shown
from grace_plugin.exceptions import OptionError

CLIP = 3.0  # beyond it a square would let single outliers speak for the whole series

_FEATURES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "linear": lambda x: x,
    "square": lambda x: np.square(np.clip(x, -CLIP, CLIP)) - 1.0,
    "absolute": lambda x: np.abs(x) - 0.8,
    "bump": lambda x: x * np.exp(-0.5 * np.square(x)),
}

_ROUND = 0.35  # deviations: the corner of |x| is rounded off within about twice as much, for the eye

DEFAULT_BASIS: tuple[str, ...] = ("linear", "square", "absolute")
RICH_BASIS: tuple[str, ...] = (*DEFAULT_BASIS, "bump")  # waves and saturation too, where rows allow it
LINEAR_BASIS: tuple[str, ...] = ("linear",)


def check_basis(basis: Sequence[str]) -> None:
    """Refuse a basis with unknown features, or one that does not begin with the linear one."""
    listed = isinstance(basis, (tuple, list)) and all(isinstance(name, str) for name in basis)
    names: list[str] = list(basis) if listed else []
    unknown = [name for name in names if name not in _FEATURES]
    if unknown or not names or names[0] != "linear" or len(set(names)) != len(names):
        msg = (
            f"basis={shown(basis)} is not usable; give a tuple that starts with 'linear' and continues with "
            f"any of {sorted(set(_FEATURES) - {'linear'})}."
        )
        raise OptionError(msg)


def each_feature(standardised: FloatArray, basis: tuple[str, ...]) -> list[FloatArray]:
    """The features one by one, each as the values given."""
    return [_FEATURES[name](standardised) for name in basis]


def expand(standardised: FloatArray, basis: tuple[str, ...], out: FloatArray | None = None) -> FloatArray:
    """[rows, d] -> [rows, d * k], the k features of a variable side by side, each about centred.

    `out` are at least as many rows that may be written to.

    >>> expand(np.array([[2.0]]), DEFAULT_BASIS)
    array([[2. , 3. , 1.2]])
    """
    rows, width = standardised.shape
    flat = np.empty((rows, width * len(basis))) if out is None else out[:rows]
    features = flat.reshape(rows, width, len(basis))
    for position, name in enumerate(basis):
        features[:, :, position] = _FEATURES[name](standardised)
    return flat


def expand_smoothly(standardised: FloatArray, basis: tuple[str, ...]) -> FloatArray:
    """The same for curves that are looked at: the absolute value is a hyperbola without a corner at 0."""
    features = expand(standardised, basis).reshape(*standardised.shape, len(basis))
    if "absolute" in basis:
        features[:, :, basis.index("absolute")] = np.sqrt(np.square(standardised) + _ROUND**2) - 0.8
    return features.reshape(len(standardised), -1)
