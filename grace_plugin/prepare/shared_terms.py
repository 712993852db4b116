"""Terms of many columns: workers share them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grace_plugin._common.arrays import FloatArray
from grace_plugin._common.parallel import run_through
from grace_plugin.prepare.terms import Term, block_size, find_terms

_PARTS = 8  # of the columns: as many as a few workers can share evenly


def shared_terms(values: FloatArray, kinds: Sequence[str], n_jobs: int | None) -> list[list[Term]]:
    """As `find_terms`, to the bit: each part holds whole blocks of columns."""
    size = block_size(len(values))
    step = size * max(1, -(-values.shape[1] // (size * _PARTS)))
    parts = [(start, values[:, start : start + step]) for start in range(0, values.shape[1], step)]
    found = dict(run_through(_TermsWorker(tuple(kinds)), parts, n_jobs))
    return [terms for start in sorted(found) for terms in found[start]]


@dataclass(frozen=True)
class _TermsWorker:
    """Finds the terms of some columns, and says where they begin."""

    kinds: tuple[str, ...]

    def begin(self) -> None:
        """Nothing is to be loaded."""

    def run(self, part: tuple[int, FloatArray]) -> tuple[int, list[list[Term]]]:
        start, values = part
        return start, find_terms(values, self.kinds)
