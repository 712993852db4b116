"""Who may import whom, by reading the source; and what `import grace_plugin` really loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOSTS = {
    "tigramite",
    "causallearn",
    "lingam",
    "causalnex",
    "castle",
    "statsmodels",
    "causalts",
    "cdans",
    "dowhy",
}
CORE = sorted((ROOT / "grace_plugin").rglob("*.py"))
ADAPTERS = sorted((ROOT / "adapters").glob("*.py"))
HEAVY = HOSTS | {"torch", "pandas", "scipy", "sklearn", "networkx", "matplotlib", "joblib"}


def imported(path: Path, top_level_only: bool = False) -> set[str]:
    tree = ast.parse(path.read_text())
    nodes = tree.body if top_level_only else ast.walk(tree)
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return names


def tops(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("path", CORE, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_core_imports_no_adapter_and_no_host(path: Path) -> None:
    names = imported(path)
    assert not any(name.startswith("grace_plugin.adapters") for name in names)
    allowed = {"tigramite"} if path.name == "hosted.py" else set()  # a skeleton that runs the host itself
    assert not tops(names) & HOSTS - allowed
    assert not tops(imported(path, top_level_only=True)) & HOSTS


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda p: p.name)
def test_an_adapter_imports_no_engine_and_no_other_adapter(path: Path) -> None:
    names = imported(path)
    assert "torch" not in tops(names)
    banned = {
        "grace_plugin.hosts.registry",
        "grace_plugin.pipeline.verbs",
        "grace_plugin.engines.hard_concrete",
    }
    assert not names & banned
    assert not any(name.startswith("grace_plugin.engines") for name in names)
    others = {name for name in names if name.startswith("grace_plugin.adapters.")}
    assert all(name.removeprefix("grace_plugin.adapters.").startswith("_") for name in others)
    assert not tops(imported(path, top_level_only=True)) & HOSTS


def test_gates_know_nothing_of_the_project() -> None:
    assert tops(imported(ROOT / "grace_plugin" / "engines/hard_concrete.py")) <= {
        "__future__",
        "math",
        "numpy",
        "scipy",
    }


def modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def loaded_by(code: str) -> set[str]:
    return tops(modules_after(code))


def test_importing_loads_neither_torch_nor_a_host() -> None:
    assert not loaded_by("import grace_plugin") & HEAVY
    assert "torch" in loaded_by("import torch")  # the check can fail


def test_recognising_an_object_imports_no_host() -> None:
    code = "import grace_plugin as gp\ntry: gp.refine(7)\nexcept TypeError: pass"
    assert not loaded_by(code) & (HOSTS | {"torch"})


def test_a_first_call_waits_for_nothing_large() -> None:
    code = (
        "import numpy as np, grace_plugin as gp\n"
        "x = np.random.default_rng(0).normal(size=(200, 3))\n"
        "gp.discover(x, 2); gp.refine(gp.Skeleton(np.ones((3, 3, 3)) * [0, 1, 1]), x)"
    )
    loaded = modules_after(code)
    assert "scipy.special" in loaded
    assert not loaded & {"torch", "pandas", "scipy.stats", "matplotlib", "joblib", "networkx", "narwhals"}


def test_importing_loads_hardly_anything_of_its_own() -> None:
    code = "import grace_plugin\nimport sys; print(*[n for n in sys.modules if n.startswith('grace_plugin')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["grace_plugin"]


def test_no_module_is_loaded_under_two_names() -> None:
    assert not [name for name in sys.modules if name == "adapters" or name.startswith("adapters.")]
