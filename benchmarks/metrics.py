"""How a graph is compared with the truth; arrays are [cause, effect, lag]."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

Result = TypeVar("Result")


def scores(truth: Any, found: Any) -> dict[str, float]:
    """precision, recall, f1 and shd per (cause, effect, lag).

    >>> scores(np.array([[[1]]], bool), np.array([[[1]]], bool))["f1"]
    1.0
    """
    truth, found = np.asarray(truth, bool), np.asarray(found, bool)
    hits = int((truth & found).sum())
    return {
        "precision": hits / max(int(found.sum()), 1),
        "recall": hits / max(int(truth.sum()), 1),
        "f1": 2 * hits / max(int(truth.sum() + found.sum()), 1),
        "shd": float((truth ^ found).sum()),
    }


def graded(truth: Any, found: Any, strength: Any) -> dict[str, float]:
    """All of it: per lag and per pair, with the AUROC of `strength` (larger is more certain).

    Edges at lag 0 count once per pair of variables, whatever their direction. Pairs are those of two
    different variables, lags collapsed, as CUTS+ and the paper compare them.
    """
    truth, found, strength = _folded(truth), _folded(found), _folded(strength)
    searched = np.s_[:, :, 0 if truth[:, :, 0].any() else 1 :]
    off = ~np.eye(len(truth), dtype=bool)
    pairs = [array.max(axis=2)[off] for array in (truth, found, strength)]
    per_pair = {f"pair_{name}": value for name, value in scores(*pairs[:2]).items() if name != "shd"}
    return {
        **scores(truth, found),
        **per_pair,
        "auroc": auroc(truth[searched], strength[searched]),
        "pair_auroc": auroc(pairs[0], pairs[2]),
    }


def auroc(truth: Any, strength: Any) -> float:
    """The chance that a true edge is stronger than a false one; 0.5 where there is only one kind."""
    from sklearn.metrics import roc_auc_score

    truth, strength = np.ravel(truth).astype(bool), np.nan_to_num(np.ravel(strength).astype(float))
    return float(roc_auc_score(truth, strength)) if 0 < truth.sum() < len(truth) else 0.5


def _folded(array: Any) -> Any:
    """The same with each pair at lag 0 once, above the diagonal; below it stands the least value there is.

    Zero would not do: where strengths are negative it would place pairs below the diagonal first.
    """
    folded = np.array(array)
    once = np.triu(np.ones(folded.shape[:2], dtype=bool), 1)
    least = False if folded.dtype == bool else folded.min()
    folded[:, :, 0] = np.where(once, np.maximum(folded[:, :, 0], folded[:, :, 0].T), least)
    return folded


def measured(call: Callable[[], Result]) -> tuple[Result, dict[str, float]]:
    """What a call returns, its wall and processor seconds and, on Linux, how much memory it needed on top."""
    _import_everything()
    before = _memory("VmRSS") if _forget_peak() else None
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    spent = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    if before is not None:
        spent["peak_mib"] = max(_memory("VmHWM") - before, 0.0)
    return result, spent


@cache
def _import_everything() -> None:
    """Imports are paid once per process, and by nobody's row."""
    import grace_plugin as gp

    gp.discover(np.random.default_rng(0).normal(size=(100, 2)), 1, progress=False)


def _forget_peak() -> bool:
    """Let the kernel count the peak of memory anew; False where it cannot."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _memory(field: str) -> float:
    """A field of the process' status, in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return float(line.split()[1]) / 1024
    return 0.0
