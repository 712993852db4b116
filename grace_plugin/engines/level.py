"""The plain level of an edge, and the paper's price of one, from the size of the graph and the data."""

from __future__ import annotations

from grace_plugin.graph.skeleton import Skeleton

_LARGEST_ALPHA = 1e-3
_ROWS_OF_FULL_LEVEL = 500


def auto_alpha(skeleton: Skeleton, rows: int = 0) -> float:
    """One over the number of edges that a host could have reported for such data.

    A skeleton was chosen from the same data, so its edges are the most significant of all possible
    ones; the level must make up for all of them, not only for those that are left. Small graphs have
    few true edges as well, so that one false edge would be too many there: the level is at most 0.001.
    Above 500 rows it falls as rows grow: true effects soon leave any level far behind, so that a strict
    one costs no power and spares false edges.
    """
    d = skeleton.n_variables
    possible = d * d * skeleton.max_lag
    if skeleton.mask[:, :, 0].any():
        possible += d * (d - 1)
    return min(_LARGEST_ALPHA, 1.0 / max(possible, 1)) * min(1.0, _ROWS_OF_FULL_LEVEL / max(rows, 1))


def paper_penalty(skeleton: Skeleton, rows: int) -> float:
    """The paper's rule in nats per sample of one effect (its loss averages over effects and steps)."""
    d = skeleton.n_variables
    density = skeleton.mask.sum() / max(d * d * (skeleton.max_lag + 1) - d, 1)
    rule = max(0.007 + 0.16 * density, 1.0 / d + 4.0 / rows - 0.4 * density**0.8)
    batch = max(32, min(rows // 8, 256))
    return float(rule * d / -(-rows // batch))
