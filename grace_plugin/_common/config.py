"""The options of a refinement: every default explained once, every value checked."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from grace_plugin._common.checks import (
    choice,
    flag,
    flag_or_word,
    job_count,
    number,
    number_or_word,
    shown,
    whole,
)
from grace_plugin.exceptions import OptionError

Variable: TypeAlias = str | int  # a name or a position
# (cause, effect[, lag]); "*" stands for every other variable, or for every lag
KnownEdge: TypeAlias = tuple[Variable, Variable] | tuple[Variable, Variable, int | str]
Odds: TypeAlias = Mapping[KnownEdge, float] | Iterable[tuple[KnownEdge, float]]

OptionValue: TypeAlias = Any  # of an option that one engine, skeleton or host knows, and checks
Options: TypeAlias = Mapping[str, OptionValue]

ENGINES = ("additive", "neural")
LEAST_ALPHA = 1e-300  # p-values below it are rounded to 0
_OF_NEURAL = ("device",)  # options that people expect of every engine
_LARGEST_SEED = 2**63 - 1  # what torch's generators take


@dataclass(frozen=True)
class RefineConfig:
    """What all engines understand.

    Args:
        engine: "additive" (default) or "neural".
        penalty: the price of an open gate; "auto", "paper" (the paper's rule), or nats per sample.
        alpha: where to cut: "auto" keeps an edge that is likelier true than not, learned from all cells of
            the graph; a number is a level of the evidence; "level" is the fixed rule of version 0.1.
        fdr: a false discovery rate instead: the largest graph whose expected share of false edges is at most
            this.
        prepare: what the data ask for before anything is added up: "auto", "none", or a list of rules.
        interactions: whether products of two lagged values are looked for.
        gate_threshold: a gate above it proposes its edge.
        keep: edges never pruned, as (cause, effect, lag) or (cause, effect) for all lags of a pair, by
            name or by position.
        forbid: edges never looked at, written likewise; "*" stands for every other variable.
        likely: odds of edges before the data speak, as a factor: {(cause, effect, lag): 10.0}.
        effects: the variables to explain, by name or position; () explains all of them.
        controls: columns of the data, by name or position, that every effect is judged beside and that are
            no nodes of the graph.
        control_lag: lags up to this one are looked at even if the graph's largest lag is smaller, so that
            their effects are not mistaken for later ones; they are not reported. 0 turns it off.
        gaps: "fill" puts the expectation of missing values in their place where they would cost many rows;
            "drop" leaves out every row with a missing value in it or in its past.
        pool: of several series, "units" takes each about its own mean, "levels" leaves their levels in.
        contemporaneous: whether `discover` and `bootstrap` look for effects within one step (lag 0): True,
            False, or "auto" for where residuals move together as such effects would have it.
        orient: whether `refine` gives a host's unoriented edges at lag 0 the direction that the data tell.
        seed: for engines that draw random numbers.
        n_jobs: worker processes through joblib: its backend (loky, Dask, Ray) serves, -1 takes every core.
            They share the search for causes where it takes seconds, and all that is judged where an effect
            has more than 2500 candidates (variables times lags). In `bootstrap`, windows.
        progress: True or False shows or hides the bar; None shows it where a terminal waits for seconds.
        lag_concentration: weight of the paper's optional penalty on pairs with many open lags: each lag
            beyond the free ones must be worth (1 + weight) times the price of an open gate.
        free_lags: how many open lags per pair cost nothing extra.
        engine_options: options of the chosen engine alone.
    """

    engine: str = "additive"
    penalty: str | float = "auto"
    alpha: str | float = "auto"
    fdr: float | None = None
    prepare: str | tuple[str, ...] = "auto"
    interactions: bool = True
    gate_threshold: float = 0.5
    keep: tuple[KnownEdge, ...] = ()
    forbid: tuple[KnownEdge, ...] = ()
    likely: tuple[tuple[KnownEdge, float], ...] = ()
    effects: tuple[Variable, ...] = ()
    controls: tuple[Variable, ...] = ()
    control_lag: int = 5
    gaps: str = "fill"
    pool: str = "units"
    contemporaneous: bool | str = "auto"
    orient: bool = False
    seed: int = 0
    n_jobs: int | None = 1
    progress: bool | None = None
    lag_concentration: float = 0.0
    free_lags: float = 1.0
    engine_options: Options = field(default_factory=dict)

    def __post_init__(self) -> None:
        choice("engine", self.engine, ENGINES)
        choice("gaps", self.gaps, ("fill", "drop"))
        choice("pool", self.pool, ("units", "levels"))
        number_or_word("penalty", self.penalty, ("auto", "paper"), 0.0, np.inf)
        number_or_word("alpha", self.alpha, ("auto", "level"), LEAST_ALPHA, 1.0)
        flag("interactions", self.interactions)
        if self.fdr is not None:
            number("fdr", self.fdr, 0.0, 1.0)
            if self.alpha != "auto":
                given = f"alpha={shown(self.alpha)} and fdr={shown(self.fdr)}"
                msg = f"{given} are two ways to cut the same evidence; give one of them."
                raise OptionError(msg)
        number("gate_threshold", self.gate_threshold, 0.0, 1.0)
        number("lag_concentration", self.lag_concentration, 0.0, np.inf)
        number("free_lags", self.free_lags, 0.0, np.inf)
        whole("control_lag", self.control_lag, 0)
        flag_or_word("contemporaneous", self.contemporaneous, ("auto",))
        flag("orient", self.orient)
        whole("seed", self.seed, 0, _LARGEST_SEED)
        job_count(self.n_jobs)
        if not (self.progress is None or isinstance(self.progress, (bool, np.bool_))):
            msg = f"progress={shown(self.progress)}; give True, False, or None for where a terminal waits."
            raise OptionError(msg)


COMMON_OPTIONS = tuple(f.name for f in fields(RefineConfig) if f.name != "engine_options")


def make_config(options: Options, engine_options: Iterable[str]) -> RefineConfig:
    """Sort plain keyword options into common ones and those of the engine."""
    common = {name: value for name, value in options.items() if name in COMMON_OPTIONS}
    special = {name: value for name, value in options.items() if name not in COMMON_OPTIONS}
    known = set(engine_options)
    refuse_unknown_options(special, known | set(COMMON_OPTIONS))
    for name in ("keep", "forbid"):
        common[name] = _as_tuple(name, common.get(name, ()))
    common["effects"] = _as_variables("effects", common.get("effects", ()))
    common["controls"] = _control_names(common.get("controls", ()))
    common["likely"] = _as_pairs(common.get("likely", ()))
    return RefineConfig(**common, engine_options=special)


def refuse_unknown_options(options: Options, known: Iterable[str]) -> None:
    """Name what is not known, what might have been meant, and what is."""
    accepted = sorted(known)
    for name in options:
        if name in accepted:
            continue
        if name in _OF_NEURAL:
            msg = f"{name}= is an option of the neural engine alone; give it with engine='neural'."
            raise OptionError(msg)
        close = difflib.get_close_matches(name, accepted, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        msg = f"There is no option {name!r}.{hint} Accepted are {accepted}."
        raise OptionError(msg)


def _as_tuple(name: str, keep: Any) -> tuple[Any, ...]:
    if keep is None:
        return ()
    if isinstance(keep, str) or not isinstance(keep, Iterable):
        msg = f"{name}={keep!r}; give a list of tuples (cause, effect, lag) or (cause, effect)."
        raise OptionError(msg)
    return tuple(keep)


def _as_pairs(likely: Any) -> tuple[tuple[Any, float], ...]:
    """Odds of edges, from a dict or from pairs as JSON has them."""
    try:
        pairs = likely.items() if isinstance(likely, Mapping) else (tuple(pair) for pair in likely)
        return tuple((tuple(edge), odds) for edge, odds in pairs)
    except (TypeError, ValueError) as error:
        msg = f"likely={shown(likely)}; give a dict {{(cause, effect, lag): odds}}."
        raise OptionError(msg) from error


def _as_variables(name: str, given: Any) -> tuple[Variable, ...]:
    """Variables by name or position; a single name is no list of them."""
    if given is None:
        return ()
    listed = isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))
    found = tuple(given) if listed else ()
    if not listed or not all(isinstance(one, (str, int, np.integer)) for one in found):
        msg = f"{name}={shown(given)}; give a list of variables, by name or position."
        raise OptionError(msg)
    return tuple(one if isinstance(one, str) else int(one) for one in found)


def names_columns(controls: object) -> TypeGuard[Collection[Variable]]:
    """Whether `controls` names columns of the data, or is a table of its own.

    >>> names_columns(["month"]), names_columns(np.zeros((5, 2)))
    (True, False)
    """
    return isinstance(controls, (str, list, tuple, set, frozenset)) and all(
        isinstance(one, (str, int, np.integer)) for one in controls
    )


def _control_names(controls: Any) -> tuple[Variable, ...]:
    """The names of columns, or of those of a table."""
    if controls is None or names_columns(controls):
        return _as_variables("controls", controls)
    columns = getattr(controls, "columns", None)
    return ("table",) if columns is None else tuple(str(one) for one in columns)
