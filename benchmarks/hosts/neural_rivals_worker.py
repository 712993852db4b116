"""Runs in the rivals' environment: METHOD MAX_LAG GIVEN.npz ANSWER.npz (see `neural_rivals.py`)."""

from __future__ import annotations

import importlib.util
import sys
import time
import types
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

_CMLP_STEPS = 2000  # its default of 50,000 takes hours on a processor


def main(method: str, max_lag: int, given: str, answer: str) -> None:
    with np.load(given) as stored:
        values, labels = stored["values"], stored["labels"]
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    _without_the_other_methods()
    import torch

    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  (the methods draw from numpy's global state)
    started = time.process_time()
    matrix = _found(method, values.astype(np.float32), labels, max_lag)
    np.savez(answer, pairs=np.asarray(matrix, float).T, cpu=time.process_time() - started)


def _found(method: str, values: Any, labels: Any, max_lag: int) -> Any:
    """[effect, cause]."""
    algorithms = "causalcompass.algorithms"
    if method == "CUTS+":
        made = import_module(f"{algorithms}.cutsplus.wrapper").CUTSPlus(
            device="cpu", input_step=max_lag, seed=0
        )
        return made.run(values, labels)
    if method == "cMLP":
        wrapper = import_module(f"{algorithms}.cmlp")
        return wrapper.CMLP(lag=max_lag, device="cpu", seed=0, max_iter=_CMLP_STEPS).run(values)
    wrapper = import_module(f"{algorithms}.ntsnotears.wrapper")
    return wrapper.NTSNotears(tau_max=max_lag, device="cpu", seed=0).run_raw(values)["score_matrix"].T


def _without_the_other_methods() -> None:
    """The package imports all of its methods at once, and with them everything they need."""
    spec = importlib.util.find_spec("causalcompass")
    assert spec is not None
    assert spec.origin is not None
    root = Path(spec.origin).parent
    for name, folder in (("causalcompass", root), ("causalcompass.algorithms", root / "algorithms")):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4])
