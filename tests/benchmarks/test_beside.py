"""Cells that are off: two combined standard errors, of the paper's ten seeds and of ours."""

from __future__ import annotations

from benchmarks.core import Row
from benchmarks.reporting.beside import Column, outside

F1 = Column("F1", "f1", {(20, 300): 0.80, (50, 300): 0.80})
CDNOTS = Column("CDNOTS F1", "raw", {(20, 300): 0.70, (50, 300): 0.70})
SPREAD = {(20, 300): 0.03, (50, 300): 0.03}


def rows(d: int, *f1: float) -> list[Row]:
    return [
        Row("paper_table", "preset paper", d, 300, seed, False, {"f1": value, "raw": 0.75})
        for seed, value in enumerate(f1)
    ]


def test_a_single_seed_is_judged_by_the_paper_s_spread() -> None:
    """0.03 and 0.03 / sqrt(10) make 0.0315 together, twice that is 0.063."""
    assert outside(rows(20, 0.86), F1, SPREAD, (CDNOTS,)).startswith("0 of 1 cells")
    assert "d=20, T=300: +0.070, +2.2 errors; CDNOTS F1 +0.050." in outside(
        rows(20, 0.87), F1, SPREAD, (CDNOTS,)
    )


def test_seeds_of_our_own_bring_their_own_spread() -> None:
    wide, narrow = rows(20, 0.70, 0.86, 1.0), rows(50, 0.85, 0.86, 0.85)
    found = outside([*wide, *narrow], F1, SPREAD, (CDNOTS,))
    assert found.startswith("1 of 2 cells")
    assert "d=50" in found
    assert "d=20" not in found
