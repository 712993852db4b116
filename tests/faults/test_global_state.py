"""A call leaves the process as it was, with either engine: filters, environment, seeds, threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import locale, logging, os, random, signal, sys, threading, warnings
import numpy as np
import grace_plugin as gp

ENGINE = sys.argv[1]
OF_OTHERS = {"KMP_INIT_AT_FORK", "KMP_DUPLICATE_LIB_OK", "TORCHINDUCTOR_CACHE_DIR"}

def state():
    found = {
        "environment": dict(os.environ),
        "filters": list(warnings.filters),
        "floating point": np.geterr(),
        "numpy's numbers": np.random.get_state()[1].tobytes(),
        "random numbers": random.getstate(),
        "locale": locale.setlocale(locale.LC_ALL),
        "signals": {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)},
        "threads": threading.active_count(),
        "folder": os.getcwd(),
        "path": list(sys.path),
        "hooks": (sys.excepthook, sys.getrecursionlimit()),
        "printing": np.get_printoptions(),
        "logging": (logging.root.level, list(logging.root.handlers)),
    }
    if "torch" in sys.modules:
        import torch
        flags = torch.is_grad_enabled(), torch.are_deterministic_algorithms_enabled()
        numbers = torch.get_rng_state().numpy().tobytes()
        found["torch"] = (torch.get_num_threads(), torch.get_default_dtype(), flags, numbers)
    return found

def calls():
    found = gp.discover(x, 2, engine=ENGINE)
    gp.refine(found.edges, x, engine=ENGINE)
    gp.bootstrap("basis", x, max_lag=1, runs=2, engine=ENGINE)
    found.to_json(), found.summary()

x = np.random.default_rng(0).normal(size=(200, 2))
x[1:, 1] += 0.8 * x[:-1, 0]
first = state()
calls()
second = state()
added = {key for key in second["environment"] if first["environment"].get(key) != second["environment"][key]}
assert added <= OF_OTHERS, added
packages = ("scipy", "torch", "sympy", "pandas", "joblib", "builtins")
new = [one for one in second["filters"] if one not in first["filters"]]
assert all(one[2].__module__.partition(".")[0] in packages for one in new), new
for name in set(first) - {"environment", "filters"}:
    assert first[name] == second[name], name
calls()
third = state()
for name in second:
    assert second[name] == third[name], name
print("untouched")
"""


@pytest.mark.parametrize("engine", ["additive", "neural"])
def test_a_call_leaves_the_process_as_it_was(engine):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, engine], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == "untouched\n", done.stderr
