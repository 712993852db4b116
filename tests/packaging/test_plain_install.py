"""What `pip install .` brings along, without any extra: no torch, little room, and a library that works.

An environment is put together from the distributions that the requirements name, directly or by way of
others, as pip would; the files are those that are installed here, so nothing is fetched.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
MOST_BYTES = 700_000_000

CORE = """
import sys
import numpy as np
import grace_plugin as gp
x = np.random.default_rng(0).normal(size=(400, 3))
x[1:, 1] += 0.7 * x[:-1, 0]
found = gp.discover(x, 2)
assert np.argwhere(found.graph).tolist() == [[0, 1, 1]]
assert found.edges.kept.sum() == 1 and "kept" in found.summary()
assert np.argwhere(gp.refine(found.skeleton, x).mask).tolist() == [[0, 1, 1]]
assert gp.bootstrap("basis", x, max_lag=2, window=150, runs=2).graph[0, 1, 1]
try:
    import torch
except ImportError:
    print(gp.__file__)
"""


def required() -> dict[str, Distribution]:
    """Every distribution that a plain install needs, by its name."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = text.partition("\ndependencies = [")[2].partition("\n]")[0]
    waiting = [Requirement(line) for line in re.findall(r'^ *"(.+)"', listed, re.MULTILINE)]
    found: dict[str, Distribution] = {}
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in found or (wanted.marker is not None and not wanted.marker.evaluate({"extra": ""})):
            continue
        found[name] = distribution(name)
        waiting += [Requirement(line) for line in found[name].requires or ()]
    return found


def files_of(one: Distribution) -> list[Path]:
    """Its files in site-packages, by their path in there; compiled ones are made anew."""
    return [
        Path(file)
        for file in one.files or ()
        if not file.parts[0].startswith("..") and "__pycache__" not in file.parts
    ]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site-packages with what is required, and this library."""
    folder = tmp_path_factory.mktemp("plain") / "site-packages"
    folder.mkdir()
    for one in required().values():
        for top in {file.parts[0] for file in files_of(one)}:
            (folder / top).symlink_to(Path(str(one.locate_file(top))).resolve())
    (folder / "grace_plugin").mkdir()
    for entry in (ROOT / "grace_plugin").iterdir():
        (folder / "grace_plugin" / entry.name).symlink_to(entry)
    (folder / "grace_plugin" / "adapters").symlink_to(ROOT / "adapters")
    return folder


def run(site: Path, *words: str) -> str:
    """Python with this site-packages and no other."""
    done = subprocess.run(
        [sys.executable, "-S", *words],
        cwd=site.parent,
        env={**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_brings_no_torch_and_no_host() -> None:
    names = set(required())
    assert "numpy" in names
    assert not names & {
        "torch",
        "tigramite",
        "causal-learn",
        "lingam",
        "statsmodels",
        "gcastle",
        "ray",
        "dask",
    }
    assert not {name for name in names if name.startswith("nvidia")}


def test_it_takes_little_room() -> None:
    sizes = {
        name: sum(Path(str(one.locate_file(file))).stat().st_size for file in files_of(one))
        for name, one in required().items()
    }
    assert 50_000_000 < sum(sizes.values()) < MOST_BYTES, sizes


def test_the_library_works_there(site: Path) -> None:
    assert run(site, "-c", CORE).strip() == str(site / "grace_plugin" / "__init__.py")


def test_the_command_works_there(site: Path, tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(400, 2))
    x[1:, 1] += 0.7 * x[:-1, 0]
    data = tmp_path / "data.csv"
    np.savetxt(data, x, delimiter=",", header="rain,flow", comments="")
    shown = run(site, "-m", "grace_plugin", "discover", str(data), "--max-lag", "2")
    assert re.search(r"rain.*flow", shown), shown
