"""Every example runs from an empty folder, and the demo does what it is for."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def run(path: Path, folder: Path) -> str:
    environment = {**os.environ, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(path)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path, tmp_path: Path) -> None:
    output = run(path, tmp_path)
    assert output.strip()
    if path.stem == "demo":
        check_demo(output, tmp_path)
    if path.stem == "several_hosts":
        assert "4 of 4 true edges kept, 0 false" in output
    if path.stem.startswith("effects_with"):
        told = re.findall(r": (-?[0-9.]+) \(true: ([0-9.]+)\)", output)
        assert told
        assert all(abs(float(found) - float(true)) < 0.12 for found, true in told)
    if path.stem == "quickstart":
        assert "rain -> river at lag 1" in output
        assert "tea" not in output


def check_demo(output: str, folder: Path) -> None:
    """Edges with true and false, fewer false ones after, and the picture whose name it prints."""
    assert re.search(r"sun -> plants @ 1 +yes +- +FALSE", output)
    before, after = (
        [int(number) for number in re.search(rf"^{name} +(\d+) +(\d+) +(\d+) +(\d+)", output, re.M).groups()]
        for name in ("tigramite PCMCI", "after gp.refine")
    )
    assert after[2] < before[2]  # false
    assert after[1] == before[1]  # true
    picture = folder / re.search(r"(\S+\.png)$", output.strip())[1]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20_000


def test_there_are_examples() -> None:
    assert {"demo", "quickstart"} <= {path.stem for path in EXAMPLES}
