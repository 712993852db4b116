"""Every door lists every option by name, with one default, and types that an editor can use."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

import grace_plugin as gp
from grace_plugin._common.config import COMMON_OPTIONS, RefineConfig
from grace_plugin.exceptions import OptionError
from grace_plugin.pipeline.options import collected
from grace_plugin.show import plot
from grace_plugin.stability.bootstrapping import WINDOW_ALPHA

DOORS = [gp.refine, gp.analyze, gp.discover, gp.bootstrap]
OTHER_DEFAULTS = {("bootstrap", "alpha"): WINDOW_ALPHA}


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_every_option_stands_in_the_signature_with_its_default(door: Callable[..., Any]) -> None:
    parameters = inspect.signature(door).parameters
    for field in fields(RefineConfig):
        if field.name == "engine_options":
            continue
        default = OTHER_DEFAULTS.get((door.__name__, field.name), field.default)
        assert parameters[field.name].default == default, f"{door.__name__}({field.name}=...)"
    assert parameters["host_options"].kind is inspect.Parameter.VAR_KEYWORD


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_every_option_is_documented(door: Callable[..., Any]) -> None:
    words = inspect.getdoc(door) or ""
    if door is gp.analyze:
        assert "Takes what `refine` takes." in words
        return
    for name in inspect.signature(door).parameters:
        assert f"\n    {'**' if name == 'host_options' else ''}{name}: " in words, name


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_types_say_something(door: Callable[..., Any]) -> None:
    for name, parameter in inspect.signature(door).parameters.items():
        assert parameter.annotation not in (Any, "Any", "object", inspect.Parameter.empty) or (
            name == "host_options"
        ), name
    assert inspect.signature(door).return_annotation not in ("Any", "object")


def test_the_result_is_of_the_type_of_what_was_given() -> None:
    signature = inspect.signature(gp.refine)
    assert signature.parameters["native"].annotation == signature.return_annotation == "N"


def test_only_what_differs_from_the_defaults_is_passed_on() -> None:
    usual = {name: getattr(RefineConfig(), name) for name in COMMON_OPTIONS}
    assert collected({**usual, "host_options": {}}) == {}
    given = {**usual, "alpha": 0.01, "keep": [(0, 1)], "host_options": {"basis": ("linear",)}, "native": 1}
    assert collected(given) == {"alpha": 0.01, "keep": [(0, 1)], "basis": ("linear",)}


def test_a_wrong_option_is_named_with_what_was_meant() -> None:
    with pytest.raises(OptionError, match=r"no option 'gate_treshold'. Did you mean 'gate_threshold'"):
        gp.discover([[0.0]], 1, gate_treshold=0.4)


def test_a_refinement_draws_with_the_options_of_plot() -> None:
    of_method = inspect.signature(gp.Refinement.plot).parameters
    of_function = inspect.signature(plot).parameters
    assert list(of_method)[1:] == list(of_function)[1:]
    for name in list(of_method)[1:]:
        assert of_method[name].default == of_function[name].default, name
        assert of_method[name].annotation == of_function[name].annotation, name
