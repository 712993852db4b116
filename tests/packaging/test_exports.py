from __future__ import annotations

import inspect

import pytest

import grace_plugin as gp
from grace_plugin import exceptions


def test_all_is_sorted_complete_and_importable() -> None:
    assert gp.__all__ == sorted(gp.__all__)
    assert sorted(gp._PUBLIC) == gp.__all__
    for name in gp.__all__:
        assert getattr(gp, name).__name__ == name
        assert inspect.getdoc(getattr(gp, name))
    assert set(gp.__all__) <= set(dir(gp))


def test_unknown_attributes_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        gp.nonsense  # noqa: B018


def test_every_error_is_a_grace_error_and_a_built_in() -> None:
    for name in (name for name in exceptions.__all__ if not name.endswith("Warning")):
        error = getattr(exceptions, name)
        assert issubclass(error, gp.GraceError)
        if error is not gp.GraceError:
            assert issubclass(error, (ValueError, TypeError, LookupError, RuntimeError, OSError, ImportError))
