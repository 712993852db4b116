"""The examples in docstrings are true: every `>>>` of the core is run."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import grace_plugin

# grace_plugin.__path__ also leads to the checkout itself, so that adapters/ is found.
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(grace_plugin.__path__[:1], "grace_plugin.")
    if not module.name.startswith("grace_plugin.adapters")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(import_module(name), verbose=False)
    assert failed == 0


def test_the_modules_are_found_and_have_examples() -> None:
    assert {"grace_plugin.pipeline.verbs", "grace_plugin.graph.skeleton", "grace_plugin.show.style"} <= set(
        MODULES
    )
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = sum(len(test.examples) for name in MODULES for test in finder.find(import_module(name)))
    assert examples > 50


def test_every_public_name_has_a_docstring() -> None:
    for name in grace_plugin.__all__:
        assert getattr(grace_plugin, name).__doc__, name
