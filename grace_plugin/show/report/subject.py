"""What a section of the report is, and what it is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from grace_plugin.show.drawn import Drawn

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.series.forms import Data

MOST_ROWS = 3000  # of the table of edges: a browser sorts as many at once


@dataclass(frozen=True, eq=False)
class Subject:
    """What the report is about.

    Args:
        result: a `Refinement`, say.
        data: what it was learned from, if the user gave it.
    """

    result: Drawn
    data: Data | None = None

    @cached_property
    def edges(self) -> pd.DataFrame:
        """The rows of the table of edges that are shown: all kept ones, and the strongest others."""
        table = self.result.edges
        return table.head(max(MOST_ROWS, int(table.kept.sum())))

    @property
    def has_rates(self) -> bool:
        """Whether it is known which share of the edges is expected to be false."""
        return "q_value" in self.edges and bool(self.edges.q_value.notna().any())


@dataclass(frozen=True)
class Section:
    """One heading of the report.

    Args:
        name: its anchor.
        title: its heading, also in the navigation.
        html: its body as HTML, everything that comes from data escaped; "" leaves the section out.
    """

    name: str
    title: str
    html: Callable[[Subject], str]


def number_words(value: float) -> str:
    """A number as the report writes it."""
    return f"{value:.3g}" if np.isfinite(value) else "-"


def template(name: str) -> str:
    """A file of the folder templates/."""
    return (files("grace_plugin.show") / "templates" / name).read_text(encoding="utf-8")
