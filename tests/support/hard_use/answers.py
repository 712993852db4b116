"""What a call answers, in the one or two words that the tables of docs/hard_use.md use."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import grace_plugin as gp

from .data_kinds import DATA
from .graph_kinds import RESULTS, SKELETONS, full
from .meaning_kinds import MEANINGS
from .option_kinds import OPTIONS, VALUES

TRUTH = {(0, 1, 1), (1, 2, 2)}


def answer(call: Callable[[], Any], right: Callable[[Any], str]) -> str:
    """The class of the project's error, "warns", or what `right` says of the result."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("error")  # a bare warning of numpy counts as a crash
        warnings.simplefilter("always", UserWarning)  # the project's own: DataWarning, windows that failed
        try:
            words = right(call())
        except gp.GraceError as error:
            sentence = str(error)
            assert len(sentence) > 25, f"no sentence: {sentence!r}"
            return type(error).__name__
    told = [one for one in told if not issubclass(one.category, DeprecationWarning)]  # those are of pydot
    if told and words != "NaN":
        for one in told:
            named = re.search(r"\bx[012]\b|'[abc]'|\d+ rows are few", str(one.message))
            assert named, f"no name in {one.message}"
        return "warns"
    return words


def _graph_words(graph: Any) -> str:
    found = {(int(c), int(e), int(lag)) for c, e, lag in np.argwhere(graph)}
    if len(graph) < 3:
        return "right" if not found else "wrong"
    return "right" if found == TRUTH else "true edges only" if found < TRUTH else "wrong"


def _refinement_words(result: gp.Refinement) -> str:
    mask, outcome = result.skeleton.mask, result.outcome
    numbers = (outcome.gates, outcome.gain[mask], outcome.p_value[mask])
    if any(np.isnan(one).any() for one in numbers):
        return "NaN"
    return _graph_words(result.graph)


def _expanded_words(table: pd.DataFrame) -> str:
    return "right" if table.shape[1] % 2 == 0 and len(table) else "wrong"


def _width(data: Any) -> int:
    shape = getattr(data, "shape", (0, 3))
    return shape[1] if len(shape) == 2 and shape[1] == 1 else 3


def _analyzed(make: Callable[[], Any]) -> Any:
    data = make()
    return gp.analyze(gp.Skeleton(full(_width(data))), data)


DATA_COLUMNS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], str]]] = {
    "lag_expand": (lambda make: gp.lag_expand(make(), 1), _expanded_words),
    "refine": (_analyzed, _refinement_words),
    "discover": (lambda make: gp.discover(make(), 2), _refinement_words),
    "bootstrap": (
        lambda make: gp.bootstrap("basis", make(), max_lag=2, runs=2),
        lambda found: _graph_words(found.graph),
    ),
}


def _names_of(result: Any) -> dict[str, Any]:
    """An edge list by name needs the names; everything else has its own."""
    return {"names": ["a", "b", "c"]} if isinstance(result, list) and result[0][0] == "a" else {}


def _refined(make: Callable[[], Any]) -> Any:
    native = make()
    options = {"max_lag": 1} if isinstance(native, np.ndarray) else _names_of(native)
    return gp.analyze(native, DATA["pandas, datetime index"](), **options)


def _bootstrapped(make: Callable[[], Any]) -> Any:
    native = make()
    options = _names_of(native)
    if isinstance(native, np.ndarray):
        options = {"max_lag": 1}
    return gp.bootstrap(native, DATA["pandas, datetime index"](), runs=2, window=100, **options)


RESULT_COLUMNS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], str]]] = {
    "refine": (_refined, _refinement_words),
    "bootstrap": (_bootstrapped, lambda found: _graph_words(found.graph)),
}


def _skeleton_words(skeleton: gp.Skeleton) -> str:
    return "right" if skeleton.mask.dtype == np.bool_ and len(set(skeleton.names)) == 3 else "wrong"


def answers(table: str) -> dict[str, dict[str, Callable[[], str]]]:
    """Row -> column -> a function that finds out the answer."""
    if table == "data":
        return {row: _row(make, DATA_COLUMNS) for row, make in DATA.items()}
    if table == "results":
        return {row: _row(make, RESULT_COLUMNS) for row, make in RESULTS.items()}
    if table == "skeletons":
        return {
            row: {"Skeleton": lambda make=make: answer(lambda: gp.Skeleton(**make()), _skeleton_words)}
            for row, make in SKELETONS.items()
        }
    if table == "meanings":
        return {
            row: {"answer": lambda call=call: answer(call, _refinement_words)}
            for row, call in MEANINGS.items()
        }
    return {row: _option_row(call) for row, call in OPTIONS.items()}


def _row(make: Callable[[], Any], columns: dict[str, tuple[Any, Any]]) -> dict[str, Callable[[], str]]:
    return {
        name: lambda call=call, words=words: answer(lambda: call(make), words)
        for name, (call, words) in columns.items()
    }


def _option_row(call: Callable[[Any], Any]) -> dict[str, Callable[[], str]]:
    return {
        name: lambda make=make: answer(lambda: call(make()), lambda result: "taken")
        for name, make in VALUES.items()
    }
