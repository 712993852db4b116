"""Modules that other people's code imports are found where they were; those that moved say where to."""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib import import_module
from importlib.metadata import entry_points

import pytest

MOVED = [
    ("plotting", "grace_plugin.show", "plot"),
    ("plotting", "grace_plugin.show", "plot_before_after"),
    ("plotting", "grace_plugin.show", "draw_network"),
    ("plotting", "grace_plugin.show", "KINDS"),
    ("skeleton", "grace_plugin.graph.skeleton", "Skeleton"),
    ("skeleton", "grace_plugin._common.arrays", "FloatArray"),
    ("outcome", "grace_plugin.graph.outcome", "Outcome"),
    ("outcome", "grace_plugin.graph.outcome", "Reason"),
    ("panel", "grace_plugin.series.panel", "as_panel"),
    ("panel", "grace_plugin.series.panel", "Panel"),
    ("panel", "grace_plugin.series.panel", "Series"),
]
STAYED = [
    ("testing", "AdapterContract"),
    ("protocols", "Adapter"),
    ("exceptions", "GraceError"),
    ("skeletons", "Source"),
    ("skeletons", "get_skeleton"),
    ("skeletons", "register_skeleton"),
    ("cli", "main"),
]


@pytest.mark.parametrize(("old", "new", "name"), MOVED)
def test_a_module_that_moved_says_where_to(old: str, new: str, name: str) -> None:
    module = import_module(f"grace_plugin.{old}")
    with pytest.warns(DeprecationWarning, match=f"grace_plugin.{old} is now ") as told:
        found = getattr(module, name)
    (warning,) = told
    assert warning.filename == __file__
    named = str(warning.message).removeprefix(f"grace_plugin.{old} is now ").partition(";")[0]
    assert found is getattr(import_module(named), name) is getattr(import_module(new), name)


def test_the_usual_import_warns_at_its_own_line(tmp_path) -> None:
    script = tmp_path / "theirs.py"
    script.write_text("import sys\nfrom grace_plugin.skeleton import Skeleton\n")
    done = subprocess.run(
        [sys.executable, "-W", "always", str(script)], capture_output=True, text=True, check=True
    )
    assert f"{script}:2: DeprecationWarning: grace_plugin.skeleton is now" in done.stderr


@pytest.mark.parametrize("old", sorted({old for old, _, _ in MOVED}))
def test_what_never_was_there_is_an_attribute_error(old: str) -> None:
    with pytest.raises(AttributeError, match=f"'grace_plugin.{old}' has no attribute 'nonsense'"):
        getattr(import_module(f"grace_plugin.{old}"), "nonsense")  # noqa: B009


@pytest.mark.parametrize(("module", "name"), STAYED)
def test_a_module_that_stayed_says_nothing(module: str, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert getattr(import_module(f"grace_plugin.{module}"), name) is not None


def test_the_command_is_where_it_was() -> None:
    (command,) = entry_points(group="console_scripts", name="grace")
    assert command.value.startswith("grace_plugin.cli")
    assert callable(command.load())
