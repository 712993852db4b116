"""Small data sets with their true graphs: one real, one simulated."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.checks import shown
from grace_plugin.exceptions import OptionError

if TYPE_CHECKING:
    import pandas as pd

Edge = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Example:
    """A data set and what is known about it.

    Args:
        name: the name `load_example` knows it by.
        data: one column per variable, one row per time, with a datetime index.
        edges: the true edges, (cause, effect) or, where lags are known, (cause, effect, lag).
        positions: one row per variable with at least `lat` and `lon`; None where there are no places.
        notice: origin and licence, to be shipped wherever the data go.
    """

    name: str
    data: pd.DataFrame
    edges: tuple[Edge, ...]
    positions: pd.DataFrame | None
    notice: str

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in column order."""
        return tuple(self.data.columns)

    @property
    def pair_graph(self) -> BoolArray:
        """[cause, effect]: the true edges at any lag, without a variable's effect on itself."""
        graph = np.zeros((len(self.names),) * 2, dtype=np.bool_)
        for cause, effect, *_ in self.edges:
            graph[self.names.index(cause), self.names.index(effect)] = cause != effect
        return graph

    def select(self, names: Sequence[str]) -> Example:
        """The same example with a part of its variables, and the edges among them."""
        unknown = [name for name in names if name not in self.names]
        if unknown:
            msg = f"{unknown} are not variables of {self.name!r}; it has {list(self.names)}."
            raise OptionError(msg)
        return replace(
            self,
            data=self.data[list(names)],
            edges=tuple(edge for edge in self.edges if edge[0] in names and edge[1] in names),
            positions=None if self.positions is None else self.positions.loc[list(names)],
        )

    def __repr__(self) -> str:
        rows, columns = self.data.shape
        return f"<Example {self.name}: {rows} rows, {columns} variables, {len(self.edges)} true edges>"


def load_example(name: str) -> Example:
    """A data set that comes with the package.

    Args:
        name: "elbe_flood" (real: discharge at 42 gauges of the Elbe during the flood of September 2024,
            with the river network as the true graph) or "toy_climate" (simulated: 8 variables, lags up to
            3, linear and nonlinear effects).

    >>> load_example("elbe_flood")
    <Example elbe_flood: 3010 rows, 42 variables, 42 true edges>
    >>> load_example("toy_climate").edges[0]
    ('sun', 'sun', 1)
    """
    if not isinstance(name, str) or name not in _LOADERS:
        close = difflib.get_close_matches(str(name), _LOADERS, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        msg = f"There is no example called {shown(name)}; known are {sorted(_LOADERS)}.{hint}"
        raise OptionError(msg)
    return _LOADERS[name]()


def _elbe_flood() -> Example:
    import pandas as pd

    folder = files("grace_plugin") / "data"
    with (folder / "elbe_flood.csv.xz").open("rb") as file:
        data = pd.read_csv(file, index_col="datetime", parse_dates=True, compression="xz")
    with (folder / "elbe_flood_gauges.csv").open("rb") as file:
        positions = pd.read_csv(file, index_col="id")
    with (folder / "elbe_flood_edges.csv").open("rb") as file:
        edges = pd.read_csv(file, dtype=str)
    positions.index = positions.index.astype(str)
    pairs = tuple(zip(edges["cause"], edges["effect"], strict=True))
    notice = (folder / "NOTICE.md").read_text(encoding="utf-8")
    return Example("elbe_flood", data, pairs, positions.loc[list(data.columns)], notice)


_TOY_ROWS = 600
_TOY_SETTLING = 200
_TOY_SEED = 20240909


def _same(x: float) -> float:
    return x


def _bowl(x: float) -> float:
    """A bounded square: feels the size of its cause and not the sign."""
    return min(x * x, 9.0) - 1.0


def _size(x: float) -> float:
    return abs(x) - 0.8


# cause, effect, lag, strength, shape; every variable also remembers itself.
_TOY_EFFECTS: tuple[tuple[str, str, int, float, Callable[[float], float]], ...] = (
    ("sun", "sun", 1, 0.6, _same),
    ("sea", "sea", 1, 0.5, _same),
    ("wind", "wind", 1, 0.3, _same),
    ("cloud", "cloud", 1, 0.3, _same),
    ("rain", "rain", 1, 0.2, _same),
    ("soil", "soil", 1, 0.5, _same),
    ("river", "river", 1, 0.4, _same),
    ("plants", "plants", 1, 0.5, _same),
    ("sun", "sea", 2, 0.4, _same),
    ("sea", "wind", 1, 0.4, _bowl),
    ("sea", "cloud", 2, 0.4, _same),
    ("wind", "cloud", 1, -0.4, _size),
    ("cloud", "rain", 1, 0.5, _same),
    ("wind", "rain", 3, 0.4, _bowl),
    ("rain", "soil", 1, 0.4, _same),
    ("rain", "river", 2, 0.5, _same),
    ("soil", "river", 3, 0.4, _same),
    ("soil", "plants", 1, -0.4, _bowl),
    ("sun", "plants", 3, 0.3, _same),
)


def _toy_climate() -> Example:
    import pandas as pd

    names = list(dict.fromkeys(cause for cause, *_ in _TOY_EFFECTS))
    index = pd.date_range("2000-01-01", periods=_TOY_ROWS, freq="D", name="date")
    data = pd.DataFrame(_simulated(names), index=index, columns=names)
    edges = tuple((cause, effect, lag) for cause, effect, lag, *_ in _TOY_EFFECTS)
    return Example("toy_climate", data, edges, None, "Simulated by grace_plugin.datasets; no restrictions.")


def _simulated(names: list[str]) -> FloatArray:
    rows = _TOY_ROWS + _TOY_SETTLING
    values = np.random.default_rng(_TOY_SEED).normal(size=(rows, len(names)))
    effects = [(names.index(c), names.index(e), lag, w, shape) for c, e, lag, w, shape in _TOY_EFFECTS]
    for time in range(3, rows):
        for cause, effect, lag, strength, shape in effects:
            values[time, effect] += strength * shape(float(values[time - lag, cause]))
    return values[_TOY_SETTLING:]


_LOADERS: dict[str, Callable[[], Example]] = {"elbe_flood": _elbe_flood, "toy_climate": _toy_climate}
