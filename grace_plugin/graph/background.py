"""Background knowledge: what is known of edges before any data are looked at.

An edge is written (cause, effect, lag) or (cause, effect) for every lag of the pair; each part may be "*".
As a variable "*" stands for every *other* variable (nobody means own past by it), as a lag for every lag;
"soil*" stands for every variable whose name begins so.
`Knowledge.on` turns the words into cells [cause, effect, lag] of a graph with given names.
"""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.checks import choice, number, shown
from grace_plugin._common.config import KnownEdge, Variable
from grace_plugin.exceptions import OptionError

ANY = "*"
Pattern = KnownEdge

_MOST_ODDS = 1e6  # beyond it nobody believes: require or forbid the edge


@dataclass(frozen=True)
class Knowledge:
    """Edges that must be, cannot be, or are likelier than others.

    Args:
        required: edges that stay whatever the data say.
        forbidden: edges that are never looked at.
        tiers: groups of variables in causal order: nothing of a later group acts on an earlier one.
        tier_lags: "all" (default) binds effects at every lag to the tiers, "now" those within one step only.
        exogenous: variables that nothing else acts on (their own past may).
        likely: factor by which the odds of an edge are larger (above 1) or smaller (below 1) than those of
            the others, before the data speak.

    >>> known = Knowledge(forbidden=[("*", "rain")], required=[("rain", "river", 1)])
    >>> cells = known.on(("rain", "river"), max_lag=1)
    >>> bool(cells.forbidden[1, 0, 1]), bool(cells.forbidden[0, 0, 1]), bool(cells.required[0, 1, 1])
    (True, False, True)
    """

    required: Sequence[Pattern] = ()
    forbidden: Sequence[Pattern] = ()
    tiers: Sequence[Sequence[Variable]] = ()
    tier_lags: str = "all"
    exogenous: Sequence[Variable] = ()
    likely: Mapping[Pattern, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("required", "forbidden"):
            object.__setattr__(self, name, tuple(edge_pattern(name, edge) for edge in _listed(name, self)))
        object.__setattr__(self, "exogenous", tuple(_listed("exogenous", self)))
        object.__setattr__(self, "tiers", tuple(_tier(tier) for tier in _listed("tiers", self)))
        choice("tier_lags", self.tier_lags, ("all", "now"))
        if not isinstance(self.likely, Mapping):
            msg = f"likely={shown(self.likely)}; give a dict of (cause, effect, lag): odds."
            raise OptionError(msg)
        checked = {edge_pattern("likely", edge): _odds(edge, odds) for edge, odds in self.likely.items()}
        object.__setattr__(self, "likely", checked)

    def __bool__(self) -> bool:
        return bool(self.required or self.forbidden or self.tiers or self.exogenous or self.likely)

    def with_edges(self, keep: Iterable[Pattern] = (), forbid: Iterable[Pattern] = ()) -> Knowledge:
        """The same with the short options `keep=` and `forbid=` added."""
        return Knowledge(
            (*self.required, *keep),
            (*self.forbidden, *forbid),
            self.tiers,
            self.tier_lags,
            self.exogenous,
            self.likely,
        )

    def flat(self) -> tuple[tuple[Pattern, ...], tuple[Pattern, ...], dict[Pattern, float]]:
        """The same as required, forbidden and likely edges alone, without tiers and exogenous variables.

        What a required edge says against a tier or an exogenous variable is refused here, by their lines.
        """
        self._refuse_upwards()
        forbidden = [*self.forbidden, *((ANY, variable) for variable in self.exogenous)]
        for place, tier in enumerate(self.tiers):
            later = list(chain.from_iterable(self.tiers[place + 1 :]))
            pairs = [(cause, effect) for cause in later for effect in tier]
            forbidden += pairs if self.tier_lags == "all" else [(*pair, 0) for pair in pairs]
        return tuple(self.required), tuple(forbidden), dict(self.likely)

    def _refuse_upwards(self) -> None:
        """Refuse required edges that run against tiers or into exogenous variables, as they are written."""
        place = {variable: number for number, tier in enumerate(self.tiers) for variable in tier}
        for edge in self.required:
            cause, effect = edge[:2]
            now = len(edge) == 2 or edge[2] in (0, ANY)
            if cause != effect and effect in self.exogenous:
                _refuse(edge, f"exogenous {effect!r}")
            if (now or self.tier_lags == "all") and place.get(cause, -1) > place.get(effect, len(place)):
                _refuse(edge, f"tier {place[effect] + 1} of {len(self.tiers)}")

    def on(self, names: Sequence[str], max_lag: int) -> KnownCells:
        """The cells of a graph that this speaks of; two lines that contradict each other are refused."""
        shape = (len(names), len(names), max_lag + 1)
        required, forbidden = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
        odds = np.ones(shape)
        sources: dict[tuple[int, ...], str] = {}
        for line, cells in self._forbidden_lines(names, max_lag):
            forbidden |= cells
            sources.update({tuple(cell): line for cell in np.argwhere(cells).tolist()})
        for edge in self.required:
            cells = edge_cells("required", edge, names, max_lag)
            _refuse_collision(edge, cells, forbidden, sources)
            required |= cells
        for edge, factor in self.likely.items():
            odds[edge_cells("likely", edge, names, max_lag)] *= factor
        return KnownCells(required, forbidden, odds)

    def _forbidden_lines(self, names: Sequence[str], max_lag: int) -> Iterable[tuple[str, BoolArray]]:
        for edge in self.forbidden:
            yield f"forbidden {edge!r}", edge_cells("forbidden", edge, names, max_lag)
        for variable in self.exogenous:
            yield f"exogenous {variable!r}", edge_cells("exogenous", (ANY, variable), names, max_lag)
        lags = slice(None) if self.tier_lags == "all" else slice(0, 1)
        numbered = [[index_of("tiers", variable, names) for variable in tier] for tier in self.tiers]
        for place, tier in enumerate(numbered):
            later = list(chain.from_iterable(numbered[place + 1 :]))
            cells = np.zeros((len(names), len(names), max_lag + 1), dtype=np.bool_)
            cells[np.ix_(later, tier)] = True
            kept = np.zeros_like(cells)
            kept[:, :, lags] = cells[:, :, lags]
            yield f"tier {place + 1} of {len(numbered)}", kept


@dataclass(frozen=True, eq=False)
class KnownCells:
    """Knowledge as tensors [cause, effect, lag], and which variables are to be explained."""

    required: BoolArray
    forbidden: BoolArray
    odds: FloatArray
    asked: BoolArray | None = None  # [d]; None: all of them

    def within_step(self, pairs: BoolArray | None) -> KnownCells:
        """The same with effects within one step forbidden but of these pairs [d, d]; None leaves all."""
        if pairs is None:
            return self
        forbidden = self.forbidden.copy()
        forbidden[:, :, 0] |= ~pairs & ~np.eye(len(pairs), dtype=np.bool_)
        return replace(self, forbidden=forbidden)

    def bound(self) -> KnownCells:
        """The same with every edge into a variable that is not to be explained forbidden."""
        if self.asked is None:
            return self
        forbidden = self.forbidden.copy()
        forbidden[:, ~self.asked] = True
        return replace(self, forbidden=forbidden)


def _listed(name: str, knowledge: Knowledge) -> Iterable[Any]:
    given = getattr(knowledge, name)
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        msg = f"{name}={shown(given)}; give a list."
        raise OptionError(msg)
    return list(given)


def _tier(tier: object) -> tuple[Variable, ...]:
    if isinstance(tier, (str, bytes)) or not isinstance(tier, Iterable):
        msg = f"tiers hold {shown(tier)}; give a list of variables for each tier, the first causes first."
        raise OptionError(msg)
    return tuple(tier)


def edge_pattern(name: str, edge: Pattern) -> Pattern:
    """An edge as it was written, its parts checked; `name` is the option that holds it."""
    parts: Any = () if isinstance(edge, (str, bytes)) or not isinstance(edge, Iterable) else tuple(edge)
    if len(parts) not in (2, 3):
        msg = f"{name} holds {shown(edge)}; give (cause, effect, lag) or (cause, effect)."
        raise OptionError(msg)
    if len(parts) == 3 and parts[2] != ANY:
        whole = isinstance(parts[2], (int, np.integer)) and not isinstance(parts[2], bool)
        if not whole:
            msg = f"{name} holds {shown(edge)}; the lag must be a whole number or '*'."
            raise OptionError(msg)
        return parts[0], parts[1], abs(int(parts[2]))
    found: Pattern = parts
    return found


def _odds(edge: object, odds: object) -> float:
    return number(f"likely[{shown(edge)}]", odds, 1.0 / _MOST_ODDS, _MOST_ODDS)


def edge_cells(name: str, edge: Pattern, names: Sequence[str], max_lag: int) -> BoolArray:
    """[cause, effect, lag]: what a pattern stands for."""
    found = np.zeros((len(names), len(names), max_lag + 1), dtype=np.bool_)
    lag = edge[2] if len(edge) == 3 else ANY
    if isinstance(lag, int) and lag > max_lag:
        msg = f"{name} holds {edge!r}, beyond the graph's largest lag {max_lag}."
        raise OptionError(msg)
    every = np.arange(len(names))
    causes, effects = (_matching(name, variable, names) for variable in edge[:2])
    lags = np.arange(max_lag + 1) if lag == ANY else np.array([lag])
    found[np.ix_(causes, effects, lags)] = True
    if any(_is_pattern(variable, names) for variable in edge[:2]):
        found[every, every] = False
    found[every, every, 0] = False
    return found


def _is_pattern(variable: object, names: Sequence[str]) -> bool:
    return isinstance(variable, str) and ANY in variable and variable not in names


def _matching(name: str, variable: Variable, names: Sequence[str]) -> IntArray:
    """The variables that a name, a position or a pattern means."""
    if not _is_pattern(variable, names):
        return np.array([index_of(name, variable, names)])
    found = [place for place, one in enumerate(names) if fnmatch.fnmatchcase(one, str(variable))]
    if not found:
        msg = f"{name} holds the pattern {variable!r}, which no variable of the graph matches."
        raise OptionError(msg)
    return np.array(found)


def index_of(name: str, variable: Variable, names: Sequence[str]) -> int:
    """The position of a variable; `name` is the option that speaks of it."""
    if isinstance(variable, (int, np.integer)) and not isinstance(variable, bool):
        if 0 <= variable < len(names):
            return int(variable)
    elif str(variable) in names:
        return list(names).index(str(variable))
    close = difflib.get_close_matches(str(variable), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    msg = f"{name} names the variable {variable!r}, which the graph does not have.{hint}"
    raise OptionError(msg)


def _refuse_collision(
    edge: Pattern, cells: BoolArray, forbidden: BoolArray, sources: Mapping[tuple[int, ...], str]
) -> None:
    clash = np.argwhere(cells & forbidden)
    if len(clash):
        _refuse(edge, sources[tuple(clash[0].tolist())])


def _refuse(edge: Pattern, line: str) -> None:
    msg = f"required {edge!r} and {line} contradict each other; take one of them out."
    raise OptionError(msg)
