"""What a row was made with: versions, size of the machine, date. No names of machines, no paths."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import datetime, timezone
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "grace-plugin",
    "numpy",
    "scipy",
    "scikit-learn",
    "torch",
    "networkx",
    "tigramite",
    "causal-learn",
    "lingam",
    "statsmodels",
    "causalts",
)


def today() -> str:
    return datetime.now(timezone.utc).date().isoformat()


@cache
def commit() -> str:
    """The short hash of the code that runs, or nothing outside a checkout."""
    folder = Path(__file__).parent
    asked = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.strip()


@cache
def engine(code: str = "HEAD") -> str:
    """The short hash of grace_plugin/ as a commit has it, or nothing where it is not known."""
    asked = ["git", "rev-parse", "--short", f"{code}:grace_plugin"]
    done = subprocess.run(asked, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def machine() -> str:
    """Cores and memory."""
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return (
        f"{os.cpu_count()} cores, {pages / 2**30:.0f} GiB of memory, {platform.system()} {platform.machine()}"
    )
