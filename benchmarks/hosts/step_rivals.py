"""Programs that find effects within one step: PCMCI+, LPCMCI (tigramite), VARLiNGAM, DYNOTEARS (causalnex).

Each returns graphs [cause, effect, lag]: first what it says at its default, then what it says at stricter
levels, so that the best of them can be told in hindsight. An edge at lag 0 whose direction a program leaves
open has both cells; so has one that LPCMCI calls the work of a hidden cause (`<->`), of which it has found
the pair. causalnex asks for a Python older than this one, but its DYNOTEARS runs; one command puts it, less
what it pins, into a folder of its own:

    python -m benchmarks.hosts.step_rivals
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from typing import Any

import numpy as np

from benchmarks.hosts.on_worlds import certainty, varlingam
from benchmarks.studies._world_scores import at_level
from benchmarks.worlds import World
from benchmarks.worlds.base import BoolArray, FloatArray
from benchmarks.worlds.paper import CACHE

LEVELS = (0.05, 0.01)
_STRICTER = (2.0, 3.0, 4.0, 6.0)  # of -log10 p
_WEIGHTS = (0.05, 0.1, 0.15, 0.2, 0.3)  # of standardised data; the first is DYNOTEARS' default here
_PENALTY = 0.05  # of both kinds of weights, as in the examples of its authors
_CAUSALNEX = CACHE / "causalnex" / "site-packages"
_PACKAGES = ("causalnex==0.12.2", "pyvis==0.3.2", "jsonpickle==3.0.4")


def pcmciplus(world: World) -> list[BoolArray]:
    """At both levels, and the p-values of the first run at stricter ones."""
    from tigramite.pcmci import PCMCI

    runs = []
    for level in LEVELS:
        host = PCMCI(**_frame_and_test(world), verbosity=0)
        found = host.run_pcmciplus(tau_min=0, tau_max=world.max_lag, pc_alpha=level)
        runs.append((_causes(found["graph"]), certainty(found["p_matrix"])))
    return [*(graph for graph, _ in runs), *_stricter(*runs[0])]


def lpcmci(world: World) -> list[BoolArray]:
    """At .05, and its p-values at stricter levels."""
    from tigramite.lpcmci import LPCMCI

    host = LPCMCI(**_frame_and_test(world), verbosity=0)
    with contextlib.redirect_stdout(io.StringIO()):
        found = host.run_lpcmci(tau_min=0, tau_max=world.max_lag, pc_alpha=LEVELS[0])
    graph = _causes(found["graph"])
    return [graph, *_stricter(graph, certainty(found["p_matrix"]))]


def _frame_and_test(world: World) -> dict[str, Any]:
    from tigramite import data_processing as pp
    from tigramite.independence_tests.parcorr import ParCorr

    return {"dataframe": pp.DataFrame(world.data), "cond_ind_test": ParCorr()}


def _causes(marks: Any) -> BoolArray:
    """Cells of marks that say, or leave open, that the first acts on the second."""
    graph = (marks != "") & ~np.isin(marks, ("<--", "<-o", "<-x"))
    graph[:, :, 1:] &= marks[:, :, 1:] != "<->"
    return np.asarray(graph)


def _stricter(graph: BoolArray, strength: FloatArray) -> list[BoolArray]:
    return [graph & at_level(graph, strength, level) for level in _STRICTER]


def varlingam_pruned(world: World) -> list[BoolArray]:
    return [varlingam(world)[0]]


def dynotears(world: World) -> list[BoolArray]:
    """On standardised data, at several thresholds; at lag 0 only the stronger of two directions counts."""
    values = (world.data - world.data.mean(axis=0)) / world.data.std(axis=0)
    lags, rows = world.max_lag, len(values)
    past = np.hstack([values[lags - lag : rows - lag] for lag in range(1, lags + 1)])
    learned = _from_numpy_dynamic()(values[lags:], past, lambda_w=_PENALTY, lambda_a=_PENALTY)
    size = np.zeros(world.truth.shape)
    for cause, effect, weight in learned.edges(data="weight"):
        variable, lag = map(int, cause.split("_lag"))
        size[variable, int(effect.split("_lag")[0]), lag] = abs(weight)
    size[:, :, 0] *= size[:, :, 0] > size[:, :, 0].T
    return [size > weight for weight in _WEIGHTS]


def _from_numpy_dynamic() -> Any:
    if not _CAUSALNEX.exists():
        msg = "DYNOTEARS is not here yet; fetch it with: python -m benchmarks.hosts.step_rivals"
        raise SystemExit(msg)
    if str(_CAUSALNEX) not in sys.path:
        sys.path.append(str(_CAUSALNEX))
    from causalnex.structure.dynotears import from_numpy_dynamic

    return from_numpy_dynamic


def fetch_causalnex() -> None:
    """Without what it depends on, which is here already in newer versions."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-requires-python"]
    subprocess.run([*pip, "--target", str(_CAUSALNEX), *_PACKAGES], check=True)


if __name__ == "__main__":
    fetch_causalnex()
    print(f"DYNOTEARS is ready in {_CAUSALNEX.parent.name}.")
