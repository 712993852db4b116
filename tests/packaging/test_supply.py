"""What the library must never do at run time, and versions that say what they mean."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "grace_plugin").rglob("*.py"), *(ROOT / "adapters").glob("*.py")])

BANNED_MODULES = {
    "pickle", "cPickle", "dill", "marshal", "shelve", "cloudpickle",
    "subprocess", "pty", "socket", "ssl", "http", "urllib", "ftplib", "smtplib", "requests", "httpx",
}  # fmt: skip
BANNED_CALLS = {"eval", "exec", "compile", "__import__", "system", "popen", "read_pickle", "to_pickle"}
# A bootstrap sends its own function and data to its own workers; nothing is ever read from a file that way.
# What a function depends on is told by the bytes that pickling it would write; they are never read.
# layout="graphviz" runs the program dot, on numbers only.
ALLOWED = {
    ("parallel.py", "cloudpickle"),
    ("function_identity.py", "pickle"),
    ("graphviz.py", "subprocess"),
}


def words_of(path: Path) -> set[str]:
    """Modules that are imported, by statement or by name, and functions that are called."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            plain = isinstance(node.func, ast.Name)
            own = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") in (
                "re",
                "self",
            )
            if plain or not own:
                found.add(str(name))
            if name == "import_module":
                found |= {str(getattr(one, "value", "")).rpartition(".")[2] for one in node.args}
            allowed = [word for word in node.keywords if word.arg == "allow_pickle"]
            if any(getattr(word.value, "value", True) is not False for word in allowed):
                found.add("allow_pickle")
            if name == "load" and getattr(getattr(node.func, "value", None), "id", "") in ("np", "numpy"):
                found |= set() if allowed else {"allow_pickle"}
            if any(word.arg == "shell" for word in node.keywords):
                found.add("shell")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_pickle_no_eval_no_shell_no_network(path: Path) -> None:
    banned = words_of(path) & (BANNED_MODULES | BANNED_CALLS | {"allow_pickle", "shell"})
    assert {(path.name, word) for word in banned} <= ALLOWED


def test_the_check_can_fail(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "import urllib.request\nfrom pickle import loads\nimport numpy as np, os\n"
        "np.load('x')\neval('1')\nos.system('ls')\nimportlib.import_module('http.client')\n"
    )
    assert words_of(bad) >= {"urllib", "pickle", "allow_pickle", "eval", "system"}


# Python tells a hook about every socket, process and unpickled name.
WATCHED = """
import sys, tempfile
from pathlib import Path
import matplotlib; matplotlib.use("Agg")
import numpy as np
import grace_plugin as gp
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import as_panel

seen = []
watched = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pickle.find_class",
           "urllib.", "http.", "ftplib.", "smtplib.", "shutil.rmtree", "webbrowser.")

def everything(folder):
    x = np.random.default_rng(0).normal(size=(200, 3))
    x[1:, 1] += 0.7 * x[:-1, 0]
    found = gp.discover(x, max_lag=2)
    gp.discover(x, max_lag=1, skeleton="cdnots")
    gp.analyze(gp.Skeleton(np.ones((3, 3, 2)) * [0, 1]), x, engine="neural", epochs=1)
    gp.bootstrap("basis", x, max_lag=1, window=80, runs=2, cache=folder / "cache")
    gp.bootstrap("basis", x, max_lag=1, window=80, runs=2, cache=folder / "cache")
    found.report(folder / "report.html", x)
    gp.read_json(found.to_json())
    Moments.of(as_panel(x), 1).save(folder / "sums.npz")
    Moments.load(folder / "sums.npz")
    gp.load_example("elbe_flood")
    found.explain(0, 1, 1)

with tempfile.TemporaryDirectory() as folder:
    everything(Path(folder))  # libraries may look around when they are imported
    sys.addaudithook(lambda event, _: event.startswith(watched) and seen.append(event))
    everything(Path(folder))
    print(sorted(set(seen)))
    import socket
    socket.socket().close()
    print(sorted(set(seen)))
"""


def test_nothing_is_fetched_started_or_unpickled() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    ours, with_a_socket = done.stdout.splitlines()
    assert ours == "[]"
    assert with_a_socket == "['socket.__new__']"  # the hook does hear


def lower_bounds() -> dict[str, str]:
    """Of the core and of pictures, as pyproject.toml states them."""
    text = (ROOT / "pyproject.toml").read_text()
    core = text.partition("\ndependencies = [")[2].partition("\n]")[0]
    plot = re.search(r"^plot = \[(.*)\]$", text, re.MULTILINE)
    assert plot is not None
    return dict(re.findall(r'"([a-z0-9-]+)>=([0-9.]+)"', core + plot[1]))


def pinned(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    return dict(re.findall(r"^([A-Za-z0-9_-]+)==([0-9.]+)", "\n".join(lines), re.MULTILINE))


def release(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def test_the_oldest_versions_are_the_lower_bounds() -> None:
    bounds, oldest = lower_bounds(), pinned("constraints-oldest.txt")
    assert set(bounds) == set(oldest)
    for name, version in oldest.items():
        assert release(version) == release(bounds[name]), name


def test_the_tested_versions_are_not_below_the_bounds() -> None:
    tested = {name.lower().replace("_", "-"): version for name, version in pinned("constraints.txt").items()}
    for name, version in lower_bounds().items():
        assert release(tested[name]) >= release(version), name


def test_the_makefile_runs_both_ends() -> None:
    text = (ROOT / "Makefile").read_text()
    assert "constraints-oldest.txt" in text
    for target in ("test-oldest:", "test-newest:"):
        assert f"\n{target}" in text
    core = re.search(r"^CORE_ROOMS := (.*)$", text.replace("\\\n", " "), re.MULTILINE)
    assert core is not None
    assert all(list((ROOT / "tests" / name).glob("test_*.py")) for name in core[1].split())
