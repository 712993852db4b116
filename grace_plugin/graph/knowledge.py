"""What is known of edges before any test: those that must stay, cannot be, or are likelier than others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.config import RefineConfig
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.background import (
    Knowledge,
    KnownCells,
    edge_cells,
    edge_pattern,
    index_of,
)
from grace_plugin.graph.skeleton import Skeleton


def kept_edges(config: RefineConfig, skeleton: Skeleton) -> BoolArray:
    """[cause, effect, lag]: the edges of `keep=` and those that the host itself requires.

    A pair of unknown direction is kept as a whole.
    """
    kept = kept_cells(config, skeleton)
    pairs = kept[:, :, 0] & skeleton.unoriented
    kept[:, :, 0] |= pairs.T
    return kept


def kept_cells(config: RefineConfig, skeleton: Skeleton) -> BoolArray:
    """The same in the directions that were given."""
    assert skeleton.required is not None
    kept = skeleton.required.copy()
    for edge in config.keep:
        chosen = edge_cells("keep", edge_pattern("keep", edge), skeleton.names, skeleton.max_lag)
        chosen &= skeleton.mask
        if not chosen.any():
            msg = f"keep holds {edge!r}, which is not among the candidate edges; only those can be kept."
            raise OptionError(msg)
        kept |= chosen
    return kept


def known_cells(config: RefineConfig, skeleton: Skeleton) -> KnownCells:
    """What `forbid=`, `likely=` and `effects=` say of every cell; what is kept as well is refused."""
    known = Knowledge(forbidden=config.forbid, likely=dict(config.likely))
    cells = known.on(skeleton.names, skeleton.max_lag)
    for edge in config.keep if config.forbid else ():
        Knowledge(required=[edge], forbidden=config.forbid).on(skeleton.names, skeleton.max_lag)
    return replace(cells, asked=asked_effects(config, skeleton.names))


def asked_effects(config: RefineConfig, names: Sequence[str]) -> BoolArray | None:
    """[d]: the variables of `effects=`; None where all are to be explained."""
    if not config.effects:
        return None
    asked = np.zeros(len(names), dtype=np.bool_)
    asked[[index_of("effects", one, names) for one in config.effects]] = True
    for edge in config.keep:
        into = edge_cells("keep", edge_pattern("keep", edge[:2]), names, 1).any(axis=(0, 2))
        if not (into & asked).any():
            msg = f"keep holds {edge!r}, which is no edge into one of effects={config.effects!r}."
            raise OptionError(msg)
    return asked


def unasked_edges(config: RefineConfig, skeleton: Skeleton) -> BoolArray:
    """[cause, effect, lag]: a host's edges into variables that are not among `effects=`; they stay.

    An open pair within one step of which one end is asked for is judged, and so not among them.
    """
    asked = asked_effects(config, skeleton.names)
    if asked is None:
        return np.zeros_like(skeleton.mask)
    left = skeleton.mask.copy()
    left[:, asked] = False
    left[:, :, 0] &= ~(skeleton.unoriented & asked[:, None])
    return left


def without_forbidden(skeleton: Skeleton, known: KnownCells) -> Skeleton:
    """The candidates that may be edges."""
    forbidden = known.forbidden.copy()
    if known.asked is not None:
        forbidden[:, ~known.asked] = True
        pairs = skeleton.unoriented & (known.asked[:, None] | known.asked)
        forbidden[:, :, 0] = known.forbidden[:, :, 0] | (forbidden[:, :, 0] & ~pairs)
    if not (skeleton.mask & forbidden).any():
        return skeleton
    mask = skeleton.mask & ~forbidden
    assert skeleton.required is not None
    names = skeleton.names if skeleton.named else None
    return Skeleton(mask, names, skeleton.scores, skeleton.required & mask)
