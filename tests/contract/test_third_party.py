"""The example package is installed into a fresh environment, where grace_plugin finds and uses it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import grace_plugin

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "third_party_adapter"

pytestmark = pytest.mark.xdist_group("third party")  # one environment

USE = """
import sys
import grace_plugin as gp
from grace_plugin.hosts.registry import find_adapter

assert "arrowbook" in gp.available_adapters()
assert "grace_arrowbook" not in sys.modules, "listing adapters must not import them"
adapter = gp.get_adapter("arrowbook")
assert type(adapter).__module__ == "grace_arrowbook"
assert "arrowbook" not in sys.modules, "the adapter must not import its host"

from arrowbook import Arrow, ArrowBook

book = ArrowBook(["wind", "waves"], 2, [Arrow("waves", "wind", 1, 0.5)])
assert find_adapter(book) is adapter
assert list(adapter.to_skeleton(book)) == [(0, 1, 1)]
print("used")
"""


def run(*command: object, cwd: Path) -> str:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV_"))}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A new environment with the example installed; all else is borrowed from this one."""
    place = tmp_path_factory.mktemp("third_party")
    package = shutil.copytree(
        EXAMPLE, place / "package", ignore=shutil.ignore_patterns("build", "*.egg-info")
    )
    run(sys.executable, "-m", "venv", "--without-pip", place / "env", cwd=place)
    python = place / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place).strip()
    )
    borrowed = [Path(grace_plugin.__file__).parent.parent, *map(sysconfig.get_path, ("purelib", "platlib"))]
    (site / "borrowed.pth").write_text("".join(f"{path}\n" for path in dict.fromkeys(map(str, borrowed))))
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"]
    run(sys.executable, "-m", "pip", "install", *options, "--target", site, package, cwd=place)
    return python, package


def test_it_is_not_known_here():
    assert "arrowbook" not in grace_plugin.available_adapters()


def test_it_is_found_through_its_entry_point(environment):
    python, _ = environment
    assert run(python, "-c", USE, cwd=python.parent).strip() == "used"


def test_its_own_tests_pass_there(environment):
    python, package = environment
    (package / "arrowbook.py").unlink()  # the installed modules must be used, not those beside the test
    (package / "grace_arrowbook.py").unlink()
    printed = run(
        python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_grace_arrowbook.py", cwd=package
    )
    assert " passed" in printed
    assert " skipped" not in printed
