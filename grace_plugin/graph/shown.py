"""What a result keeps of the rows for pictures: small copies, made while the rows are at hand."""

from __future__ import annotations

from dataclasses import dataclass

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ShownSeries:
    """A stretch of a variable that a rule acted on.

    Args:
        name: of the variable.
        rows: [n], which rows of its series these are.
        values: [n], as they were before the rule.
        taken: [n], what the rule made of them: values drawn in, roots, or trends, steps and cycles together;
            the values themselves where they stay.
        strength: how much there was to do; only comparable within one rule.
    """

    name: str
    rows: IntArray
    values: FloatArray
    taken: FloatArray
    strength: float


@dataclass(frozen=True, eq=False)
class ActedRule:
    """A rule of `prepare` that acted.

    Args:
        rule: its name.
        sentence: what the summary says of it.
        count: how many variables it acted on.
        series: some of them, the strongest first.
    """

    rule: str
    sentence: str
    count: int
    series: tuple[ShownSeries, ...]


@dataclass(frozen=True, eq=False)
class StepPairs:
    """How what lagged causes leave of the variables moves together within one step.

    Args:
        names: the variables that are shown.
        correlation: [n, n], of their residuals, with a zero diagonal.
        standing: [n, n], the pairs that stand out.
        pairs: how many stand out among all variables.
        variables: how many variables there are.
    """

    names: tuple[str, ...]
    correlation: FloatArray
    standing: BoolArray
    pairs: int
    variables: int
