"""Neural rivals of the paper from the package `causalcompass`: CUTS+, neural Granger (cMLP), NTS-NOTEARS.

That package pins old versions of what this project uses, so that it lives in an environment of its own beside
the torch that is here. One command makes it, in about a minute:

    python -m benchmarks.hosts.neural_rivals

The methods know pairs and no lags. What they return is turned to [cause, effect] here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.cached import cached
from benchmarks.worlds.paper import CACHE, BoolArray, FloatArray

ENVIRONMENT = CACHE / "causalcompass"
STORED = Path(__file__).with_name("stored")  # scores of the runs that take minutes
_READY = ENVIRONMENT / "ready"
_WORKER = Path(__file__).with_name("neural_rivals_worker.py")
# The package and what its three methods import; all else that it pins is for methods that are not run here.
_PACKAGES = (
    "causalcompass==0.1.2",
    "omegaconf==2.3.0",
    "antlr4-python3-runtime==4.9.3",
    "einops==0.8.1",
    "tensorboard==2.20.0",
    "igraph==0.11.9",
    "texttable==1.7.0",
)
METHODS = ("CUTS+", "cMLP", "NTS-NOTEARS")


@dataclass(frozen=True)
class Scores:
    """How sure a method is of each pair [cause, effect], and the processor time it took when it ran."""

    pairs: FloatArray
    cpu: float

    def above(self, threshold: float) -> BoolArray:
        return np.asarray(self.pairs > threshold)


def run(
    method: str, values: FloatArray, key: str, max_lag: int = 5, labels: FloatArray | None = None
) -> Scores:
    """One method on one data set; `labels` [effect, cause] are what CUTS+ draws its progress with."""
    told = np.zeros((values.shape[1],) * 2) if labels is None else labels

    def make() -> dict[str, FloatArray]:
        with tempfile.TemporaryDirectory() as folder:
            given, answer = Path(folder) / "given.npz", Path(folder) / "answer.npz"
            np.savez(given, values=values, labels=told)
            command = [str(_python()), str(_WORKER), method, str(max_lag), str(given), str(answer)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
            with np.load(answer) as found:
                return dict(found)

    name = f"{method.replace('+', 'plus')}_{key}.npz"
    known = STORED / name
    stored = cached(known if known.exists() else CACHE / f"rival_{name}", make)
    return Scores(stored["pairs"], float(stored["cpu"]))


def _python() -> Path:
    if not _READY.exists():
        msg = "The rivals have no environment yet; make it with: python -m benchmarks.hosts.neural_rivals"
        raise SystemExit(msg)
    return ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin") / "python"


def make_environment() -> None:
    """A virtual environment that sees this one's packages, with the rivals' own on top."""
    venv.create(ENVIRONMENT, with_pip=False, clear=True)
    site = next(ENVIRONMENT.glob("lib/python3*/site-packages"), ENVIRONMENT / "Lib" / "site-packages")
    (site / "beside.pth").write_text("".join(f"{path}\n" for path in sys.path if "site-packages" in path))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site)]
    subprocess.run([*pip, *_PACKAGES], check=True)
    _READY.touch()


if __name__ == "__main__":
    make_environment()
    print(f"The rivals' environment is ready in {ENVIRONMENT.name}.")
