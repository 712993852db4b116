"""Imports go down only, wherever they stand."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.layers import LEVEL, PACKAGE, ROOT, breaches, cycles, everything, imports_of, modules, room_of


def test_imports_go_down_only_and_take_no_private_name() -> None:
    assert breaches(everything()) == []


def test_no_two_modules_import_each_other() -> None:
    assert cycles(everything()) == []


@pytest.mark.parametrize(
    "source",
    [
        "from grace_plugin.results.refinement import Refinement",
        "from .refinement import Refinement",
        "from grace_plugin.results import refinement",
        "from . import refinement",
        "def late():\n    from grace_plugin.results.refinement import Refinement",
        "if TYPE_CHECKING:\n    from grace_plugin.results.refinement import Refinement",
    ],
)
def test_modules_of_one_room_that_import_each_other_are_found(source: str) -> None:
    back = imports_of("results.dot", source, package=False)
    (told,) = cycles([*everything(), *back])
    assert told.startswith("results.dot, results.refinement import each other")


def test_a_cycle_over_several_modules_is_told_once() -> None:
    back = imports_of("results.findings", "from .refinement import Refinement", package=False)
    (told,) = cycles([*everything(), *back])
    assert {"results.findings", "results.refinement", "results.cuts", "results.dot"} <= set(
        told.removesuffix(" import each other; let one know the other's data only").split(", ")
    )


def test_every_room_has_its_line() -> None:
    assert {room_of(module) for module in modules()} <= set(LEVEL)


def test_at_most_five_modules_lie_at_the_root() -> None:
    assert len(list((ROOT / PACKAGE).glob("*.py"))) <= 5


@pytest.mark.parametrize(
    "source",
    [
        "from grace_plugin.engines import load_engine",
        "import grace_plugin.engines.additive.engine",
        "from grace_plugin import engines",
        "from ..engines import load_engine",
        "from .. import engines",
        "def late():\n    from grace_plugin.engines import load_engine",
        "if TYPE_CHECKING:\n    from ..results.refinement import Refinement",
        "try:\n    import grace_plugin.cli\nexcept ImportError:\n    pass",
        "from grace_plugin import discover",
    ],
)
def test_a_module_that_looks_up_is_found(source: str) -> None:
    (told,) = breaches(imports_of("series.made_up", source, package=False))
    assert told.startswith("series.made_up, line ")
    assert "goes up or aside" in told


def test_rooms_of_one_line_do_not_see_each_other() -> None:
    (told,) = breaches(imports_of("skeletons.made_up", "from grace_plugin.engines import Engine", False))
    assert "from skeletons to engines" in told


def test_private_names_stay_in_their_room() -> None:
    source = "from grace_plugin.series.panel import _secret\nfrom grace_plugin._common.checks import whole"
    (told,) = breaches(imports_of("pipeline.made_up", source, package=False))
    assert told == "pipeline.made_up, line 1: series.panel._secret is private to series"
    assert breaches(imports_of("series.made_up", source, package=False)) == []


def test_relative_imports_of_a_package_start_in_itself() -> None:
    (found,) = imports_of("skeletons", "from .source import Source", package=True)
    assert (found.target, found.name) == ("skeletons.source", "Source")
    (found,) = imports_of("engines.additive.engine", "from ..hard_concrete import x", package=False)
    assert found.target == "engines.hard_concrete"


def test_one_command_prints_the_table() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.layers"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["0", "exceptions", "<-", "nothing"]
    assert any(line.split()[1] == "pipeline" and "skeletons" in line for line in lines)
