"""The core never loads torch, and works where there is none; the neural engine says how to get it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import GraceError, OptionError

ROOT = Path(__file__).parents[2]

NO_TORCH = """
import sys

class Refusal:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refusal())
"""

CORE = """
import numpy as np
import grace_plugin as gp
x = np.random.default_rng(0).normal(size=(400, 3))
x[1:, 1] += 0.7 * x[:-1, 0]
x[2:, 2] += 0.7 * x[:-2, 1]
for skeleton in ("basis", "cdnots", "lasso", "full"):
    found = gp.discover(x, 2, skeleton=skeleton)
    assert np.argwhere(found.graph).tolist() == [[0, 1, 1], [1, 2, 2]], skeleton
mask = np.ones((3, 3, 3), dtype=bool) & (np.arange(3) > 0)
assert np.argwhere(gp.analyze(gp.Skeleton(mask), x).graph).tolist() == [[0, 1, 1], [1, 2, 2]]
assert gp.bootstrap("basis", x, max_lag=2, window=150, runs=2).graph[0, 1, 1]
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_core_works_without_torch() -> None:
    run(NO_TORCH + CORE)


def test_the_command_works_without_torch(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(400, 2))
    x[1:, 1] += 0.7 * x[:-1, 0]
    data = tmp_path / "data.csv"
    np.savetxt(data, x, delimiter=",", header="rain,flow", comments="")
    call = f"sys.argv = ['grace', 'discover', {str(data)!r}, '--max-lag', '2']\n"
    shown = run(NO_TORCH + "from grace_plugin.cli.commands import main\n" + call + "main()")
    assert re.search(r"rain.*flow", shown), shown


def test_the_core_does_not_load_torch_where_it_is() -> None:
    assert run(CORE + "import sys; print('torch' in sys.modules)").strip() == "False"


def test_the_neural_engine_says_how_to_get_torch() -> None:
    code = """
import numpy as np
import grace_plugin as gp
try:
    gp.discover(np.random.default_rng(0).normal(size=(100, 2)), 1, engine="neural")
except ImportError as error:
    print(isinstance(error, gp.GraceError), error)
"""
    assert run(NO_TORCH + code).strip() == (
        "True engine='neural' needs torch, which is not installed: pip install \"grace-plugin[neural]\"."
    )


def test_a_device_belongs_to_the_neural_engine() -> None:
    x = np.random.default_rng(0).normal(size=(100, 2))
    with pytest.raises(OptionError, match="device= is an option of the neural engine alone") as caught:
        gp.discover(x, 1, device="cpu")
    assert isinstance(caught.value, GraceError)


def test_torch_is_an_extra() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    assert "torch" not in text.partition("\ndependencies = [")[2].partition("\n]")[0]
    assert re.search(r'^neural = \["torch>=', text, re.MULTILINE)
    assert re.search(r"^all = .*\bneural\b", text, re.MULTILINE)
