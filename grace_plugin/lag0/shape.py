r"""How far the shape of a residual is from that of Gaussian noise.

The negentropy of a standardised u, by its two most telling moments:

    J = 79.05 (mean log cosh u - .37457)^2 + 7.41 (mean u exp(-u^2 / 2))^2

Independent noise added to noise becomes more Gaussian, so of two directions the true one has the less
Gaussian residuals. n J is in nats; chance alone makes about one, so that two are taken off.
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import FloatArray

_CHANCE = 2.0


def negentropy(values: FloatArray) -> float:
    """In nats per row.

    >>> rng = np.random.default_rng(0)
    >>> negentropy(rng.normal(size=5000)) < 0.001 < 0.02 < negentropy(rng.laplace(size=5000))
    True
    """
    spread = values.std()
    if spread <= 0.0:
        return 0.0
    u = (values - values.mean()) / spread
    size = np.abs(u)
    log_cosh = size + np.log1p(np.exp(-2.0 * size)) - np.log(2.0)
    bump = u * np.exp(-0.5 * u * u)
    return float(79.05 * (log_cosh.mean() - 0.37457) ** 2 + 7.41 * bump.mean() ** 2)


def shape_gain(values: FloatArray) -> float:
    """Nats by which residuals of this shape are likelier than Gaussian ones, less what chance makes."""
    return max(0.0, len(values) * negentropy(values) - _CHANCE)
