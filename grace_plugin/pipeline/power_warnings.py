"""Whether the data can carry the graph at all, said in a warning: few rows, weak edges, tests that misfit.

On tuning seeds of the worlds one of these comes in most runs on 50 rows, on effects too weak to be seen, on
rare events and on coarsely sampled chaos, where a level chosen by somebody who knows the graph has a higher
F1; on linear and Gaussian worlds of 250 rows and more in 2 % of the runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.telling import tell
from grace_plugin.decide.decision import HALF, Decision
from grace_plugin.decide.path import least_effect
from grace_plugin.decide.undecided import open_cells
from grace_plugin.exceptions import DataWarning
from grace_plugin.graph.outcome import Outcome

_LEVEL = 0.001  # where small graphs are cut, more or less
_LARGE = 0.4  # of a standard deviation: rows that miss so large an effect every second time are few (57)
_FOUND = 0.88  # expected share of the true edges among the likely ones; less is told
_MISFIT = 2.4  # times too large; noise in spells, which robust tests deal with, makes up to 2


def warn_about_power(outcome: Outcome) -> None:
    """Warn where the evidence of all cells says that the graph is doubtful as a whole."""
    levels = outcome.details.levels
    if not isinstance(levels, Decision):
        return
    cross = (levels.cells[:, 0] != levels.cells[:, 1]) & (levels.cells[:, 2] > 0)
    if cross.any():
        few = list(_few_rows(outcome, levels))  # and weak edges are then undecided anyway
        for sentence in (*(few or _undecided(outcome, levels, cross)), *_misfit(levels)):
            tell(sentence, DataWarning)


def _few_rows(outcome: Outcome, levels: Decision) -> Iterator[str]:
    strict = not levels.whole and levels.half_level > 0.0  # where some edge is likely among many variables
    least = least_effect(min(_LEVEL, levels.half_level) if strict else _LEVEL, outcome.rows_used)
    if least > _LARGE:
        yield (
            f"{outcome.rows_used} rows are few: an effect of {least:.2f} standard deviations is missed every "
            "second time, smaller ones more often. More rows or a smaller max_lag help; an edge that is "
            "missing says little here."
        )


def _undecided(outcome: Outcome, levels: Decision, cross: BoolArray) -> Iterator[str]:
    """Of a search of all cells alone: what a host has left out is not for refining to find."""
    if not outcome.details.searched or not levels.whole:
        return
    chance = levels.cell_probability[cross]
    left = open_cells(chance, _FOUND)
    if not len(left):
        return
    few = "1 that is" if len(left) == 1 else f"{len(left)} that are"
    likely = int((chance > HALF).sum())  # whatever cut a user prefers
    yield (
        f"Weak edges are undecided: {few} not likely and not hopeless, together worth {left.sum():.1f} edges "
        f"beside the {likely} likely ones. A longer record would tell; `.scores` and "
        "`.at(probability=...)` show the next ones."
    )


def _misfit(levels: Decision) -> Iterator[str]:
    if levels.groups.scale >= _MISFIT:
        yield (
            "Tests of edges that nothing speaks for come out too sure as well (chi-square "
            f"{levels.groups.scale:.1f} times too large), as where steps between rows are coarse, noise is "
            "shared or causes act in a way that sums, curves and products miss: only what stands out from "
            "them was kept. Believe pairs more than lags, and weak edges little."
        )
